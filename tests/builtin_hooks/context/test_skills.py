"""A prompt brings skills and knowledge to mind, and no more of them than it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.builtin_hooks.making import made, prompt

from interlock.engine.engine import Engine
from interlock.errors import ConfigError
from interlock.events.event import Event
from interlock.events.verdict import Vote
from interlock.policy.hook_kind import HookServices, Memory, MemoryInProcess


def skill(project: Path, name: str, head: str, text: str = "How it is done.") -> Path:
    """A skill of a project."""
    file = project / ".claude" / "skills" / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"---\n{head}\n---\n{text}\n")
    return file


def engine(**config: Any) -> Engine:
    """An engine with this hook alone."""
    return made("skills", "user_prompt_submit", config, environ={"HOME": "/nowhere"})


def said(given: Engine, text: str | None, project: Path, session: str = "s") -> str:
    """What the model is told."""
    decision = given.decide_sync(prompt(text, project, session=session))
    assert decision.vote is Vote.ABSTAIN
    return "\n\n".join(decision.context)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with two skills."""
    skill(
        tmp_path,
        "pdf-forms",
        "name: pdf-forms\ndescription: Fill in forms and extract tables from PDF documents",
    )
    skill(tmp_path, "charts", f"name: charts\ndescription: Draw diagrams {'of all kinds ' * 20}")
    return tmp_path


@pytest.mark.req("U30", "U31", "X38")
def test_a_word_of_the_description_brings_name_description_and_place(project: Path) -> None:
    """As context for the model; the text of the skill stays in its file."""
    told = said(engine(), "Extract the numbers, please", project)

    place = project / ".claude" / "skills" / "pdf-forms" / "SKILL.md"
    assert told.splitlines()[1:] == [
        f"- pdf-forms: Fill in forms and extract tables from PDF documents ({place})"
    ]
    assert "How it is done" not in told


@pytest.mark.req("U31")
def test_every_skill_that_fits_is_listed_with_its_description_cut(project: Path) -> None:
    """At 100 characters; the limit is the one with more words in common comes first."""
    lines = said(engine(), "draw the diagrams of these documents", project).splitlines()[1:]

    assert [line.split(":")[0] for line in lines] == ["- charts", "- pdf-forms"]
    assert len(lines[0].split(": ")[1].split(" (")[0]) == 100


@pytest.mark.req("U31")
@pytest.mark.parametrize("text", ["what is that for?", "", None, "with from into", "a of in"])
def test_short_and_empty_words_lead_nowhere(project: Path, text: str | None) -> None:
    """Nor does a prompt without words."""
    assert said(engine(), text, project) == ""


@pytest.mark.req("U31")
def test_a_table_takes_the_place_of_the_descriptions_words(project: Path) -> None:
    """Phrases too; an empty list keeps a skill out."""
    given = engine(triggers={"pdf-forms": ["tax return"], "charts": []})

    assert "pdf-forms" in said(given, "do my tax  return", project)
    assert said(given, "extract these diagrams", project) == ""


@pytest.mark.req("U31")
def test_a_part_of_a_word_counts_where_that_is_wanted(project: Path) -> None:
    """Else only whole words do, with or without an `s`."""
    assert "charts" in said(engine(match="part"), "a subdiagrams view", project)
    assert said(engine(), "a subdiagrams view", project) == ""
    assert "charts" in said(engine(), "one diagram", project)


@pytest.mark.req("U12")
def test_who_names_a_skill_gets_its_text_once_a_session(project: Path) -> None:
    """Documentation is injected where it is wanted, and not again."""
    given = engine()
    first, again = (said(given, "use pdf-forms here", project) for _ in range(2))

    assert first.endswith(
        "\n\npdf-forms:\n" + (project / ".claude/skills/pdf-forms/SKILL.md").read_text().strip()
    )
    assert "How it is done" not in again
    assert "How it is done" in said(given, "use pdf-forms here", project, "another")


@pytest.mark.req("U12")
def test_texts_can_come_with_every_match_or_never(project: Path) -> None:
    """As the options say."""
    assert "How it is done" in said(engine(text="always"), "extract it", project)
    assert "How it is done" not in said(engine(text="never"), "use pdf-forms", project)


@pytest.mark.req("U30")
@pytest.mark.parametrize(
    "content",
    ["no head", "---\nname: [1\n---\n", "---\n- a\n---\n", "---\nname: {a: 1}\n---\n", "", "\0\xff"],
)
def test_a_malformed_file_is_passed_over(project: Path, content: str) -> None:
    """The others are still found."""
    file = skill(project, "broken", "name: x")
    file.write_bytes(content.encode("latin-1"))

    assert "charts" in said(engine(), "draw diagrams", project)
    assert "broken" not in said(engine(), "broken diagrams", project)


def test_a_link_out_of_the_project_is_no_skill(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A repository must not show a person's file to a model."""
    other = tmp_path_factory.mktemp("other")
    (other / "SKILL.md").write_text("---\nname: secret\ndescription: private letters\n---\n")
    (project / ".claude" / "skills" / "away").symlink_to(other)

    assert said(engine(), "private letters", project) == ""


def test_a_changed_skill_is_read_again(project: Path) -> None:
    """Between two prompts."""
    given = engine()
    assert said(given, "spreadsheets", project) == ""
    skill(project, "sheets", "description: Read spreadsheets")

    assert "- sheets: Read spreadsheets" in said(given, "spreadsheets", project)


@pytest.mark.req("U2")
def test_knowledge_comes_just_in_time(project: Path) -> None:
    """By keyword, once a session, also when another daemon remembers."""
    (project / "db.md").write_text("Migrations are numbered.")
    services = HookServices({Memory: MemoryInProcess()})
    config = {"knowledge": [{"words": ["migration", "schema change"], "file": "db.md"}], "places": []}
    told = []
    for text in ("hello", "never a migration", "add a migration", "another migration"):
        given = made("skills", "user_prompt_submit", config, services=services, name="know")
        told.append(said(given, text, project))

    assert told == ["", "", "db.md:\nMigrations are numbered.", ""]


def test_knowledge_stays_in_the_project_and_is_cut(project: Path, tmp_path: Path) -> None:
    """A relative name that leads out gives nothing; a long file ends with where the rest is."""
    (project / "long.md").write_text("x" * 100)
    config = {
        "knowledge": [{"words": ["a1b2"], "file": "../../etc/passwd"}, {"words": ["long"], "file": "long.md"}]
    }
    told = said(engine(**config, most_bytes=10), "a1b2 long", project)

    assert told == f"long.md:\n{'x' * 10}\n[cut: the rest is in {project}/long.md]"


@pytest.mark.req("U31")
def test_a_sub_agent_inherits_the_list(project: Path) -> None:
    """With more of each description; unless that is switched off."""
    start = Event(name="SubagentStart", session_id="s", cwd=str(project), agent_id="a", agent_type="Explore")
    (told,) = engine().decide_sync(start).context
    charts = next(line for line in told.splitlines() if line.startswith("- charts"))

    assert len(charts.split(": ")[1].split(" (")[0]) == 150
    assert engine(agents=False).decide_sync(start).context == ()


def test_nothing_to_give_does_not_load() -> None:
    """The mistake is told at its place."""
    with pytest.raises(ConfigError, match="nothing to add"):
        engine(places=[])

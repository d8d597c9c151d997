"""Skill files are read as far as they can be; one that cannot is listed and stops no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.features.work.skills import SkillFileError, read_skill, scan

WHOLE = """\
---
name: implement
description: Builds what was planned.
version: 3.0
phases: ["0: Setup", {label: 1, name: Plan}, "1.A: Alone"]
modes: [tdd, fast]
templates:
  log: assets/LOG.md
next-skills: [test, document]
directives: [TESTING.md]
cmd_dependencies: [CMD_LOG]
allowed-tools: Read, Bash(git *)
---
# Implement
"""


def put(folder: Path, name: str, text: str | bytes) -> str:
    file = folder / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(file)


def refusal(folder: Path, text: str | bytes) -> str:
    with pytest.raises(SkillFileError) as caught:
        read_skill(put(folder, "bad", text))
    return str(caught.value)


@pytest.mark.req("E77")
def test_the_head_of_a_skill_file_says_what_it_is(tmp_path: Path) -> None:
    """Phases in one form, templates by their path, everything else as written."""
    skill = read_skill(put(tmp_path, "implement", WHOLE))

    assert (skill.name, skill.description, skill.version) == ("implement", "Builds what was planned.", "3.0")
    assert skill.phases == ("0: Setup", "1: Plan", "1.A: Alone")
    assert (skill.modes, skill.next_skills) == (("tdd", "fast"), ("test", "document"))
    assert (skill.directives, skill.cmd_dependencies) == (("TESTING.md",), ("CMD_LOG",))
    assert skill.templates == (f"{tmp_path}/implement/assets/LOG.md",)


def test_a_skill_is_named_by_its_folder_where_it_does_not_say(tmp_path: Path) -> None:
    """As hosts do."""
    skill = read_skill(put(tmp_path, "fix", "---\ndescription: x\n---\n"))

    assert (skill.name, skill.phases, skill.modes) == ("fix", (), ())
    assert read_skill(put(tmp_path, "crlf", "\ufeff---\r\nname: other\r\n---\r\nText")).name == "other"


@pytest.mark.req("E77")
def test_one_bad_file_is_listed_and_the_rest_goes_on(tmp_path: Path) -> None:
    """In every folder that is there."""
    first, second = tmp_path / "one", tmp_path / "two"
    put(first, "a", "---\nname: a\n---\n")
    put(first, "b", "---\nname: [\n---\n")
    put(first, "c", "---\nname: c\n---\n")
    put(second, "a", "---\nname: a\ndescription: never read\n---\n")
    (first / "empty").mkdir()
    (first / "file.md").write_text("x")
    found = scan([str(first), str(tmp_path / "missing"), str(second), "a\0b"])

    assert [skill.name for skill in found.skills] == ["a", "c"]
    assert found.skills[0].description is None
    (problem,) = found.problems
    assert problem.path == f"{first}/b/SKILL.md"
    assert "SKILL.md:" in problem.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Just text", "two lines `---`"),
        ("---\nname: x\n", "two lines `---`"),
        ("", "two lines `---`"),
        (b"\xff\xfe", "not UTF-8 text"),
        ("---\n- a\n---\n", "is not a mapping"),
        ("---\nphases: [Setup]\n---\n", "no phase in `Setup`"),
        ("---\nmodes: [1, 2]\n---\n", "texts in `modes`"),
        ("---\nname: 7\n---\n", "the `name`"),
        ("---\na: &x 1\nb: *x\n---\n", ":2: the anchor"),
        ("---\n" + "x" * 300_000, "shorten it"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path: Path, text: str | bytes, words: str) -> None:
    """With the file, and the line where there is one."""
    message = refusal(tmp_path, text)

    assert words in message
    assert "SKILL.md" in message
    assert "\n" not in message


@settings(deadline=None)
@given(
    st.text()
    | st.text().map(lambda text: f"---\n{text}\n---\n")
    | st.binary().map(lambda raw: raw.decode("latin-1"))
)
def test_any_text_is_a_skill_or_a_problem(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Nothing in a file breaks the reading of the others."""
    folder = tmp_path_factory.mktemp("skills")
    put(folder, "a", text.encode("utf-8", "surrogatepass"))
    put(folder, "good", "---\nname: good\n---\n")
    found = scan([str(folder)])

    assert len(found.skills) + len(found.problems) == 2 or {skill.name for skill in found.skills} == {"good"}
    assert "good" in {skill.name for skill in found.skills}

"""The documents say what the code does: their examples run, their references are complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from scripts.cli_docs import PAGE, filled, helps

from interlock.builtin_hooks.catalog import BASIC
from interlock.errors import FailureKind
from interlock.events.hook import Layer
from interlock.events.names import ALIASES, EventName
from interlock.features.approvals.settings import ApprovalSettings, NotifySettings
from interlock.features.work.settings import AgentSettings, WorkNotifySettings, WorkSettings
from interlock.policy.extensions import genesis_key
from interlock.policy.format.entry import HookEntry, HooksToml, ShellConfig, TomlHook
from interlock.policy.hook_kinds import ours
from interlock.policy.load import load_policy

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
FENCE = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)(?P<file>[^)#\s]*)(?:#(?P<heading>[^)\s]*))?\)")
PACKED = re.compile(r"\d+ hooks from packs")
DURATION = re.compile(r"(?<= )\d+\.\d(?= |$)")  # the one part of an answer that differs each time


@dataclass(frozen=True)
class Block:
    """One fenced example of a page; `title="NAME"` after its language makes it a file for later examples."""

    page: Path
    line: int
    info: str
    text: str

    @property
    def language(self) -> str:
        return self.info.split()[0]

    @property
    def file(self) -> str | None:
        named = re.search(r'\btitle="([^"]+)"', self.info)
        return named[1] if named else None


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(page=page, line=line, info=match["info"].strip(), text=match["text"])


BLOCKS = [block for page in PAGES for block in blocks(page)]
NOT_INSTALLED = "features: [acme_freeze]"  # a distribution that the example invents
POLICIES = [
    b
    for b in BLOCKS
    if b.language == "toml"
    or (b.language == "yaml" and b.text.startswith(("version:", "settings:", "hooks:")))
    if NOT_INSTALLED not in b.text
]
PROGRAMS = [b for b in BLOCKS if b.language == "python" and not b.file]


def place(block: Block) -> str:
    """A block as a person looks it up."""
    return f"{block.page.relative_to(ROOT)}:{block.line}"


def prepared(block: Block, folder: Path) -> None:
    """Write the named examples that stand before a block on its page."""
    for earlier in blocks(block.page):
        if earlier.line < block.line and earlier.file:
            target = folder / earlier.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(earlier.text, encoding="utf-8")


def page(name: str) -> str:
    """A document's text."""
    return (DOCS / name).read_text("utf-8")


def headings(text: str) -> list[str]:
    """The headings of a page, without what only marks them."""
    outside = FENCE.sub("", text)
    return [found.replace("`", "").strip() for found in re.findall(r"^#+ (.+)$", outside, re.MULTILINE)]


def keys(*records: type[msgspec.Struct]) -> set[str]:
    """The keys of records, as files spell them."""
    return {field.encode_name for record in records for field in msgspec.structs.fields(record)}


def unnamed(words: set[str], text: str) -> list[str]:
    """The words that a text does not show as code."""
    return sorted(word for word in words if f"`{word}`" not in text)


def test_every_event_has_its_heading() -> None:
    """Each moment is explained under its own name, and every alias is shown."""
    found = headings(page("events.md"))

    assert [name for name in EventName if name not in found] == []
    assert unnamed(set(ALIASES), page("events.md")) == []


def test_every_key_and_type_of_a_policy_is_explained() -> None:
    """No key that a policy file may hold is missing from its reference."""
    record = genesis_key()
    known = keys(record, type(record().settings), HookEntry, HooksToml, TomlHook, ShellConfig)
    known |= keys(*(ours(kind).options for kind in BASIC))
    known |= keys(ApprovalSettings, NotifySettings, WorkSettings, WorkNotifySettings, AgentSettings)
    types = set(BASIC)
    kinds = {str(kind) for kind in FailureKind}

    assert unnamed(known | types | kinds, page("policy.md")) == []


def test_every_command_has_its_help_on_the_page() -> None:
    """The page of commands shows exactly what `--help` prints, for every command."""
    written = PAGE.read_text("utf-8")

    assert set(helps()) <= set(headings(written))
    assert written == filled(written), "stale; run `python -m scripts.cli_docs`"


@pytest.mark.parametrize("block", POLICIES, ids=place)
def test_every_policy_in_the_documents_loads(block: Block, tmp_path: Path) -> None:
    """What a reader copies into a policy file is a policy."""
    name = "genesis.key" if block.language == "yaml" else "hooks.toml"
    (tmp_path / name).write_text(block.text, encoding="utf-8")

    policy = load_policy([(Layer.USER, tmp_path / name)], environ={"PATH": "/usr/bin:/bin"})

    assert policy.files


@pytest.mark.parametrize("block", PROGRAMS, ids=place)
def test_every_program_in_the_documents_runs(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a reader copies into a program runs, and its assertions hold."""
    prepared(block, tmp_path)
    monkeypatch.chdir(tmp_path)

    exec(compile(block.text, place(block), "exec"), {"__name__": "example"})


def exchanges(block: Block) -> Iterator[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines shown below it."""
    command: str | None = None
    shown: list[str] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:], []
        else:
            shown.append(comparable(line))
    if command:
        yield command, shown


def comparable(line: str) -> str:
    """A line without what differs from run to run or with every new rule of a pack."""
    return re.sub(r" +", " ", PACKED.sub("N hooks from packs", DURATION.sub("0.0", line.rstrip())))


def agree(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines shown are the lines printed; `...` stands for any number of them."""
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


@pytest.mark.deep
@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "console"], ids=place)
def test_every_answer_in_the_documents_is_the_real_one(block: Block, tmp_path: Path) -> None:
    """What a console example shows below `$ interlock …` is what that command prints."""
    prepared(block, tmp_path)
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "110"}

    for command, shown in exchanges(block):
        if not command.startswith("interlock "):
            continue
        ran = subprocess.run(
            ["/bin/sh", "-c", command], cwd=tmp_path, env=env, capture_output=True, check=False, timeout=60
        )
        printed = [comparable(line) for line in (ran.stderr + ran.stdout).decode().splitlines()]
        assert agree(shown, printed), f"{command}\n" + "\n".join(printed)


def test_the_law_of_answers_can_fail() -> None:
    """A missing, a changed and an added line are seen; durations and `...` are not."""
    assert agree(["a", "...", "d"], ["a", "b", "c", "d"])
    assert not agree(["a"], ["a", "b"])
    assert not agree(["a", "b"], ["a"])
    assert not agree(["a"], ["b"])
    assert comparable("deny  x  12.5  why") == comparable("deny  x  0.1   why")


@pytest.mark.parametrize("document", PAGES, ids=lambda document: document.name)
def test_every_link_leads_somewhere(document: Path) -> None:
    """A link inside the repository names a file that is there and, after `#`, one of its headings."""
    broken = []
    for link in LINK.finditer(FENCE.sub("", document.read_text("utf-8"))):
        target = (document.parent / link["file"]).resolve() if link["file"] else document
        if not target.exists() or (link["heading"] and link["heading"] not in anchors(target)):
            broken.append(link[0])

    assert broken == []


def anchors(document: Path) -> set[str]:
    """The names under which a page's headings can be linked to."""
    found = headings(document.read_text("utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in found}


def test_the_readme_is_short() -> None:
    """Whoever comes here first is not kept long."""
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 150


def test_every_page_is_in_the_index() -> None:
    """No document is left to chance."""
    linked = {link["file"] for link in LINK.finditer(page("index.md"))}

    assert [p.name for p in DOCS.glob("*.md") if p.name not in linked | {"index.md"}] == []


def test_the_picture_of_a_terminal_fetches_nothing() -> None:
    """It is shown where no font or style of another server may be loaded."""
    picture = (DOCS / "images" / "terminal.svg").read_text("utf-8")

    assert set(re.findall(r"https?://[^\"\s)]+", picture)) == {"http://www.w3.org/2000/svg"}
    assert "This would delete your home folder" in picture.replace("&#160;", " ")

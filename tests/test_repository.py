"""Laws of the repository as a whole: what no file in it may do."""

from __future__ import annotations

import ast
import io
import os
import re
import stat
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
MAX_LINES = 400

IGNORED = [line.strip("/") for line in (ROOT / ".gitignore").read_text("utf-8").split()]

DIRECTIVE = re.compile(
    r"type:\s*ignore(\[[\w, -]*\])?"
    r"|(ruff:\s*)?noqa(:\s*[A-Z]+\d+([,\s]+[A-Z]+\d+)*)?"
    r"|mypy:\s*[\w-]+"
    r"|pragma:\s*no \w+"
)
REASON = re.compile(r"\w+\W+\w+")  # two words at least
SKIPS = frozenset({"skip", "skipif", "xfail", "importorskip"})

# In pieces, so that this file does not name what it forbids.
FORBIDDEN = re.compile(
    "|".join(
        [
            r"(?<![\w.~}$-])/(?:" + "|".join(["wo" + "rk", "ro" + "ot"]) + ")/",
            *(
                re.escape(host)
                for host in ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.", "crates" + ".io")
            ),
        ]
    )
)


def repository_files(top: Path = ROOT) -> Iterator[Path]:
    """Every file that belongs to the repository: not what git ignores, not git itself."""
    for folder, folders, files in os.walk(top):
        for names in (folders, files):
            names[:] = sorted(n for n in names if n != ".git" and not any(fnmatch(n, i) for i in IGNORED))
        yield from (Path(folder) / name for name in files)


def python_files() -> list[Path]:
    """The Python files of the rooms, their tests, benchmarks and examples."""
    return [file for room in ("src", "tests", "bench", "examples") for file in (ROOT / room).rglob("*.py")]


def unexplained_comments(text: str) -> Iterator[int]:
    """The lines whose comment switches a check off and says no more."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            rest, found = DIRECTIVE.subn(" ", token.string)
            if found and not REASON.search(rest):
                yield token.start[0]


def unexplained_skips(text: str) -> Iterator[int]:
    """The lines that skip a test and do not say why."""
    tree = ast.parse(text)
    explained: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            positional = node.args if node.func.attr == "skip" else []  # the others' first is not a reason
            reasons = [*positional[:1], *(k.value for k in node.keywords if k.arg == "reason")]
            if any(not isinstance(r, ast.Constant) or r.value for r in reasons):
                explained.add(node.func)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in SKIPS and node not in explained:
            owner = ast.unparse(node.value)
            if owner in {"pytest", "pytest.mark"}:
                yield node.lineno


def unpinned(lock: str) -> Iterator[str]:
    """The entries of a lock file that are not one version with hashes."""
    for entry in re.split(r"\n(?=\S)", lock.strip()):
        if not re.match(r"[a-z0-9.-]+==\S+", entry) or "--hash=sha256:" not in entry:
            yield entry.partition("\n")[0]


def places(file: Path, lines: Iterator[int]) -> list[str]:
    """Lines as a person looks them up."""
    return [f"{file.relative_to(ROOT)}:{line}" for line in lines]


@pytest.mark.deep
def test_every_switched_off_check_has_its_reason_on_the_line() -> None:
    """No `type: ignore` or `noqa` stands without words that say why."""
    found = [p for f in python_files() for p in places(f, unexplained_comments(f.read_text("utf-8")))]

    assert not found


@pytest.mark.deep
def test_every_skipped_test_says_why() -> None:
    """No skip, skipif or xfail stands without a reason."""
    found = [p for f in python_files() for p in places(f, unexplained_skips(f.read_text("utf-8")))]

    assert not found


@pytest.mark.parametrize(
    ("line", "explained"),
    [
        ("import re2", True),
        ("x = 'noqa'", True),
        ("import re2  # noqa: F401", False),
        ("import re2  # noqa: F401, S603", False),
        ("import re2  # noqa: F401 - loads the native module", True),
        ("import re2  # type: ignore[import-untyped]", False),
        ("import re2  # type: ignore[import-untyped]  # noqa: F401", False),
        ("import re2  # type: ignore[import-untyped]  # ships no types", True),
        ("import re2  # pragma: no cover", False),
    ],
)
def test_a_directive_is_no_reason_for_itself(line: str, explained: bool) -> None:
    """What the law calls a reason is what is left when the directives are taken away."""
    assert (not list(unexplained_comments(line))) is explained


@pytest.mark.parametrize(
    ("line", "explained"),
    [
        ("pytest.skip()", False),
        ("pytest.skip('')", False),
        ("pytest.skip('needs a kernel')", True),
        ("pytest.importorskip('x')", False),
        ("pytest.importorskip('x', reason='an extra')", True),
        ("@pytest.mark.skip\ndef test_one(): ...", False),
        ("@pytest.mark.skip('needs a kernel')\ndef test_one(): ...", True),
        ("@pytest.mark.skipif(sys.platform == 'darwin')\ndef test_one(): ...", False),
        ("@pytest.mark.xfail(reason='why')\ndef test_one(): ...", True),
        ("table.skip()", True),
    ],
)
def test_a_skip_without_words_is_seen(line: str, explained: bool) -> None:
    """The law of skips finds every form pytest has."""
    assert (not list(unexplained_skips(line))) is explained


def test_no_source_file_is_long() -> None:
    """A file over 400 lines holds two nouns."""
    kinds = {".py", ".c", ".h", ".sql", ".js", ".css"}
    sources = [f for f in repository_files() if f.suffix in kinds and "fixtures" not in f.parts]  # records
    lengths = {str(f.relative_to(ROOT)): len(f.read_text("utf-8").splitlines()) for f in sources}

    assert lengths
    assert not {name: length for name, length in lengths.items() if length > MAX_LINES}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_locks_pin_every_package_by_hash_and_name_no_address(lock: Path) -> None:
    """What is installed is what was locked, from whichever index the machine uses."""
    text = lock.read_text("utf-8")

    assert not list(unpinned(text))
    assert not re.findall(r"https?://\S+", text)


def test_the_lock_law_can_fail() -> None:
    """A loose version, a missing hash and an index option are all seen."""
    good = "a==1 \\\n    --hash=sha256:00\n    # via b"

    assert list(unpinned(f"{good}\nb>=2 \\\n    --hash=sha256:00\nc==3\n--index x")) == [
        "b>=2 \\",
        "c==3",
        "--index x",
    ]
    assert not list(unpinned(good))


@pytest.mark.deep
def test_the_lock_names_all_that_its_packages_need() -> None:
    """It is installed without resolving anything: nothing may be missing from it or too old for the rest."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "check"],
        capture_output=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 0, done.stdout.decode()


def test_every_lock_is_there() -> None:
    """One to run, one to run with each extra, one to develop, one for the site, one to release."""
    assert [lock.name for lock in LOCKS] == [
        "anthropic.lock",
        "dev.lock",
        "docs.lock",
        "mcp.lock",
        "package.lock",
        "postgres.lock",
        "run.lock",
    ]


def test_no_file_names_a_machine_or_a_registry() -> None:
    """The repository means the same wherever it lies."""
    found = []
    for file in repository_files():
        text = file.read_bytes().decode("utf-8", errors="replace")
        found += places(file, (text.count("\n", 0, hit.start()) + 1 for hit in FORBIDDEN.finditer(text)))

    assert not found


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        ("cd /{}/x".format("wo" + "rk"), True),
        ('"/{}/.ssh"'.format("ro" + "ot"), True),
        ("https://{}/simple".format("py" + "pi.org"), True),
        ("/home/me/{}/x".format("wo" + "rk"), False),
        ("~/{}/x".format("wo" + "rk"), False),
    ],
)
def test_only_paths_that_begin_there_are_a_machines(text: str, forbidden: bool) -> None:
    """A folder of that name inside somebody's home is nobody's machine."""
    assert bool(FORBIDDEN.search(text)) is forbidden


def test_scripts_can_be_started() -> None:
    """Whatever begins with `#!` has its executable bit."""
    scripts = [f for f in repository_files() if f.read_bytes().startswith(b"#!")]

    assert ROOT / ".ci" / "run" in scripts
    assert [f.name for f in scripts if not f.stat().st_mode & stat.S_IXUSR] == []


def test_every_dependency_has_its_reason() -> None:
    """Each runtime dependency has a row in the record of dependencies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    names = {re.split(r"[\s<>=~!;\[]", line)[0] for line in [*project["dependencies"], *extras]}
    record = (ROOT / "docs" / "decisions" / "0002-dependencies.md").read_text("utf-8")

    assert names == set(re.findall(r"^\| `([^`]+)` \|", record, re.MULTILINE))


def test_every_decision_is_in_the_index() -> None:
    """The index names each record, once, in order."""
    folder = ROOT / "docs" / "decisions"
    records = sorted(f.name for f in folder.glob("[0-9]*.md"))

    assert re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text("utf-8")) == records


def test_no_test_sees_the_home_of_who_runs_it(home: Path) -> None:
    """Home and every settings folder lie inside this test's own empty one."""
    seen = [Path.home(), *(Path(v) for k, v in os.environ.items() if k.startswith(("INTERLOCK_", "XDG_")))]

    assert len(seen) >= 7
    assert [path for path in seen if not path.is_relative_to(home)] == []

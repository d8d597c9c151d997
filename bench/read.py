"""Times the shell reader against its bars: everyday commands, a real script, and texts meant to be slow."""

from __future__ import annotations

import signal
import statistics
import sys
import time
from collections.abc import Iterator
from itertools import chain, count, islice
from pathlib import Path

from bench.figure import note, pace, row
from tests.packs.corpus import corpus

from interlock.daemon.effects_pool.worker import settle_memory
from interlock.effects.reading import read_script

EVERYDAY = 290  # commands, spread over all groups of the corpus
READINGS = 60  # of each of them, no text twice
EVERYDAY_BAR = 17.5  # microseconds on a quiet machine: 10 % over the time before it read code
ROUNDS = 40
HOSTILE_BYTES = 100_000
LIMIT = 4.0  # seconds after which a hostile text is given up
# Where other people's scripts lie on most systems, and which of them count.
FOLDERS = ("/usr/bin", "/usr/sbin", "/usr/lib/git-core", "/etc/init.d", "/usr/share")
SHORTEST_FILE, LONGEST_FILE, MOST_FILES = 3_000, 60_000, 150
TRIES = 5  # readings of each of them, of which the best counts: they differ more than the readings do
MICRO = 1e6
MILLI = 1e3

# One part of a deployment script: functions, loops, here-documents, comments, branches.
PART = """
# --- step {n}: build and publish one component --------------------------------------------
readonly NAME_{n}="component-{n}"

log_{n}() {{
  local level="$1"; shift
  printf '%s [%s] %s\\n' "$(date -u +%FT%TZ)" "$level" "$*" >&2
}}

build_{n}() {{
  local folder="${{1:-services/$NAME_{n}}}"
  if [[ ! -d "$folder" ]]; then
    log_{n} error "no folder $folder"   # nothing to build
    return 1
  fi
  pushd "$folder" >/dev/null || return 1
  for file in src/*.ts tests/*.ts; do
    [ -e "$file" ] || continue
    case "$file" in
      *.test.ts) npx vitest run "$file" --reporter=dot ;;
      *.d.ts | *.gen.ts) : ;;
      *) npx eslint --max-warnings 0 "$file" || failures=$((failures + 1)) ;;
    esac
  done
  npm ci --no-audit --no-fund && npm run build -- --mode production 2>&1 | tee "build-{n}.log"
  popd >/dev/null
}}

cat > "config/$NAME_{n}.yaml" <<YAML
name: $NAME_{n}
replicas: ${{REPLICAS:-2}}
image: registry.example/$NAME_{n}:$(git rev-parse --short HEAD)
YAML

cat > docs/step-{n}.md <<'MARKDOWN'
Run `make step-{n}`; the old way (`rm -rf dist && ./build.sh`) is gone.
MARKDOWN

while IFS= read -r line; do
  if grep -qE "^(feat|fix)(\\(.+\\))?: " <<< "$line"; then
    echo "- ${{line#*: }}" >> CHANGELOG.next
  elif [ -n "$line" ]; then
    echo "skipped: $line" >&2
  fi
done < <(git log --format=%s "v1.{n}..HEAD" -- services)

if build_{n} && docker build -t "registry.example/$NAME_{n}:latest" .; then
  find dist -name '*.map' -type f -mtime +7 -print0 | xargs -0 -r ls -l
  curl --fail --silent --max-time 10 "https://ci.example/hooks/{n}" -d '{{"state":"ok"}}' || true
else
  log_{n} error "step {n} failed"; exit 1
fi
"""

SHAPES = [
    *(
        "a|",
        "a && ",
        "true;",
        "true\n",
        "<<A ",
        "((",
        "$((",
        "$(",
        "`",
        "(",
        "{ ",
        "'a' ",
        '"a" ',
        "'a'\"b\"",
        "\\a",
    ),
    *(
        "{a,b}",
        "{a,b} ",
        "{1..9}",
        "${a:-",
        "$x",
        "[[ ",
        "if a; then ",
        "case a in a) ",
        "f(){ ",
        "f(){ f; };f;",
        "x=1&&y||",
        "if a;then x=1;fi;",
    ),
    *(
        "x=1;",
        "x+=1 ",
        ">f x=1 ",
        "^[ ",
        "a\\\n'b'",
        "cd a;",
        "a>b;",
        "> f ",
        "sudo ",
        "eval ",
        "x=( ",
        "cat <<A\nA\n",
        "$(a) ",
        "#\n",
        "\\\n",
        "<(a) ",
        "~ ",
    ),
    *("{", "{a,", "[", "echo {1..400}{1..400};"),
]


def script(size: int, first: int = 1) -> str:
    """A realistic script of this many bytes, up to the end of the block that reaches them."""
    text = "#!/usr/bin/env bash\nset -euo pipefail\nfailures=0\n"
    blocks = chain.from_iterable(PART.format(n=number).split("\n\n") for number in count(first))
    while len(text) < size:
        text += f"{next(blocks)}\n\n"
    return text


def everyday() -> list[str]:
    """Everyday commands, evenly from the whole corpus."""
    texts = [one.run for one in corpus("benign") if one.run]
    return texts[:: len(texts) // EVERYDAY]


def seconds(text: str) -> float:
    """How long one reading takes."""
    start = time.perf_counter()
    read_script(text, "/project", home="/home/ann")
    return time.perf_counter() - start


def bounded(text: str) -> float:
    """The same for a text that may be slow: given up at the limit, which is then the figure."""

    def give_up(_number: int, _frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    try:
        return seconds(text)
    except TimeoutError:
        return LIMIT
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def everyday_rows() -> list[bool]:
    """Everyday commands, each by the fastest of its readings: what else the machine does drops out."""
    texts = everyday()
    best = [LIMIT] * len(texts)
    for turn in range(READINGS):
        for at, text in enumerate(texts):
            best[at] = min(best[at], seconds(f"{text} x{turn}"))
    note(f"{len(texts)} everyday commands, slowest", max(best) * MICRO, "us")
    p50 = statistics.median(best) * MICRO
    return [row(f"{len(texts)} everyday commands, p50 of the fastest readings", p50, EVERYDAY_BAR, "us")]


def script_rows() -> list[bool]:
    """A script as people write them."""
    text = script(10_240)
    note("the machine at this moment: 1,000,000 additions", pace(), "ms")
    found = read_script(text, "/project", home="/home/ann")
    note("realistic script", len(text), "bytes")
    note("realistic script, commands found", len(found.commands), "")
    note("realistic script, gaps", len(found.gaps), "")
    others = [script(10_240, first) for first in range(11, 11 + ROUNDS)]  # no text is read twice
    took = statistics.median(seconds(other) * 10_240 / len(other) for other in others)
    return [row(f"{ROUNDS} realistic scripts, p50 by 10 KB", took * MILLI, 5, "ms")]


def found_scripts() -> Iterator[str]:
    """Shell scripts that came with this system: written by many people, and by none of us."""
    for folder in FOLDERS:
        for path in sorted(Path(folder).rglob("*")):
            try:
                if path.is_symlink() or not SHORTEST_FILE <= path.stat().st_size <= LONGEST_FILE:
                    continue
                text = path.read_bytes()
            except OSError:
                continue
            if text.startswith((b"#!/bin/sh", b"#!/bin/bash", b"#!/usr/bin/env bash")):
                yield text.decode("utf-8", "replace")


def found_rows() -> list[bool]:
    """The same for scripts that nobody wrote to be measured, for 10 KB of each."""
    texts = list(islice(found_scripts(), MOST_FILES))
    if not texts:
        return []
    each = sorted(min(seconds(text) for _ in range(TRIES)) * 10_240 / len(text) for text in texts)
    note(
        f"{len(texts)} scripts of this system, slowest of ten, by 10 KB", each[-len(each) // 10] * MILLI, "ms"
    )
    return [row(f"{len(texts)} scripts of this system, p50 by 10 KB", each[len(each) // 2] * MILLI, 5, "ms")]


def hostile_rows() -> list[bool]:
    """Texts of 100 KB in which one sign follows itself."""
    held = []
    for before, after in (("", ""), ("echo ", " after echo")):
        for unit in SHAPES:
            text = before + unit * (HOSTILE_BYTES // len(unit))
            held.append(row(f"100 KB of {unit!r}{after}", bounded(text) * MILLI, 1_000, "ms"))
    return held


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    seconds(script(HOSTILE_BYTES // 10))  # everything is loaded that a daemon or its worker has loaded, too,
    settle_memory()  # and memory is looked after as they do
    held = [*everyday_rows(), *script_rows(), *found_rows(), *hostile_rows()]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())

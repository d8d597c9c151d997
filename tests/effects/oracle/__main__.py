"""Try the reader against the shell by hand.

python -m tests.reading.oracle 'cd x && rm -fr y'      what ran, what was said, what was missed
python -m tests.reading.oracle --random 5000 --seed 7  misses of random and changed texts, made short
"""

from __future__ import annotations

import argparse
import random
import sys

from tests.effects.oracle.corpus import load
from tests.effects.oracle.law import misses
from tests.effects.oracle.mutation import mutate
from tests.effects.oracle.portable import is_portable
from tests.effects.oracle.sandbox import FOLDER, HOME, Sandbox, open_sandbox
from tests.effects.oracle.shell_texts import Texts
from tests.effects.oracle.trial import shortest, trial, well_formed

from interlock.effects.command import Script
from interlock.effects.reading import read_script


def say(*parts: object) -> None:
    """One line to who asked."""
    sys.stdout.write(" ".join(map(str, parts)) + "\n")


def read(text: str) -> Script:
    """A text as it would be read in the sandbox's folder."""
    return read_script(text, FOLDER, home=HOME)


def show(sandbox: Sandbox, text: str, shell: str) -> None:
    """One text from both sides."""
    (run,), script = sandbox.run([text], shell), read(text)
    for ran in run.ran:
        say("ran  ", list(ran.words), "in", ran.cwd)
    for path in (*run.written, *run.deleted):
        say("left ", path)
    for effect in script.effects:
        say(
            "does ",
            effect.kind,
            repr(effect.target),
            "in",
            effect.base,
            "" if effect.known else "(not known)",
        )
    for command in script.commands:
        words = [
            word.text if word.fixed else f"<{word.text}>{'*' if word.splits else ''}"
            for word in command.words
        ]
        say("said ", words, "in", command.cwd, "more" if command.more else "", " ".join(command.via))
    for gap in script.gaps:
        say("gap  ", gap.kind, gap.why, repr(gap.text))
    for miss in misses(text, script, run):
        say("MISS ", miss.what)


def explore(sandbox: Sandbox, count: int, seed: int, shell: str, asked_for: int) -> None:
    """Random and changed texts; each miss once, made short."""
    rng, draw = random.Random(seed), Texts(seed)
    rows = [row.text for name in ("benign", "hostile") for row in load(name)]
    drawn = [draw.text() for _ in range(count // 2)]
    known = [*rows, *drawn[:300]]
    groups = {
        "corpora": rows,
        "generated": drawn,
        "changed": [mutate(rng.choice(known), rng) for _ in range(count - count // 2)],
    }
    for name, texts in groups.items():
        fit = [text for text in texts if "\0" not in text and (shell == "bash" or is_portable(text))]
        found = trial(sandbox, read, fit, shell)
        share = len(well_formed(sandbox, found.unread)) / max(1, found.texts)
        say(f"== {name}: {found}; unread though bash accepts it: {share:.1%}")
        for text in list(dict.fromkeys(miss.text for miss in found.misses))[:asked_for]:
            say(f"{text!r}\n =>", shortest(sandbox, read, text, shell) or "not seen again")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.reading.oracle")
    parser.add_argument("texts", nargs="*")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=25, help="misses made short, per group")
    parser.add_argument("--shell", choices=("bash", "dash"), default="bash")
    asked = parser.parse_args()
    with open_sandbox() as sandbox:
        for text in asked.texts:
            say("text ", repr(text))
            show(sandbox, text, asked.shell)
        if asked.random or not asked.texts:
            explore(sandbox, asked.random or 1000, asked.seed, asked.shell, asked.show)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""`interlock-hook` where no C compiler was at hand: the same job through `interlock hook`, more slowly."""

import subprocess
import sys

REFUSED = 2


def main() -> int:
    """Run the command isolated from the project; every end that is not an answer counts as a refusal."""
    words = ["hook", *sys.argv[1:]]
    if sys.argv[1:] == ["--version"]:
        words = ["--version"]
    if sys.argv[1:2] == ["pause"]:
        words = sys.argv[1:]
    if sys.argv[1:] == ["resume"]:
        words = ["pause", "--end"]
    start = "import sys; from interlock.cli.entry import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-I", "-c", start, *words], check=False)
    return done.returncode if done.returncode == 0 else REFUSED


if __name__ == "__main__":
    sys.exit(main())

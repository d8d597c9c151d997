"""The entry point: quick answers first, then one boundary that explains every error."""

from __future__ import annotations

import os
import platform
import sys

from interlock.version import __version__

INTERRUPTED = 130
OURS = 3  # a defect of Interlock, not a mistake in what was typed


def main() -> int:
    """Run one command and return its exit code; no mistake of a user ends in a traceback."""
    if sys.argv[1:] == ["--version"]:
        # Scripts run this at every start: answer before anything heavy is imported.
        sys.stdout.write(f"interlock {__version__}\n")
        return 0
    if sys.argv[1:] == ["status-line"]:
        # Hosts run this after every answer: loading the rest of the command line takes many times as long.
        from interlock.cli.status_line import status_line

        return status_line()
    if sys.argv[1:] == ["file-suggestion"]:
        from interlock.cli.file_suggestion import file_suggestion

        return file_suggestion()
    try:
        from interlock.cli.app import run

        return run(sys.argv[1:])
    except BrokenPipeError:  # whatever read our output is gone
        _drop_output()
        return 1
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the boundary
        text, code = _explained(error)
        sys.stderr.write(f"{text}\n")
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
        return code


def _drop_output() -> None:
    """Point stdout nowhere, so that Python's last flush stays quiet and leaves our exit code alone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explained(error: BaseException) -> tuple[str, int]:
    from interlock.cli.output import as_typed_here, printable  # noqa: PLC0415 - loads typer
    from interlock.errors import ConfigError, InterlockError  # noqa: PLC0415 - not for `--version`

    if isinstance(error, ConfigError):
        return "\n".join(printable(str(problem)) for problem in error.problems), 1
    if isinstance(error, InterlockError):
        return printable(as_typed_here(f"interlock: {error}")), 2
    if isinstance(error, OSError):
        why = error.strerror or str(error)
        if error.filename is None:
            return printable(f"interlock: {why}; check the disk and where the output goes"), 2
        return printable(f"interlock: cannot use `{error.filename}`: {why.lower()}; check its permissions"), 2
    if isinstance(error, KeyboardInterrupt):
        return "interlock: interrupted", INTERRUPTED
    return _report(error, printable(str(error))), OURS


def _report(error: BaseException, text: str) -> str:
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f"{os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}" if place else "?"
    return (
        f"interlock: internal error: {type(error).__name__}: {text} (at {where})\n"
        f"This is a defect of Interlock; please report it with: "
        f"interlock {__version__}, Python {platform.python_version()}, {platform.platform()}"
    )

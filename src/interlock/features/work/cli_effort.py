"""`interlock effort`: uses of a skill that outlive a context window."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import typer

from interlock.cli.help import group
from interlock.cli.output import Json, printable
from interlock.cli.setup.install import settings_here
from interlock.errors import InterlockError
from interlock.features.work.cli_text import (
    Effort,
    EffortArgument,
    ForAgent,
    ForSession,
    JsonLines,
    Limit,
    ask_work,
    effort_lines,
    efforts,
    list_work,
    skill,
    typed_or_piped,
)
from interlock.features.work.records import effort_name
from interlock.hosts.claude_code.doctor import our_entries, read_scopes

_NONE = "No efforts. `interlock effort start TASK SKILL` starts one."

effort = group("Start, follow and finish efforts. An effort is one skill used on one task.")


@effort.command(epilog="Example: interlock effort start work/checkout implement --mode fast")
def start(
    task: Annotated[str, typer.Argument(metavar="TASK", help="The task's folder; created if new.")],
    named: Annotated[str, typer.Argument(metavar="SKILL", help="The skill, such as implement.")],
    mode: Annotated[str | None, typer.Option(help="How the skill is used.")] = None,
    title: Annotated[str | None, typer.Option(help="The name of a new task.")] = None,
    meta: Annotated[
        list[str] | None,
        typer.Option("--meta", metavar="NAME=JSON", help="A setting, such as blockAfter=20; for people."),
    ] = None,
    session: ForSession = None,
    agent: ForAgent = None,
    as_json: Json = False,
) -> int:
    """Start an effort on a task.

    In an agent's session, that session works on it from then on.
    """
    about = {"task": task, "skill": named, "mode": mode, "title": title}
    return ask_work(
        "effort.start",
        {**about, "metadata": _settings(meta), "session": session, "agent": agent},
        lambda found: _begun(found, "started"),
        as_json=as_json,
    )


@effort.command(epilog="Example: interlock effort resume e12")
def resume(
    number: EffortArgument = None,
    task: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="The latest effort on this task.")
    ] = None,
    session: ForSession = None,
    agent: ForAgent = None,
    as_json: Json = False,
) -> int:
    """Resume an effort where its last session stopped.

    It prints what that session left behind.

    Without a number, it resumes the project's latest effort that nobody is working on.
    """

    def say(found: dict[str, Any]) -> str:
        first = _begun(found, "resumed")
        recovery = "\n".join(map(printable, found["recovery"].splitlines()))
        return f"{first}\n\n{recovery}" if recovery else first

    about = {"effort": number, "task": task, "session": session, "agent": agent}
    return ask_work("effort.resume", about, say, as_json=as_json)


@effort.command(epilog="Example: interlock effort phase '2: Build' --proof 'all tests pass'")
def phase(
    label: Annotated[str, typer.Argument(metavar="LABEL", help="For example '2: Build' or '2.A: Build'.")],
    proof: Annotated[
        str | None, typer.Option(help="What shows that the last phase is done: text or JSON.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", "-r", help="Why it is out of order.")] = None,
    number: Effort = None,
    session: ForSession = None,
    agent: ForAgent = None,
    as_json: Json = False,
) -> int:
    """Enter a phase.

    The next phase in order needs no reason; any other does.
    """

    def say(found: dict[str, Any]) -> str:
        row = found["effort"]
        verb = "is in" if found["change"] is None else "enters"
        return printable(f"effort {effort_name(row['id'])} {verb} `{row['current_phase']}`")

    about = {"label": label, "proof": _proof(proof), "reason": reason}
    whose = {"effort": number, "session": session, "agent": agent}
    return ask_work("effort.phase", {**about, **whose}, say, as_json=as_json)


@effort.command(epilog="Example: interlock effort log 'found it: guests have no cart'")
def log(
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="The entry, in Markdown; `-` or nothing: standard input."),
    ] = None,
    number: Effort = None,
    session: ForSession = None,
    agent: ForAgent = None,
    as_json: Json = False,
) -> int:
    """Add an entry to the effort's log.

    This also resets the count of calls without an entry.

    The log is N_SKILL_LOG.md in the task's folder. The entry's first `##` heading gets the time.
    """
    entry = typed_or_piped(
        text, "there is nothing to log; say what was done, as in `interlock effort log 'found it'`"
    )

    def say(found: dict[str, Any]) -> str:
        return printable(f"logged in {found['path']}: {found['heading']}")

    about = {"text": entry, "effort": number, "session": session, "agent": agent}
    return ask_work("log", about, say, as_json=as_json)


@effort.command(epilog="Example: interlock effort finish --keyword checkout --keyword guests")
def finish(
    number: EffortArgument = None,
    keyword: Annotated[
        list[str] | None, typer.Option("--keyword", "-k", help="A keyword to find it by; may be repeated.")
    ] = None,
    session: ForSession = None,
    agent: ForAgent = None,
    as_json: Json = False,
) -> int:
    """Finish an effort for good.

    The task stays, for later efforts.
    """

    def say(found: dict[str, Any]) -> str:
        row = found["effort"]
        return printable(f"effort {effort_name(row['id'])} ({skill(row)}) is finished")

    about = {"effort": number, "keywords": keyword, "session": session, "agent": agent}
    return ask_work("effort.finish", about, say, as_json=as_json)


@effort.command("list", epilog="Example: interlock effort list --all")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Include finished efforts.")] = False,
    task: Annotated[
        str | None, typer.Option(metavar="TASK", help="Only this task: its folder or number.")
    ] = None,
    everywhere: Annotated[bool, typer.Option("--everywhere", help="List all projects.")] = False,
    limit: Limit = 50,
    as_json: JsonLines = False,
) -> int:
    """List the active efforts of this project."""
    none = "No active efforts. `interlock effort list --all` shows finished ones."
    about = {"all": everything, "task": task, "everywhere": everywhere, "limit": limit}
    return list_work("effort.list", about, "efforts", efforts, _NONE if everything else none, as_json=as_json)


@effort.command(epilog="Example: interlock effort show e12")
def show(number: EffortArgument = None, as_json: Json = False) -> int:
    """Show one effort: its phases, sessions and files."""
    return ask_work(
        "effort.show", {"effort": number}, lambda found: "\n".join(effort_lines(found)), as_json=as_json
    )


def _begun(found: dict[str, Any], verb: str) -> str:
    row, session = found["effort"], found["session"]
    who = f" in session {session['id']}" if session else ""
    lines = [f"effort {effort_name(row['id'])} ({skill(row)}) {verb}{who}: {row['task_dir']}"]
    if found["skill_problem"] is not None:
        lines.append(f"problem with its skill: {found['skill_problem']}")
    if session is None:
        lines.append(f"resumed by: {found['takes_up']}")
        lines += [f"not by: {one}" for one in found["running"]]
    lines += [f"missing: {one}" for one in found["missing"]]
    places = settings_here()
    if session is None and not our_entries(read_scopes(places)[0], places.project):
        lines.append("missing: Claude Code has no Interlock hooks here; run `interlock install claude-code`")
    return "\n".join(map(printable, lines))


def _proof(text: str | None) -> Any:
    """JSON where it is an object or a list, else the text."""
    if text is None or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise InterlockError(
            f"`{text}` is not JSON ({error}); write an object, a list or plain text"
        ) from None


def _settings(pairs: list[str] | None) -> dict[str, Any] | None:
    settings: dict[str, Any] = {}
    for pair in pairs or ():
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise InterlockError(f"`{pair}` is not `NAME=JSON`; write it like `blockAfter=20`")
        try:
            settings[name] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            settings[name] = value
    return settings or None

"""`promise`: sends the agent back to its task until it says, in the agreed words, that all is done."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Annotated, Any, Final, final

import msgspec
import re2

from interlock.builtin_hooks.project_files import find_files, read_file
from interlock.engine.session_memory import Rounds, RoundsInMemory
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import OptionRule
from interlock.events.text import plural
from interlock.events.verdict import NO_OPINION, Verdict, deny
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, OwnMemory

_DONE: Final = frozenset({"complete", "completed", "done", "verified", "skipped"})
_PROGRESS: Final = "mission_progress.txt"
_SHOWN_TASKS: Final = 10
_MOST_TASKS: Final = 200
_MOST_ARTIFACTS: Final = 20  # of a task: the agent waits while they are looked for
_TASK_CHARACTERS: Final = 200
_PROGRESS_BYTES: Final = 1_000


class Mission(msgspec.Struct, frozen=True, kw_only=True):
    """What a mission file says."""

    status: str = ""  # PLANNING, IN_PROGRESS, COMPLETE
    open: tuple[str, ...] = ()  # tasks that are not done, or whose artifacts are not there
    progress: str = ""  # the end of the notes beside it

    @property
    def planning(self) -> bool:
        """Whether a person still has to review the plan."""
        return self.status == "PLANNING"

    def describe(self) -> str:
        """The open tasks, for the agent."""
        lines = ["Open tasks of the mission:", *(f"- {task}" for task in self.open[:_SHOWN_TASKS])]
        if len(self.open) > _SHOWN_TASKS:
            lines.append(f"- and {len(self.open) - _SHOWN_TASKS} more")
        return "\n".join([*lines, *(["Last notes:", self.progress] if self.progress else [])])


def read_mission(project: str, name: str) -> Mission | None:
    """The mission; None if the project has no such file, or it cannot be read."""
    path = _path_inside(project, name)
    content = read_file(path) if path else None
    try:
        document: Any = msgspec.json.decode(content) if content else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        return None
    status, tasks = str(document.get("status", "")).upper(), document.get("tasks")
    if status == "COMPLETE" or not isinstance(tasks, list):
        tasks = []
    dictionaries = (task for task in tasks[:_MOST_TASKS] if isinstance(task, dict))
    notes_path = _path_inside(project, str(Path(name).with_name(_PROGRESS)))
    notes = (read_file(notes_path) or b"") if notes_path else b""
    return Mission(
        status=status,
        open=tuple(filter(None, (_describe_open(task, project) for task in dictionaries))),
        progress=notes[-_PROGRESS_BYTES:].decode("utf-8", "replace").strip(),
    )


def _path_inside(project: str, name: str) -> str | None:
    """The real path of a file in the project; None if a link or `..` leads out of it."""
    root = os.path.realpath(project or ".").rstrip("/")
    try:
        path = os.path.realpath(Path(root, name))
    except ValueError:
        return None
    return path if path.startswith(f"{root}/") else None


def _describe_open(task: dict[str, Any], project: str) -> str | None:
    """What is open in a task; None if it is done and its artifacts exist."""
    words = next((task[key] for key in ("description", "title", "name", "id") if task.get(key)), "a task")
    title = str(words)[:_TASK_CHARACTERS]
    if str(task.get("status", "")).lower() not in _DONE:
        criteria = task.get("success_criteria")
        return f"{title} (done when: {str(criteria)[:_TASK_CHARACTERS]})" if criteria else title
    artifacts = task.get("output_artifacts")
    names = artifacts if isinstance(artifacts, list) else []
    missing = [str(name) for name in names[:_MOST_ARTIFACTS] if not _exists(project, str(name))]
    return f"{title}: {', '.join(missing)} does not exist" if missing else None


def _exists(project: str, name: str) -> bool:
    if not any(mark in name for mark in "*?["):
        path = _path_inside(project, name)
        return path is not None and Path(path).exists()
    return bool(find_files(project, name))


INTRODUCTION: Final = (
    "This task ends with a promise. When all of it is done and you have checked it, end your answer with "
    "<promise>{promise}</promise>. Until then you are sent back to it, at most {max} times."
)
CONTINUATION: Final = (
    "The task is not done yet (iteration {iteration} of {max}). {objective}\n"
    "Look at what exists, do what is missing, and check it. When all of it is done and "
    "checked, end your answer with <promise>{promise}</promise>."
)
MOST: Final = 1_000
_LONGEST_OBJECTIVE: Final = 2_000  # characters
_FLAG: Final = re.compile(
    r"\s*--(?:max-iterations[ =](?P<most>\d{1,6})"
    r"|completion-promise[ =](?P<promise>\"[^\"]*\"|'[^']*'|\S+))(?:\s|$)"
)
_PLACEHOLDER: Final = re.compile(r"\{(?:iteration|max|objective|promise)\}")


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one loop, as it is stored."""

    state: str = "none"  # running, complete, stopped, none
    objective: str = ""
    promise: str = ""  # the text that ends it
    most: int = 0  # how often the agent is sent back
    iteration: int = 0
    before: int = 0  # iterations of earlier turns, if the loop was resumed
    started: float = 0.0
    sent_back: str = ""  # the text with which the agent was last sent back


def objective_of(prompt: str, command: str) -> str | None:
    """What follows the command at the start of a prompt; None if the prompt does not start with it."""
    rest = prompt[len(command) :]
    starts_with_it = prompt.startswith(command) and (not rest or not rest[0].isalnum())
    return rest.strip() if starts_with_it else None


def begin_loop(words: str, *, promise: str, most: int) -> Loop:
    """The loop that a prompt begins; flags before the objective override the options."""
    while flag := _FLAG.match(words):
        if flag["most"]:
            most = max(1, min(MOST, int(flag["most"])))
        promise = _fold((flag["promise"] or "").strip("\"'")) or promise
        words = words[flag.end() :]
    objective = words.strip()[:_LONGEST_OBJECTIVE]
    return Loop(state="running", objective=objective, promise=promise, most=most, started=time.time())


def fill_in(text: str, loop: Loop) -> str:
    """Replace the placeholders, in one pass: an objective may contain such a word."""
    values = {
        "{iteration}": str(loop.iteration),
        "{max}": str(loop.most),
        "{objective}": loop.objective,
        "{promise}": loop.promise,
    }
    return _PLACEHOLDER.sub(lambda match: values[match[0]], text)


_LAST_MESSAGE: Final = "last_assistant_message"
_TAG: Final = re2.compile(r"(?is)<promise>(.*?)</promise>")  # linear: a model writes the text
_END_WORDS: Final = frozenset({"off", "stop", "cancel"})


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the agent must say, and how often it is sent back until then."""

    promise: Annotated[Text, about("The text expected between `<promise>` and `</promise>`.")] = (
        "TASK_COMPLETE"
    )
    max_iterations: Annotated[
        int, about("At most this many times the agent is sent back.", ge=1, le=MOST)
    ] = 10
    always: Annotated[
        bool, about("true: every prompt needs the promise, not only those that start with `command`.")
    ] = False
    command: Annotated[
        Text, about("How a prompt starts that asks for a promise; the rest is the objective.")
    ] = "/harness"
    told: Annotated[str, about("The text for the model, with the prompt.")] = INTRODUCTION
    continuation: Annotated[
        Text,
        about("The text when it is sent back, with `{iteration}`, `{max}`, `{objective}` and `{promise}`."),
    ] = CONTINUATION
    mission: Annotated[
        str | None, about("A file like `mission.json`; the promise only counts once all its tasks are done.")
    ] = None


@final
class Promise(OptionRule):
    """Counts how often it sends a turn back, and stores the state of the loop."""

    kind: Final = "promise"
    _options: Options

    def __init__(self, options: Options, context: BuildContext) -> None:
        super().__init__(options)
        if not _fold(options.promise):
            text = "there is no promise to ask for; write a word like `TASK_COMPLETE`"
            raise OptionError("promise", text)
        self._key: Final = f"promise:{context.name}"
        self._memory: Final = OwnMemory(context)
        rounds = None if context.trial else context.services.find(Rounds)
        self._own_rounds: Final = rounds is None
        self._rounds: Final = RoundsInMemory() if rounds is None else rounds

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        if event.name == EventName.USER_PROMPT_SUBMIT:
            return self._begin(event)
        if event.name == EventName.SESSION_START:
            return self._restore(event)
        return self._stop(event) if event.name == EventName.STOP else NO_OPINION

    def _begin(self, event: Event) -> Verdict:
        """A prompt begins a loop, ends it, or resets its count."""
        session, text = event.session_id, (event.prompt or "").strip()
        if self._own_rounds:
            self._rounds.reset(session)
        loop = self._load(session)
        objective = objective_of(text, self._options.command)
        if objective is not None and objective.lower() in _END_WORDS:
            self._save(session, msgspec.structs.replace(loop, state="stopped"))
            iterations = plural(loop.iteration, "iteration")
            return Verdict(message=f"promise: the loop was stopped after {iterations}")
        if objective is None and loop.sent_back and loop.sent_back in text:
            # Someone resumes a loop that the host has ended, by sending the text back.
            self._save(session, msgspec.structs.replace(loop, state="running", before=loop.iteration))
            return NO_OPINION
        if objective is None and not self._options.always:
            if loop.state == "running":
                self._save(session, msgspec.structs.replace(loop, before=0, iteration=0))
            return NO_OPINION
        words = text if objective is None else objective
        new = begin_loop(words, promise=self._options.promise, most=self._options.max_iterations)
        self._save(session, new)
        introduction = fill_in(self._options.told, new)
        return Verdict(context=introduction) if introduction else NO_OPINION

    def _restore(self, event: Event) -> Verdict:
        """Remind a session of its task when it is resumed or was summarized."""
        loop = self._load(event.session_id)
        if loop.state != "running" or event.extra.get("source") not in {"resume", "compact"}:
            return NO_OPINION
        return Verdict(context=fill_in(self._options.continuation, loop))

    def _stop(self, event: Event) -> Verdict:
        loop = self._load(event.session_id)
        if loop.state != "running":
            return NO_OPINION
        mission = (
            read_mission(event.project or event.cwd, self._options.mission) if self._options.mission else None
        )
        if mission is not None and mission.planning:
            return Verdict(
                message="promise: the mission is planned; review it, then tell the agent to continue"
            )
        iterations = loop.before + self._rounds.count(event.session_id, self._key)
        if _is_fulfilled(loop, event) and not (mission and mission.open):
            self._save(event.session_id, msgspec.structs.replace(loop, state="complete"))
            return Verdict(
                reason="the promise was given",
                message=f"promise: given after {plural(iterations, 'iteration')}",
            )
        if iterations >= loop.most:
            self._save(event.session_id, msgspec.structs.replace(loop, state="stopped"))
            text = f"promise: not given after {iterations} of {loop.most} iterations; stopped"
            return Verdict(reason=text, message=text)
        return self._send_back(event, msgspec.structs.replace(loop, iteration=iterations + 1), mission)

    def _send_back(self, event: Event, loop: Loop, mission: Mission | None) -> Verdict:
        text = fill_in(self._options.continuation, loop)
        if mission is not None and mission.open:
            text = f"{text}\n{mission.describe()}"
        self._rounds.add(event.session_id, self._key)
        self._save(event.session_id, msgspec.structs.replace(loop, sent_back=text))
        return deny(text)

    def _load(self, session: str) -> Loop:
        return msgspec.convert(self._memory.get(session), Loop)

    def _save(self, session: str, loop: Loop) -> None:
        self._memory.put(session, msgspec.to_builtins(loop))


def _is_fulfilled(loop: Loop, event: Event) -> bool:
    message, promise = event.extra.get(_LAST_MESSAGE), _fold(loop.promise)
    return isinstance(message, str) and any(_fold(text) == promise for text in _TAG.findall(message))


def _fold(text: str) -> str:
    return " ".join(text.split())


BUILTIN: Final = Builtin(
    kind="promise",
    about="Sends the agent back to its task until it promises that all is done.",
    options=Options,
    make=Promise,
    events=(EventName.STOP,),
    also=(EventName.USER_PROMPT_SUBMIT, EventName.SESSION_START),
    on_failure=OnFailure.OPEN,
    votes=True,
    tightens=True,
    loops=True,
)

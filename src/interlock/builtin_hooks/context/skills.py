"""`skills`: lists the skills that fit a prompt, and adds knowledge that its words ask for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final, Literal, final

import msgspec
import yaml

from interlock.builtin_hooks.context.prompt_words import LOOKED_AT, Phrases
from interlock.builtin_hooks.project_files import ParsedFiles, find_file, is_inside, read_note
from interlock.events.event import Event
from interlock.events.hook import CallView, OnFailure
from interlock.events.names import EventName
from interlock.events.rule import Helper
from interlock.events.text import shorten
from interlock.events.verdict import NO_OPINION, Verdict
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Builtin, OptionError, OwnMemory

FILE: Final = "SKILL.md"
_HEAD: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_HEAD_BYTES: Final = 16 * 1024
_MOST: Final = 300  # skills of one folder

# Words in descriptions that do not say what a skill is for.
STOP_WORDS: Final = frozenset(
    """
about above after also always another automatically based been before being below between both code
common create created creates creating does doing each every file files find from given have help helps
here include includes including into just know like made make makes many more most must need needed needs
never only other over provide provides should skill skills some such support supports task tasks than
that their them then there these they this those through tool tools until used user users uses using
various want well what when where which while will with within without work working would write writes
your""".split()
)


class SkillHead(msgspec.Struct, frozen=True, kw_only=True):
    """The name and description of a skill, and its file."""

    name: str
    description: str
    path: str


class SkillHeads:
    """Finds skills; a file is read again only when it changed."""

    def __init__(self, places: Sequence[str], home: str) -> None:
        self._places: Final = tuple(places)
        self._home: Final = home
        self._parsed: Final = ParsedFiles(_head)

    def list_for(self, project: str) -> list[SkillHead]:
        """Every skill for a project. Of one name the first counts; malformed files are skipped."""
        found: dict[str, SkillHead] = {}
        for place in self._places:
            for folder in _below(self._folder(place, project)):
                path = f"{folder}/{FILE}"
                if not place.startswith(("~", "/")) and not is_inside(path, project):
                    continue  # a link in a repository must not lead to a file outside of it
                head = self._parsed.read(path)
                if head is not None:
                    name = head[0] or os.path.basename(folder)
                    found.setdefault(name, SkillHead(name=name, description=head[1], path=path))
        return list(found.values())

    def _folder(self, place: str, project: str) -> str:
        if place.startswith("~/"):
            return f"{self._home}/{place[2:]}" if self._home else ""
        return os.path.join(project, place)


def _below(folder: str) -> Iterable[str]:
    if not folder.startswith("/"):
        return ()
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for _, entry in zip(range(_MOST), entries, strict=False))
    except OSError:
        return ()


def _head(content: bytes) -> tuple[str, str] | None:
    """Name and description; None for a file that has neither."""
    match = _HEAD.match(content[:_HEAD_BYTES].decode("utf-8", "replace"))
    fields = _yaml(match[1]) if match else None
    if not isinstance(fields, dict):
        return None
    name, description = fields.get("name", ""), fields.get("description", "")
    if not isinstance(name, str) or not isinstance(description, str) or not (name or description):
        return None
    return " ".join(name.split()), " ".join(description.split())


def _yaml(text: str) -> Any:
    try:
        return yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


_SHORTEST_WORD: Final = 4  # letters of a word in a description that is searched for
_PROMPT_CUT: Final = 100  # characters of a description with a prompt
_AGENT_CUT: Final = 150  # characters of a description for a sub-agent
_WORD: Final = re.compile(r"[^\W_]+")

PLACES: Final = (".claude/skills", ".agents/skills", "~/.claude/skills")


class Knowledge(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that is added when the prompt has one of its words."""

    words: Annotated[tuple[Text, ...], about("Words or phrases; any of them.", min_length=1)]
    file: Annotated[Text, about("Files added to the context; relative to the project.")]


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where skills are, which words find them, and what is added."""

    places: Annotated[tuple[Text, ...], about("Folders of skills; relative to the project.")] = PLACES
    triggers: Annotated[
        dict[str, tuple[Text, ...]],
        about("By skill: words used instead of its name and description; none: never suggested."),
    ] = {}
    match: Annotated[Literal["word", "part"], about("`part`: a word also matches inside another word.")] = (
        "word"
    )
    ignore: Annotated[tuple[Text, ...], about("More words to ignore.")] = ()
    most: Annotated[
        int, about("At most this many skills, those with the most words in common.", ge=1, le=100)
    ] = 20
    text: Annotated[
        Literal["named", "always", "never"],
        about("Whether the text of a skill is added: when the prompt names it, or not at all."),
    ] = "named"
    knowledge: Annotated[
        tuple[Knowledge, ...], about("Files added when a word appears, once a session.")
    ] = ()
    most_bytes: Annotated[int, about("At most this much of each text.", ge=1, le=65_536)] = 8_192
    agents: Annotated[bool, about("false: sub-agents are not told about skills.")] = True


@final
class Skills(Helper):
    """Lists the skills that fit a prompt; the text of a file is added once a session."""

    kind: Final = "skills"
    _options: Options

    def __init__(self, options: Options, context: BuildContext) -> None:
        super().__init__(options)
        self._home: Final = context.environ.get("HOME", "")
        self._heads: Final = SkillHeads(options.places, self._home)
        self._stop: Final = STOP_WORDS | {word.lower() for word in options.ignore}
        self._knowledge: Final = [(Phrases(entry.words), entry.file) for entry in options.knowledge]
        self._memory: Final = OwnMemory(context)
        if not options.places and not options.knowledge:
            raise OptionError("places", "there is nothing to add; name a folder of skills, or `knowledge`")

    def run(self, view: CallView, seconds: float) -> Verdict:
        event = view.event
        project = event.project or event.cwd
        if not project.startswith("/"):
            return NO_OPINION
        if event.name == EventName.SUBAGENT_START:
            text = _list_skills("Skills of this project:", self._heads.list_for(project), _AGENT_CUT)
            return Verdict(context=text) if text and self._options.agents else NO_OPINION
        if not event.prompt:
            return NO_OPINION
        parts = [
            *self._skills(event, event.prompt, project),
            *self._knowledge_texts(event, event.prompt, project),
        ]
        return Verdict(context="\n\n".join(parts)) if parts else NO_OPINION

    def _skills(self, event: Event, prompt: str, project: str) -> list[str]:
        skills = self._find_fitting(prompt[:LOOKED_AT].lower(), self._heads.list_for(project))
        if not skills:
            return []
        title = "Skills that fit this prompt. Read a skill's file before you use it:"
        choice = self._options.text
        texts = [
            (skill.name, skill.path)
            for skill in skills
            if choice == "always" or (choice == "named" and Phrases([skill.name]).found(prompt))
        ]
        return [_list_skills(title, skills, _PROMPT_CUT), *self._once(event, texts)]

    def _find_fitting(self, prompt: str, skills: Iterable[SkillHead]) -> list[SkillHead]:
        """The skills with words in the prompt, those with the most of them first."""
        words = set(_WORD.findall(prompt))
        scored = [(self._score(skill, prompt, words), skill) for skill in skills]
        ranked = sorted((pair for pair in scored if pair[0]), key=lambda pair: -pair[0])
        return [skill for _, skill in ranked[: self._options.most]]

    def _score(self, skill: SkillHead, prompt: str, words: set[str]) -> int:
        written = self._options.triggers.get(skill.name)
        triggers = self._own_words(skill) if written is None else [word.lower() for word in written]
        return sum(self._occurs(trigger, prompt, words) for trigger in triggers)

    def _occurs(self, trigger: str, prompt: str, words: set[str]) -> bool:
        if self._options.match == "part":
            return trigger in prompt
        if _WORD.fullmatch(trigger):
            return bool({trigger, f"{trigger}s", trigger.removesuffix("s")} & words)
        return Phrases([trigger]).found(prompt)

    def _own_words(self, skill: SkillHead) -> list[str]:
        described = _WORD.findall(f"{skill.name.replace('_', ' ')} {skill.description}".lower())
        long = [word for word in described if len(word) >= _SHORTEST_WORD and word not in self._stop]
        return list(dict.fromkeys([skill.name.lower(), *long]))

    def _knowledge_texts(self, event: Event, prompt: str, project: str) -> list[str]:
        wanted = [file for phrases, file in self._knowledge if phrases.found(prompt)]
        return self._once(event, [(file, find_file(file, project, self._home)) for file in wanted])

    def _once(self, event: Event, files: Sequence[tuple[str, str]]) -> list[str]:
        """The texts that this session has not got yet, under their names."""
        given = self._memory.get(event.session_id).get("given", []) if files else []
        most = self._options.most_bytes
        new = {path: name for name, path in files if path not in given}
        texts = {
            path: text
            for path, name in new.items()
            if (text := read_note(name, path, most, f"\n[cut: the rest is in {path}]"))
        }
        if texts:
            self._memory.put(event.session_id, {"given": [*given, *texts]})
        return list(texts.values())


def _list_skills(title: str, skills: Iterable[SkillHead], most: int) -> str:
    lines = [f"- {skill.name}: {shorten(skill.description, most)} ({skill.path})" for skill in skills]
    return "\n".join([title, *lines]) if lines else ""


BUILTIN: Final = Builtin(
    kind="skills",
    about="Lists the skills that match words in the prompt, and adds knowledge when asked.",
    options=Options,
    make=Skills,
    events=(EventName.USER_PROMPT_SUBMIT,),
    also=(EventName.SUBAGENT_START,),
    seconds=3.0,
    on_failure=OnFailure.OPEN,
    tightens=True,
)

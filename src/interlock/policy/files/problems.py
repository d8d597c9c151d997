"""What one file's reading turns up: mistakes that stop it, and notices that do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

from interlock.errors import ConditionError, PatternError, Problem, UnknownEventError
from interlock.policy.files.node import Document, Path
from interlock.policy.files.read import read_by_others

Arguments = ParamSpec("Arguments")
Built = TypeVar("Built")

# Looking for the nearest word takes time: a file of nonsense is not searched to its end.
MAX_PROBLEMS: Final = 50


class Findings:
    """Gathers problems and notices of one document while it is compiled."""

    def __init__(self, document: Document) -> None:
        self.document: Final = document
        self.foreign: Final = read_by_others(document)  # so that some of it may be theirs alone
        self.problems: Final[list[Problem]] = []
        self.notices: Final[list[Problem]] = []

    @property
    def full(self) -> bool:
        """Whether enough mistakes are known."""
        return len(self.problems) >= MAX_PROBLEMS

    def problem(self, path: Path, message: str) -> None:
        """Note a mistake; the file will not load."""
        self.problems.append(self.document.problem(path, message))

    def notice(self, path: Path, message: str) -> None:
        """Note something a person should know; the file loads."""
        self.notices.append(self.document.problem(path, message))

    def unused(self, path: Path) -> None:
        """Note a key that is another system's."""
        self.notice(path, "kept, not used: only other systems read this")

    def attempt(
        self,
        path: Path,
        build: Callable[Arguments, Built],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Built | None:
        """Build something from text a person wrote; its refusal becomes a problem at the path."""
        try:
            return build(*args, **kwargs)
        except (PatternError, ConditionError, UnknownEventError, ValueError) as error:
            self.problem(path, str(error))
            return None

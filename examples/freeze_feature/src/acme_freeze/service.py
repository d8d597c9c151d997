"""Whether the freeze is on: kept in a file, so that it outlives the daemon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from interlock.daemon.extension import DaemonContext

FILE: Final = "acme_freeze"  # below the state folder


class FreezeService:
    """Lives in the daemon; the hook asks it, people and agents reach it through its methods."""

    def __init__(self, context: DaemonContext) -> None:
        self._file: Final = context.places.state / FILE
        self._identities: Final = context.identities
        self._note: Final = context.committer.note

    @property
    def is_on(self) -> bool:
        """Whether agents are held back now."""
        return self._file.exists()

    def people_methods(self) -> Mapping[str, Any]:
        """What only a person may ask for."""
        return {"acme_freeze.set": self._set}

    def methods(self) -> Mapping[str, Any]:
        """What anybody may ask for."""
        return {"acme_freeze.get": lambda _: {"on": self.is_on}}

    def status(self) -> Mapping[str, object]:
        """One line of `interlock daemon status`."""
        return {"acme_freeze": self.is_on}

    def _set(self, params: dict[str, Any]) -> dict[str, Any]:
        person = self._identities.identify(params).name
        if params["on"]:
            self._file.write_text(person)
        else:
            self._file.unlink(missing_ok=True)
        self._note("acme_freeze", {"on": self.is_on, "person": person})
        return {"on": self.is_on}

"""What all parts of the dashboard share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any, Final, final

from starlette.requests import HTTPConnection

from interlock.daemon.client import DaemonError, request
from interlock.daemon.paths import Places
from interlock.errors import InterlockError
from interlock.files.passphrase import FILE as PASSPHRASE
from interlock.files.passphrase import PassphraseGate
from interlock.store.database import open_to_read
from interlock.web.auth.credentials import ApiKeys, LoginLinks, Logins
from interlock.web.auth.peers import Peers
from interlock.web.live import Live

if TYPE_CHECKING:
    from interlock.web.page import Page

_SECONDS: Final = 30.0


class RefusedError(InterlockError):
    """The daemon understood a request and refused it."""


@final
class Site:
    """One dashboard: its address, its logins, and its access to the daemon and the store."""

    def __init__(self, places: Places, *, port: int, pages: tuple[Page, ...]) -> None:
        self.places: Final = places
        self.pages: Final = pages
        self.hosts: Final = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.login_links: Final = LoginLinks()
        self.api_keys: Final = ApiKeys()
        self.logins: Final = Logins()
        self.passphrase: Final = PassphraseGate(places.state / PASSPHRASE)
        self.peers: Final = Peers(places.state)
        self.live: Final = Live(places.socket)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open the store read-only."""
        with closing(open_to_read(self.places.database)) as connection:
            yield connection

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Send the daemon a request: the only way for a page to change anything."""
        try:
            return request(self.places.socket, method, params, seconds=_SECONDS)
        except DaemonError as error:
            raise RefusedError(error.sentence) from error


def site_of(connection: HTTPConnection) -> Site:
    site = connection.app.state.site
    if not isinstance(site, Site):
        raise TypeError("the application is created with its site")
    return site

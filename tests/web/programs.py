"""Programs that ask the dashboard with a key, over plain HTTP to the real process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.daemon.home import PATIENCE, Home
from tests.web.browser import Answer, Browser

from interlock.daemon.client import request


@dataclass(frozen=True, kw_only=True)
class Program:
    """Somebody's script; it sends no origin and no cookie."""

    asks: Browser
    key: str

    def get(self, path: str, **headers: str) -> Answer:
        """Read something."""
        return self.asks.ask("GET", path, {"authorization": f"Bearer {self.key}", **headers})

    def post(self, path: str, body: object, **headers: str) -> Answer:
        """Change something."""
        own = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        return self.asks.ask("POST", path, {**own, **headers}, json.dumps(body).encode())


def program(home: Home) -> Program:
    """A script with a key a person has asked for."""
    found: dict[str, Any] = request(home.places.socket, "ui.open", {"key": True}, seconds=PATIENCE)
    return Program(asks=Browser(home=home, port=found["port"]), key=found["key"])

"""What is imported late because it takes a second: no test is charged with it."""

from __future__ import annotations

import importlib

import pytest


@pytest.fixture(scope="session", autouse=True)
def client_of_models() -> None:
    """The library that speaks to a model."""
    importlib.import_module("anthropic")

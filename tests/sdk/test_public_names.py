"""The public names of the package."""

from __future__ import annotations

import subprocess
import sys

import pytest

import interlock

ALIASES = ("HookError", "HookHandler")
HEAVY = ("asyncio", "httpx", "msgspec", "re2", "yaml")


def test_the_public_names_are_sorted_and_each_has_its_home() -> None:
    """`__all__` is in order, names nothing twice, and is all that is loaded on demand."""
    assert interlock.__all__ == sorted(set(interlock.__all__))
    assert set(interlock.__all__) == set(interlock._HOMES)


@pytest.mark.parametrize("name", interlock.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    """Each name leads to the thing of that name."""
    found = getattr(interlock, name)

    assert name in {"__version__", *ALIASES, getattr(found, "__name__", None)}
    assert name in dir(interlock)


DOCUMENTED = (
    "HookContext HookDefinition HookError HookEventType HookExecuted HookHandler HookRegistry HookResult "
    "HttpMethod Continue Reject ModifyInput Shell Webhook Inline load_hooks_from_config"
)


@pytest.mark.req("C15", "C18", "C21", "C27")
def test_the_names_of_the_registry_document_are_public() -> None:
    """Whoever writes by the document imports everything from one place."""
    assert set(DOCUMENTED.split()) <= set(interlock.__all__)


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    """Asking for what does not exist fails as with any module."""
    with pytest.raises(AttributeError, match=r"`Motor`; see `interlock\.__all__`"):
        interlock.Motor  # type: ignore[attr-defined]  # noqa: B018 - that it is missing is the point


@pytest.mark.deep
@pytest.mark.parametrize("line", ["import interlock", "from interlock import __version__"])
def test_importing_the_package_loads_nothing_heavy(line: str) -> None:
    """A program that only imports the package pays for none of its dependencies."""
    script = f"import sys; {line}; print([name for name in {HEAVY!r} if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


@pytest.mark.deep
def test_an_engine_without_files_loads_no_reader_of_files() -> None:
    """Code hooks alone need neither YAML nor the config room."""
    script = (
        "import sys; from interlock import Engine; Engine();"
        "print([name for name in ('yaml', 'httpx', 'interlock.policy') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"

"""Laws of putting lines into a policy file."""

from __future__ import annotations

import pytest
import yaml

from interlock.features.learning.suggest import NEW, Line, with_items

PATH = ("settings", "projects", "/w/app", "grants", "agent:main")
HERE = 'version: "2.0"\nsettings:\n  projects:\n    /w/app:\n      grants:\n'
ITEM = Line(text='Bash(echo "a: b" #c)', comments=("seen once",))


@pytest.mark.parametrize(
    "content",
    [
        NEW,
        'version: "2.0"\n# why\nhooks: {}\n',
        'version: "2.0"\nsettings:\n  packs: [baseline]  # ours\nhooks: {}\n',
        'version: "2.0"\nsettings:\n',
        'version: "2.0"\nsettings:\n    packs: []\n    projects:\n        /w/other:\n            grants:\n',
        HERE + "        agent:other:\n        - Bash(x)\n",
        HERE + "        agent:main:\n        - Bash(x)\n",
        HERE + "        agent:main:\n          - Bash(x)",
    ],
)
def test_the_item_is_there_and_everything_else_as_it_was(content: str) -> None:
    """Read again, the file says the same and one thing more; no line of it was touched."""
    changed = with_items(content, PATH, [ITEM])

    assert changed is not None
    before, after = yaml.safe_load(content), yaml.safe_load(changed)
    items = after["settings"]["projects"]["/w/app"]["grants"]["agent:main"]
    assert items[0] == ITEM.text
    assert "# seen once" in changed
    assert [line for line in changed.splitlines() if line in content.splitlines()] == content.splitlines()
    items.pop(0)
    assert _pruned(after) == _pruned(before)


@pytest.mark.parametrize(
    "content",
    [
        '{version: "2.0"}\n',
        'version: "2.0"\nsettings: {packs: [baseline]}\n',
        'version: "2.0"\nsettings:\n  projects:\n    /w/app: {grants: {}}\n',
    ],
)
def test_braces_are_left_alone(content: str) -> None:
    """What cannot be added a line below another is not guessed at."""
    assert with_items(content, PATH, [ITEM]) is None


def test_a_folder_of_any_name_is_written_so_that_it_is_read_again() -> None:
    """Also one with blanks, quotes or a colon."""
    folder = '/w/my "app": x'
    changed = with_items(NEW, ("settings", "projects", folder), [ITEM])

    assert changed is not None
    assert yaml.safe_load(changed)["settings"]["projects"][folder] == [ITEM.text]


def _pruned(value: object) -> object:
    """Without what is empty: a new key brings empty ones above it."""
    if isinstance(value, dict):
        kept = {key: _pruned(below) for key, below in value.items()}
        return {key: below for key, below in kept.items() if below not in ({}, [], None)}
    return value

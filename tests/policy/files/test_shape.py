"""One walker checks every record type, and names all mistakes."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import pytest

from interlock.errors import ConfigError
from interlock.policy.files.document import Document
from interlock.policy.files.validate import build_record
from interlock.policy.files.yaml import read_yaml


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


class Cat(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="cat"):
    lives: int = 9


class Dog(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, tag_field="type", tag="dog"):
    name: str


class House(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    street: Annotated[str, msgspec.Meta(min_length=1, description="Where.")]
    number: Annotated[float, msgspec.Meta(gt=0, le=600)] = 1.0
    floors: int = 1
    colour: Colour = Colour.RED
    size: Literal["small", "large"] = "small"
    heated: bool = True
    pets: list[Cat | Dog] = []
    rooms: dict[str, int] = {}
    note: str | dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    owner: str | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="belongs-to")
    anything: Any = None


def read(text: str) -> House:
    root = read_yaml(text, "house.yaml")
    assert root is not None
    return build_record(Document(file="house.yaml", root=root), House)


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        read(text)
    return [str(problem).removeprefix("house.yaml:") for problem in caught.value.problems]


def test_a_right_document_becomes_the_record() -> None:
    """Every kind of field is built, defaults fill the rest."""
    house = read(
        "street: Elm\nnumber: 3\ncolour: green\nsize: large\nheated: no\nrooms: {a: 1}\n"
        "pets: [{type: cat}, {type: dog, name: Rex}]\nnote: {a: b}\nbelongs-to: me\n"
        "anything: [1, {x: null}]\n"
    )

    assert house == House(
        street="Elm",
        number=3.0,
        colour=Colour.GREEN,
        size="large",
        heated=False,
        rooms={"a": 1},
        pets=[Cat(), Dog(name="Rex")],
        note={"a": "b"},
        owner="me",
        anything=[1, {"x": None}],
    )


@pytest.mark.req("M54", "M16")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("street: 2.0", '1: street: expected a string, found the number `2.0`; put it in quotes: `"2.0"`'),
        ("street: on", '1: street: expected a string, found the boolean `on`; put it in quotes: `"on"`'),
        ("street:", "1: street: expected a string, found nothing; give the key a value or remove it"),
        ('street: ""', "1: street: an empty string has no effect; write a value or remove the key"),
        ("number: 1", "1: the key `street` is missing; add it with a string"),
        (
            "street: a\nstret: b",
            "2: stret: unknown key `stret`; did you mean `street`? This key is already there; merge the two",
        ),
        (
            "street: a\nzzz: b",
            (
                "2: zzz: unknown key `zzz`; use one of `number`, `floors`, `colour`, "
                "`size`, `heated`, `pets`, `rooms`, `note`, `belongs-to`, …"
            ),
        ),
        ("street: a\nfloor: 2", "2: floor: unknown key `floor`; did you mean `floors`?"),
        ("street: a\nnumber: 601", "2: number: `601` is more than 600; write a smaller number"),
        ("street: a\nnumber: 0", "2: number: `0` must be greater than 0; write a larger number"),
        (
            "street: a\nfloors: 1.5",
            ("2: floors: expected a whole number, found the number `1.5`; correct the value"),
        ),
        (
            "street: a\nfloors: true",
            ("2: floors: expected a whole number, found the boolean `true`; correct the value"),
        ),
        (
            "street: a\nheated: 1",
            "2: heated: expected true or false, found the number `1`; write `true` or `false`",
        ),
        (
            'street: a\nfloors: "2"',
            "2: floors: expected a whole number, found the string `2`; write it without quotes: `2`",
        ),
        (
            "street: a\ncolour: true",
            "2: colour: expected `red` or `green`, found the boolean `true`; correct the value",
        ),
        ("street: a\npets: cat", '2: pets: expected a list, found the string `cat`; write `["cat"]`'),
        ("street: a\ncolour: grene", "2: colour: unknown value `grene`; did you mean `green`?"),
        ("street: a\nsize: huge", "2: size: unknown value `huge`; use one of `large`, `small`"),
        ("street: a\npets: {}", "2: pets: expected a list, found a mapping; correct the value"),
        (
            "street: a\npets:\n  - cat",
            ("3: pets[0]: expected a mapping, found the string `cat`; correct the value"),
        ),
        ("street: a\npets:\n  - lives: 3", "3: pets[0]: the key `type` is missing; use one of `cat`, `dog`"),
        ("street: a\npets:\n  - type: dgo", "3: pets[0].type: unknown type `dgo`; did you mean `dog`?"),
        (
            "street: a\npets:\n  - type: 1",
            ('3: pets[0].type: expected a string, found the number `1`; put it in quotes: `"1"`'),
        ),
        ("street: a\npets:\n  - type: dog\n    nam: x", None),
        (
            "street: a\nrooms: {b: x}",
            ("2: rooms.b: expected a whole number, found the string `x`; correct the value"),
        ),
        ("street: a\nnote: [1]", "2: note: expected a string or a mapping, found a list; correct the value"),
        ("- a", "1: expected a mapping, found a list; correct the value"),
    ],
)
def test_a_mistake_is_named_with_place_finding_and_next_step(text: str, expected: str | None) -> None:
    """Line, path, what was found, what was expected, and what to do."""
    found = problems(text)

    if expected is None:
        assert found == [
            "4: pets[0].nam: unknown key `nam`; did you mean `name`?",
            "3: pets[0]: the key `name` is missing; add it with a string",
        ]
    else:
        assert found == [expected]


def test_all_mistakes_are_named_at_once() -> None:
    """Nobody has to run the check once per mistake."""
    assert len(problems("stret: a\nnumber: x\npets: [{type: cat, lives: x}, {type: dog}]\nsize: 1\n")) == 6


def test_the_number_of_problems_is_bounded() -> None:
    """A file of nonsense does not print pages of it."""
    assert len(problems("".join(f"k{n}: 1\n" for n in range(300)))) == 50

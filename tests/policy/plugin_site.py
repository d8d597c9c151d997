"""A folder in which distributions are installed, for tests of plugins."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

GREETER = """
    from __future__ import annotations
    from typing import Annotated, Literal
    import msgspec
    from interlock.plugin import Builtin, Helper
    from interlock.events.hook import OnFailure
    from interlock.events.names import EventName
    from interlock.events.verdict import Verdict, NO_OPINION

    class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        greeting: Annotated[str, msgspec.Meta(min_length=1, description="What is said.")] = "hello"
        times: Annotated[int, msgspec.Meta(ge=1, lt=4, description="How often.")] = 1
        names: Annotated[tuple[str, ...], msgspec.Meta(description="Whom.")] = ()
        style: Literal["plain", "loud"] = "plain"
        sign: str | None = None

    class Greeter(Helper):
        kind = "acme.greet"
        def run(self, view, seconds):
            if view.event.prompt == "raise":
                raise RuntimeError("the greeter tripped")
            return Verdict(context=" ".join([self._options.greeting] * self._options.times))

    def make(options, making):
        if options.greeting == "bye":
            making.problem("greeting", "`bye` is not a greeting; say hello")
            return None
        if options.greeting == "crash":
            raise RuntimeError("no words")
        return Greeter(options)

    BUILTIN = Builtin(
        kind="acme.greet",
        about="Greets.",
        options=Options,
        make=make,
        events=(EventName.USER_PROMPT_SUBMIT,),
        on_failure=OnFailure.OPEN,
        tightens=True,
    )
"""


def install(site: Path, distribution: str, module: str, source: str, *kinds: str) -> None:
    """Put a distribution there that offers hooks, as an installer would."""
    site.mkdir(exist_ok=True)
    (site / f"{module}.py").write_text(dedent(source))
    folder = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    lines = "".join(f"{kind} = {module}:BUILTIN\n" for kind in kinds)
    (folder / "entry_points.txt").write_text(f"[interlock.hooks]\n{lines}")


def install_feature(site: Path, distribution: str, package: str, row: str, **modules: str) -> None:
    """Put a distribution there whose package offers the feature `acme` by its `FEATURE`."""
    (site / package).mkdir()
    for name, source in {"__init__": row, **modules}.items():
        (site / package / f"{name}.py").write_text(dedent(source))
    folder = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[interlock.features]\nacme = {package}:FEATURE\n")

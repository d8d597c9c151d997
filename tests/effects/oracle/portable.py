"""Which texts mean the same to every shell, so that dash may speak about them too."""

from __future__ import annotations

import re
from typing import Final

_BASH_ONLY: Final = re.compile(
    r"\[\[|\(\(|\{[^ }]*[,.]|\$['\"\[]|&>|>&\s*[^\s\d-]|\|&|[<>]\(|<<<|=\(|\+=|;;?&|[@?*+!]\("
    r"|\{\w+\}[<>]|\d\d+[<>]"
    r"|\$\{[!#]?\w+\s*[\[/^,@]|\$\{\w+:(?:\s|[\w$(])|\$\{![\w@*]|~[+-]|\*\*|[A-Za-z_]\w*\[.*\]=|\\[ux]"
    r"|\b(?:function|select|coproc|time|source|declare|typeset|let|local|shopt|mapfile|readarray|pushd|popd|enable|hash"
    r"|builtin|compgen|complete|bind|fc|exec\s+-|set\s+-[oP]|printf\s+-v|test\s+-v|\[\s+-v|read\s+-|trap|caller|export\s+-)",
)


def is_portable(text: str) -> bool:
    """Whether the text keeps to what all shells of the family share; a doubt counts against it."""
    return _BASH_ONLY.search(text) is None

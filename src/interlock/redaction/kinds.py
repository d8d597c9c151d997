"""The table of secrets that are known by their looks: published prefixes, headers, addresses, key blocks."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec
import re2

ASSIGNED: Final = "assigned"
OWN: Final = "own"


class Span(NamedTuple):
    """A stretch of a text, and what kind of secret it is."""

    start: int
    end: int
    kind: str
    sure: bool = False  # by its own looks or the user's pattern, not by what stands around it


class Kind(msgspec.Struct, frozen=True):
    """One kind of secret; where the pattern has a group, the group is what is hidden."""

    name: str
    hints: str  # separated by `|`: every match contains one of these, also in JSON, so they are plain ASCII
    pattern: str
    trigger: str | None = None  # a narrower sign than the hints, for those that are common in any text
    mixed: bool = False  # a match without both letters and digits is a word
    literal: bool = False  # a match may be a variable or a placeholder: those stay
    each: str | None = None  # what is hidden of the group: every match of this, where it has groups the last


def compile_bytes(pattern: str, **settings: Any) -> Any:
    """Compile an expression for raw bytes: any text can be searched, and only ASCII letters have a case."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    for name, value in settings.items():
        setattr(options, name, value)
    return re2.compile(pattern.encode("latin-1"), options)


_CHAR: Final = r"[A-Za-z0-9_-]"  # of most tokens
# What ends a line inside a key block: a line end, or the escaped one of a JSON text inside a text.
_BREAK: Final = r"(?:[\s>|#*]|\\+[nrt])"
_BASE64: Final = r"(?:[A-Za-z0-9+/=]|\\+/|\\+u00[2-7][0-9a-fA-F])"
_HEADERS: Final = r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]*)"
_BEGIN: Final = r"-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_END: Final = r"-{4,5} ?END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_WHOLE: Final = rf"{_BEGIN}(?:{_BASE64}|{_BREAK}|{_HEADERS})*{_END}"
# Without its end only long lines count as the key, or it would swallow whatever text comes next.
_CUT: Final = rf"{_BEGIN}(?:{_BREAK}|{_HEADERS})*(?:(?:{_BASE64}{{32,}}{_BREAK}*)+{_BASE64}{{0,31}})?"
_REST: Final = rf"{_BASE64}{{16,}}(?:{_BASE64}|{_BREAK})*{_END}"
# The rest of an address's user part, which may be escaped as JSON does.
_SLASHES: Final = r":\\*/\\*/"

# The first that finds a stretch names it.
KINDS: Final = (
    Kind("aws", "AKIA|ASIA|ABIA|ACCA", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    Kind("aws", "X-Amz-Signature=", r"X-Amz-Signature=([0-9a-f]{40,})"),
    Kind("aws", "X-Amz-Security-Token=", r"X-Amz-Security-Token=([A-Za-z0-9%/+=_-]{20,})"),
    Kind("google", "AIza", rf"AIza{_CHAR}{{35}}"),
    Kind("google", "ya29.", r"ya29\.[A-Za-z0-9_.-]{20,}"),
    Kind("google", "GOCSPX-", rf"GOCSPX-{_CHAR}{{20,}}"),
    Kind("google", "1//", rf"\b1//[0-9A-Za-z]{_CHAR}{{38,}}", trigger=rf"1//{_CHAR}{{20}}"),
    Kind(
        "azure",
        "AccountKey=|SharedAccessKey=|accountkey=|sharedaccesskey=",
        r"(?i:(?:Account|SharedAccess)Key)=((?:[A-Za-z0-9+/=]|\\+/|\\+u003[dD]){20,})",
    ),
    Kind("azure", "sig=", r"[?&;]sig=([A-Za-z0-9%+/=_-]{32,})"),
    Kind("azure", "sig=", r"\\+u0026sig=([A-Za-z0-9%+/=_-]{32,})"),
    Kind("azure", "8Q~", r"\b[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34}"),
    Kind("github", "gh", r"gh[pousr]_[A-Za-z0-9]{20,}", trigger=r"gh[pousr]_[A-Za-z0-9]"),
    Kind("github", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,}"),
    Kind(
        "gitlab",
        "gl",
        r"gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.=-]{20,}",
        trigger=r"gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-",
    ),
    Kind("slack", "xox", r"xox(?:[abdeoprs]|e\.xox[bp])-[A-Za-z0-9-]{10,}", mixed=True),
    Kind("slack", "xapp-", r"xapp-\d-[A-Za-z0-9-]{20,}"),
    Kind(
        "slack",
        "hooks.slack.com",
        r"hooks\.slack\.com\\*/(?:services|workflows|triggers)\\*/([A-Za-z0-9/\\_-]{20,})",
    ),
    Kind("discord", "/api/webhooks/", rf"/api/webhooks/[0-9]{{15,}}/({_CHAR}{{40,}})"),
    Kind("stripe", "k_live_|k_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{10,}", mixed=True),
    Kind("stripe", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,}"),
    Kind("npm", "npm_", r"npm_[A-Za-z0-9]{36}\b", trigger="npm_[A-Za-z0-9]{20}"),
    Kind("pypi", "pypi-", rf"pypi-{_CHAR}{{40,}}", trigger=rf"pypi-{_CHAR}{{20}}"),
    Kind("rubygems", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    Kind("docker", "dckr_", rf"dckr_[a-z]+_{_CHAR}{{20,}}"),
    Kind("model_api", "sk-", rf"\bsk-{_CHAR}{{20,}}", trigger=rf"sk-{_CHAR}{{16}}", mixed=True),
    Kind(
        "model_api",
        "hf_|gsk_|r8_|xai-|pplx-",
        r"\b(?:hf_|gsk_|r8_|xai-|pplx-)[A-Za-z0-9]{30,}",
        trigger=r"(?:hf_|gsk_|r8_|xai-|pplx-)[A-Za-z0-9]{16}",
        mixed=True,
    ),
    Kind("twilio", "SK|AC", r"\b(?:SK|AC)[0-9a-f]{32}\b", trigger="(?:SK|AC)[0-9a-f]{16}"),
    Kind("sendgrid", "SG.", rf"SG\.{_CHAR}{{16,}}\.{_CHAR}{{16,}}", trigger=rf"SG\.{_CHAR}{{8}}"),
    Kind("mailgun", "key-", r"\bkey-[0-9a-f]{32}\b", trigger="key-[0-9a-f]{16}"),
    Kind("telegram", ":AA", rf"\b[0-9]{{8,10}}:AA{_CHAR}{{32,34}}\b", trigger=rf":AA{_CHAR}{{16}}"),
    Kind("atlassian", "ATATT3|ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=-]{20,}"),
    Kind(
        "service",
        "dop_v1_|doo_v1_|dor_v1_|lin_api_|figd_|PMAK-|NRAK-|glsa_|glc_|hvs.|hvb.",
        r"(?:do[opr]_v1_|lin_api_|figd_|PMAK-|NRAK-|glsa_|glc_|hv[sb]\.)[A-Za-z0-9_-]{20,}",
    ),
    Kind(
        "service",
        "shpat_|shpca_|shppa_|shpss_|dapi|sbp_|pul-|sntrys_|sntryu_|ntn_|fo1_|fm2_",
        r"\b(?:shp(?:at|ca|pa|ss)_|dapi|sbp_|pul-|sntry[su]_|ntn_|fo1_|fm2_)[A-Za-z0-9_+/=-]{30,}",
        trigger=r"(?:shp(?:at|ca|pa|ss)_|dapi|sbp_|pul-|sntry[su]_|ntn_|fo1_|fm2_)[A-Za-z0-9_+/=-]{20}",
        mixed=True,
    ),
    Kind("terraform", ".atlasv1.", rf"\b[A-Za-z0-9]{{14}}\.atlasv1\.{_CHAR}{{20,}}"),
    Kind("age", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    Kind("jwt", "eyJ", rf"\beyJ{_CHAR}{{10,}}\.{_CHAR}{{4,}}(?:\.{_CHAR}*)*", trigger=rf"eyJ{_CHAR}{{8}}"),
    # Whole, cut off at its end, or only its end.
    Kind("private_key", "PRIVATE KEY", f"{_WHOLE}|{_CUT}"),
    Kind("private_key", "PRIVATE KEY", _REST),
    Kind("private_key", "Private-Lines:", rf"Private-Lines: ?[0-9]+((?:[A-Za-z0-9+/=]|{_BREAK})+)"),
    Kind(
        "url",
        "@",
        rf"[A-Za-z][A-Za-z0-9+.-]*{_SLASHES}[^\s/:@\"'<>\\?#]*:([^\s/\"'<>?#\\]+)@",
        trigger=rf"{_SLASHES}[^\s/\"'<>?#]*@",
        literal=True,
    ),
    Kind(
        "url",
        "@",
        rf"[A-Za-z][A-Za-z0-9+.-]*{_SLASHES}([A-Za-z0-9_.~-]{{20,}})(?::x-oauth-basic)?@",
        trigger=rf"{_SLASHES}[^\s/\"'<>?#]*@",
        mixed=True,
    ),
)

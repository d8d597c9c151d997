"""Programs that leave no mark of their own: what they write, the reader sees as an effect."""

from __future__ import annotations

from typing import Final

_PROGRAMS: Final = """
    [ [[ : arch base32 base64 basename bat cal cat cd cksum clear cmp column comm compgen cut date
    df diff dir dirname dirs du echo egrep env expand expr export false fd fgrep file find fmt fold
    free getconf getent grep groups hash head hexdump hostname id jobs join jq less local locale ls
    lsblk lscpu lsof man md5sum more nl nproc od paste pathchk popd pr printenv printf ps pushd pwd
    read readlink realpath return rev rg sed seq set sha1sum sha224sum sha256sum sha384sum sha512sum
    shift shuf sleep sort stat strings sum tac tail test tokei tput tr tree true tsort tty type
    ulimit uname unexpand uniq unset uptime users vdir w wait wc which who whoami xxd yes yq zcat
    zgrep awk gawk mawk nawk ag cloc exit break continue eval history alias"""
_GIT: Final = """status log diff show blame rev-parse ls-files ls-tree cat-file describe shortlog rev-list
    merge-base grep show-ref for-each-ref name-rev count-objects whatchanged diff-tree diff-index
    diff-files check-ignore var version help"""
_DOCKER: Final = "ps images version info"

# What they write and whom they reach are effects; a command of an option is looked at itself.
MOVERS: Final = frozenset({"tee", "sponge", "rsync"})

QUIET: Final = frozenset(
    (
        *_PROGRAMS.split(),
        *(f"git {word}" for word in _GIT.split()),
        *(f"docker {word}" for word in _DOCKER.split()),
    )
)

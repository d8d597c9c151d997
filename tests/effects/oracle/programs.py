"""The programs of the sandbox: those that only note how they were called, and those that are real."""

from __future__ import annotations

from typing import Final

# Really run, after their call was noted: shells, programs that run other programs, and plain filters.
# None of them starts a program of its own accord.
REAL: Final = tuple(
    """
    sh bash dash busybox env xargs timeout nice nohup find stdbuf setsid ionice split cat head tail tr
    sort sed awk grep cut wc uniq seq base64 xxd od tac rev paste tee ls touch mkdir rmdir cp mv ln
    chmod test [ basename dirname readlink realpath mktemp expr date true false printf echo comm
    """.split()
)

# Never run: each call is noted, the last argument printed.
STUBS: Final = tuple(
    """
    rm git curl wget sudo doas su ssh scp rsync chroot flock watch strace runuser caffeinate time
    parallel python python3 node perl ruby php lua deno bun npx npm yarn pnpm pip pip3 uv poetry cargo
    rustc go gcc cc make cmake ninja mvn gradle java docker podman kubectl helm terraform aws gcloud az
    gh apt apt-get dpkg brew systemctl service crontab at dd shred mkfs mount umount nc ncat telnet dig
    nslookup ping openssl gpg zip unzip tar gzip gunzip bzip2 xz zcat man less more vim vi nano ed emacs
    tmux screen sqlite3 psql mysql redis-cli jq yq rg fd ag bat tree du df ps top kill killall pkill
    pgrep lsof netstat ss ip ifconfig chown chgrp install patch diff cmp file which whereis strings stat
    sha256sum md5sum shasum uname hostname whoami id sleep yes tput clear reset pytest ruff mypy black
    tox eslint prettier tsc jest vite webpack next rake bundle gem composer dotnet swift pwsh powershell
    cmd code open xdg-open osascript pbcopy zsh ksh fish script expect socat iconv column nl fold
    glow pax
    """.split()
)

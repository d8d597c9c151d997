"""Laws of programs that run a command somewhere, and of words that name more than one thing."""

from __future__ import annotations

import pytest
from tests.effects.shell.readings import effects, kinds, ran

from interlock.effects.command import GapKind
from interlock.effects.effect import EffectKind

READ, WRITE, DELETE, NETWORK = EffectKind.READ, EffectKind.WRITE, EffectKind.DELETE, EffectKind.NETWORK


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "launcher",
    [
        *("/lib64/ld-linux-x86-64.so.2", "ld.so --library-path /x", "qemu-x86_64 -L /x", "railway run"),
        *("infisical run --env=dev --", "chamber exec s --", "envchain ns", "summon", "mise x node@20 --"),
        *("rtx exec --", "nodenv exec", "pixi run", "pixi exec -s y", "devbox run", "distrobox enter box --"),
        *("toolbox run -c box", "sandbox-exec -p x", "machinectl shell box", "lxc-attach -n box --"),
        *("ip vrf exec v", "cgexec -g cpu:x", "chpst -u ann", "softlimit -m 1", "trickle -d 1", "rr record"),
        *("wait-for-it h:80 --", "dockerize -wait tcp://h", "retry -t 3", "zellij run --", "tsp", "nq"),
        *("arch-chroot /m", "schroot -c box --", "nsjail --", "startx", "run-one", "guix shell y --"),
        *("sem", "envdir d", "gnome-terminal --", "byobu new-session -d", "tmux popup -E"),
    ],
)
def test_a_launcher_is_looked_through(launcher: str) -> None:
    """What it runs is found with all its words."""
    assert "rm -rf x" in ran(f"{launcher} rm -rf x")
    assert "/bin/rm -rf x" in ran("start-stop-daemon -S -x /bin/rm -- -rf x")


@pytest.mark.req("C14")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ssh-keygen -yf ~/.ssh/id", ["read /home/ann/.ssh/id"]),
        ("ssh-copy-id -i k h", ["read k", "network h"]),
        ("git hash-object -w .env", ["read .env"]),
        ("git clean -fd src", ["delete src"]),
        ("gh ssh-key add k", ["read k"]),
        ("gawk -i inplace 1 f", ["read f", "write f"]),
        ("docker run -v ~/.ssh:/s box", ["read /home/ann/.ssh", "write /home/ann/.ssh"]),
        ("docker run -v ~/.aws:/s:ro box", ["read /home/ann/.aws"]),
        ("docker run --mount type=bind,src=~/.aws,dst=/s,readonly box", ["read ?~/.aws"]),
        ("docker run --mount type=bind,src=/x,dst=/y box", ["read /x", "write /x"]),
        ("docker build --secret id=x,src=.env .", ["read .env"]),
        ("curl file://localhost/home/ann/%2essh/id", ["read /home/ann/.ssh/id"]),
        ("kubectl apply -f https://h/x.yml", ["network h"]),
        ("deno compile -o y x.ts", ["write y", "read x.ts"]),
        ("cargo +nightly install x", ["network ?"]),
        ("restic backup ~/.ssh", ["read /home/ann/.ssh"]),
        ("tmux load-buffer .env", ["read .env"]),
        ("tar xf a -C src", ["write ."]),
        ("patch -d src < p", ["write ."]),
        ("ruff check --fix src", ["read src", "write src"]),
        ("eslint --fix src", ["read src", "write src"]),
        ("split -b 1 f src/p", ["write src/p"]),
        ("python -m json.tool .env", ["read .env"]),
        ("python -m zipfile -e a.zip d", ["read a.zip", "write d"]),
    ],
)
def test_words_have_the_effects_that_the_program_gives_them(text: str, expected: list[str]) -> None:
    """What is read, written, deleted or called is told."""
    assert set(expected) <= set(effects(text, READ, WRITE, DELETE, NETWORK))


def test_a_folder_given_read_only_is_not_written() -> None:
    """Nor is more of it read than the folder itself."""
    assert effects('docker run -v "$PWD":/src:ro box', READ, WRITE) == ["read /project"]


def test_volumes_of_a_container_are_no_paths() -> None:
    """Neither those with a name nor those without one."""
    assert not effects("docker run -v data:/d -v /d box", READ, WRITE)


@pytest.mark.req("C05")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("deno run https://h/x.ts", GapKind.NETWORK),
        ("bun -e 'x'", GapKind.CODE),
        ("deno repl --eval 'x'", GapKind.CODE),
        ("capsh -- -c 'rm -rf x'", GapKind.CODE),
        ("dtrace -n 'x'", GapKind.CODE),
        ("python -m timeit 'x'", GapKind.CODE),
        ("ex -s f <<< '!rm -rf x'", GapKind.CODE),
        ("tmux set-hook x 'run \"rm -rf x\"'", GapKind.CODE),
    ],
)
def test_program_text_is_a_gap(text: str, kind: GapKind) -> None:
    """Also where it comes from another machine."""
    assert kind in kinds(text)

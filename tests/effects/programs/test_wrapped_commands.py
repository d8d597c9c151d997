"""Commands, code and shell text inside of other commands are found by the tables."""

from __future__ import annotations

import pytest
from tests.effects.programs.sorted_line import Row, sorted_row


@pytest.mark.req("C07")
@pytest.mark.parametrize(
    "row",
    [
        ("find . -exec rm -rf {} +", "find", "-exec!", ".:read", ["rm -rf {}"]),
        (
            "find . -name '*.o' -exec rm {} ';' -o -delete",
            "find",
            "-name=*.o:text -exec! -o -delete!",
            ".:delete",
            ["rm {}"],
        ),
        (
            "find . -execdir rm {} ';' -exec touch {} ';'",
            "find",
            "-execdir! -exec!",
            ".:read",
            ["rm {}", "touch {}"],
        ),
        ("find . -ok rm {} ';'", "find", "-ok!", ".:read", ["rm {}"]),
        (
            "find a b '(' -type f '!' -name x ')' -fprintf out %p -print",
            "find",
            "( -type=f:text ! -name=x:text ) -fprintf!=out:write -print",
            "a:read b:read %p:text",
            [],
        ),
        (
            "find -L . -newermt yesterday -fls out",
            "find",
            "-L -newermt=yesterday:text -fls!=out:write",
            ".:read",
            [],
        ),
        ("find . -exec rm -rf", "find", "-exec!", ".:read", ["rm -rf"]),
        ("fd -e py -x rm -rf", "fd", "-e=py:text -x!", "", ["rm -rf"]),
    ],
    ids=lambda row: row[0],
)
def test_the_expression_of_find_is_sorted(row: Row) -> None:
    """Commands end at their mark, conditions take their values, and `-delete` makes paths deleted ones."""
    assert sorted_row(row[0]) == row


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "row",
    [
        ("sudo -u root VAR=1 rm -rf x", "sudo", "-u=root:text", "VAR=1:env", ["rm -rf x"]),
        ("sudo -iu bob -- rm -rf x", "sudo", "-i -u=bob:text --", "", ["rm -rf x"]),
        ("sudo -e f", "sudo", "-e", "f:write", []),
        ("env -i A=b FOO=1 rm -rf /", "env", "-i", "A=b:env FOO=1:env", ["rm -rf /"]),
        ("env - rm x", "env", "-i", "", ["rm x"]),
        ("env -u A -C d rm x", "env", "-u=A:text -C=d:folder", "", ["rm x"]),
        ("env -S 'rm -rf' x", "env", "-S!=rm -rf:shell", "x:shell", []),
        ("timeout -s KILL 5 rm -rf x", "timeout", "-s=KILL:text", "5:text", ["rm -rf x"]),
        (
            "timeout --signal=KILL -k 5 5 rm -rf x",
            "timeout",
            "-s=KILL:text -k=5:text",
            "5:text",
            ["rm -rf x"],
        ),
        ("nohup nice -n 9 rm -rf x", "nohup", "", "", ["nice -n 9 rm -rf x"]),
        ("nice -9 rm x", "nice", "-9", "", ["rm x"]),
        ("nice -n9 rm x", "nice", "-n=9:text", "", ["rm x"]),
        ("command rm -rf x", "command", "", "", ["rm -rf x"]),
        ("command -v rm", "command", "-v", "rm:text", []),
        ("builtin cd x", "builtin", "", "", ["cd x"]),
        ("exec -a n rm x", "exec", "-a=n:text", "", ["rm x"]),
        ("busybox rm -rf x", "busybox", "", "", ["rm -rf x"]),
        ("xargs -0 -n1 -I{} rm -rf {}", "xargs", "-0 -n=1:text -I={}:text", "", ["rm -rf {}"]),
        ("xargs", "xargs", "", "", []),
        (
            "parallel -j4 rm -rf ::: a b",
            "parallel",
            "-j=4:text",
            "rm:shell -rf:shell ::::text a:text b:text",
            [],
        ),
        ("parallel ::: 'rm x' ls", "parallel", "", "::::text rm x:shell ls:shell", []),
        ("screen -dmS x rm -rf y", "screen", "-d -m -S=x:text", "", ["rm -rf y"]),
        ("tmux new -d -s x 'rm -rf y'", "tmux new-session", "-d -s=x:text", "rm -rf y:shell", []),
        ("doas -u bob rm x", "doas", "-u=bob:text", "", ["rm x"]),
        ("su - bob -c 'rm x'", "su", "- -c=rm x:shell", "bob:text", []),
        ("runuser -u bob -- rm x", "runuser", "-u=bob:text --", "", ["rm x"]),
        ("watch -n1 rm -rf x", "watch", "-n=1:text", "rm:shell -rf:shell x:shell", []),
        ("watch -x ls -la", "watch", "-x", "", ["ls -la"]),
        ("flock f -c 'rm x'", "flock", "-c=rm x:shell", "f:write", []),
        ("flock -n f rm -rf x", "flock", "-n", "f:write", ["rm -rf x"]),
        ("script -qc 'rm x' f", "script", "-q -c!=rm x:shell", "f:write", []),
        ("script -q /dev/null rm x", "script", "-q", "/dev/null:write", ["rm x"]),
        ("strace -f -o out rm x", "strace", "-f -o!=out:write", "", ["rm x"]),
        ("gdb -batch --args rm -rf x", "gdb", "-batch --args", "", ["rm -rf x"]),
        ("taskset -c 0,1 rm x", "taskset", "-c", "0,1:text", ["rm x"]),
        ("taskset -p 1 123", "taskset", "-p", "1:text 123:text", []),
        ("chrt -r 10 rm x", "chrt", "-r", "10:text", ["rm x"]),
        ("setarch x86_64 -R rm -rf x", "setarch", "", "", ["x86_64 -R rm -rf x"]),
        ("nsenter -t 1 -m rm x", "nsenter", "-t=1:text -m", "", ["rm x"]),
        ("chroot /x rm -rf y", "chroot", "", "/x:folder", ["rm -rf y"]),
        ("stdbuf -oL rm x", "stdbuf", "-o=L:text", "", ["rm x"]),
        ("time -o f rm x", "time", "-o!=f:write", "", ["rm x"]),
        ("systemd-run --user -p A=b rm x", "systemd-run", "--user -p!=A=b:text", "", ["rm x"]),
        ("ssh -p 22 host rm -rf x", "ssh", "-p=22:text", "host:network rm:shell -rf:shell x:shell", []),
        ("ssh host -p 22 ls -la", "ssh", "-p=22:text", "host:network ls:shell -la:shell", []),
        ("docker exec -it -u root c rm -rf x", "docker exec", "-i -t -u=root:text", "c:text", ["rm -rf x"]),
        (
            "docker run --rm -v /:/h -e A=b ubuntu rm -rf /h",
            "docker run",
            "--rm -v!=/:/h:mount -e=A=b:env",
            "ubuntu:text",
            ["rm -rf /h"],
        ),
        (
            "kubectl exec -it pod -n ns -- rm -rf /x",
            "kubectl exec",
            "-i -t -n=ns:text --",
            "pod:text",
            ["rm -rf /x"],
        ),
        ("npx -y -p pkg rm -rf x", "npx", "-y -p=pkg:package", "", ["rm -rf x"]),
        ("uv run --with x rm -rf y", "uv run", "--with=x:package", "", ["rm -rf y"]),
        ("poetry run rm -rf x", "poetry run", "", "", ["rm -rf x"]),
        ("git bisect run rm -rf x", "git bisect run", "", "", ["rm -rf x"]),
        (
            "git submodule foreach --recursive 'rm -rf x'",
            "git submodule foreach",
            "--recursive",
            "rm -rf x:shell",
            [],
        ),
    ],
    ids=lambda row: row[0],
)
def test_wrappers_give_the_command_they_run(row: Row) -> None:
    """The options of the inner command are not the wrapper's."""
    assert sorted_row(row[0]) == row


@pytest.mark.req("C04")
@pytest.mark.parametrize(
    "row",
    [
        ("bash -c 'rm -rf x' name arg", "bash", "-c=rm -rf x:shell", "name:text arg:text", []),
        ("bash -ec 'rm -rf x'", "bash", "-e -c=rm -rf x:shell", "", []),
        ("bash -c -e 'rm -rf x'", "bash", "-c=rm -rf x:shell -e", "", []),
        ("bash -o pipefail -c 'rm x'", "bash", "-o=pipefail:text -c=rm x:shell", "", []),
        ("bash --rcfile f script.sh -x", "bash", "--rcfile!=f:script", "script.sh:script -x:text", []),
        ("sh -s a b", "sh", "-s", "a:text b:text", []),
        ("eval rm '-rf' x", "eval", "", "rm:shell -rf:shell x:shell", []),
        ("source f a", "source", "", "f:script a:text", []),
        ("trap 'rm x' EXIT", "trap", "", "rm x:shell EXIT:text", []),
        ("trap - EXIT", "trap", "-", "EXIT:text", []),
    ],
    ids=lambda row: row[0],
)
def test_text_for_a_shell_is_told_from_its_arguments(row: Row) -> None:
    """Wherever the text stands, it is the value of `-c`, and what follows are words for it."""
    assert sorted_row(row[0]) == row


@pytest.mark.req("C05")
@pytest.mark.parametrize(
    "row",
    [
        ("python3.11 -c 'import os' -x", "python", "-c=import os:code", "-x:text", []),
        ("python -m pip install x", "python", "-m=pip:module", "install:text x:text", []),
        ("node -e code a", "node", "-e=code:code", "a:text", []),
        ("perl -pi.bak -e s/a/b/ f", "perl", "-p -i!=.bak:text -e=s/a/b/:code", "f:write", []),
        ("sed '1e rm -rf x' f", "sed", "", "1e rm -rf x:code f:read", []),
        ("sed -n -e 1p -e 's/a/b/w out' f", "sed", "-n -e=1p:text -e=s/a/b/w out:code", "f:read", []),
        ("sed s/a/b/ f", "sed", "", "s/a/b/:text f:read", []),
        ("awk 'BEGIN{system(\"rm\")}'", "awk", "", 'BEGIN{system("rm")}:code', []),
        ("awk -F, '{print $1}' f", "awk", "-F=,:text", "{print $1}:text f:read", []),
        ("vim -c '!rm -rf x' f", "vim", "-c!=!rm -rf x:code", "f:edit", []),
        ("vim +'!rm' f", "vim", "+!=!rm:code", "f:edit", []),
    ],
    ids=lambda row: row[0],
)
def test_code_for_an_interpreter_is_found(row: Row) -> None:
    """Code that only transforms its input is text, all other code is code."""
    assert sorted_row(row[0]) == row


@pytest.mark.req("C09")
@pytest.mark.parametrize(
    "row",
    [
        ("git -c core.pager='rm x' log", "git log", "-c!=rm x:shell", "", []),
        ("git -c alias.x='!rm -rf x' x", "git x", "-c!=rm -rf x:shell", "", []),
        ("git -c user.name=x commit -m hi", "git commit", "-c!=user.name=x:text -m=hi:text", "", []),
        ("git --exec-path=/x status", "git status", "--exec-path!=/x:script", "", []),
        (
            "git fetch --upload-pack='rm x' origin",
            "git fetch",
            "--upload-pack!=rm x:shell",
            "origin:text",
            [],
        ),
        (
            "git ls-remote --upload-pack 'rm x' origin",
            "git ls-remote",
            "--upload-pack!=rm x:shell",
            "origin:network",
            [],
        ),
        ("git grep -Oless foo", "git grep", "-O!=less:opener", "foo:text", []),
        ("git log --ext-diff -5", "git log", "--ext-diff! -5", "", []),
        ("git rebase -x 'make test' main", "git rebase", "-x!=make test:shell", "main:text", []),
        ("git config core.fsmonitor 'rm x'", "git config", "", "core.fsmonitor:text rm x:text", []),
    ],
    ids=lambda row: row[0],
)
def test_what_makes_git_run_programs_is_a_power(row: Row) -> None:
    """Settings and options that name programs carry them as shell text."""
    assert sorted_row(row[0]) == row


@pytest.mark.req("case:C14")
@pytest.mark.parametrize(
    "row",
    [
        ("sort -o f g", "sort", "-o!=f:write", "g:read", []),
        ("sort --compress-prog=x g", "sort", "--compress-program!=x:shell", "g:read", []),
        ("sort -k2,2 -t, f", "sort", "-k=2,2:text -t=,:text", "f:read", []),
        (
            "tar --checkpoint=1 --checkpoint-action=exec='rm x' -xf a",
            "tar",
            "--checkpoint=1:text --checkpoint-action!=rm x:shell -x -f=a:read",
            "",
            [],
        ),
        ("tar -xf a --to-command='rm x'", "tar", "-x -f=a:read --to-command!=rm x:shell", "", []),
        ("rg --pre 'rm x' foo .", "rg", "--pre!=rm x:shell", "foo:text .:read", []),
        ("man -P 'rm x' ls", "man", "-P!=rm x:shell", "ls:text", []),
        ("man -Hfoo ls", "man", "-H!=foo:shell", "ls:text", []),
        (
            "rsync -ave 'ssh -p 2' --delete a/ h:b/",
            "rsync",
            "-a -v -e!=ssh -p 2:shell --delete!",
            "a/:read h:b/:network",
            [],
        ),
        ("ssh -o ProxyCommand='rm x' host", "ssh", "-o!=rm x:shell", "host:network", []),
        ("ssh -oProxyCommand=rm host", "ssh", "-o!=rm:shell", "host:network", []),
        (
            "ssh -o StrictHostKeyChecking=no host",
            "ssh",
            "-o=StrictHostKeyChecking=no:text",
            "host:network",
            [],
        ),
        ("zip -T -TT 'rm x' a.zip b", "zip", "-T -TT!=rm x:shell", "a.zip:write b:read", []),
        ("tee -a f", "tee", "-a", "f:write", []),
    ],
    ids=lambda row: row[0],
)
def test_options_that_name_programs_or_targets_are_found(row: Row) -> None:
    """Short, long, abbreviated or attached, they mean the same."""
    assert sorted_row(row[0]) == row

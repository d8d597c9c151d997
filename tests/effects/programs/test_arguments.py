"""Words of real commands land where the programs themselves put them."""

from __future__ import annotations

import pytest
from tests.effects.programs.sorted_line import Row, shown, sorted_row

from interlock.effects.effect import Word
from interlock.effects.programs.arguments import sort_arguments
from interlock.effects.programs.program import Arguments


@pytest.mark.req("X12")
@pytest.mark.parametrize(
    "row",
    [
        ("rm -fr --one x -- -y", "rm", "-f -r --one-file-system --", "x:delete -y:delete", []),
        ("rm --rec --fo x", "rm", "-r -f", "x:delete", []),
        ("rm --r x", "rm", "-r", "x:delete", []),
        ("cp -t d a b", "cp", "-t=d:write", "a:read b:read", []),
        ("cp -r a b d", "cp", "-r", "a:read b:read d:write", []),
        ("cp --target=d a", "cp", "-t=d:write", "a:read", []),
        ("scp -P 22 a h:b", "scp", "-P=22:text", "a:read h:b:network", []),
        ("scp h:b ./c:d", "scp", "", "h:b:network ./c:d:write", []),
        ("rsync -a a b", "rsync", "-a", "a:read b:write", []),
        ("git x/rm y", "git x/rm", "", "y:text", []),
        ("perl -ne print f", "perl", "-n -e=print:code", "f:read", []),
        ("perl -i -pe print f", "perl", "-i! -p -e=print:code", "f:write", []),
        ("mv a b", "mv", "", "a:move b:write", []),
        ("ln -s a b", "ln", "-s", "a:read b:write", []),
        ("install -d a b", "install", "-d", "a:write b:write", []),
        ("sed -i.bak s/a/b/ f g", "sed", "-i!=.bak:text", "s/a/b/:text f:write g:write", []),
        ("sed -i -e s/a/b/ f", "sed", "-i! -e=s/a/b/:text", "f:write", []),
        ("sed -i '' /a/d f", "sed", "-i!", ":text /a/d:read f:write", []),
        ("sed -i '' 1ex f", "sed", "-i!", ":text 1ex:code f:write", []),
        ("sed -i '' -e s/a/b/ f", "sed", "-i! -e=s/a/b/:text", ":text f:write", []),
        ("sed -n -i '' /a/d f", "sed", "-n -i!", ":text /a/d:write f:write", []),
        ("sed -i -E '' /a/d f", "sed", "-i! -E", ":text /a/d:write f:write", []),
        ("sed -i.x '' /a/d f", "sed", "-i!=.x:text", ":text /a/d:write f:write", []),
        ("grep -rn -e foo dir", "grep", "-r -n -e=foo:text", "dir:read", []),
        ("grep foo -r dir", "grep", "-r", "foo:text dir:read", []),
        ("grep -A3 foo f", "grep", "-A=3:text", "foo:text f:read", []),
        ("grep -f pats f", "grep", "-f=pats:read", "f:read", []),
        ("tar xzf a.tgz -C d m", "tar", "-x -z -f=a.tgz:read -C=d:folder", "m:text", []),
        ("tar -cf out.tar a b", "tar", "-c -f=out.tar:write", "a:read b:read", []),
        ("tar cfC out.tar d a", "tar", "-c -f=out.tar:write -C=d:folder", "a:read", []),
        ("tar -tf a", "tar", "-t -f=a:read", "", []),
        ("dd if=/dev/zero of=/dev/sda bs=1M", "dd", "if=/dev/zero:read of=/dev/sda:write bs=1M:text", "", []),
        ("ps aux", "ps", "-a -u -x", "", []),
        ("head -5 f", "head", "-5", "f:read", []),
        ("head -n -5 f", "head", "-n=-5:text", "f:read", []),
        ("tail -n9 f", "tail", "-n=9:text", "f:read", []),
        ("chmod +x f", "chmod", "", "+x:text f:write", []),
        ("chmod -R 777 /", "chmod", "-R", "777:text /:write", []),
        ("chmod -R -rwx a b", "chmod", "-R -r=wx:text", "a:write b:write", []),
        ("date +%s", "date", "+=%s:text", "", []),
        ("kill -9 123", "kill", "-9", "123:text", []),
        ("mkfs.ext4 /dev/sda1", "mkfs", "", "/dev/sda1:write", []),
        ("git -C d push --force origin main", "git push", "-C=d:folder -f", "origin:text main:text", []),
        ("git push -fu origin main", "git push", "-f -u", "origin:text main:text", []),
        ("git checkout -- f", "git checkout", "--", "f:text", []),
        ("git stash drop stash@{0}", "git stash drop", "", "stash@{0}:text", []),
        ("git stash -m hi", "git stash", "-m=hi:text", "", []),
        ("git logout x", "git logout", "", "x:text", []),
        ("git foo --bar x", "git foo", "--bar", "x:text", []),
        ("git log --oneline --grep='rm -rf'", "git log", "--oneline --grep=rm -rf:text", "", []),
        ("kubectl -n x delete pod y", "kubectl delete", "-n=x:text", "pod:text y:text", []),
        ("kubectl delete pod y -n x", "kubectl delete", "-n=x:text", "pod:text y:text", []),
        ("npm run x -- --force", "npm run", "--", "x:text --force:text", []),
        ("npm i lodash -D", "npm install", "-D", "lodash:text", []),
        ("docker compose -f f.yml up -d", "docker compose up", "-f=f.yml:read -d", "", []),
        ("docker -H tcp://x rm -f c", "docker rm", "-H!=tcp://x:network -f", "c:text", []),
        ("aws s3 rm s3://b --recursive", "aws s3 rm", "--recursive", "s3://b:text", []),
        (
            "aws --profile p ec2 terminate-instances --instance-ids i-1",
            "aws ec2 terminate-instances",
            "--profile=p:text --instance-ids",
            "i-1:text",
            [],
        ),
        ("gh pr merge 12 --squash", "gh pr merge", "-s", "12:text", []),
        (
            "gcloud compute instances delete x --zone z",
            "gcloud compute instances delete",
            "--zone=z:text",
            "x:text",
            [],
        ),
        ("terraform apply -auto-approve -var a=b", "terraform apply", "-auto-approve -var=a=b:text", "", []),
        (
            "terraform -chdir=d destroy --auto-approve",
            "terraform destroy",
            "-chdir=d:folder -auto-approve",
            "",
            [],
        ),
        ("make -C d -j4 test CC=gcc", "make", "-C=d:folder -j=4:text", "test:text CC=gcc:text", []),
        (
            "gcc -O2 -Wall -ofoo -I inc a.c",
            "gcc",
            "-O=2:text -W=all:text -o=foo:write -I=inc:read",
            "a.c:read",
            [],
        ),
        ("curl -sSLo out https://x/y", "curl", "-s -S -L -o!=out:write", "https://x/y:network", []),
        (
            "curl -d @f -F a=@b -d x https://x",
            "curl",
            "-d!=f:read -F!=b:read -d=x:text",
            "https://x:network",
            [],
        ),
        ("wget -qO- https://x", "wget", "-q -O=-:write", "https://x:network", []),
        ("openssl enc -d -in x -out y", "openssl enc", "-d -in=x:read -out!=y:write", "", []),
        ("export PAGER=x", "export", "", "PAGER=x:env", []),
        ("set -euo pipefail", "set", "-e -u -o=pipefail:text", "", []),
        ("echo -n --force", "echo", "", "-n:text --force:text", []),
        ("foo -abc --x=y z", "foo", "-a -b -c --x=y", "z:text", []),
        ("./foo -12 -", "foo", "-12", "-:text", []),
    ],
    ids=lambda row: row[0],
)
def test_options_values_and_operands_are_sorted(row: Row) -> None:
    """Clusters are split, values belong to their option, operands have roles, subcommands a name."""
    assert sorted_row(row[0]) == row


@pytest.mark.req("case:C11")
@pytest.mark.parametrize(
    ("words", "flags", "operands"),
    [
        ([Word("rm"), Word("$x", fixed=False, splits=True), Word("y")], "", "$x y"),
        ([Word("rm"), Word('"$x"', fixed=False), Word("-f")], "-f", '"$x"'),
        ([Word("sort"), Word("-o$x", fixed=False), Word("y")], "-o!=$x:write", "y"),
        ([Word("sort"), Word("--output=$x", fixed=False), Word("y")], "-o!=$x:write", "y"),
        ([Word("sort"), Word("-o"), Word("$x", fixed=False), Word("y")], "-o!=$x:write", "y"),
        ([Word("rm"), Word("-r$x", fixed=False), Word("y")], "-r -$x=$x", "y"),
        ([Word("$x", fixed=False), Word("-f"), Word("y")], "-f", "y"),
    ],
)
def test_a_word_that_is_not_known_hides_no_option(words: list[Word], flags: str, operands: str) -> None:
    """What is known of it counts; a value that is not known stays marked so."""
    found = sort_arguments(words)
    assert " ".join(shown(flag) for flag in found.flags) == flags
    assert " ".join(operand.word.text for operand in found.operands) == operands
    assert all(flag.value is None or not flag.value.fixed for flag in found.flags)


@pytest.mark.req("C08")
def test_an_unknown_word_before_a_command_begins_it() -> None:
    """Nobody knows what `$x` becomes, so it is the command's first word and not skipped."""
    found = sort_arguments([Word("sudo"), Word("$x", fixed=False), Word("rm"), Word("-rf")])
    assert [[word.text for word in command] for command in found.commands] == [["$x", "rm", "-rf"]]


def test_nothing_is_sorted_from_nothing() -> None:
    """No words and a lone program are fine."""
    assert sort_arguments([]) == Arguments(program=None, name="")
    assert sort_arguments([Word("/bin/nothing-we-know")]).name == "nothing-we-know"
    assert sort_arguments([Word("rm")]).flags == ()

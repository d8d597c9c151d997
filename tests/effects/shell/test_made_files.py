"""Laws of files that a text makes itself: what is in them runs when they are run, by whatever name."""

from __future__ import annotations

import pytest
from tests.effects.shell.readings import ELSEWHERE, command, effects, kinds, ran

from interlock.effects.command import GapKind
from interlock.effects.effect import EffectKind

WRITTEN = "printf 'rm -rf y' > x.sh"


@pytest.mark.req("C08")
@pytest.mark.parametrize("name", ["cp", "mv", "ln -s", "install -m 755", "cp -f --suffix .b"])
def test_a_copy_is_remembered_by_its_origin(name: str) -> None:
    """A file made here stays what it was, a program keeps its name."""
    assert "rm -rf y" in ran(f"{name} /bin/rm q; ./q -rf y")
    assert "rm -rf y" in ran(f"{WRITTEN}; {name} x.sh q; sh q")
    assert "rm -rf y" in ran(f"{WRITTEN}; {name} x.sh q; {name} q p; ./p")


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "text",
    [
        f"{WRITTEN}; cp x.sh sub; sh sub/x.sh",
        f"{WRITTEN}; cp x.sh y.sh sub/; sh sub/x.sh",
        f"{WRITTEN}; mv -t sub x.sh; sh sub/x.sh",
        f"{WRITTEN}; cp *.sh sub; sh sub/x.sh",
        "echo rm -rf y > sub/x.sh; cp -r sub other; sh other/x.sh",
        "echo rm -rf y > sub/x.sh; mv sub other; sh other/sub/x.sh",
        f"{WRITTEN}; dd if=x.sh of=z; sh z",
        f"{WRITTEN}; cat x.sh > z; ./z",
    ],
)
def test_what_is_put_into_a_folder_is_found_there(text: str) -> None:
    """Whether the target is a folder or a name is only known when it runs: it is both."""
    assert "rm -rf y" in ran(text)


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "text",
    [
        f"{WRITTEN}; pushd sub; popd; sh x.sh",
        f"{WRITTEN}; sh $there/x.sh",
        f"{WRITTEN}; $there/x.sh",
        "cat <<< 'rm -rf y' > $there/x.sh; bash $there/x.sh",
        f"{WRITTEN}; cd sub; sh $OLDPWD/x.sh",
        f"ln -s . l; {WRITTEN}; sh l/x.sh",
        "echo rm -rf y > //tmp/x.sh; sh /tmp/x.sh",
    ],
)
def test_a_folder_that_is_not_known_may_be_the_one(text: str) -> None:
    """A file of the same name is taken for the file that was made."""
    assert "rm -rf y" in ran(text)


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "text",
    [
        f"{WRITTEN}; sh *.sh",
        f"{WRITTEN}; find . -name x.sh -exec sh {{}} \\;",
        "{ echo rm -rf y; } > x.sh; sh x.sh",
        "for i in 1; do echo rm -rf y; done > x.sh; sh x.sh",
        "mkfifo p; sh < p & echo rm -rf y > p",
        "sh < p & echo rm -rf y > p",
        "for i in 1 2; do sh x.sh; echo rm -rf y > x.sh; done",
        "trap 'sh x.sh' EXIT; echo rm -rf y > x.sh",
        "cp $(command -v rm) q; ./q -rf y",
        "cat /bin/rm > q; ./q -rf y",
        "cp /bin/rm /usr/local/bin/q; q -rf y",
        "sort -o x.sh <<< 'rm -rf y'; sh x.sh",
        "exec > x.sh; echo rm -rf y; sh x.sh",
    ],
)
def test_what_may_be_in_such_a_file_is_a_gap_where_nobody_knows_it(text: str) -> None:
    """It runs text from somewhere else in the command."""
    assert kinds(text) & ELSEWHERE


@pytest.mark.req("case:C23")
@pytest.mark.parametrize(
    "text",
    [
        "chmod +x build.sh && ./build.sh",
        "cp a.sh b.sh && sh b.sh",
        "cp target/release/tool ~/.local/bin/ && tool --version",
        "./run.sh > log.txt; cat log.txt",
        "for f in a b; do ./run.sh $f > $f.log; done",
        "gcc -o a a.c && ./a",
        "sh one.sh; echo hi > two.sh",
    ],
)
def test_files_that_nobody_has_written_here_are_programs_like_any_other(text: str) -> None:
    """Everyday commands stay read."""
    assert not kinds(text)


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "text",
    [
        "sed -i s/a/b/ x.sh; sh x.sh",
        "sed -i s/a/b/ *.sh; ./x.sh",
        "find . -name '*.sh' -exec sed -i s/a/b/ {} +; sh sub/x.sh",
        "perl -i -pe s/a/b/ x.sh; sh x.sh",
        "gawk -i inplace 1 x.sh; sh x.sh",
        "patch x.sh < p; sh x.sh",
        "ed x.sh < p; . ./x.sh",
        "sort -o x.sh a; sh x.sh",
        "uniq a x.sh; sh x.sh",
        "tee x.sh; sh x.sh",
        "tee x.sh < a; sh x.sh",
        "echo ls | tee -a x.sh; sh x.sh",
        "cat a > x.sh; sh x.sh",
        "cat a b | sh",
        "cp a x.sh; sh < x.sh",
        "git mv a x.sh; sh x.sh",
        "docker cp c:/a x.sh; sh x.sh",
        "scp h:a x.sh; sh x.sh",
        "awk '{print > \"x.sh\"}' a; sh x.sh",
        "sed -n 'w x.sh' a; ./x.sh",
        "python3 -c \"open('x.sh', 'w').write(y)\"; sh x.sh",
        "ln -s x.sh q; sed -i s/a/b/ q; sh x.sh",
    ],
)
def test_a_file_that_gets_text_nobody_knows_is_unread_when_it_runs(text: str) -> None:
    """Whichever program has put it there."""
    assert kinds(text) & ELSEWHERE


@pytest.mark.req("case:C23")
@pytest.mark.parametrize(
    "text",
    [
        "touch x.sh; chmod 755 x.sh; sh x.sh",
        "mkdir -p out && sh x.sh out",
        "sed -i s/a/b/ conf.yml && sh x.sh",
        "black app.py && python app.py",
        "go build -o bin/app ./cmd && ./bin/app",
        "python3 -c \"import ast; ast.parse(open('app.py').read())\" && python3 app.py",
        "awk '{print $1}' log; sh x.sh",
        "ln -sf ../shared lib; sh x.sh",
    ],
)
def test_a_file_that_gets_no_text_of_others_stays_a_script(text: str) -> None:
    """Compilers, formatters and what changes no content are everyday company of a script."""
    assert not kinds(text) & ELSEWHERE


@pytest.mark.req("C08")
def test_to_run_a_copy_is_to_run_its_origin() -> None:
    """A name that may be run does not cover a file that was given this name."""
    assert "sh -x a.sh 1" in ran("cp a.sh b.sh; sh -x b.sh 1")
    assert "sh /project/a.sh" in ran("cp a.sh sub; cd sub; sh a.sh")
    assert not command("cp a.sh b.sh; sh b.sh", "sh").transparent


@pytest.mark.req("C14")
@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("ln -s ~/.ssh; cat .ssh/id", "read /home/ann/.ssh/id"),
        ("ln -s ~ q; cat q/.ssh/id", "read /home/ann/.ssh/id"),
        ("ln .env q; echo x > q", "write /project/.env"),
        ("ln -s / r; ln -s r/etc e; rm -r e/x", "delete /etc/x"),
        ("ln -s ../.env sub/q; echo x > sub/q", "write /project/.env"),
        ("ln -s $x q; echo x > q", "write ?$x"),
    ],
)
def test_what_is_done_to_a_link_is_done_to_what_it_leads_to(text: str, effect: str) -> None:
    """Before the link is there, nobody can look where it leads."""
    assert effect in effects(text, EffectKind.READ, EffectKind.WRITE, EffectKind.DELETE)


@pytest.mark.req("C08")
@pytest.mark.parametrize(
    "text",
    [
        "x=$(cat d/n); date > $x; sh x.sh",
        'read x; date > "$x"; ./x.sh',
        "date > $(cat $(cat d/n) d); sh x.sh",
        "date > ${y:-x.sh}; sh x.sh",
        "x=x; x+=.sh; date > $x; sh x.sh",
        "y=$(cat n); local x=sub/$y; date > $x; sh sub/x.sh",
        'x=$(mktemp); read x; date > "$x"; sh x.sh',
        "echo ls > x.sh$v; echo id > x.sh$w; sh x.sh",
    ],
)
def test_a_file_whose_name_is_a_riddle_may_be_the_one_that_runs(text: str) -> None:
    """A name that the text itself hides may be any."""
    assert kinds(text) & ELSEWHERE


@pytest.mark.req("case:C23")
@pytest.mark.parametrize(
    "text",
    [
        'tmp=$(mktemp); curl -s https://x/y > "$tmp"; python3 parse.py "$tmp"',
        'tmp="$(mktemp -d "${TMPDIR:-/tmp}/x.XXXX")"; ls > $tmp/log; ./build.sh',
        "cat > \"$OUT\" <<< 'hello'; ./build.sh",
        'cmd > "$LOG" 2>&1; sh b.sh',
        'out="$(pwd)/report.txt"; ls > "$out"; sh b.sh',
        'out=${1:-out.txt}; ls > "$out"; python3 app.py',
        'd=$(date +%F); ls > "$d.log"; sh b.sh',
        "for f in a b; do ./run.sh $f > $f.log; done; ./build.sh",
        "export LOG=$(mktemp); ls > $LOG; sh b.sh",
        '[ -n "$OUT" ] || OUT=$(mktemp); ls > $OUT; sh b.sh',
        "echo hi | while read l; do n=$(wc -l < f); done; sh b.sh",
        'cat f | while read x; do python3 a.py "$x" > "$x.out"; done; sh b.sh',
    ],
)
def test_a_name_that_comes_from_outside_or_is_new_is_no_riddle(text: str) -> None:
    """What the environment names, a temporary file, and a name whose end is written out."""
    assert not kinds(text) & ELSEWHERE


@pytest.mark.req("case:C17")
@pytest.mark.parametrize("give", ["ln -s", "cp -r"])
def test_what_lies_below_a_name_is_not_followed_without_end(give: str) -> None:
    """Each new name may be a folder or a file: what is below it doubles, up to a limit."""
    assert GapKind.LIMIT in kinds("; ".join(f"{give} l{n} l{n + 1}" for n in range(16)) + "; sh l16")

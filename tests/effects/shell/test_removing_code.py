"""Program text that deletes what it lists is read as the `find` that deletes the same."""

from __future__ import annotations

import pytest

from interlock.effects.shell.removing_code import removals_in

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

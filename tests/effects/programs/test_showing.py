"""Which commands only show something: help, version, lists and dry runs, in every spelling of the table."""

from __future__ import annotations

import pytest

from interlock.effects.effect import EffectKind
from interlock.effects.reading import read_script

TELLING = [
    "git push --force --help",
    "git restore -h",
    "terraform destroy -help",
    "unlisted-program --help",
    "npm publish --help",
    "sudo --help",
    "bash --version",
]
LOOKING = [
    "git clean -nfd",
    "git clean --dry -fd",
    "git push origin --delete x -n",
    "kubectl delete -f x --dry-run=client",
    "rsync -avn --delete a/ b/",
    "fdisk -l /dev/sda",
    "parted -l",
]
ACTING = [
    "git clean -fd",
    "git clean -fde -n",  # the pattern of `-e` is `-n`
    "git clean -nfd --no-dry-run",
    "git push --force -- --help",
    "git push -o --help --force",
    "kubectl delete -f x --dry-run=none",
    "kubectl delete -f x --dry-run=$MODE",
    "kubectl delete -f x --dry-run=client $MORE",
    "npm publish --dry-run false",
    "npm publish --dry",  # npm may know a second option that begins so
    "unlisted-program --tag --help",  # perhaps the value of `--tag`
    "git -c core.sshCommand='sh x' push -n",
    "sgdisk -p -Z /dev/sda",
    "sudo rm -rf x --help",
    "bash x --help",
    "find . -exec rm {} ; --help",
    "xargs git clean -n",  # what comes later may say otherwise
]


def _first(text: str) -> bool:
    return read_script(text, "/w").commands[-1 if text.startswith("xargs") else 0].tame


@pytest.mark.parametrize("text", [*TELLING, *LOOKING])
def test_what_only_shows_is_known_as_such(text: str) -> None:
    """One mechanism for help and version, and each program's own words for the rest."""
    assert _first(text)


@pytest.mark.parametrize("text", ACTING)
def test_what_does_its_work_is_not(text: str) -> None:
    """A word that is an argument, a dry run that is switched off, or anything that more may come of."""
    assert not _first(text)


@pytest.mark.parametrize("text", TELLING)
def test_help_does_nothing_but_run(text: str) -> None:
    """It reads, writes and deletes nothing, and speaks to nobody."""
    assert {one.kind for one in read_script(text, "/w").effects} == {EffectKind.RUN}


@pytest.mark.parametrize("text", LOOKING)
def test_a_dry_run_changes_nothing(text: str) -> None:
    """What it would change is only looked at."""
    kinds = {one.kind for one in read_script(text, "/w").effects}

    assert kinds.isdisjoint({EffectKind.WRITE, EffectKind.DELETE})


@pytest.mark.parametrize(
    ("text", "tame"),
    [
        ("mkfs.ext4 disk.img", True),
        ("mkfs.ext4 -F build/root", True),
        ("parted -s disk.img mklabel gpt", True),
        ('mkfs.ext4 "$OUT.img"', True),
        ("mkfs.ext4 /dev/sdb1", False),
        ("mkfs.ext4 ../../dev/sdb1", False),
        ("cd /dev && mkfs.ext4 sdb1", False),
        ("mkfs.ext4 $OUT.img", False),  # may be two words
        ("mkfs.ext4 $OUT/disk.img", True),  # a folder
        ("mkfs.ext4 $(pwd)/disk.img", True),
        ("mkfs.ext4 /dev/shm/disk.img", True),  # files are kept there
        ("mkfs.ext4 /dev/shm/../sdb1", False),
        ('mkfs.ext4 "$DISK"', False),
        ("mkfs.ext4", False),
        ("mkfs.ext4 disk.img /dev/sdb1", False),
    ],
)
def test_an_image_file_is_no_disk(text: str, tame: bool) -> None:
    """A file by its name, wherever the command runs."""
    assert read_script(text, "/w").commands[-1].tame is tame

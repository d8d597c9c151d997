"""Programs that look for files and text."""

from __future__ import annotations

from typing import Final

_GREP: Final = """operands:text read* | -e --regexp=text drops | -f --file=read drops
        -A --after-context= | -B --before-context= | -C --context= | -m --max-count=
    --include= | --exclude= | --exclude-from=read | --exclude-dir= | --label= | -d --directories=
        -D --devices= | --binary-files= | --color=? | --colour=?
    --group-separator= | -r --recursive | -R --dereference-recursive | -i -y --ignore-case
        -v --invert-match | -n --line-number | -l --files-with-matches
    -L --files-without-match | -c --count | -o --only-matching | -q --quiet --silent | -w --word-regexp
        -x --line-regexp | -E --extended-regexp
    -F --fixed-strings | -P --perl-regexp | -G --basic-regexp | -H --with-filename | -h --no-filename
        -s --no-messages | -a --text | -z --null-data
    -Z --null | -I | -b --byte-offset | -T --initial-tab | -U --binary | --line-buffered"""
_NEWER: Final = "".join(f"| -newer{a}{b}=read " for a in "aBcm" for b in "aBcm") + "".join(
    f"| -newer{a}t= " for a in "aBcm"
)

PROGRAMS: Final[dict[str, str]] = {
    "grep,egrep,fgrep,rgrep,zgrep,zegrep,zfgrep,bzgrep,xzgrep,zstdgrep,lzgrep": _GREP,
    "find": f"""style:single | operands:read* | start:. | ( | ) | ! | , | -H | -L | -P | -D= | -O=? | -depth
        -maxdepth= | -mindepth=
        -exec=command;! | -execdir=command;! | -ok=command;! | -okdir=command;! | -delete!>delete
        -fprint=write! | -fprint0=write! | -fls=write! | -fprintf=write,text!
        -name= | -iname= | -path -wholename= | -ipath -iwholename= | -regex= | -iregex= | -regextype=
        -lname= | -ilname= | -type= | -xtype= | -size= | -perm= | -user= | -group=
        -uid= | -gid= | -links= | -inum= | -samefile=read | -newer=read | -anewer=read | -cnewer=read
        -mtime= | -atime= | -ctime= | -mmin= | -amin= | -cmin= | -used=
        -fstype= | -context= | -printf= | -files0-from=read {_NEWER} | -print | -print0 | -ls | -prune
        -quit | -not | -a -and | -o -or | -empty | -executable
        -readable | -writable | -true | -false | -mount -xdev | -daystart | -follow | -noleaf | -nouser
        -nogroup""",
    "fd,fdfind": """operands:text read* | -x --exec=command;! | -X --exec-batch=command;!
        -e --extension= | -t --type= | -d --max-depth= | --min-depth= | --exact-depth= | -E --exclude=
        -S --size= | --changed-within= | --changed-before= | --newer= | --older= | -o --owner=
        -C --base-directory=folder | --search-path=read | --ignore-file=read | -c --color=
        -j --threads= | --batch-size=
        --max-results= | --path-separator= | --format= | --and= | -H --hidden | -I --no-ignore
        -u --unrestricted | -s --case-sensitive | -i --ignore-case | -g --glob | -F | -a | -l | -L | -p
        -0 | -1 | -q""",
    "rg,ripgrep": """operands:text read* | -e --regexp=text drops | -f --file=read drops
        --files>read drops | --type-list drops | --pre=shell! | --pre-glob= | --hostname-bin=shell!
        -z --search-zip! | -g --glob= | --iglob= | -t --type= | -T --type-not=
        --type-add= | --type-clear= | -A --after-context= | -B --before-context= | -C --context=
        -m --max-count= | -M --max-columns= | -d --max-depth --maxdepth= | --max-filesize=
        -j --threads= | -r --replace=
        -E --encoding= | --color= | --colors= | --context-separator= | --field-context-separator=
        --field-match-separator= | --dfa-size-limit= | --regex-size-limit= | --engine=
        --hyperlink-format= | --ignore-file=read
        --path-separator= | --sort= | --sortr= | --generate= | -i --ignore-case | -n --line-number
        -l --files-with-matches | -c --count | -o --only-matching | -v --invert-match | -w --word-regexp
        -F --fixed-strings
        -P --pcre2 | -U --multiline | -u --unrestricted | -s --case-sensitive | -S --smart-case
        -q --quiet | -a --text | -x --line-regexp | -L --follow | -N --no-line-number | -H | -I | -0 | -p
        -.""",
    "ag,ack": """operands:text read* | --pager=shell! | -G --file-search-regex= | --ignore=
        --ignore-dir= | -A --after=? | -B --before=? | -C --context=? | -m --max-count= | --depth=
        -p --path-to-ignore=read | -W --width= | -g=
        --type= | --ackrc=read! | --output= | --match= | -i | -l | -c | -v | -w | -Q | -r | -R | -n | -o""",
    "locate,mlocate,plocate": """operands:text* | -d --database=read | -l -n --limit= | -i | -c
        -r --regexp= | -b | -e""",
    "updatedb": "operands:none | -o --output=write | -U --database-root=read | does:write",
    "which,whence,where": "operands:text* | -a --all | -s | -p",
    "whereis": "operands:text* | -B=read | -M=read | -S=read | -f | -b | -m | -s | -u | -l",
    "fzf,sk": """operands:text* | -q --query= | -f --filter= | --preview=shell! | --bind=code!
        --execute=shell! | -d --delimiter= | -n --nth= | --with-nth= | --height= | --layout= | --prompt=
        --header= | -m --multi=? | --history=write! | --with-shell=shell! | --listen=?! | --tmux=?""",
    "ast-grep": """operands:text read* | subcommands | -p --pattern= | -r --rewrite= | -l --lang=
        -U --update-all! does:write | -i --interactive | --json=? | -c --config=read""",
    "man,apropos,whatis": """operands:text* | -P --pager=shell! | -H --html=?shell! | -X --gxditview=?
        -T --troff-device=? | -C --config-file=read! | -M --manpath=read! | -p --preprocessor=
        -E --encoding= | -L --locale= | -m --systems=
        -e --extension= | -r --prompt= | -R --recode= | -s -S --sections= | -l --local-file>read
        -k --apropos | -f --whatis | -K --global-apropos | -w --where --path --location | -a --all
        -t --troff | -Z""",
    "info,pinfo": """operands:text* | -f --file=read | -o --output=write! | -d --directory=read
        -n --node= | --init-file=read! | -k --apropos=""",
    "tldr,cheat,help": "operands:text*",
}

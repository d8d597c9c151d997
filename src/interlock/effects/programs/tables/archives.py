"""Programs that pack and unpack archives."""

from __future__ import annotations

from typing import Final

_TAR: Final = """style:bundled | operands:read* | -f --file=read | -c --create turns:-f=write
        -r --append turns:-f=write | -u --update turns:-f=write
        -A --catenate --concatenate turns:-f=write | --delete>text turns:-f=write
        -x --extract --get>text does:write | -t --list>text | -d --diff --compare | --test-label>text
    -C --directory --cd=folder | -I --use-compress-program=shell! | --to-command=shell!
        --checkpoint-action=! | --checkpoint=? | -F --info-script --new-volume-script=shell!
        --rsh-command=shell! | --rmt-command=shell! | -T --files-from=read | -X --exclude-from=read
        --exclude= | --exclude-tag= | --exclude-tag-all= | --exclude-tag-under= | --exclude-ignore=
        --exclude-ignore-recursive=
    -g --listed-incremental=write! | --level= | -b --blocking-factor= | -L --tape-length=
        -N --newer --after-date= | --newer-mtime= | --mtime= | --date= | --clamp-mtime
        --set-mtime-command=shell! | --owner= | --group= | --owner-map=read | --group-map=read | --mode=
        -H --format= | -K --starting-file= | -V --label= | --transform --xform= | --strip-components=
        --one-top-level=?write | --index-file=write! | --add-file=read
    --suffix= | --backup=? | --record-size= | --sort= | --xattrs-include= | --xattrs-exclude=
        --pax-option= | --quoting-style= | --quote-chars= | --no-quote-chars= | --volno-file=write!
        --warning= | --hole-detection= | --sparse-version= | --remove-files! does:delete | -O --to-stdout
        -z --gzip --gunzip --ungzip | -j --bzip2 | -J --xz | --zstd | --lzma | --lzip | --lzop
        -Z --compress --uncompress | -a --auto-compress | -v --verbose
        -p --preserve-permissions --same-permissions | -P --absolute-names!
    -k --keep-old-files | -h --dereference | -m --touch | -o --no-same-owner | -s --preserve-order
        -S --sparse | -W --verify | -U --unlink-first | -l --check-links
        -w --interactive --confirmation | -i --ignore-zeros | -n --seek | -B --read-full-records
        -R --block-number | -G --incremental | -M --multi-volume | --overwrite | --wildcards
        --numeric-owner | --totals=?
    case:--checkpoint-action exec shell!"""
_SEVEN: Final = "subcommands | options-first | operands:text*"

PROGRAMS: Final[dict[str, str]] = {
    "tar,bsdtar": _TAR,
    "zip": """operands:write read* | -T --test | -TT --unzip-command=shell! | -b --temp-path=write
        -O --output-file --out=write! | -P --password= | -n --suffixes= | -t --from-date=
        -tt --before-date= | -i --include=>read | -x --exclude=>read | -ll | -l --to-crlf
        -m --move>move | -d --delete>text | -@ --names-stdin | -lf --logfile-path=write! | -la | -li
        -s --split-size= | -sp | -sv | -sb | -sf | -Z --compression-method= | -ws
        -r --recurse-paths | -q --quiet | -v --verbose | -u --update | -f --freshen | -j --junk-paths
        -y --symlinks | -e --encrypt | -X --no-extra | -D | -A | -F --fix | -FF --fixfix | -FS --filesync
        -k | -g --grow | -o | -z | -c | -R --recurse-patterns | -dd | -dg | -dc | -db | -du | -dv | -ds=
        -nw | -sc | -so | -ic | -h | -L""",
    "unzip": """operands:read text* | does:write | -d=write | -x>text | -P= | -O= | -I= | -l calms
        -t calms | -v calms | -p calms | -c calms | -Z calms | -z calms | -f | -u | -o | -n | -q | -qq
        -j | -a | -aa | -b | -C | -L | -U | -V | -X | -W | -D | -DD | -K | -M""",
    "zipcloak,zipnote,zipsplit": "operands:write | -b=write | -n= | -O=write | -w",
    "funzip": "operands:read | decodes | -P=",
    "7z,7za,7zr,7zz,p7zip": _SEVEN,
    "7z a,u,rn": """operands:write read* | -o=?write | -p=? | -t=? | -m=? | -x=? | -i=? | -w=?write
        -s=?! | -v=? | -y | -r | -sdel! does:delete | style:single""",
    "7z x,e": """operands:read text* | does:write | -o=?write | -p=? | -t=? | -x=? | -i=? | -a=? | -s=?!
        -y | -r | style:single""",
    "7z l,t,h,b,i": "operands:read* | -p=? | -t=? | -r | style:single",
    "7z d": "operands:write text* | style:single",
    "rar,unrar": "subcommands | operands:read* | options-first",
    "unrar x,e": "operands:read text* | does:write | style:single | -p=? | -o=?",
    "rar a,u,m": "operands:write read* | style:single",
    "ar": """style:bundled | operands:write read* | --plugin=script! | --target= | --output=write
        --record-libdeps= | -d | -m | -p | -q | -r | -s | -t | -x | -a | -b | -c | -D | -f | -i | -l | -N
        -o | -O | -P | -S | -T | -u | -U | -v | -V""",
    "ranlib": "operands:write* | --plugin=script!",
    "jar": """style:bundled | operands:read* | -f --file=read | -c --create turns:-f=write
        -u --update turns:-f=write | -x --extract>text does:write | -t --list>text | -C --dir=folder
        -m --manifest=read | -e --main-class= | -M --no-manifest | -v --verbose | -0 --no-compress
        -i --generate-index=read | --release= | -p --module-path=read""",
    (
        "unar,lsar,ouch,atool,aunpack,apack,als,dtrx,patool,cabextract,unace,arj,lha,unsquashfs,"
        "mksquashfs,genisoimage,mkisofs,xorriso,hdiutil,rpm2cpio,dpkg-deb"
    ): "operands:edit* | does:write | -o --output --output-directory=write | -d=write",
    "shar,unshar": "operands:read* | does:write | interpreter | shell",
    "tarcat,ptar": _TAR,
    "lrzip,lrztar,rzip": "operands:edit* | -o=write! | -O=write! | -S= | -L= | -p= | -w= | -d | -D | -f | -q",
    "pax": """operands:text* | -r does:write | -w>read turns:-f=write | -f=read | -a | -b= | -o= | -p= | -s=
        -x= | -B= | -E= | -G= | -T= | -U= | -c | -d | -i | -k | -l | -n | -t | -u | -v | -z | -j | -J
        -D | -H | -L | -O | -P | -X | -Y | -Z | -0""",
    "zstdmt,zstdless": "operands:read* | decodes",
}

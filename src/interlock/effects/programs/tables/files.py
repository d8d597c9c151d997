"""Programs that work on files and folders, and on archives of them."""

from __future__ import annotations

from typing import Final

_BACKUP: Final = "| -b | --backup=? | -S --suffix= "
_SELINUX: Final = "| -Z | --context=? "
_GREP: Final = """operands:text read* | -e --regexp=text drops | -f --file=read drops | -A --after-context=
    -B --before-context= | -C --context= | -m --max-count= | --include= | --exclude= | --exclude-from=read
    --exclude-dir= | --label= | -d --directories= | -D --devices= | --binary-files= | --color=? | --colour=?
    --group-separator= | -r --recursive | -R --dereference-recursive | -i -y --ignore-case | -v --invert-match
    -n --line-number | -l --files-with-matches | -L --files-without-match | -c --count | -o --only-matching
    -q --quiet --silent | -w --word-regexp | -x --line-regexp | -E --extended-regexp | -F --fixed-strings
    -P --perl-regexp | -G --basic-regexp | -H --with-filename | -h --no-filename | -s --no-messages
    -a --text | -z --null-data | -Z --null | -I | -b --byte-offset | -T --initial-tab | -U --binary
    --line-buffered"""
_NEWER: Final = "".join(f"| -newer{a}{b}=read " for a in "aBcm" for b in "aBcm") + "".join(
    f"| -newer{a}t= " for a in "aBcm"
)
_TAR: Final = """style:bundled | operands:read* | -f --file=read | -c --create turns:-f=write
    -r --append turns:-f=write | -u --update turns:-f=write | -A --catenate --concatenate turns:-f=write
    --delete>text turns:-f=write | -x --extract --get>text does:write | -t --list>text | -d --diff --compare
    --test-label>text | -C --directory --cd=folder | -I --use-compress-program=shell! | --to-command=shell!
    --checkpoint-action=! | --checkpoint=? | -F --info-script --new-volume-script=shell!
    --rsh-command=shell! | --rmt-command=shell! | -T --files-from=read | -X --exclude-from=read | --exclude=
    --exclude-tag= | --exclude-tag-all= | --exclude-tag-under= | --exclude-ignore=
    --exclude-ignore-recursive= | -g --listed-incremental=write! | --level= | -b --blocking-factor=
    -L --tape-length= | -N --newer --after-date= | --newer-mtime= | --mtime= | --date= | --clamp-mtime
    --set-mtime-command=shell! | --owner= | --group= | --owner-map=read | --group-map=read | --mode=
    -H --format= | -K --starting-file= | -V --label= | --transform --xform= | --strip-components=
    --one-top-level=?write | --index-file=write! | --add-file=read | --suffix= | --backup=? | --record-size=
    --sort= | --xattrs-include= | --xattrs-exclude= | --pax-option= | --quoting-style= | --quote-chars=
    --no-quote-chars= | --volno-file=write! | --warning= | --hole-detection= | --sparse-version=
    --remove-files! does:delete | -O --to-stdout | -z --gzip --gunzip --ungzip | -j --bzip2 | -J --xz | --zstd
    --lzma | --lzip | --lzop | -Z --compress --uncompress | -a --auto-compress | -v --verbose
    -p --preserve-permissions --same-permissions | -P --absolute-names! | -k --keep-old-files
    -h --dereference | -m --touch | -o --no-same-owner | -s --preserve-order | -S --sparse | -W --verify
    -U --unlink-first | -l --check-links | -w --interactive --confirmation | -i --ignore-zeros | -n --seek
    -B --read-full-records | -R --block-number | -G --incremental | -M --multi-volume | --overwrite
    --wildcards | --numeric-owner | --totals=? | case:--checkpoint-action exec shell!"""
_SEVEN: Final = "subcommands | options-first | operands:text*"

PROGRAMS: Final[dict[str, str]] = {
    "rm": """operands:delete* | -r -R --recursive | -f --force | -i | -I | -d --dir | -v --verbose
        --interactive=? | --one-file-system | --no-preserve-root | --preserve-root=?""",
    "rmdir": "operands:delete* | -p --parents | -v --verbose | --ignore-fail-on-non-empty",
    "unlink": "operands:delete*",
    "shred": """operands:write* | -u>delete | --remove=?>delete | -n --iterations= | -s --size= | -f --force
        -z --zero | -x --exact | -v --verbose | --random-source=read""",
    "srm,wipe,trash,trash-put,rmtrash": "operands:delete* | -r -R --recursive | -f --force",
    "cp": f"""operands:read* write | -t --target-directory=write>read
        -T --no-target-directory {_BACKUP} {_SELINUX} | -r -R --recursive | -a --archive | -f --force
        -i --interactive | -n --no-clobber | -u | --update=? | -l --link | -s --symbolic-link
        -L --dereference | -P --no-dereference | -H | -d | -p | --preserve=? | --no-preserve= | --reflink=?
        --sparse= | --parents | -v --verbose | -x --one-file-system | --remove-destination | --attributes-only
        --strip-trailing-slashes | --copy-contents | -D --debug""",
    "mv": f"""operands:move* write | -t --target-directory=write>delete | -T --no-target-directory {_BACKUP}
        -Z --context | -f --force | -i --interactive | -n --no-clobber | -u | --update=? | -v --verbose
        --strip-trailing-slashes | --exchange | --no-copy""",
    "ln": f"""operands:read* write | -t --target-directory=write>read | -T --no-target-directory {_BACKUP}
        -s --symbolic | -f --force | -i --interactive | -n --no-dereference | -L --logical | -P --physical
        -r --relative | -v --verbose | -d -F --directory""",
    "link": "operands:read write",
    "install": f"""operands:read* write | -t --target-directory=write>read
        -T --no-target-directory {_BACKUP} {_SELINUX} | -d --directory>write | -m --mode= | -o --owner=
        -g --group= | -D | -c | -C --compare | -p | --preserve-timestamps | -s --strip
        --strip-program=shell! | -v --verbose | --preserve-context""",
    "mkdir": "operands:write* | -p --parents | -m --mode= | -v --verbose | -Z | --context=?",
    "mkfifo": "operands:write* | -m --mode= | -Z | --context=?",
    "mknod": "operands:write text text text | -m --mode= | -Z | --context=?",
    "mktemp": """operands:write | does:write | -d --directory | -u --dry-run shows | -q --quiet | --suffix=
        -p --tmpdir=write | -t""",
    "touch": """operands:write* | -d --date= | -t= | -r --reference=read | -a | -m | -c --no-create
        -h --no-dereference | --time= | -f""",
    "truncate": "operands:write* | -s --size= | -r --reference=read | -c --no-create | -o --io-blocks",
    "fallocate": """operands:write | -l --length= | -o --offset= | -n --keep-size | -p --punch-hole | -d | -z
        -x""",
    "chmod": """operands:text write* | -R --recursive | --reference=read drops | -f --silent --quiet
        -v --verbose | -c --changes | --no-preserve-root | --preserve-root
        -r -w -x -X -s -t -u -g -o -a=? drops""",
    "chown,chgrp": """operands:text write* | -R --recursive | --reference=read drops | -h --no-dereference
        --from= | -f --silent --quiet | -v --verbose | -c --changes | -H | -L | -P | --dereference
        --no-preserve-root | --preserve-root""",
    "chattr": "operands:text write* | -R | -V | -f | -v= | -p= | +=? ",
    "chcon": """operands:text write* | -R --recursive | --reference=read drops | -u --user= drops
        -r --role= drops | -t --type= drops | -l --range= drops | -h""",
    "setfacl": """operands:write* | -m --modify= | -M --modify-file=read | -x --remove=
        -X --remove-file=read | --set= | --set-file=read | --restore=read | -R --recursive | -b | -k | -d""",
    "setfattr": "operands:write* | -n --name= | -v --value= | -x --remove= | --restore=read | -h",
    "getfacl,getfattr,lsattr": "operands:read* | -n --name= | -m --match= | -e --encoding= | -R --recursive",
    "xattr": "operands:text write* | -w=,text | -d= | -p= | -c | -r",
    "dd": """style:pairs | if=read | of=write | ibs= | obs= | bs= | cbs= | count= | skip= | iseek= | seek=
        oseek= | status= | conv= | iflag= | oflag=""",
    "ls,dir,vdir,exa,eza,lsd": """operands:read* | -l | -a --all | -A --almost-all | -R --recursive
        -r --reverse | -h --human-readable | -d --directory | -t | -S | -1 | -i --inode | -I --ignore=
        --hide= | -w --width= | -T --tabsize= | --block-size= | --color=? | --colour=? | -F | --classify=?
        --format= | --sort= | --time= | --time-style= | --indicator-style= | --quoting-style=
        --hyperlink=?""",
    "tree": """operands:read* | -L= | -P= | -I= | -o=write! | -H= | -T= | --charset= | --filelimit=
        --timefmt= | --sort=? | --gitfile=read | --infofile=read | --fromfile | -a | -d | -f""",
    "stat": """operands:read* | -c --format= | --printf= | -f --file-system | -L --dereference | -t --terse
        --cached=""",
    "file": """operands:read* | -m --magic-file=read | -f --files-from=read | -F --separator= | -e --exclude=
        --exclude-quiet= | -P --parameter= | -b --brief | -i --mime | -C --compile! does:write""",
    "readlink,realpath": """operands:read* | --relative-to=read | --relative-base=read | -f --canonicalize
        -e --canonicalize-existing | -m --canonicalize-missing | -n | -z --zero | -q | -s""",
    "basename": "-s --suffix= | -a --multiple | -z --zero",
    "dirname": "-z --zero",
    "pathchk": "-p | -P",
    "df": """operands:read* | -B --block-size= | -t --type= | -x --exclude-type= | --output=? | -a --all
        -h --human-readable | -H --si | -i --inodes | -k | -l --local | -P --portability | -T --print-type""",
    "du": """operands:read* | -B --block-size= | -d --max-depth= | -t --threshold= | -X --exclude-from=read
        --exclude= | --files0-from=read | --time=? | --time-style= | -x --one-file-system | -a --all
        -h --human-readable | -s --summarize | -c --total | -b --bytes | -k | -m | -l --count-links | -L | -P
        -S""",
    "ncdu": "operands:read | -o=write! | -f=read | -x | --exclude= | -X --exclude-from=read",
    "rename,prename,file-rename": """operands:code write* | -e=code drops | -f --force
        -n --nono --no-act calms | -v --verbose | does:write""",
    "rename.ul": """operands:text text write* | -v --verbose | -s --symlink | -n --no-act | -o --no-overwrite
        -i""",
    "mmv": "operands:write* | -n",
    "sync": "operands:read* | -d --data | -f --file-system",
    "mount": """operands:read write | -t --types= | -o --options= | -O --test-opts= | -L --label= | -U --uuid=
        -T --fstab=read | --source=read | --target=write | --target-prefix=write | -N --namespace=
        --options-mode= | --options-source= | -a --all | -r --read-only | -w --rw | -n | -v | -B --bind
        -R --rbind | -M --move""",
    "umount": """operands:write* | -t --types= | -O --test-opts= | -N --namespace= | -a --all | -f --force
        -l --lazy | -R --recursive | -V --version""",
    "cpio": """-i --extract does:write turns:-F=read | -o --create turns:-F=write | -p --pass-through>write
        -F --file=read | -D --directory=folder | -O=write! | -I=read | -E --pattern-file=read | -H --format=
        -C --io-size= | -R --owner= | -M --message= | --rsh-command=shell! | -t --list calms
        -d --make-directories | -u --unconditional | -v --verbose | --block-size=""",
    "patch": """operands:write read | does:write | -i --input=read | -o --output=write | -d --directory=folder
        -p --strip= | -r --reject-file=write | -B --prefix= | -Y --basename-prefix= | -z --suffix=
        -V --version-control= | -D --ifdef= | -F --fuzz= | -g --get= | --dry-run shows | -b --backup
        -R --reverse | -N --forward | -f --force | -s --quiet | -E | -l | --read-only= | --reject-format=
        --quoting-style=""",
    "ditto": "operands:read* write | --arch= | -c | -k | -x | -V",
    "open,xdg-open": "operands:read* | -a=shell! | -b= | -t | -e | -n | -g | -R | --args=command",
    "detox,fdupes,jdupes": "operands:read* | -d --delete!>delete | -r --recurse | -N",
    "hardlink": """operands:write* | -n --dry-run shows | -x --exclude= | -i --include= | -s --minimum-size=
        -r --cache-size=""",
    "inotifywait,inotifywatch": """operands:read* | -e --event= | -t --timeout= | -o --outfile=write!
        --fromfile=read | --format= | --timefmt= | --exclude= | --excludei= | --include= | -m | -r | -q
        -d""",
    "entr": "operands:command | options-first | -a | -c | -d | -n | -p | -r | -s>shell | -z",
    "logrotate": """operands:read* | -s --state=write | -l --log=write | -m --mail=shell! | -f --force
        -d --debug | does:write""",
    "grep,egrep,fgrep,rgrep,zgrep,zegrep,zfgrep,bzgrep,xzgrep,zstdgrep,lzgrep": _GREP,
    "find": f"""style:single | operands:read* | start:. | ( | ) | ! | , | -H | -L | -P | -D= | -O=? | -depth
        -maxdepth= | -mindepth= | -exec=command;! | -execdir=command;! | -ok=command;! | -okdir=command;!
        -delete!>delete | -fprint=write! | -fprint0=write! | -fls=write! | -fprintf=write,text! | -name=
        -iname= | -path -wholename= | -ipath -iwholename= | -regex= | -iregex= | -regextype= | -lname=
        -ilname= | -type= | -xtype= | -size= | -perm= | -user= | -group= | -uid= | -gid= | -links= | -inum=
        -samefile=read | -newer=read | -anewer=read | -cnewer=read | -mtime= | -atime= | -ctime= | -mmin=
        -amin= | -cmin= | -used= | -fstype= | -context= | -printf= | -files0-from=read {_NEWER} | -print
        -print0 | -ls | -prune | -quit | -not | -a -and | -o -or | -empty | -executable | -readable
        -writable | -true | -false | -mount -xdev | -daystart | -follow | -noleaf | -nouser | -nogroup""",
    "fd,fdfind": """operands:text read* | -x --exec=command;! | -X --exec-batch=command;! | -e --extension=
        -t --type= | -d --max-depth= | --min-depth= | --exact-depth= | -E --exclude= | -S --size=
        --changed-within= | --changed-before= | --newer= | --older= | -o --owner= | -C --base-directory=folder
        --search-path=read | --ignore-file=read | -c --color= | -j --threads= | --batch-size= | --max-results=
        --path-separator= | --format= | --and= | -H --hidden | -I --no-ignore | -u --unrestricted
        -s --case-sensitive | -i --ignore-case | -g --glob | -F | -a | -l | -L | -p | -0 | -1 | -q""",
    "rg,ripgrep": """operands:text read* | -e --regexp=text drops | -f --file=read drops | --files>read drops
        --type-list drops | --pre=shell! | --pre-glob= | --hostname-bin=shell! | -z --search-zip! | -g --glob=
        --iglob= | -t --type= | -T --type-not= | --type-add= | --type-clear= | -A --after-context=
        -B --before-context= | -C --context= | -m --max-count= | -M --max-columns=
        -d --max-depth --maxdepth= | --max-filesize= | -j --threads= | -r --replace= | -E --encoding=
        --color= | --colors= | --context-separator= | --field-context-separator= | --field-match-separator=
        --dfa-size-limit= | --regex-size-limit= | --engine= | --hyperlink-format= | --ignore-file=read
        --path-separator= | --sort= | --sortr= | --generate= | -i --ignore-case | -n --line-number
        -l --files-with-matches | -c --count | -o --only-matching | -v --invert-match | -w --word-regexp
        -F --fixed-strings | -P --pcre2 | -U --multiline | -u --unrestricted | -s --case-sensitive
        -S --smart-case | -q --quiet | -a --text | -x --line-regexp | -L --follow | -N --no-line-number | -H
        -I | -0 | -p | -.""",
    "ag,ack": """operands:text read* | --pager=shell! | -G --file-search-regex= | --ignore= | --ignore-dir=
        -A --after=? | -B --before=? | -C --context=? | -m --max-count= | --depth= | -p --path-to-ignore=read
        -W --width= | -g= | --type= | --ackrc=read! | --output= | --match= | -i | -l | -c | -v | -w | -Q | -r
        -R | -n | -o""",
    "locate,mlocate,plocate": "-d --database=read | -l -n --limit= | -i | -c | -r --regexp= | -b | -e",
    "updatedb": "operands:none | -o --output=write | -U --database-root=read | does:write",
    "which,whence,where": "-a --all | -s | -p",
    "whereis": "-B=read | -M=read | -S=read | -f | -b | -m | -s | -u | -l",
    "fzf,sk": """-q --query= | -f --filter= | --preview=shell! | --bind=code! | --execute=shell!
        -d --delimiter= | -n --nth= | --with-nth= | --height= | --layout= | --prompt= | --header=
        -m --multi=? | --history=write! | --with-shell=shell! | --listen=?! | --tmux=?""",
    "ast-grep": """operands:text read* | subcommands | -p --pattern= | -r --rewrite= | -l --lang=
        -U --update-all! does:write | -i --interactive | --json=? | -c --config=read""",
    "man,apropos,whatis": """-P --pager=shell! | -H --html=?shell! | -X --gxditview=? | -T --troff-device=?
        -C --config-file=read! | -M --manpath=read! | -p --preprocessor= | -E --encoding= | -L --locale=
        -m --systems= | -e --extension= | -r --prompt= | -R --recode= | -s -S --sections=
        -l --local-file>read | -k --apropos | -f --whatis | -K --global-apropos | -w --where --path --location
        -a --all | -t --troff | -Z""",
    "info,pinfo": """-f --file=read | -o --output=write! | -d --directory=read | -n --node=
        --init-file=read! | -k --apropos=""",
    "tldr,cheat,help": "operands:text*",
    "tar,bsdtar": _TAR,
    "zip": """operands:write read* | -T --test | -TT --unzip-command=shell! | -b --temp-path=write
        -O --output-file --out=write! | -P --password= | -n --suffixes= | -t --from-date= | -tt --before-date=
        -i --include=>read | -x --exclude=>read | -ll | -l --to-crlf | -m --move>move | -d --delete>text
        -@ --names-stdin | -lf --logfile-path=write! | -la | -li | -s --split-size= | -sp | -sv | -sb | -sf
        -Z --compression-method= | -ws | -r --recurse-paths | -q --quiet | -v --verbose | -u --update
        -f --freshen | -j --junk-paths | -y --symlinks | -e --encrypt | -X --no-extra | -D | -A | -F --fix
        -FF --fixfix | -FS --filesync | -k | -g --grow | -o | -z | -c | -R --recurse-patterns | -dd | -dg
        -dc | -db | -du | -dv | -ds= | -nw | -sc | -so | -ic | -h | -L""",
    "unzip": """operands:read text* | does:write | -d=write | -x>text | -P= | -O= | -I= | -l calms | -t calms
        -v calms | -p calms | -c calms | -Z calms | -z calms | -f | -u | -o | -n | -q | -qq | -j | -a | -aa
        -b | -C | -L | -U | -V | -X | -W | -D | -DD | -K | -M""",
    "zipcloak,zipnote,zipsplit": "operands:write | -b=write | -n= | -O=write | -w",
    "funzip": "operands:read | decodes | -P=",
    "7z,7za,7zr,7zz,p7zip": _SEVEN,
    "7z a,u,rn": """operands:write read* | -o=?write | -p=? | -t=? | -m=? | -x=? | -i=? | -w=?write | -s=?!
        -v=? | -y | -r | -sdel! does:delete | style:single""",
    "7z x,e": """operands:read text* | does:write | -o=?write | -p=? | -t=? | -x=? | -i=? | -a=? | -s=?! | -y
        -r | style:single""",
    "7z l,t,h,b,i": "operands:read* | -p=? | -t=? | -r | style:single",
    "7z d": "operands:write text* | style:single",
    "rar,unrar": "subcommands | operands:read* | options-first",
    "unrar x,e": "operands:read text* | does:write | style:single | -p=? | -o=?",
    "rar a,u,m": "operands:write read* | style:single",
    "ar": """style:bundled | operands:write read* | --plugin=script! | --target= | --output=write
        --record-libdeps= | -d | -m | -p | -q | -r | -s | -t | -x | -a | -b | -c | -D | -f | -i | -l | -N | -o
        -O | -P | -S | -T | -u | -U | -v | -V""",
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
    "pax": """-r does:write | -w>read turns:-f=write | -f=read | -a | -b= | -o= | -p= | -s= | -x= | -B= | -E=
        -G= | -T= | -U= | -c | -d | -i | -k | -l | -n | -t | -u | -v | -z | -j | -J | -D | -H | -L | -O | -P
        -X | -Y | -Z | -0""",
    "zstdmt,zstdless": "operands:read* | decodes",
}

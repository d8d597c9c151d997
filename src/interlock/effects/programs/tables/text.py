"""Programs that read, change, compare and show text: filters, pagers and editors."""

from __future__ import annotations

from typing import Final

_SUMS: Final = """operands:read* | -c --check | -b --binary | -t --text | -w --warn | --tag | -z --zero
    --quiet | --status | --ignore-missing | --strict"""
_SHRINK: Final = """operands:edit* | -c --stdout --to-stdout>read | -d --decompress --uncompress | -k --keep
    -f --force | -S --suffix= | -l --list>read calms | -t --test>read calms | -r --recursive | -v --verbose
    -q --quiet | -n --no-name | -N --name | -T --threads= | -M --memlimit= | -F --format= | -C --check=
    --files=? | --files0=? | --flush-timeout= | --block-size= | --lzma1=? | --lzma2=? | --memlimit-compress=
    --memlimit-decompress= | --rsyncable | --fast | --best | decodes"""
_SHOW: Final = """operands:read* | decodes | -f --force | -q --quiet | -v | -S --suffix= | -T --threads=
    -M --memlimit= | -F --format="""
_VIM: Final = """operands:edit* | interpreter | -c=code! | --cmd=code! | -S=script! | -s=script! | -u=script!
    case:-u =NONE text! | case:-u =DEFAULTS text! | -U=script! | -i=write! | -w=write! | -W=write! | -t= | -T=
    -q=read | -r=?read | -L=?read | -p=? | -o=? | -O=? | -V=?write! | --startuptime=write! | --log=write!
    --servername= | --remote | --remote-send=code! | --remote-expr=code! | --socketid= | --windowid=
    --listen=network! | --server=network! | -n | -N | -R>read | -M>read | -m | -e | -E | -b | -d | -D | -f
    -g | -h | -l=script! | -x | -X | -y | -Z | -z | --clean | --noplugin | --headless | --embed | --not-a-term
    --nofork | --literal | --version | --help | +=?code! | - | -es | -Es"""

PROGRAMS: Final[dict[str, str]] = {
    "cat": """operands:read* | -n --number | -A --show-all | -s --squeeze-blank | -b | -e | -E --show-ends
        -t | -T --show-tabs | -v | -u""",
    "tac": "operands:read* | -b --before | -r --regex | -s --separator=",
    "nl": """operands:read* | -b --body-numbering= | -d --section-delimiter= | -f --footer-numbering=
        -h --header-numbering= | -i --line-increment= | -l --join-blank-lines= | -n --number-format=
        -s --number-separator= | -v --starting-line-number= | -w --number-width= | -p""",
    "rev": "operands:read* | decodes",
    "bat,batcat": """operands:read* | -l --language= | -H --highlight-line= | -r --line-range= | --style=
        --theme= | --pager=shell! | --paging= | --color= | --tabs= | --wrap= | --terminal-width=
        -m --map-syntax= | --file-name= | --italic-text= | --decorations= | -n | -p --plain
        -A --show-all""",
    "head": """operands:read* | -n --lines= | -c --bytes= | -q --quiet --silent | -v --verbose
        -z --zero-terminated""",
    "tail": """operands:read* | -n --lines= | -c --bytes= | -f | --follow=? | -F | -q --quiet --silent
        -v --verbose | -s --sleep-interval= | --pid= | --max-unchanged-stats= | --retry | -z""",
    "less": """operands:read* | -o=write! | -O=write! | --log-file=write! | --LOG-FILE=write!
        -k --lesskey-file=read! | --lesskey-src=read! | -t --tag= | -T --tag-file=read | -p --pattern=
        -P --prompt= | -b --buffers= | -h --max-back-scroll= | -j --jump-target= | -x --tabs=
        -y --max-forw-scroll= | -z --window= | -D --color= | -# --shift= | +=?code!""",
    "more,most,pg": "operands:read* | -n --lines= | -p | -c | -d | -f | -l | -s | -u | +=?",
    "wc": """operands:read* | --files0-from=read | --total= | -l --lines | -w --words | -c --bytes
        -m --chars | -L --max-line-length""",
    "cut": """operands:read* | -b --bytes= | -c --characters= | -d --delimiter= | -f --fields=
        --output-delimiter= | -s --only-delimited | -n | --complement | -z""",
    "paste": "operands:read* | -d --delimiters= | -s --serial | -z",
    "sort": """operands:read* | -o --output=write! | --compress-program=shell!
        -T --temporary-directory=write! | --files0-from=read | --random-source=read | -k --key=
        -t --field-separator= | -S --buffer-size= | --parallel= | --batch-size= | -c | --check=? | -C
        --sort= | -u --unique | -r --reverse | -n --numeric-sort | -h --human-numeric-sort | -g | -M
        -V --version-sort | -R | -f --ignore-case | -b | -d | -i | -m --merge | -s --stable | -z""",
    "uniq": """operands:read write | -c --count | -d --repeated | -D | --all-repeated=? | -f --skip-fields=
        -s --skip-chars= | -w --check-chars= | -i --ignore-case | -u --unique | --group=? | -z""",
    "tr": """decodes | -c -C --complement | -d --delete | -s --squeeze-repeats | -t --truncate-set1
        options-first""",
    "join": """operands:read* | -t= | -a= | -v= | -o= | -e= | -j= | -1= | -2= | -i --ignore-case
        --output-delimiter= | --check-order | --nocheck-order | --header | -z""",
    "comm": """operands:read* | -1 | -2 | -3 | --output-delimiter= | --check-order | --nocheck-order | --total
        -z""",
    "diff,colordiff": """operands:read* | -U --unified= | -u | -c | -C --context=
        -I --ignore-matching-lines= | -F --show-function-line= | --label= | -L= | -W --width= | -x --exclude=
        -X --exclude-from=read | -S --starting-file= | --from-file=read | --to-file=read | --color=?
        --palette= | --tabsize= | -D --ifdef= | --horizon-lines= | --line-format= | --old-line-format=
        --new-line-format= | --unchanged-line-format= | --old-group-format= | --new-group-format=
        --unchanged-group-format= | --changed-group-format= | -r --recursive | -q --brief | -N --new-file
        -a --text | -w | -b | -B | -l --paginate | -y --side-by-side | -i | -s""",
    "sdiff": """operands:read* | -o --output=write! | -w --width= | -I --ignore-matching-lines=
        --diff-program=shell! | -s | -l | -b | -B | -i""",
    "diff3": """operands:read* | --diff-program=shell! | -L --label= | -m --merge | -e | -E | -x | -X | -3
        -A | -a | -i | -T""",
    "cmp": """operands:read read text text | -n --bytes= | -i --ignore-initial= | -l --verbose
        -s --quiet --silent | -b""",
    "vimdiff,nvimdiff,gvimdiff": """operands:read* | -c=code! | --cmd=code! | -S=script! | -u=script!
        +=?code!""",
    "sed": """operands:code read* | -e --expression=code drops | -f --file=script! drops
        -i --in-place=?!>write | case:-i */ write!>write | -n --quiet --silent | -E -r --regexp-extended
        -s --separate | -z --null-data | -l --line-length= | -u --unbuffered | --posix | --debug
        --follow-symlinks | --sandbox | -b --binary""",
    "awk=gawk=mawk=nawk=original-awk": """operands:code read* | options-first | -f --file=script! drops
        -F --field-separator= | -v --assign= | -e --source=code drops | -E --exec=script! drops ends
        -i --include=script! | case:-i inplace text!>edit | -l --load=script! | -o --pretty-print=?write!
        -p --profile=?write! | -d --dump-variables=?write! | -D --debug=? | -L --lint=? | -W=code!
        case:-W =version text | case:-W =help text | -b | -c | -C | -g | -h | -I | -k --csv | -M | -n | -N
        -O | -P --posix | -r --re-interval | -s | -S --sandbox | -t | -V""",
    "jq,gojq,jaq": """operands:text read* | -f --from-file=read drops | -L=read | --library-path=read
        --arg=,text | --argjson=,text | --slurpfile=,read | --rawfile=,read | --argfile=,read | --args>text
        --jsonargs>text | --indent= | --tab | -r --raw-output | -j --join-output | -n --null-input
        -c --compact-output | -s --slurp | -e --exit-status | -S --sort-keys | -C | -M | -a --ascii-output
        -R --raw-input | --seq | --stream""",
    "yq": """operands:text read* | -i --inplace!>write | -P --prettyPrint | -o --output-format=
        -p --input-format= | -I --indent= | -n --null-input | -r --raw-output | -y --yaml-output
        -e --exit-status | --from-file=read | -s --split-exp=! does:write | --arg=,text | --argjson=,text | -C
        -M | -N | -j""",
    "xq,tomlq": """operands:text read* | -f --from-file=read drops | --arg=,text | --argjson=,text
        --slurpfile=,read | --rawfile=,read | -i --in-place!>write | -r --raw-output | -n | -e | -c | -s""",
    (
        "gron,csvcut,csvgrep,csvlook,xsv,col,colrm,ul,tsort,ptx,look,zipinfo,csvstat,csvjson,pygmentize"
    ): "operands:read*",
    "mlr=miller": """subcommands | operands:read* | --from=read | --prepipe=shell! | --prepipex=shell!
        --load=script! | --mload=script! | -s=read! | -I!>edit | -n | --ifs= | --ofs= | --fs= | --ips=
        --ops= | --ps= | --irs= | --ors= | --rs= | --ofmt= | -f= | -g= | -a= | -o= | -r= | -x
        --prefix=write!""",
    "mlr put,filter,step": "operands:code read* | -f=script! drops | -e=code! | -s= | -q | -S",
    "mlr tee,split": "operands:write read* | -n= | -a | -p | --suffix=",
    "fx": "operands:read text* | -r --raw | -s --slurp | --yaml | --themes",
    "dasel": "subcommands | -f --file=edit | -r= | -w= | -p= | -s --selector= | -o --out=write!",
    "qsv": "subcommands | operands:text read* | -o --output=write!",
    "qsv foreach": "operands:text shell read | --unify | -c --new-column= | --dry-run=",
    "qsv py,luau,apply": "operands:text code*",
    "column": """operands:read* | -t --table | -s --separator= | -o --output-separator= | -N --table-columns=
        -c --output-width= | -n --table-name= | -l --table-columns-limit= | -H --table-hide=
        -R --table-right= | -O --table-order= | -E --table-noextreme= | -T --table-truncate=
        -W --table-wrap= | -r --tree= | -i --tree-id= | -p --tree-parent= | -J --json""",
    "fold,fmt": """operands:read* | -w --width= | -s --spaces | -b --bytes | -p --prefix= | -g --goal= | -c
        -t | -u""",
    "expand,unexpand": "operands:read* | -t --tabs= | -i --initial | -a --all",
    "pr": """operands:read* | -D --date-format= | -h --header= | -l --length= | -N --first-line-number=
        -o --indent= | -w --width= | -W --page-width= | -e=? | -i=? | -n=? | -s=? | -S=?""",
    "od": """operands:read* | -A --address-radix= | -j --skip-bytes= | -N --read-bytes= | -S= | --strings=?
        --endian= | -t --format= | -w --width=? | -a | -b | -c | -d | -f | -i | -l | -o | -s | -v | -x""",
    "hexdump,hd": """operands:read* | -n --length= | -s --skip= | -e --format= | -f --format-file=read
        -L --color=? | -C | -b | -c | -d | -o | -x | -v""",
    "strings": """operands:read* | -n --bytes= | -t --radix= | -e --encoding= | -T --target=
        -s --output-separator= | -U --unicode= | -a | -f | -o | -w""",
    "objdump": """operands:read* | -j --section= | -M --disassembler-options= | -m --architecture=
        -b --target= | -P --private= | -I --include= | --start-address= | --stop-address= | --insn-width=
        --adjust-vma= | --prefix= | --prefix-strip= | --dwarf-depth= | --dwarf-start= | --ctf-parent= | -W=?
        --dwarf=? | --disassemble=? | --ctf=?""",
    "readelf": """operands:read* | -x --hex-dump= | -p --string-dump= | -R --relocated-dump= | -z --decompress
        --dwarf-depth= | --dwarf-start= | --sym-base= | --ctf= | --ctf-parent= | --ctf-symbols=
        --ctf-strings= | -w=? | --debug-dump=?""",
    "nm,size": """operands:read* | -f --format= | -t --radix= | --target= | --plugin=script! | -U --unicode=
        -X=""",
    "objcopy,strip": """operands:write* | -o=write | -j --only-section= | -R --remove-section=
        -O --output-target= | -I --input-target= | -F --target= | -B --binary-architecture=
        -N --strip-symbol= | -K --keep-symbol= | --add-section= | --dump-section=! | -s | -S | -g | -x | -X
        -p""",
    "ldd": "operands:read* | -v | -u | -d | -r | does:read",
    "split": """operands:read write | does:write | -b --bytes= | -C --line-bytes= | -l --lines= | -n --number=
        -a --suffix-length= | -d | --numeric-suffixes=? | -x | --hex-suffixes=? | --additional-suffix=
        --filter=shell! | -t --separator= | -e | -u | --verbose""",
    "csplit": """operands:read text* | does:write | -b --suffix-format= | -f --prefix=write | -n --digits=
        -k | -s | -q | -z | --suppress-matched""",
    "tee,sponge": "operands:write* | -a --append | -i --ignore-interrupts | -p | --output-error=?",
    "vidir,vipe": "operands:write* | --suffix=",
    "xxd": """operands:read write | style:single | decodes | -r -revert | -p -ps -postscript -plain
        -i -include | -l -len= | -s -skip -seek= | -c -cols= | -g -groupsize= | -o= | -n -name= | -R= | -a
        -b | -C | -e | -E | -u | -d""",
    "base64,base32,basenc": """operands:read | decodes | -d -D --decode | -w --wrap= | -i --ignore-garbage
        -o --output=write! | -b --break=""",
    "base58,base91,uudeview": "operands:read* | decodes | -d --decode",
    "uuencode": "operands:read text | -m | -e | -r",
    "uudecode": "operands:read* | decodes | -o --output-file=write! | -c | -i | -m | does:write",
    "iconv": "operands:read* | decodes | -f --from-code= | -t --to-code= | -o --output=write! | -c | -s | -l",
    "recode,dos2unix,unix2dos,mac2unix": "operands:edit* | -n --newfile | -c --convmode= | -k | -q | -f",
    "gzip,bzip2,xz,lzma,lz4,pigz,pbzip2,lbzip2,brotli,compress,lzop,lzip,pixz": _SHRINK,
    "zstd": _SHRINK
    + """| -o=write | -D=read | --output-dir-flat=write | --output-dir-mirror=write | --filelist=read
        --patch-from=read | --trace=write | --rm>delete | --stream-size= | --size-hint= | -M= | -B=?
        --long=? | --ultra | --train | --maxdict= | --dictID=""",
    "gunzip,bunzip2,unxz,unlzma,unzstd,unlz4,unpigz,uncompress": _SHRINK,
    "zcat,bzcat,xzcat,lzcat,zstdcat,lz4cat,gzcat,zmore,zless,bzless,xzless,zdiff,zcmp": _SHOW,
    "md5sum,sha1sum,sha224sum,sha256sum,sha384sum,sha512sum,b2sum,b3sum,cksum,sum": _SUMS
    + " | -l --length= | -a --algorithm=",
    "shasum,md5": _SUMS + " | -a --algorithm= | -s=",
    "shuf": """operands:read | -e --echo>text | -i --input-range= | -n --head-count= | -o --output=write!
        --random-source=read | -r --repeat | -z""",
    "expr,factor,yes,sleep,usleep,units,cal,ncal": "operands:text*",
    "seq": "-f --format= | -s --separator= | -w --equal-width",
    "numfmt": """--from= | --to= | --from-unit= | --to-unit= | --field= | --format= | --header=? | --invalid=
        --padding= | --round= | --suffix= | -d --delimiter=""",
    "bc": """operands:read* | -l --mathlib | -q --quiet | -i | -s | -w | -e --expression= | -f --file=read
        -S --scale=""",
    "dc": "operands:script* | interpreter | -e --expression=code | -f --file=script",
    "date": """-d --date= | -f --file=read | -r --reference= | -s --set=! | -I=? | --iso-8601=? | --rfc-3339=
        -u --utc --universal | -R --rfc-email | -v= | -j | +=?""",
    "envsubst": "-v --variables",
    "tput,stty,clear,reset,tabs": "-T= | -F --file=read | -S",
    "tokei,cloc,scc,wdiff": "operands:read*",
    "ctags": """operands:read* | -f -o=write | -R | --languages= | --exclude= | -L=read | --options=read
        does:write""",
    "pandoc": """operands:read* | -o --output=write | -f -r --from --read= | -t -w --to --write=
        --filter=shell! | -F=shell! | -L --lua-filter=script! | --pdf-engine=shell! | --template=read
        -H --include-in-header=read | -B --include-before-body=read | -A --include-after-body=read
        -V --variable= | -M --metadata= | --metadata-file=read | -d --defaults=read! | -c --css=
        --data-dir=read! | --extract-media=write! | --bibliography=read | --csl=read | --resource-path=read
        --reference-doc=read | --log=write! | --toc-depth= | --columns= | -s --standalone""",
    "xmllint": """operands:read* | -o --output=write! | --xpath= | --schema=read | --dtdvalid=read
        --relaxng=read | --encode= | --path=read | --pretty= | --format | --noout""",
    "xsltproc": """operands:read* | -o --output=write! | --stringparam=,text | --param=,text | --path=read
        --encoding=""",
    "msgfmt,msgmerge,xgettext": """operands:read* | -o --output-file=write | -d= | -D --directory=folder
        -p --output-dir=write""",
    "vim=vi=nvim=gvim=mvim=vim.basic=vim.tiny=neovim,view,rview,rvim,rgvim,evim,lvim,vimx,nvi": _VIM,
    "ex": """operands:edit* | interpreter | -c=code! | --cmd=code! | -S=script! | -u=script! | -t= | -w= | -r
        -s | -v | -R>read | -V | -x | -l | -F | +=?code!""",
    "emacs=emacsclient=xemacs": """operands:edit* | --eval --execute -eval -e=code! | -l --load -load=script!
        --script -script=script! | -f --funcall -funcall=! | -q --no-init-file | -Q --quick | --batch -batch
        -nw | -u --user= | -L --directory=read! | --insert=read | --visit --file --find-file=edit
        -d --display= | -g --geometry= | --chdir=folder | --init-directory=read! | -s --socket-name=
        -a --alternate-editor=shell! | --daemon=? | -t -tty | -c --create-frame | -n --no-wait | -x=script!
        --kill | +=?""",
    "ed,red": "operands:edit | interpreter | -p --prompt= | -s --quiet --silent | -G | -E | -r | -v | -l",
    (
        "nano,pico,micro,joe,jed,mcedit,helix,hx,kak,ne,mg,zile,gedit,kate,xed,pluma,mousepad,subl,atom,zed,"
        "rnano,jmacs,jove,dte,tilde,kwrite,geany,leafpad,featherpad,gnome-text-editor,notepadqq,textadept,"
        "lapce,zeditor,bbedit,mate"
    ): """operands:edit* | -s --speller=shell! | -f --rcfile=read! | -o --operatingdir=write | -r --fill=
        -T --tabsize= | -Y --syntax= | -X= | -C --backupdir=write | -Q --quotestr= | -J --guidestripe=
        -e=code! | -E=code! | -config-dir=read! | -plugin=! | +=?""",
    "code,code-insiders,codium,cursor,windsurf,vscodium,code-oss": """operands:edit* | -d --diff=read,read
        -m --merge=read,read,read,write | -a --add=read | -r --reuse-window | -n --new-window | -g --goto
        -w --wait | --user-data-dir=write | --extensions-dir=read! | --install-extension=! does:network
        --uninstall-extension= | --list-extensions | --profile= | --folder-uri= | --file-uri=
        --remote=network! | --locale= | --command=code!""",
    "hexedit,bvi,hexcurse": "operands:edit*",
    "ranger,nnn,lf,mc,vifm,yazi,broot": """operands:read* | --cmd=code! | -c=code! | -command=code!
        --choosefile=write! | --choosedir=write! | -P=read | -l=write! | -e=code! | -p=write!""",
    "select-editor,sensible-editor,editor": "operands:edit* | -c=code! | +=?code!",
    "lv,moar,moor,ccat,vimcat,vimpager,lesspipe,lesspipe.sh,lessfile,csvlens,jless,tidy-viewer": """
        operands:read* | -d= | -f= | -m= | -s= | -w --width= | --mode= | --style= | --lang= | --theme= | -n
        -a""",
    "glow": """operands:read* | -w --width= | -s --style=read | --config=read! | -p --pager! | -t --tui
        -a --all | -l --line-numbers | -n --preserve-new-lines""",
    "mdcat,mdless": """operands:read* | --columns= | --theme= | --completions= | -p --paginate!
        -P --no-pager | -c --no-colour | --ansi | -l --local | --local-only | --fail""",
    "cmark,lowdown,markdown,markdown_py,multimarkdown": """operands:read* | -o --output=write!
        -f --file=write! | -t --to= | -T= | -x --extension=! | -c --extension_configs=read! | --width=""",
    "hexyl": """operands:read* | -n -l --length= | -c --bytes= | -s --skip= | --block-size= | -b --base=
        -o --display-offset= | --panels= | -g --group-size= | --border= | --color= | --terminal-width=
        -v --no-squeezing | -p --plain | -C --characters""",
    "highlight": """operands:read* | -i --input=read | -o --output=write! | -d --outdir=write!
        -O --out-format= | -S --syntax= | -s --style= | -T --doc-title= | --config-file=script!
        --plug-in=script! | --data-dir=read! | --batch-recursive=read | --stdout | -l --line-numbers""",
    "source-highlight": """operands:read* | does:write | -i --input=read | -o --output=write!
        -f --out-format= | -s --src-lang= | --output-dir=write! | --style-file=read | --data-dir=read""",
    "rich": """operands:read* | -w --width= | -W --max-width= | --theme= | -x --lexer= | --head= | --tail=
        --export-html=write! | --export-svg=write! | --pager! | -m --markdown | -j --json | -n --line-numbers
        -g --guides | -p --print""",
    "tailspin,tspin": """operands:read* | -e --exec=shell! | -c --listen-command=shell! | --pager=shell!
        --config-path=read | --highlight= | -f --follow | -p --print""",
    "lnav": """operands:read* | -c=code! | -e=shell! | -f=script! | -I=read! | -i=write! | -d=write! | -n | -q
        -r | -R | -t | -N""",
    "multitail": """style:single | operands:read* | -l=shell! | -L=shell! | -i=read | -I=read | -F=read!
        -a=write! | -n= | -s= | -sn= | -cS= | -ci= | -e= | -x=""",
    "visidata,vd": """operands:read* | -p --play=script! | -c --config=script! | -o --output=write!
        -f --filetype= | -d --delimiter= | -b --batch | -N --nothing | -r --readonly | +=?""",
    "delta,difft,difftastic,icdiff,dwdiff,git-delta": """operands:read* | --pager=shell! | -w --width=
        --config=read! | --color= | --display= | --context= | -U= | --cols= | -L --label= | -s
        --side-by-side | -n""",
    "meld,kdiff3,kompare,diffuse,opendiff,bcompare,xxdiff,tkdiff": """operands:edit* | -o --output=write
        -merge --merge -m=?write | -L --label= | -ancestor=read | -b --base=read""",
    "lp,lpr": """operands:read* | -d= | -P= | -o= | -n= | -t= | -T= | -C= | -J= | -U= | -q= | -i=
        -h -H=network! | -r!>move | -s | -m | -E | -l""",
    "enscript,a2ps": """operands:read* | -o --output=write! | -p=write! | -P --printer= | -d= | -w --language=
        -f --font= | -b --header= | -E --highlight=? | -M --media= | -r --landscape | -q --quiet""",
    "groff,troff,nroff,mandoc": """operands:read* | -U! | -m= | -M=read! | -F=read! | -I=read | -T= | -K=
        -D= | -O= | -W= | -w= | -d= | -f= | -n= | -o= | -P= | -r= | -L=""",
    "ugrep,ug,sift,pt": """operands:text read* | -e --regexp=text drops | -f --file=read drops
        --filter=shell! | --pager=?shell! | --view=?shell! | --save-config=?write! | --config=?read!
        -A --after-context= | -B --before-context= | -C --context= | -m --max-count= | -g --glob= | --include=
        --exclude= | -t --file-type= | -O --file-extension= | --depth= | --color=? | -r | -R | -i | -n | -l
        -c | -o | -v | -w | -F""",
}

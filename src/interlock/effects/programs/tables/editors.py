"""Editors and viewers: what editors open may be written, and most can run commands."""

from __future__ import annotations

from typing import Final

_VIM: Final = """operands:edit* | interpreter | -c=code! | --cmd=code! | -S=script! | -s=script! | -u=script!
        case:-u =NONE text! | case:-u =DEFAULTS text!
        -U=script! | -i=write! | -w=write! | -W=write! | -t= | -T= | -q=read | -r=?read | -L=?read
        -p=? | -o=? | -O=? | -V=?write! | --startuptime=write! | --log=write! | --servername= | --remote
        --remote-send=code! | --remote-expr=code! | --socketid= | --windowid= | --listen=network!
        --server=network!
    -n | -N | -R>read | -M>read | -m | -e | -E | -b | -d | -D | -f | -g | -h | -l=script! | -x | -X | -y
        -Z | -z | --clean | --noplugin | --headless | --embed | --not-a-term | --nofork | --literal
        --version | --help | +=?code! | - | -es | -Es"""

PROGRAMS: Final[dict[str, str]] = {
    "vim=vi=nvim=gvim=mvim=vim.basic=vim.tiny=neovim,view,rview,rvim,rgvim,evim,lvim,vimx,nvi": _VIM,
    "ex": """operands:edit* | interpreter | -c=code! | --cmd=code! | -S=script! | -u=script! | -t= | -w= | -r
        -s | -v | -R>read | -V | -x | -l | -F | +=?code!""",
    "emacs=emacsclient=xemacs": """operands:edit* | --eval --execute -eval -e=code!
        -l --load -load=script! | --script -script=script! | -f --funcall -funcall=! | -q --no-init-file
        -Q --quick | --batch -batch | -nw | -u --user= | -L --directory=read! | --insert=read
        --visit --file --find-file=edit | -d --display= | -g --geometry= | --chdir=folder
        --init-directory=read! | -s --socket-name= | -a --alternate-editor=shell! | --daemon=? | -t -tty
        -c --create-frame | -n --no-wait | -x=script! | --kill | +=?""",
    "ed,red": "operands:edit | interpreter | -p --prompt= | -s --quiet --silent | -G | -E | -r | -v | -l",
    (
        "nano,pico,micro,joe,jed,mcedit,helix,hx,kak,ne,mg,zile,gedit,kate,xed,pluma,mousepad,subl,atom,zed,"
        "rnano,jmacs,jove,dte,tilde,kwrite,geany,leafpad,featherpad,gnome-text-editor,notepadqq,textadept,"
        "lapce,zeditor,bbedit,mate"
    ): """operands:edit* | -s --speller=shell! | -f --rcfile=read! | -o --operatingdir=write
        -r --fill= | -T --tabsize= | -Y --syntax= | -X= | -C --backupdir=write | -Q --quotestr=
        -J --guidestripe= | -e=code! | -E=code! | -config-dir=read! | -plugin=! | +=?""",
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
        operands:read* | -d= | -f= | -m= | -s= | -w --width= | --mode= | --style= | --lang= | --theme=
        -n | -a""",
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
    "rich": """operands:read* | -w --width= | -W --max-width= | --theme= | -x --lexer= | --head=
        --tail= | --export-html=write! | --export-svg=write! | --pager! | -m --markdown | -j --json
        -n --line-numbers | -g --guides | -p --print""",
    "tailspin,tspin": """operands:read* | -e --exec=shell! | -c --listen-command=shell! | --pager=shell!
        --config-path=read | --highlight= | -f --follow | -p --print""",
    "lnav": """operands:read* | -c=code! | -e=shell! | -f=script! | -I=read! | -i=write! | -d=write! | -n
        -q | -r | -R | -t | -N""",
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
        -A --after-context= | -B --before-context= | -C --context= | -m --max-count= | -g --glob=
        --include= | --exclude= | -t --file-type= | -O --file-extension= | --depth= | --color=? | -r
        -R | -i | -n | -l | -c | -o | -v | -w | -F""",
}

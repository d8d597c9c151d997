"""Editors: what they open is read and may be written, and most can run commands."""

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
}

"""Commands that shells bring along."""

from __future__ import annotations

from typing import Final

_DECLARE: Final = """operands:env* | -a | -A | -f | -F | -g | -i | -I | -l | -n | -p | -r | -t | -u | -x
        +a | +A | +f | +i | +l | +n | +r | +t | +u | +x"""

PROGRAMS: Final[dict[str, str]] = {
    "cd,chdir": "operands:folder | -L | -P | -e | -@",
    "pushd,popd": "operands:folder | -n",
    (
        "dirs,pwd,times,jobs,fg,bg,disown,suspend,logout,exit,return,break,continue,true,false,:,caller,"
        "umask,shift,setopt,unsetopt,rehash,limit,unlimit,sched,ttyctl,zstyle,compdef,compinit,"
        "autoload,zle,bindkey,vared,getln,pushln,echotc,echoti,functions,logname,whoami,tty,lastlog,"
        "locale,getconf,lsb_release,sw_vers,iostat,mpstat,lscpu,lsusb,lspci,lsmem,let"
    ): "operands:text*",
    "echo": "style:none",
    "print": """operands:text* | options-first | -u= | -f= | -v=env | -C= | -x= | -X= | -n | -r | -l | -P
        -R | -z | -s""",
    "printf": "operands:text* | options-first | -v=env",
    "test,[,[[": "style:none",
    "export": "operands:env* | -n>text | -f | -p",
    "declare,typeset,local,integer,float": _DECLARE,
    "readonly": "operands:env* | -a | -A | -f | -p",
    "unset,unexport": "operands:text* | -f | -v | -n",
    "setenv": "operands:env text",
    "unsetenv": "operands:text*",
    "alias,unalias,abbr": "operands:text* | -p | -a | -g | -s | -m | -L | -r",
    "set": """operands:text* | options-first | -o= | +o= | +e | +x | +u | +f | +a | +b | +h | +k | +m
        +n | +p | +v | +B | +C | +E | +H | +P | +T""",
    "shopt": "operands:text* | -s | -u | -o | -p | -q",
    "eval": "style:none | operands:shell*",
    "source,.": "style:none | operands:script text*",
    "exec": "operands:command | options-first | transparent | -a= | -c | -l",
    "command": "operands:command | options-first | transparent | -p | -v>text | -V>text",
    "builtin": "operands:command | options-first | transparent",
    "noglob,nocorrect": "operands:command | style:none | transparent",
    "coproc": "operands:command | style:none",
    "trap": """operands:shell text* | options-first | - drops | -p>text drops | -l>text drops
        -P>text drops""",
    "hash": "operands:text* | -p=read! | -r | -d | -t | -l",
    "enable": "operands:text* | -f=script! | -a | -d | -n | -p | -s",
    "zmodload": "operands:text* | -F | -i | -u | -a | -e",
    "read": """operands:env* | -a=env | -d= | -i= | -n= | -N= | -p= | -t= | -u= | -r | -s | -e | -E | -A
        -k=? | -q""",
    "mapfile,readarray": "operands:env | -C=shell! | -c= | -d= | -n= | -O= | -s= | -u= | -t",
    "getopts": "operands:text env text*",
    "wait": "operands:text* | -p=env | -f | -n",
    "kill": """operands:text* | -s --signal= | -n= | -l --list=? | -L --table | -q --queue=
        --timeout=,text | -p --pid | -a""",
    "type": "operands:text* | -a | -f | -p | -P | -t",
    "complete,compgen,compopt": """operands:text* | -C=shell! | -F=! | -W= | -A= | -G= | -X= | -P= | -S=
        -o= | -V= | -D | -E | -I | -p | -r""",
    "bind": """operands:text* | -x=shell! | -f=read | -m= | -q= | -u= | -r= | -l | -p | -P | -s | -S | -v
        -V | -X""",
    "fc": "operands:text* | -e=shell! | -l | -n | -r | -s | -W | -R | -A",
    "history": "operands:text* | -d= | -a=?write | -w=?write | -r=?read | -n=?read | -c | -p | -s",
    "emulate": "operands:text text* | -c=shell | -L | -R",
    "zcompile": "operands:write read*",
    "ulimit": "operands:text* | -S | -H | -a | -c=? | -n=? | -u=? | -v=? | -s=? | -f=? | -t=?",
    "lsof": """operands:read* | -i=? | -p= | -u= | -c= | -d= | -a | -n | -P | -t | -l | -s=? | -g=?
        -r=? | +d=read | +D=read | -D=? | -F=? | -o=? | -S=? | -T=? | -k= | -m=""",
    "id,groups,users,w": """operands:text* | -u --user | -g --group | -G --groups | -n --name | -r --real
        -z --zero""",
    "who": """operands:text* | -a --all | -b --boot | -d --dead | -H | -l | -m | -p | -q | -r | -s | -t
        -T | -u""",
    "last,lastb": """operands:text* | -n --limit= | -f --file=read | -s --since= | -t --until=
        -p --present=
        --time-format=""",
    "uname,hostid,uptime,free,vmstat,nproc": """operands:text* | -s --seconds= | -c --count= | --ignore=
        -S --unit=""",
    "printenv": "operands:env* | -0 --null",
    "hostname": """operands:text | -F --file=read | -b | -f --fqdn --long | -i | -I | -s --short | -d
        -A | -y""",
}

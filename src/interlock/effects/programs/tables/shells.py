"""Shells, their builtins, other interpreters, and programs that run a command in a sandbox or the like."""

from __future__ import annotations

from typing import Final

_SHELL: Final = """operands:script text* | options-first | interpreter | shell | -c=^shell>text
    -s>text drops | -o= | +o= | -O= | +O= | +x | +e | +u | --rcfile --init-file=script! | -i | -l --login
    --norc | --noprofile | --posix | -r --restricted | -v --verbose | -D --dump-strings | --debugger!
    --xtrace | --no-rcs --norcs | --no-globalrcs | --errexit | --nounset | --extendedglob | --pipefail | -x
    -e | -u | -n | -f | -p | -a | -b | -h | -k | -m | -t | -B | -C | -E | -H | -P | -T"""
_DECLARE: Final = """operands:env* | -a | -A | -f | -F | -g | -i | -I | -l | -n | -p | -r | -t | -u | -x | +a
    +A | +f | +i | +l | +n | +r | +t | +u | +x"""
_LOADER: Final = """operands:command | options-first | --library-path= | --preload=script! | --audit=script!
    --argv0= | --inhibit-rpath= | --inhibit-cache | --glibc-hwcaps-prepend= | --glibc-hwcaps-mask=
    --list>read | --verify>read"""
_BEHIND: Final = "operands:text* | --=command"  # the command follows `--`
_EMULATOR: Final = """style:single | operands:command | options-first | -L=read | -E=env | -U=env | -cpu=
    -g= | -s= | -B= | -R= | -d= | -D=write! | -p= | -plugin=script! | -0= | -strace | -one-insn-per-tb"""

PROGRAMS: Final[dict[str, str]] = {
    "sh,bash,dash,ash,zsh,ksh,mksh,rbash,ksh93,yash": _SHELL,
    "fish": """operands:script text* | options-first | interpreter | -c --command=code>text drops
        -C --init-command=code | -d --debug= | -o --debug-output=write! | -f --features= | --profile=write!
        --profile-startup=write! | -l --login | -i --interactive | -n --no-execute | -P --private
        -N --no-config""",
    "csh,tcsh": """operands:script text* | options-first | interpreter | -c=^code>text | -b | -e | -f | -i
        -l | -n | -s | -t | -v | -x | -X | -V""",
    "nu,xonsh,elvish,ion,oil,osh,ysh": """operands:script text* | options-first | interpreter
        -c --commands=code>text drops | -e --execute=code | --config=script! | --env-config=script!
        --rc=script! | -i | -l""",
    "pwsh=powershell": """style:single | operands:script text* | options-first | interpreter
        -c -Command -command=code>text ends drops | case:-c =- script | -f -File -file=script>text ends drops
        -e -ec -enc -EncodedCommand -encodedcommand -Enc=code! | -WorkingDirectory -wd=folder
        -ExecutionPolicy -ep -ex= | -ConfigurationName= | -InputFormat= | -OutputFormat= | -WindowStyle -w=
        -NoProfile -nop -NoP | -NonInteractive | -NoLogo | -NoExit""",
    "cmd": "style:none | operands:code* | interpreter",
    "python=python3=python2=pypy=pypy3=ipython=ipython3": """operands:script text* | options-first
        interpreter | -c=code>text drops ends | -m=module>text drops ends | -W= | -X=
        --check-hash-based-pycs= | -u | -B | -b | -d | -E | -i | -I | -O | -OO | -P | -q | -s | -S | -v
        -V --version calms | -x | -h --help""",
    "tokenize,dis,ast,pickle,pickletools,quopri,uu": """operands:read* | -m --mode= | -o --output=write! | -d
        -t""",
    "zipapp": "operands:read | -o --output=write | -p --python= | -m --main= | -c --compress | --info",
    "lib2to3,2to3": """operands:read* | -w --write!>edit | -n | -o --output-dir=write! | -f --fix=
        -x --nofix= | -j=""",
    "json.tool": """operands:read write | --indent= | --sort-keys | --no-ensure-ascii | --json-lines | --tab
        --no-indent | --compact""",
    "http.server,SimpleHTTPServer": "operands:text | does:network | -d --directory=read | -b= | --cgi!",
    "zipfile,tarfile": """-e --extract=read,write | -c --create=write>read | -l --list=read | -t --test=read
        -v --verbose | --filter= | --metadata-encoding=""",
    "timeit": "operands:code* | -s --setup=code! | -n --number= | -r --repeat= | -u --unit= | -p | -v",
    "runpy,trace": "operands:script text* | options-first | -t --trace | -c --count | -f=write | -C=write",
    "node=nodejs": """operands:script text* | options-first | interpreter | -e --eval=code>text drops
        -pe=code>text drops | -p --print=^code>text drops | -r --require=script! | --import=script!
        --loader --experimental-loader=script! | -c --check>read | -i --interactive | --env-file=read
        --env-file-if-exists=read | --inspect=?! | --inspect-brk=?! | --inspect-port= | -C --conditions=
        --input-type= | --max-old-space-size= | --test-name-pattern= | --test-reporter=
        --test-reporter-destination=write! | --watch-path=read | --watch | --test | --run=shell | --title=
        --icu-data-dir=read | --openssl-config=read! | --redirect-warnings=write! | --report-directory=write!
        --diagnostic-dir=write! | --cpu-prof-dir=write! | --heap-prof-dir=write!
        --trace-event-file-pattern=write! | --snapshot-blob=read! | --build-snapshot! does:write
        --allow-fs-read= | --allow-fs-write=! | --build-snapshot-config=read! | --cpu-prof-interval=
        --cpu-prof-name=write! | --disable-proto= | --dns-result-order= | --experimental-default-type=
        --experimental-policy=read | --experimental-sea-config=read! | --heap-prof-interval=
        --heap-prof-name=write! | --heapsnapshot-near-heap-limit= | --heapsnapshot-signal= | --debug-port=
        --inspect-publish-uid= | --max-http-header-size= | --policy-integrity= | --report-dir=write!
        --report-filename=write! | --report-signal= | --secure-heap= | --secure-heap-min=
        --test-concurrency= | --test-shard= | --test-timeout= | --tls-cipher-list= | --tls-keylog=write!
        --trace-event-categories= | --trace-require-module= | --use-largepages= | --v8-pool-size=
        --stack-trace-limit= | --unhandled-rejections= | --disable-warning=""",
    "deno": """subcommands | operands:script text* | -A --allow-all! | -c --config=read | -L --log-level=
        --lock=?read | --import-map=read | --allow-run=?! | --allow-write=?! | --allow-net=?!
        --allow-read=?! | --allow-env=?! | --allow-ffi=?!""",
    "deno run,serve,test,bench": """operands:script text* | --watch=? | -r --reload=? | --check=?
        --env-file=?read | --env=?read | --cert=read | --seed= | -P --permission-set=?""",
    "deno compile,cache,check,bundle,info,doc": """operands:script text* | does:write | -o --output=write
        --icon=read | --include=read | -r --reload=? | --target= | --cert=read""",
    "deno repl": "operands:none | interpreter | --eval=code! | --eval-file=script!",
    "deno eval": "operands:code* | -p --print | --ext=",
    "deno install=i,add": "does:network | does:write | -n --name= | --root=write | -g --global | -f --force",
    "deno task": "operands:text text* | --cwd=folder",
    "deno fmt": "operands:write* | --check>read | --ext= | --ignore=",
    "perl": """operands:script read* | options-first | interpreter | -e=code drops | -E=code drops
        -i=?!>write | -n | -p | -a | -F= | -I=read! | -M=! | -m=! | -l | -0 | -x=? | -C | -d! | -D | -V=? | -c
        -s | -S | -t | -T | -u | -U | -v | -w | -W | -X | -f | -h""",
    "ruby": """operands:script read* | options-first | interpreter | -e=code drops | -i=?!>write | -n | -p
        -a | -F= | -I=read! | -r=script! | -C=folder | -x=?folder | -K | -E --external-encoding --encoding=
        --internal-encoding= | -0 | -T | -W | -l | -s | -S | -c>read | -d | -v | -w | -y | --enable=
        --disable= | --jit=? | --yjit=? | --dump= | --backtrace-limit=""",
    "irb,pry": """operands:script text* | options-first | interpreter | -r=script! | -I=read! | -e --exec=code
        -E=""",
    "php": """operands:script text* | options-first | interpreter | -r --run=code>text drops
        -B --process-begin=code>text drops | -R --process-code=code>text drops
        -F --process-file=script>text drops | -E --process-end=code>text drops | -f --file=script>text drops
        -c --php-ini=read! | -d --define=! | case:-d auto_prepend_file script!
        case:-d auto_append_file script! | -S --server=network! | -t --docroot=read
        -z --zend-extension=script! | -l --syntax-check>read | -s --syntax-highlight>read | -w --strip>read
        -a --interactive | -i --info | -m --modules | -n --no-php-ini | -v --version | --rf= | --rc= | --re=
        --ri=""",
    "lua=luajit": """operands:script text* | options-first | interpreter | -e=code | -l=! | -i | -v | -E | -W
        -j= | -O=? | -b>read | -""",
    "tclsh,wish,expect": """operands:script text* | options-first | interpreter | -c=code | -f=script drops
        -encoding= | -d | -D=""",
    "swipl,gprolog,yap": """operands:script text* | options-first | interpreter | -g=code! | -t=code!
        -s=script | -f=script | -q""",
    "gp,maxima,sage,matlab,scilab,bpython,ptpython,jrunscript,jjs,groovysh,janet,fennel,chez,gosh": """
        operands:script text* | options-first | interpreter | -e --eval --execute -batch=code! | -c=code!
        -x=code! | --batch-string=code! | -b --batch=script! | -r --run=code! | -f=script! | -l= | -q | -s""",
    "osascript": "operands:script text* | options-first | interpreter | -e=code drops | -l= | -s= | -i",
    "guile,scheme,racket,sbcl,clisp,ecl,gsi,csi": """operands:script text* | options-first | interpreter
        -c=code drops | -x=code drops | -e --eval=code | -l --load=script | -s=script ends drops
        --script=script ends drops | -f=script""",
    "ghc,runghc,runhaskell,ghci": "operands:script text* | interpreter | -e=code | -o=write | -package=",
    (
        "ocaml,scala,kotlin,groovy,julia,R,Rscript,octave,elixir,iex,dart,clojure,clj,bb,raku,nim"
    ): """operands:script text* | options-first | interpreter | -e --eval --expression=code drops
        -E --print=code drops | -L --load=script! | -r --require=script! | -f --file=script | -p --project=
        -t --threads= | -J --sysimage=read! | -cp -classpath --class-path=""",
    "swift": """subcommands | operands:script text* | interpreter | -e=code | -I=read | -L=read | -F=read
        -D=""",
    "swift build,test,run,package": """does:write | -c --configuration= | --package-path=folder
        --scratch-path --build-path=write | --product= | --target= | --filter= | -v --verbose | -Xswiftc=!
        -j=""",
    "crystal": "subcommands | operands:script text* | does:write | -o=write",
    "crystal eval": "operands:code* | interpreter",
    "wp,drush,artisan": "subcommands | does:write",
    "wp eval,shell": "operands:code* | interpreter",
    "drush php:eval,php-eval,ev,eval,php:script,core:cli": "operands:code* | interpreter",
    "artisan tinker": "operands:script | interpreter | --execute=code!",
    "mix run": "operands:script text* | -e --eval=code! | -r --require=script! | --no-start",
    "mix eval": "operands:code*",
    "prove": """operands:script* | -e --exec=shell! | -I=read! | -M=! | -P=! | -a --archive=write!
        -j --jobs= | --rc=read! | --harness=! | --formatter=! | --source=! | -r --recurse | -v --verbose | -l
        -b | -s""",
    "erl": """style:single | interpreter | -eval=code | -s= | -run= | -pa=read! | -pz=read! | -noshell
        -sname= | -name= | -setcookie= | -config=read | -boot=read!""",
    "java": """style:single | operands:script text* | options-first | -cp -classpath --class-path=read
        -jar=script>text drops ends | -m --module=text ends | -p --module-path=read | -agentlib=!
        -javaagent=! | --add-modules= | --add-opens= | --add-exports= | --add-reads=
        -XX:OnOutOfMemoryError -XX:OnError=shell! | -XX=?! | -D=? | -X=?""",
    "javac": """style:single | operands:read* | does:write | -d=write | -cp -classpath --class-path=read
        -s=write | -h=write | -processor=! | -processorpath=read! | -source= | -target= | --release=
        -sourcepath=read | -encoding= | -J=?!""",
    "jshell": "operands:script* | interpreter | --class-path= | --startup=script | -R=? | -C=?",
    "tsx,ts-node,esno,babel-node,coffee": """operands:script text* | options-first | interpreter
        -e --eval=code drops | -p --print=code drops | -r --require=script! | -P --project=read
        -T --transpile-only | -O --compiler-options= | --tsconfig=read | --loader=script!
        --import=script!""",
    "gdb": """operands:read* | interpreter | --args -args=command
        -ex --ex --eval-command -eval-command=code! | -iex --init-eval-command=code!
        -x --command -command=script! | -ix --init-command=script! | -p --pid= | -c --core=read
        -s --symbols=read | -e --exec=read | -d --directory=read | -cd --cd=folder | --tty= | -b= | -l=
        -q --quiet --silent | -batch --batch | -nx --nx | -n | -tui --tui | -i --interpreter= | --se=read
        -D --data-directory=read!""",
    "lldb": """operands:command | -o --one-line=code! | -O --one-line-before-file=code! | -s --source=script!
        -S --source-before-file=script! | -k --one-line-on-crash=code! | -p --attach-pid= | -n --attach-name=
        -c --core=read | -f --file=read | -b --batch""",
    "sqlite3=sqlite": """style:single | operands:write code* | interpreter | -cmd=code | -init=script!
        -separator= | -newline= | -nullvalue= | -readonly>read | -vfs= | -maxsize= | -mmap= | -heap=
        -lookaside=,text | -pagecache=,text | -A=? | -batch | -bail | -csv | -json | -header | -line
        -column""",
    "cd,chdir": "operands:folder | -L | -P | -e | -@",
    "pushd,popd": "operands:folder | -n",
    (
        "dirs,pwd,times,jobs,fg,bg,disown,suspend,logout,exit,return,break,continue,true,false,:,caller,"
        "umask,shift,setopt,unsetopt,rehash,limit,unlimit,sched,ttyctl,zstyle,compdef,compinit,"
        "autoload,zle,bindkey,vared,getln,pushln,echotc,echoti,functions,logname,whoami,tty,lastlog,"
        "locale,getconf,lsb_release,sw_vers,iostat,mpstat,lscpu,lsusb,lspci,lsmem,let"
    ): "operands:text*",
    "echo": "style:none",
    "print": "options-first | -u= | -f= | -v=env | -C= | -x= | -X= | -n | -r | -l | -P | -R | -z | -s",
    "printf": "options-first | -v=env",
    "test,[,[[": "style:none",
    "export": "operands:env* | -n>text | -f | -p",
    "declare,typeset,local,integer,float": _DECLARE,
    "readonly": "operands:env* | -a | -A | -f | -p",
    "unset,unexport": "-f | -v | -n",
    "setenv": "operands:env text",
    "unsetenv": "operands:text*",
    "alias,unalias,abbr": "-p | -a | -g | -s | -m | -L | -r",
    "set": """options-first | -o= | +o= | +e | +x | +u | +f | +a | +b | +h | +k | +m | +n | +p | +v | +B | +C
        +E | +H | +P | +T""",
    "shopt": "-s | -u | -o | -p | -q",
    "eval": "style:none | operands:shell*",
    "source,.": "style:none | operands:script text*",
    "exec": "operands:command | options-first | transparent | -a= | -c | -l",
    "command": "operands:command | options-first | transparent | -p | -v>text | -V>text",
    "builtin": "operands:command | options-first | transparent",
    "noglob,nocorrect": "operands:command | style:none | transparent",
    "coproc": "operands:command | style:none",
    "trap": "operands:shell text* | options-first | - drops | -p>text drops | -l>text drops | -P>text drops",
    "hash": "-p=read! | -r | -d | -t | -l",
    "enable": "-f=script! | -a | -d | -n | -p | -s",
    "zmodload": "-F | -i | -u | -a | -e",
    "read": """operands:env* | -a=env | -d= | -i= | -n= | -N= | -p= | -t= | -u= | -r | -s | -e | -E | -A
        -k=? | -q""",
    "mapfile,readarray": "operands:env | -C=shell! | -c= | -d= | -n= | -O= | -s= | -u= | -t",
    "getopts": "operands:text env text*",
    "wait": "-p=env | -f | -n",
    "kill": "-s --signal= | -n= | -l --list=? | -L --table | -q --queue= | --timeout=,text | -p --pid | -a",
    "type": "-a | -f | -p | -P | -t",
    "complete,compgen,compopt": """-C=shell! | -F=! | -W= | -A= | -G= | -X= | -P= | -S= | -o= | -V= | -D | -E
        -I | -p | -r""",
    "bind": "-x=shell! | -f=read | -m= | -q= | -u= | -r= | -l | -p | -P | -s | -S | -v | -V | -X",
    "fc": "-e=shell! | -l | -n | -r | -s | -W | -R | -A",
    "history": "-d= | -a=?write | -w=?write | -r=?read | -n=?read | -c | -p | -s",
    "emulate": "operands:text text* | -c=shell | -L | -R",
    "zcompile": "operands:write read*",
    "ulimit": "-S | -H | -a | -c=? | -n=? | -u=? | -v=? | -s=? | -f=? | -t=?",
    "lsof": """operands:read* | -i=? | -p= | -u= | -c= | -d= | -a | -n | -P | -t | -l | -s=? | -g=? | -r=?
        +d=read | +D=read | -D=? | -F=? | -o=? | -S=? | -T=? | -k= | -m=""",
    "id,groups,users,w": "-u --user | -g --group | -G --groups | -n --name | -r --real | -z --zero",
    "who": "-a --all | -b --boot | -d --dead | -H | -l | -m | -p | -q | -r | -s | -t | -T | -u",
    "last,lastb": "-n --limit= | -f --file=read | -s --since= | -t --until= | -p --present= | --time-format=",
    "uname,hostid,uptime,free,vmstat,nproc": "-s --seconds= | -c --count= | --ignore= | -S --unit=",
    "printenv": "operands:env* | -0 --null",
    "hostname": """operands:text | -F --file=read | -b | -f --fqdn --long | -i | -I | -s --short | -d | -A
        -y""",
    (
        "ld.so,ld-linux.so.2,ld-linux-x86-64.so.2,ld-linux-aarch64.so.1,ld-linux-armhf.so.3,"
        "ld-musl-x86_64.so.1,ld-musl-aarch64.so.1"
    ): _LOADER,
    "qemu-x86_64,qemu-aarch64,qemu-arm,qemu-i386,qemu-riscv64": _EMULATOR,
    "qemu-x86_64-static,qemu-aarch64-static,qemu-arm-static,qemu-i386-static": _EMULATOR,
    "infisical run": f"""{_BEHIND} | --command=shell! | -e --env= | --path= | --projectId= | --token=
        --recursive | --watch | --expand=?""",
    "chamber exec": f"{_BEHIND} | --strict | --pristine | --strict-value=",
    "envchain": """operands:text command | options-first | -s --set>text drops | -l --list>text drops
        --unset>text drops | -v --show-value | -p --require-passphrase | -n --noecho""",
    "summon": """operands:command | options-first | -p --provider=shell! | -f=read | --yaml= | -D=
        -i --ignore= | -e --environment= | --up | -I""",
    "railway": "subcommands | does:network",
    "railway run": "operands:command | options-first | -s --service= | -e --environment= | -p --project=",
    "pixi": "subcommands | does:network | does:write | --manifest-path=read | -q | -v",
    "pixi run=r": "operands:command | options-first | -e --environment= | --frozen | --locked | --clean-env",
    "pixi exec=x": "operands:command | options-first | -s --spec= | -c --channel= | -p --platform= | -w=",
    "devbox": "subcommands | does:network | does:write | -c --config=folder | -q",
    "devbox run": "operands:shell* | options-first | -e --env=env | --env-file=read",
    "distrobox,toolbox": "subcommands",
    "distrobox enter": f"{_BEHIND} | -n --name= | -e=command | -a --additional-flags=! | -T | -nw | -r",
    "toolbox run": "operands:command | options-first | -c --container= | -d --distro= | -r --release=",
    "sandbox-exec": "operands:command | options-first | -p= | -f=read | -n= | -D=",
    "machinectl": "subcommands | -M --machine= | -H --host=network! | --uid= | -q",
    "machinectl shell": "operands:text command | options-first | -E --setenv=env",
    "lxc-attach,lxc-execute": """operands:command | options-first | -n --name= | -f --rcfile=read!
        -P --lxcpath= | -o --logfile=write! | -l --logpriority= | -a --arch= | -s --namespaces=
        -v --set-var=env | -u --uid= | -g --gid= | -e --elevated-privileges=? | -q --quiet""",
    "cgexec": "operands:command | options-first | -g= | --sticky",
    "chpst": """operands:command | options-first | -u= | -U= | -b= | -e=read | -/=folder | -C=folder | -n=
        -l=write | -L=write | -m= | -d= | -o= | -p= | -f= | -c= | -t= | -r= | -v | -P | -0 | -1 | -2""",
    "softlimit": """operands:command | options-first | -a= | -c= | -d= | -f= | -l= | -m= | -o= | -p= | -r=
        -s= | -t=""",
    "trickle": "operands:command | options-first | -d= | -u= | -w= | -t= | -l= | -n= | -L= | -s | -v",
    "dtrace": """-c=shell! | -n=code! | -s=script! | -o=write! | -p= | -P= | -m= | -f= | -i= | -x= | -w! | -q
        -Z | -C | -l | -h | -S""",
    "bpftrace": """operands:script text* | options-first | -c=shell! | -e=code! | -o=write! | -p= | -f=
        -I=read | -v | -l=? | --unsafe!""",
    "rr,uftrace": "subcommands",
    "rr record": "operands:command | options-first | -o --output-trace-dir=write | -h --chaos | -n",
    "uftrace record,live": "operands:command | options-first | -d --data=write | -F= | -N= | -P= | -a",
    "wait-for-it,wait-for-it.sh,wait-for": f"""{_BEHIND} | -t --timeout= | -h --host= | -p --port=
        -s --strict | -q --quiet""",
    "dockerize": """style:single | operands:command | options-first | -wait=network | -timeout= | -delims=
        -template= | -stdout=read | -stderr=read | -wait-http-header= | -wait-retry-interval= | -env=read""",
    "retry": """operands:command | options-first | -t --times --tries= | -d --delay= | -u --until= | -m=
        -s --sleep= | -x= | -b""",
    "task-spooler": """operands:command | options-first | -L= | -N= | -D= | -W= | -O= | -n | -f | -g | -m | -d
        -B""",
    "zellij": "subcommands | -s --session= | -l --layout=read! | -c --config=read!",
    "zellij run=r": """operands:command | options-first | -n --name= | -d --direction= | --cwd=folder
        -f --floating | -i --in-place | -c --close-on-exit | -s --start-suspended""",
    "tsp": "operands:command | options-first | -L= | -N= | -D= | -W= | -O= | -n | -f | -g | -m | -d | -B",
    "nq": "operands:command | options-first | -c | -q | -w | -t",
    "sem": """operands:shell* | options-first | -j --jobs= | --id= | --st --semaphoretimeout= | --fg | --bg
        --wait | -u""",
    "arch-chroot": "operands:folder command | interpreter | options-first | -u= | -N | -r | -S",
    "schroot": """operands:command | interpreter | options-first | -c --chroot= | -u --user=
        -d --directory=folder | -n --session-name= | -s --shell=script! | -o --option= | -b | -r | -e | -p
        -q | -v | -a""",
    "nsjail": """operands:command | options-first | -C --config=read! | -c --chroot=folder | -M --mode=
        -x --exec_file=script! | -D --cwd=folder | -R --bindmount_ro=read | -B --bindmount=write
        -T --tmpfsmount= | -E --env=env | -u --user= | -g --group= | -t --time_limit= | -l --log=write! | -Q
        -v | -q | -e | -N""",
    "minijail0": """operands:command | options-first | -u= | -g= | -b= | -C=folder | -P=folder | -k= | -S=read
        -c= | -f=write | -d | -e | -i | -I | -l | -n | -N | -p | -r | -s | -t | -T= | -v | -w""",
    "startx,xinit,run-one,run-this-one,keep-one-running": "operands:command | options-first",
    "envdir,s6-envdir": "operands:read command | options-first | -f | -n | -i | -I | -L= | -c=",
    "execlineb": "operands:script text* | options-first | interpreter | -c=code | -P | -p | -S= | -s= | -e",
    "guix shell,environment": f"""{_BEHIND} | -D --development= | -m --manifest=script! | -f --file=script!
        -e --expression=code! | -C --container | -N --network | --pure | --share=write! | --expose=read
        -E --preserve=""",
    "fab": "--=command | -H --hosts= | -i --identity=read | -c --collection=script! | -r --search-root=",
    "terragrunt exec": _BEHIND,
    "vagrant ssh": "interpreter | --=command | -c --command=shell | -p --plain",
    "netlify,firebase,cdk,doctl": "subcommands | does:network | -a --app=shell! | -o --output=write!",
    "netlify dev": "-c --command=shell! | -d --dir= | -p --port=",
    "netlify dev:exec": "operands:command | options-first",
    "firebase emulators:exec": """operands:shell* | --only= | --project= | --import=read
        --export-on-exit=?write! | --ui""",
    "doctl compute": "subcommands | --ssh-command=shell!",
    "launchctl": "subcommands",
    "launchctl submit": f"{_BEHIND} | -l= | -p=script! | -o=write! | -e=write!",
    "tcpsvd,udpsvd": """operands:network text command | options-first | -h | -E | -v | -l= | -u= | -c= | -C=
        -b= | -x""",
    "env_parallel,parset": "operands:shell* | options-first | -j --jobs= | -n= | -k | -0",
    "nvm exec,run": "operands:text command | --silent",
    "fnm exec": "operands:command | --using=",
    "asdf exec": "operands:command | style:none",
    "rustup run": "operands:text command | options-first | --install",
    "volta run": "operands:command | options-first | --node= | --npm= | --yarn= | --env=env",
    "n exec": "operands:text command",
    "railway ssh": "operands:shell* | options-first | -s --service= | -e --environment= | -p --project=",
    "borg with-lock": "operands:text command | options-first",
    "etcdctl exec-watch": f"{_BEHIND}",
    "restic": """subcommands | -r --repo=network! | -p --password-file=read | --password-command=shell!
        --repository-file=read | --cache-dir=write | -o --option=! | -q | -v""",
    "restic backup": """operands:read* | does:network | --files-from=read | --exclude= | -e= | --tag= | -H=
        --exclude-file=read""",
    "restic restore": "operands:text | does:network | -t --target=write | -i --include= | -e --exclude=",
    "restic forget,prune": """does:delete | does:network | --prune | -n --dry-run shows | --keep-last=
        --keep-daily= | --keep-weekly=""",
    "borg": "subcommands | --rsh=shell! | --remote-path= | --info | -v | -p --progress",
    "borg create": """operands:text read* | does:write | -e --exclude= | --exclude-from=read
        --content-from-command! | --paths-from-stdin | -C --compression= | -s --stats""",
    "borg extract": "operands:text text* | does:write | -e --exclude= | --strip-components= | --stdout",
    "borg delete,prune": """does:delete | -s --stats | --keep-daily= | --keep-weekly= | -n --dry-run shows
        --list""",
    "duplicity": """does:network | --ssh-options=! | --rsync-options=! | --include= | --exclude=
        --encrypt-key= | --archive-dir=write | --file-to-restore= | -t=""",
    "nix": """subcommands | --option=,text! | -f --file=read! | -I= | --expr=code! | --impure
        --extra-experimental-features= | --experimental-features=""",
    "nix run": "operands:package text* | options-first | does:network",
    "nix shell,develop": "does:network | -c --command=command | -i --ignore-environment | -k --keep=",
    (
        "nix-env,nix-build,nix-store,nix-collect-garbage,nix-channel,nix-instantiate,nixos-rebuild,"
        "home-manager,darwin-rebuild"
    ): """does:network | does:write | -E --expr=code! | -I= | -A --attr= | -f --file=read! | -p --profile=
        --option=,text! | -o --out-link=write | --arg=,text | --argstr=,text""",
}

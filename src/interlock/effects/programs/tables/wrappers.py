"""Programs that run the command they are given."""

from __future__ import annotations

from typing import Final

_ARCH: Final = """operands:command | interpreter | options-first | -R --addr-no-randomize | -3 --3gb
    -B --32bit | -F | -I | -L | -S | -T | -X | -Z | -v --verbose | --uname-2.6 | -p --pid="""
_SU: Final = """operands:text* | interpreter | shell | - | -c --command=shell | --session-command=shell
    -s --shell=script! | -g --group= | -G --supp-group= | -w --whitelist-environment= | -l --login
    -m -p --preserve-environment | -f --fast | -P --pty | -T --no-pty"""
_EXEC_CASES: Final = "\n".join(
    f"case:-p exec{moment} shell!"
    for moment in ("startpre", "startpost", "start", "stoppost", "stop", "reload", "condition")
)

PROGRAMS: Final[dict[str, str]] = {
    "sudo": """operands:env* command | interpreter | options-first | -u --user= | -g --group= | -p --prompt=
        -C --close-from= | -D --chdir=folder | -h --host= | -r --role= | -t --type= | -T --command-timeout=
        -U --other-user= | -R --chroot=folder | -a --auth-type= | -c --login-class= | -A --askpass
        -b --background | -B --bell | -E | --preserve-env=? | -e --edit>write | -H --set-home | -i --login
        -k --reset-timestamp | -K --remove-timestamp | -l --list>text | -n --non-interactive | -N --no-update
        -P --preserve-groups | -s --shell | -S --stdin | -v --validate | -V --version""",
    "sudoedit": """operands:write* | -u --user= | -g --group= | -p --prompt= | -C --close-from=
        -D --chdir=folder | -h --host= | -T --command-timeout= | -R --chroot=folder | -n | -A | -S | -k
        -s""",
    "doas": "operands:command | interpreter | options-first | -u= | -C=read | -a= | -n | -s | -L",
    "su": _SU + " | -u --user=>command",
    "runuser": _SU + " | -u --user=>command",
    # It runs a command in another group; another program of this name searches code.
    "sg": """operands:text shell | - | -c=shell | -p --pattern=>text | -l --lang= | -r --rewrite= | --json=?
        -C --context= | --globs= | -i --interactive | --rule --inline-rules=>text | --filter=
        --report-style=""",
    "newgrp": "operands:text | interpreter | shell | - | -c=shell",
    "pkexec,gksudo,kdesudo,run0": """operands:command | options-first | --user -u= | --disable-internal-agent
        --keep-cwd | -D --chdir=folder | --setenv= | --property= | --slice= | --unit= | --description=
        --nice= | --background=""",
    "env": """operands:env* command | options-first | -i - --ignore-environment | -u --unset=
        -C --chdir=folder | -S --split-string=shell!>shell ends drops | -0 --null | -v --debug | -a --argv0=
        -P=read! | --block-signal=? | --default-signal=? | --ignore-signal=? | --list-signal-handling""",
    "xargs": """operands:command | options-first | more | -I= | -i --replace=? | -n --max-args=
        -P --max-procs= | -s --max-chars= | -L= | -l --max-lines=? | -d --delimiter= | -a --arg-file=read
        -E= | -e --eof=? | -J= | -R= | -S= | --process-slot-var= | -0 --null | -r --no-run-if-empty
        -t --verbose | -p --interactive | -x --exit | -o --open-tty | --show-limits""",
    "parallel": """operands:shell* | options-first | more | interpreter | shell | -j -P --jobs --max-procs=
        -a --arg-file=read | -I= | -i --replace=? | -n --max-args= | -N --max-replace-args= | -L=
        -l --max-lines=? | -s --max-chars= | -d --delimiter= | -E= | -e --eof=? | -C --colsep=
        -S --sshlogin=network! | --sshloginfile --slf=read! | --joblog=write! | --results=write!
        --tmpdir=write | --wd --workdir=folder | --delay= | --timeout= | --retries= | --halt= | --load=
        --memfree= | --nice= | --tagstring= | --env= | --block= | --recstart= | --recend= | --tmux | --pipe
        --pipepart | -k --keep-order | -0 --null | -q --quote | -r --no-run-if-empty | -t --verbose | -v | -X
        -x | -m | -u --ungroup | -p | --bar | --eta | --dry-run | --dryrun | --will-cite | --tag
        --line-buffer | --lb | --xargs | --plus | --shebang | -W= | --return= | --trc= | --basefile --bf=read
        --transferfile --tf=read | --onall | --nonall | --rpl= | --plus""",
    "timeout": """operands:text command | options-first | transparent | -s --signal= | -k --kill-after=
        -f --foreground | -p --preserve-status | -v --verbose""",
    "nice": "operands:command | options-first | transparent | -n --adjustment=",
    "ionice": """operands:command | options-first | transparent | -c --class= | -n --classdata=
        -p --pid=>text | -P --pgid=>text | -u --uid=>text | -t --ignore""",
    "nohup": "operands:command | options-first | transparent",
    "setsid": "operands:command | options-first | transparent | -c --ctty | -f --fork | -w --wait",
    "stdbuf": "operands:command | options-first | transparent | -i --input= | -o --output= | -e --error=",
    "time": """operands:command | options-first | transparent | -o --output=write! | -f --format=
        -a --append | -p --portability | -v --verbose | -q --quiet | -l | -h""",
    "unbuffer": "operands:command | options-first | -p",
    "chrt": """operands:text command | options-first | -T --sched-runtime= | -P --sched-period=
        -D --sched-deadline= | -p --pid>text drops | -a | -b | -f | -i | -o | -r | -d | -m | -R | -v""",
    "taskset": "operands:text command | options-first | -c --cpu-list | -p --pid>text drops | -a --all-tasks",
    "numactl": """operands:command | options-first | -i --interleave= | -N --cpunodebind= | -C --physcpubind=
        -m --membind= | -p --preferred= | -P --preferred-many= | -l --localalloc | -S --shm=read
        -f --file=read""",
    "cpulimit": """operands:command | options-first | -l --limit= | -p --pid= | -e --exe= | -P --path=
        -c --cpu= | -m | -v | -z | -i | -f""",
    "prlimit": """operands:command | options-first | -p --pid= | -o --output= | -n --nofile=? | -v --as=?
        -c --core=? | -t --cpu=? | -u --nproc=? | -s --stack=? | -f --fsize=? | -l --memlock=? | -m --rss=?
        --noheadings | --raw""",
    "choom": "operands:command | options-first | -n --adjust= | -p --pid=",
    "uclampset": "operands:command | options-first | -m= | -M= | -p --pid= | -a | -s | -R | -v",
    "renice": "-n --priority= | --relative= | -p --pid | -g --pgrp | -u --user",
    "setarch": _ARCH,
    (
        "linux32,linux64,i386,x86_64,uname26,sparc,sparc32,sparc64,ppc,ppc32,ppc64,mips,mips32,"
        "mips64,arm,aarch64"
    ): _ARCH,
    "arch": """operands:command | style:single | options-first | -d= | -e= | -arch= | -x86_64 | -arm64
        -arm64e | -i386 | -c | -h""",
    "setpriv": """operands:command | options-first | --ambient-caps= | --inh-caps= | --bounding-set= | --ruid=
        --euid= | --rgid= | --egid= | --reuid= | --regid= | --groups= | --securebits= | --pdeathsig=
        --selinux-label= | --apparmor-profile= | --ptracer= | --landlock-access= | --landlock-rule=
        --seccomp-filter=read | -d --dump | --no-new-privs --nnp | --clear-groups --keep-groups --init-groups
        --reset-env""",
    "capsh": """operands:code* | --chroot=folder | --user= | --uid= | --gid= | --caps= | --drop= | --inh=
        --addamb=""",
    "setcap": "operands:text write* | -n= | -q | -r | -v | -f",
    "chroot": """operands:folder command | interpreter | options-first | --userspec= | --groups=
        --skip-chdir""",
    "unshare": """operands:command | interpreter | options-first | -i --ipc=?write | -m --mount=?write
        -n --net=?write | -p --pid=?write | -u --uts=?write | -U --user=?write | -C --cgroup=?write
        -T --time=?write | -f --fork | --mount-proc=? | --mount-binfmt=? | -r --map-root-user
        -c --map-current-user | --map-auto | --map-user= | --map-group= | --map-users= | --map-groups=
        --propagation= | --setgroups= | --kill-child=? | -R --root=write | -w --wd=folder | -S --setuid=
        -G --setgid= | --monotonic= | --boottime= | -l --load-interp=read! | --keep-caps""",
    "nsenter": """operands:command | interpreter | options-first | -t --target= | -m --mount=? | -u --uts=?
        -i --ipc=? | -n --net=? | -p --pid=? | -C --cgroup=? | -U --user=? | -T --time=? | -S --setuid=
        -G --setgid= | -r --root=? | -w --wd=? | -W --wdns= | -a --all | -e --env | -F --no-fork
        -Z --follow-context | --preserve-credentials""",
    "flock": """operands:write command | -c --command=shell | -w --timeout --wait= | -E --conflict-exit-code=
        -s --shared | -x -e --exclusive | -u --unlock | -n --nb --nonblock | -o --close | -F --no-fork
        --verbose""",
    "lockf": "operands:write command | options-first | -t= | -k | -n | -s",
    "watch": """operands:shell* | options-first | -n --interval= | -d --differences=? | -q --equexit=
        -s --shotsdir=write! | -x --exec>command | -b --beep | -c --color | -C --no-color | -e --errexit
        -g --chgexit | -p --precise | -r --no-rerun | -t --no-title | -w --no-wrap | -f --follow""",
    "script": """operands:write command | -c --command=shell! | -I --log-in=write | -O --log-out=write
        -B --log-io=write | -T --log-timing=write | -t --timing=?write | -m --logging-format=
        -o --output-limit= | -E --echo= | -a --append | -e --return | -f --flush | -q --quiet | --force""",
    "scriptreplay,scriptlive": """operands:read* | -t --timing=read | -T --log-timing=read | -I --log-in=read
        -O --log-out=read | -B --log-io=read | -c --command=shell! | -d --divisor= | -m --maxdelay=""",
    "strace": """operands:command | options-first | -o --output=write! | case:-o ! shell!
        case:-o PIPE shell! | -e --trace= | -p --attach= | -E --env=env! | -u --user= | -a --columns=
        -s --string-limit= | -S --summary-sort-by= | -O --summary-syscall-overhead= | -I --interruptible=
        -b --detach-on= | -P --trace-path= | -X --const-print-style= | -U --summary-columns= | --kill-on-exit
        -f --follow-forks | -ff | -c --summary-only | -C --summary | -t | -tt | -ttt | -T | -r | -q --quiet=?
        -v | -y | -yy | -x | -xx | -i | -k | -n | -d | -D | -Z | -z | -w""",
    "ltrace": """operands:command | options-first | -o --output=write! | -e= | -p= | -u= | -a --align= | -s=
        -n --indent= | -A= | -D --debug= | -F --config=read! | -l --library= | -x= | -w --where= | -f | -c
        -C | -S | -r | -t | -T | -i | -L | -b""",
    "perf": """subcommands | options-first | --exec-path=?! | --debugfs-dir= | --buildid-dir= | --no-pager
        -p --paginate""",
    "perf record,stat,trace": """operands:command | options-first | -o --output=write | -e --event=
        -p --pid= | -t --tid= | -C --cpu= | -F --freq= | -c --count= | -g | --call-graph= | -a --all-cpus
        -r --repeat= | -x --field-separator= | -u --uid= | -G --cgroup= | --filter= | --pre=shell!
        --post=shell! | -D --delay= | -I --interval-print= | -i --input=read | -s --summary""",
    "perf report,annotate,script,diff": """-i --input=read | -s --script= | -F --fields= | -S --symbols=
        --objdump=shell! | --addr2line=shell! | --sort=""",
    "valgrind": """operands:command | options-first | --tool= | --log-file=write! | --xml-file=write!
        --suppressions=read | --gen-suppressions= | --leak-check= | --num-callers= | --db-command=shell!
        --vgdb=""",
    (
        "heaptrack,torify,tsocks,eatmydata,catchsegv,dbus-launch,with-contenv,winpty,wine,"
        "primusrun,optirun,gamemoderun,fakechroot,ccache,sccache,distcc,icecc,fghack,pgrphack,autoexpect,"
        "distrobox-host-exec,shx"
    ): """operands:command | options-first""",
    "pee,mispipe": "operands:shell*",
    "tini,dumb-init": """operands:command | options-first | -p= | -r --rewrite= | -e= | -c --single-child | -s
        -g | -v --verbose | -w""",
    "grc": "operands:command | options-first | -c=read | -e --stderr | -s --stdout | --colour= | --pty",
    "chronic": "operands:command | options-first | -v | -e",
    "ifne": "operands:command | options-first | -n",
    "torsocks": """operands:command | options-first | -u --user= | -p --pass= | -a --address= | -P --port=
        -i --isolate | -d --debug | -q --quiet | --shell!""",
    "dbus-run-session": """operands:command | options-first | --config-file=read! | --dbus-daemon=shell!""",
    "proot": """operands:command | interpreter | options-first | -r --rootfs=folder | -R=folder | -S=folder
        -b --bind -m --mount= | -w --pwd --cwd=folder | -q --qemu=shell! | -k --kernel-release= | -v= | -0
        -l --link2symlink | --kill-on-exit | -n --netcoop""",
    "faketime": "operands:text command | options-first | -f | -m | --exclude-monotonic | -p= | --date-prog=!",
    "gosu,su-exec,setuidgid,s6-setuidgid,setlock,envuidgid": """operands:text command | options-first | -n
        -N | -x | -X | -d | -D""",
    "trace-cmd,stap": "subcommands | -c=shell! | -e=code! | -o=write!",
    "trace-cmd record": "operands:command | options-first | -e= | -p= | -P= | -f= | -v",
    "flatpak-spawn": """operands:command | options-first | --directory=folder | --env=env | --unset-env=
        --forward-fd= | --host | --clear-env | --watch-bus | --latest-version | --sandbox""",
    "sshpass": "operands:command | options-first | -p= | -f=read | -d= | -P= | -e | -v",
    "fakeroot": """operands:command | interpreter | options-first | -l --lib=script! | --faked=shell!
        -s=write! | -i=read | -u --unknown-is-real | -b=""",
    "proxychains,proxychains4": "operands:command | options-first | -q | -f=read!",
    "caffeinate": "operands:command | options-first | -t= | -w= | -d | -i | -m | -s | -u",
    "systemd-cat": """operands:command | options-first | -t --identifier= | -p --priority=
        --stderr-priority= | --level-prefix=""",
    "systemd-inhibit": "operands:command | options-first | --what= | --who= | --why= | --mode= | --list",
    "xvfb-run": """operands:command | options-first | -a --auto-servernum | -e --error-file=write!
        -f --auth-file=read | -n --server-num= | -p --xauth-protocol= | -s --server-args= | -w --wait=
        -l""",
    "rlwrap": """operands:command | options-first | -f --file=read | -H --history-filename=write!
        -l --logfile=write! | -z --filter=shell! | -a --always-readline=? | -b --break-chars=
        -C --command-name= | -D --history-no-dupes= | -P --pre-given= | -q --quote-characters=
        -s --histsize= | -S --substitute-prompt= | -w --wait-before-prompt= | -i --case-insensitive
        -n --no-warnings | -A --ansi-colour-aware=? | -c --complete-filenames
        -e --extra-char-after-completion= | -g --forget-matching= | -I --pass-sigint-as-sigterm
        -m --multi-line=? | -N --no-children | -o --one-shot | -O --only-cook= | -p --prompt-colour=?
        -r --remember | -R --renice | -t --set-term-name= | -T --test-terminal | -W --polling=?
        -X --skip-setctty | -v --version""",
    "firejail": "operands:command | interpreter | options-first",
    "bwrap": """operands:command | options-first | --ro-bind=read,text | --bind=edit,text
        --dev-bind=edit,text | --ro-bind-try=read,text | --bind-try=edit,text | --dev-bind-try=edit,text
        --symlink=,text | --proc= | --dev= | --tmpfs= | --mqueue= | --dir= | --file=,text | --bind-data=,text
        --ro-bind-data=,text | --chdir=folder | --setenv=env,text | --unsetenv=env | --hostname= | --uid=
        --gid= | --args= | --argv0= | --chmod=,text | --remount-ro= | --seccomp= | --lock-file=write
        --sync-fd= | --info-fd= | --json-status-fd= | --block-fd= | --userns= | --userns2= | --pidns=
        --exec-label= | --file-label= | --cap-add= | --cap-drop= | --perms= | --size= | --add-seccomp-fd=
        --unshare-all | --unshare-net | --unshare-pid | --unshare-user | --unshare-ipc | --unshare-uts
        --unshare-cgroup | --share-net | --die-with-parent | --new-session | --clearenv""",
    "systemd-run": f"""operands:command | options-first | -u --unit= | -p --property=! | {_EXEC_CASES}
        --description= | --slice= | --uid= | --gid= | --nice= | --working-directory=folder | -E --setenv=env
        -M --machine=network! | -H --host=network! | --on-active= | --on-boot= | --on-startup=
        --on-unit-active= | --on-unit-inactive= | --on-calendar= | --timer-property= | --path-property=
        --socket-property= | --service-type= | --background= | -t --pty | -P --pipe | -S --shell | -q --quiet
        -G --collect | -r --remain-after-exit | -d --same-dir | --user | --system | --scope | --wait
        --no-block""",
    "at,batch": """interpreter | shell | does:write | -f=script! | -q= | -t= | -c>text | -d -r>text | -l>text
        -m | -M | -v | -V""",
    "atrm,atq": "-q=",
    "crontab": "operands:script | interpreter | -u= | -e! | -l | -r! does:delete | -i | -n= | -s | -T=read",
    "busybox,toybox,busybox.static,busybox-static": "operands:command | style:none",
    "run-parts": "operands:script* | --arg= | -a= | --umask= | -u= | --regex= | --test | --list | --report",
    "start-stop-daemon": """-x --exec=shell!>shell | -a --startas=shell!>shell | -p --pidfile=read
        -n --name= | -u --user= | -c --chuid= | -g --group= | -s --signal= | -R --retry= | -d --chdir=folder
        -r --chroot=folder | -N --nicelevel= | -S --start | -K --stop | -b --background | -m | -o | -q | -v
        -t | -C | -O --output=write!""",
    "daemonize": """operands:command | options-first | -a | -c=folder | -e=write! | -E=env! | -l=write
        -o=write! | -p=write! | -u= | -v""",
    "tmux=byobu": """subcommands | options-first | -c=shell! | -f=script! | -L= | -S= | -T= | -2 | -8 | -C
        -D | -l | -N | -q | -u | -v | -V""",
    (
        "tmux new-session=new,new-window=neww,split-window=splitw=split,respawn-pane=respawnp,"
        "respawn-window=respawnw"
    ): """operands:shell* | options-first | -c=folder | -d | -e=env | -F= | -n= | -s= | -t= | -x= | -y= | -f=
        -l= | -p= | -A | -a | -b | -D | -E | -P | -h | -v | -k | -I | -Z | -X | -S""",
    "tmux send-keys=send=send-key": "operands:code* | -t= | -N= | -c= | -l | -R | -M | -X | -H | -F | -K",
    "tmux run-shell=run": "operands:shell* | -t= | -d= | -c=folder | -b | -C | -F",
    "tmux if-shell=if": "operands:shell code* | -t= | -b | -F",
    "tmux display-popup=popup": """operands:shell* | options-first | -b= | -c= | -d=folder | -e=env | -h=
        -s= | -S= | -t= | -T= | -w= | -x= | -y= | -B | -C | -E""",
    "tmux set-hook,bind-key=bind,confirm-before=confirm,command-prompt": """operands:code* | -t= | -T= | -p=
        -N= | -I= | -g | -a | -r | -R | -u | -w | -n""",
    "tmux set-option=set,set-window-option=setw,choose-tree,choose-client": """operands:text code* | -N | -t=
        -F= | -f= | -O= | -c= | -d= | -g | -a | -o | -p | -q | -s | -u | -w | -v""",
    "tmux display-message=display": "-t= | -F= | -c= | -d= | -a | -p | -I | -l | -N | -v",
    (
        "tmux list-sessions=ls,attach-session=attach=at=a,kill-session,kill-server,has-session=has,kill-pane,"
        "kill-window,capture-pane=capturep,list-windows=lsw,list-panes=lsp,select-window,select-pane,"
        "rename-session=rename,rename-window,detach-client=detach,wait-for=wait,start-server=start,"
        "show-options=show,show-buffer=showb,resize-pane,switch-client=switchc,list-keys"
    ): """operands:text code* | -t= | -F= | -f= | -s= | -S= | -E= | -b= | -c= | -x= | -y= | -L | -U | -a | -e
        -d | -p | -J | -C | -N | -P | -q | -r | -D | -R | -Z | -g | -v | -w""",  # further commands follow `;`
    "tmux copy-pipe=copyp": "operands:shell*",
    "tmux load-buffer=loadb": "operands:read | -b= | -t= | -w",
    "tmux save-buffer=saveb": "operands:write | -b= | -a",
    "tmux pipe-pane=pipep": "operands:shell* | -t= | -I | -O | -o",
    "tmux source-file=source": "operands:script* | -t= | -F | -n | -q | -v",
    "screen": """operands:command | options-first | -S= | -c=script! | -e= | -h= | -p= | -r | -R | -d | -D
        -x | -s=shell! | -t= | -T= | -X=code!>code ends | -Q= | -L | -Logfile=write! | -A | -a | -f | -i | -l
        -ls -list | -m | -O | -q | -U | -v | -wipe""",
    "dtach,abduco": """operands:write command | options-first | -A=write>command drops
        -n=write>command drops | -c=write>command drops | -e= | -r=""",
    "reflex": """operands:command | options-first | -r --regex= | -R --inverse-regex= | -g --glob=
        -G --inverse-glob= | -t --shutdown-timeout= | -d --decoration= | -c --config=script! | -s
        --only-files | --only-dirs | --all | -v""",
    "onchange": """--=command | -a --add | -i --initial | -w --wait | -e --exclude= | -d --delay=
        -f --filter= | -k --kill | -p --poll= | -j --jobs= | -o= | --await-write-finish=?""",
    "watchexec": """operands:shell* | options-first | -w --watch=read | -W --watch-non-recursive=read
        -e --exts= | -i --ignore= | -f --filter= | -j --filter-prog= | -r --restart | -c --clear=?
        -s --signal= | --stop-signal= | --stop-timeout= | -d --debounce= | -o --on-busy-update= | --shell=!
        -n | -E --env=env | -N --notify | -q --quiet | -p --postpone | --delay-run= | --poll=?
        --workdir=folder | --project-origin=read | --filter-file=read | --ignore-file=read | -I --interactive
        --no-vcs-ignore | --no-project-ignore | --no-global-ignore | --no-default-ignore
        --no-discover-ignore | --timings | --color= | --bell | --exit-on-error | --fs-events=
        --emit-events-to= | -v --verbose | --wrap-process= | --map-signal= | --no-meta""",
    "nodemon,watchman-make,chokidar,air,wait-on": """operands:shell* | options-first | -w --watch=read
        -x --exec=shell! | -e --exts --ext= | -i --ignore= | -f --filter= | -c --config=read | -d --delay=
        -r --restart""",
    "concurrently": """operands:shell* | -n --names= | -c --prefix-colors= | -p --prefix= | -k --kill-others
        --success= | -m --max-processes=""",
    "npm-run-all,run-s,run-p": "-p --parallel | -s --sequential",
    "dotenv,dotenvx,cross-env,env-cmd": """operands:env* command | options-first | -e=read | -f --file=read
        -o | -v=""",
    "cross-env-shell": "operands:env* shell",
    "direnv": "subcommands",
    "direnv exec": "operands:folder command | options-first",
    "nix-shell": """operands:read* | interpreter | --run=shell! | --command=shell! | -p --packages>text | -I=
        -A --attr= | -E --expr=code! | --arg=,text | --argstr=,text | --keep=env | -i=shell | --pure
        does:network""",
    "hyperfine": """operands:shell* | -w --warmup= | -m --min-runs= | -M --max-runs= | -r --runs=
        -s --setup=shell! | -p --prepare=shell! | -c --cleanup=shell! | -C --conclude=shell!
        -P --parameter-scan=,text,text | -L --parameter-list=,text | -S --shell=shell! | --export-json=write!
        --export-csv=write! | --export-markdown=write! | --export-asciidoc=write! | -n --command-name= | -i
        -N | -u --time-unit= | --style= | --input=read | --output=""",
    "xterm,rxvt,urxvt,st": """style:single | operands:command | options-first | -e=command | --=command | -T=
        -title= | -geometry= | -g= | -fa= | -fs= | -fn= | -fb= | -bg= | -fg= | -cr= | -name= | -class= | -sl=
        -xrm= | -tn= | -display= | -hold | +hold | -sb | +sb | -ls | +ls | -j | -u8 | -bc | -iconic
        -maximized | -fullscreen | -cd=folder""",
    "gnome-terminal": """--=command | -x --execute=command | -e --command=shell! | --tab | --window
        -t --title= | --working-directory=folder | --geometry= | --profile= | --wait | --maximize
        --full-screen | -q --quiet | --hide-menubar | --show-menubar | --zoom= | --role= | --display=
        --active""",
    "konsole": """-e=command | --noclose --hold | --workdir=folder | --profile= | -p= | --new-tab | --separate
        --fullscreen | --tabs-from-file=script! | --nofork | --background-mode | --layout=read
        --builtin-profile | --geometry= | --hide-menubar | --hide-tabbar""",
    "alacritty": """-e --command=command | --hold | -o --option=! | case:-o shell shell!
        case:-o terminal.shell shell! | --config-file=read! | --class= | -T -t --title=
        --working-directory=folder | --embed= | --socket= | -q | -v | --print-events""",
    "kitty": """operands:command | options-first | -e | --hold | --detach | -1 --single-instance
        --instance-group= | -o --override=! | case:-o shell shell! | -c --config=read! | -T --title=
        -d --directory --working-directory=folder | --session=script! | --class --app-id= | --name=
        --start-as= | --listen-on= | --position= | --grab-keyboard | -v --version""",
    "wezterm": "subcommands | -e=command | -n --skip-config | --config-file=read! | --config=!",
    "wezterm start": """operands:command | options-first | -- | --cwd=folder | --no-auto-connect
        --always-new-process | --class= | --workspace= | --position= | --domain= | --attach | --new-tab""",
    "wezterm ssh": "operands:network command | options-first | -- | -o --ssh-option=! | --class=",
    "ssh-agent": """operands:command | options-first | -a=write | -t= | -P= | -E= | -O= | -k | -s | -c | -d
        -D""",
    "op,doppler,chamber,infisical,aws-vault": "subcommands",
    "op run": "operands:command | --env-file=read | --no-masking",
    "doppler run": "operands:command | --command=shell! | -c --config= | -p --project=",
    "aws-vault exec": "operands:text command | -d --duration= | -t --mfa-token=",
    "runcon": """operands:command | options-first | -t --type= | -u --user= | -r --role= | -l --range=
        -c --compute""",
}

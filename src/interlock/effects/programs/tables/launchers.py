"""Programs that run a command with secrets, a chosen tool version, a sandbox or a limit."""

from __future__ import annotations

from typing import Final

_LOADER: Final = """operands:command | options-first | --library-path= | --preload=script! | --audit=script!
    --argv0= | --inhibit-rpath= | --inhibit-cache | --glibc-hwcaps-prepend= | --glibc-hwcaps-mask=
    --list>read | --verify>read"""
_BEHIND: Final = "operands:text* | --=command"  # the command follows `--`
_EMULATOR: Final = """style:single | operands:command | options-first | -L=read | -E=env | -U=env | -cpu=
    -g= | -s= | -B= | -R= | -d= | -D=write! | -p= | -plugin=script! | -0= | -strace | -one-insn-per-tb"""

PROGRAMS: Final[dict[str, str]] = {
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
    "railway": "subcommands | operands:text* | does:network",
    "railway run": "operands:command | options-first | -s --service= | -e --environment= | -p --project=",
    "pixi": "subcommands | operands:text* | does:network | does:write | --manifest-path=read | -q | -v",
    "pixi run=r": """operands:command | options-first | -e --environment= | --manifest-path=read | --frozen
        --locked | --clean-env""",
    "pixi exec=x": "operands:command | options-first | -s --spec= | -c --channel= | -p --platform= | -w=",
    "devbox": "subcommands | operands:text* | does:network | does:write | -c --config=folder | -q",
    "devbox run": "operands:shell* | options-first | -c --config=folder | -e --env=env | --env-file=read",
    "distrobox,toolbox": "subcommands | operands:text*",
    "distrobox enter": f"{_BEHIND} | -n --name= | -e=command | -a --additional-flags=! | -T | -nw | -r",
    "toolbox run": "operands:command | options-first | -c --container= | -d --distro= | -r --release=",
    "sandbox-exec": "operands:command | options-first | -p= | -f=read | -n= | -D=",
    "machinectl": "subcommands | operands:text* | -M --machine= | -H --host=network! | --uid= | -q",
    "machinectl shell": "operands:text command | options-first | --uid= | -E --setenv=env | -q",
    "lxc-attach,lxc-execute": """operands:command | options-first | -n --name= | -f --rcfile=read!
        -P --lxcpath= | -o --logfile=write! | -l --logpriority= | -a --arch= | -s --namespaces=
        -v --set-var=env | -u --uid= | -g --gid= | -e --elevated-privileges=? | -q --quiet""",
    "cgexec": "operands:command | options-first | -g= | --sticky",
    "chpst": """operands:command | options-first | -u= | -U= | -b= | -e=read | -/=folder | -C=folder | -n=
        -l=write | -L=write | -m= | -d= | -o= | -p= | -f= | -c= | -t= | -r= | -v | -P | -0 | -1 | -2""",
    "softlimit": """operands:command | options-first | -a= | -c= | -d= | -f= | -l= | -m= | -o= | -p= | -r=
        -s= | -t=""",
    "trickle": "operands:command | options-first | -d= | -u= | -w= | -t= | -l= | -n= | -L= | -s | -v",
    "dtrace": """operands:text* | -c=shell! | -n=code! | -s=script! | -o=write! | -p= | -P= | -m= | -f= | -i=
        -x= | -w! | -q | -Z | -C | -l | -h | -S""",
    "bpftrace": """operands:script text* | options-first | -c=shell! | -e=code! | -o=write! | -p= | -f=
        -I=read | -v | -l=? | --unsafe!""",
    "rr,uftrace": "subcommands | operands:text*",
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
    "zellij": "subcommands | operands:text* | -s --session= | -l --layout=read! | -c --config=read!",
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
    "guix shell,environment": f"""{_BEHIND} | does:network | does:write | -D --development=
        -m --manifest=script! | -f --file=script! | -e --expression=code! | -C --container | -N --network
        --pure | --share=write! | --expose=read | -E --preserve=""",
    "fab": """operands:text* | --=command | -H --hosts= | -i --identity=read | -c --collection=script!
        -r --search-root=""",
    "terragrunt exec": _BEHIND,
    "vagrant ssh": "operands:text* | interpreter | --=command | -c --command=shell | -p --plain",
    "netlify,firebase,cdk,doctl": """subcommands | operands:text* | does:network | -a --app=shell!
        -o --output=write!""",
    "netlify dev": "operands:text* | does:network | -c --command=shell! | -d --dir= | -p --port=",
    "netlify dev:exec": "operands:command | options-first",
    "firebase emulators:exec": """operands:shell* | --only= | --project= | --import=read
        --export-on-exit=?write! | --ui""",
    "doctl compute": "subcommands | operands:text* | --ssh-command=shell!",
    "launchctl": "subcommands | operands:text*",
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
    "restic": """subcommands | operands:text* | -r --repo=network! | -p --password-file=read
        --password-command=shell! | --repository-file=read | --cache-dir=write | -o --option=! | -q | -v""",
    "restic backup": """operands:read* | does:network | --files-from=read | --exclude= | -e= | --tag= | -H=
        --exclude-file=read | -r --repo=network! | -p --password-file=read | --password-command=shell!""",
    "restic restore": """operands:text | does:network | -t --target=write | -i --include= | -e --exclude=
        -r --repo=network! | -p --password-file=read | --password-command=shell!""",
    "restic forget,prune": """operands:text* | does:delete | does:network | -r --repo=network! | --prune
        -n --dry-run shows | --keep-last= | --keep-daily= | --keep-weekly=""",
    "borg": "subcommands | operands:text* | --rsh=shell! | --remote-path= | --info | -v | -p --progress",
    "borg create": """operands:text read* | does:write | -e --exclude= | --exclude-from=read
        --content-from-command! | --paths-from-stdin | -C --compression= | -s --stats""",
    "borg extract": "operands:text text* | does:write | -e --exclude= | --strip-components= | --stdout",
    "borg delete,prune": """operands:text* | does:delete | -s --stats | --keep-daily= | --keep-weekly=
        -n --dry-run shows | --list""",
    "duplicity": """operands:text* | does:network | --ssh-options=! | --rsync-options=! | --include=
        --exclude= | --encrypt-key= | --archive-dir=write | --file-to-restore= | -t=""",
    "nix": """subcommands | operands:text* | --option=,text! | -f --file=read! | -I= | --expr=code! | --impure
        --extra-experimental-features= | --experimental-features=""",
    "nix run": "operands:package text* | options-first | does:network",
    "nix shell,develop": """operands:text* | does:network | -c --command=command | -i --ignore-environment
        -k --keep=""",
    (
        "nix-env,nix-build,nix-store,nix-collect-garbage,nix-channel,nix-instantiate,nixos-rebuild,"
        "home-manager,darwin-rebuild"
    ): """operands:text* | does:network | does:write | -E --expr=code! | -I= | -A --attr= | -f --file=read!
        -p --profile= | --option=,text! | -o --out-link=write | --arg=,text | --argstr=,text""",
}

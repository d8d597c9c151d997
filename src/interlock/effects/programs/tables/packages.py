"""Package managers and the runners they bring."""

from __future__ import annotations

from typing import Final

_PIP_INSTALL: Final = """operands:text* | does:network | does:write | -r --requirement=read
    -c --constraint=read | -e --editable=read | -t --target=write! | --prefix=write! | --root=write!
    -b --build= | --src=write | -i --index-url --pypi-url=network! | --extra-index-url=network!
    -f --find-links= | --no-binary= | --only-binary= | --platform= | --python-version= | --implementation=
    --abi= | --upgrade-strategy= | --global-option=! | --config-settings -C=! | --install-option=!
    --report=write! | --progress-bar= | --root-user-action= | --use-feature= | --trusted-host= | --cert=read
    --client-cert=read | --cache-dir= | --proxy=network | --retries= | --timeout= | --exists-action=
    --log=write! | --python=shell! | --keyring-provider= | -d --dest=write | -w --wheel-dir=write
    -U --upgrade | -I --ignore-installed | -q --quiet | -v --verbose | --user | --pre | --no-deps
    --no-cache-dir | --force-reinstall | --dry-run | --break-system-packages | --no-build-isolation
    --require-hashes | -y --yes"""
_CARGO: Final = """-p --package= | --features -F= | --target= | --target-dir=write | --manifest-path=read
    --profile= | -j --jobs= | --message-format= | --color= | --exclude= | --bin= | --example= | --test=
    --bench= | -Z=! | --config=! | case:--config *runner code! | case:--config *wrapper code! | -C=folder
    --lockfile-path= | -q --quiet | -v --verbose | -r --release | --all-features | --no-default-features
    --workspace --all | --locked | --frozen | --offline | --lib | --bins | --tests | --all-targets
    --keep-going | --artifact-dir --out-dir=write!"""
_GO: Final = """-C=folder | -o=write | -p= | -exec=shell! | -toolexec=shell! | -ldflags= | -gcflags=
    -asmflags= | -gccgoflags= | -tags= | -mod= | -modfile=write | -overlay=read! | -pkgdir=write | -buildmode=
    -compiler= | -installsuffix= | -covermode= | -coverpkg= | -pgo= | -buildvcs=? | -run= | -bench= | -count=
    -cpu= | -timeout= | -parallel= | -coverprofile=write | -cpuprofile=write | -memprofile=write
    -blockprofile=write | -mutexprofile=write | -trace=write | -outputdir=write | -benchtime= | -fuzz=
    -fuzztime= | -list= | -skip= | -shuffle= | -vet= | -vettool=shell! | -a | -n | -v | -x | -race | -cover
    -short | -failfast | -json | -work | -msan | -asan | -trimpath"""
_APT: Final = """subcommands | operands:text* | -o --option=! | -c --config-file=read!
    -t --target-release --default-release= | -a --host-architecture= | -q --quiet=? | -y --yes --assume-yes
    -f --fix-broken | -m | -s --simulate --just-print --dry-run --no-act --recon shows | -d --download-only
    -b --build --compile | -u | -V | -P --build-profiles= | --reinstall | --purge | --no-install-recommends
    --allow-unauthenticated! | --force-yes | --auto-remove --autoremove | --only-upgrade
    case:-o apt::update::pre-invoke shell! | case:-o apt::update::post-invoke shell!
    case:-o dpkg::pre-invoke shell! | case:-o dpkg::post-invoke shell!
    case:-o dpkg::pre-install-pkgs shell!"""
_CHANGES: Final = "operands:text* | does:network | does:write"
_UV_RUN: Final = """--with=package | --with-editable=read | --with-requirements=read | -p --python=shell!
    case:-p # text | --env-file=read | --index=network! | --default-index=network! | --isolated"""

PROGRAMS: Final[dict[str, str]] = {
    (
        "corepack,nvm,fnm,volta,n,asdf,mise,rtx,proto,pyenv,rbenv,nodenv,goenv,jenv,rustup,sdk,ghcup,"
        "juliaup,tfenv,tfswitch"
    ): "subcommands | does:network | does:write",
    "mise exec=x": "--=command | -c --command=shell | -C --cd=folder | -j --jobs=",
    "rtx exec=x": "--=command | -c --command=shell | -C --cd=folder | -j --jobs=",
    **{f"{one}env exec": "operands:command | style:none" for one in ("py", "rb", "nod", "go", "j")},
    "pip=pip2": """subcommands | --python=shell! | --log=write! | --proxy=network | --cert=read
        --client-cert=read | --cache-dir= | --trusted-host= | --timeout= | --retries= | --exists-action=
        --keyring-provider= | --use-feature= | --use-deprecated= | -q --quiet | -v --verbose | --isolated
        --disable-pip-version-check | --no-input | --no-color""",
    "pip install": _PIP_INSTALL,
    "pip download,wheel": _PIP_INSTALL,
    "pip uninstall": """does:delete | -r --requirement=read | -y --yes | --break-system-packages
        --root-user-action=""",
    "pip freeze,list,show,check,inspect,index,hash,debug,help": """-r --requirement=read | --path=read
        --exclude= | --format= | -i --index-url=network! | --extra-index-url=network! | -f --find-links=
        -a --algorithm= | -o --outdated does:network | -l --local | --user | -u --uptodate | -e --editable""",
    "pip config": "subcommands | --editor=shell! | --global | --user | --site",
    "pip cache": "subcommands | --format=",
    "pipx": "subcommands | does:network | does:write",
    "pipx run": """operands:command | options-first | fetches | --spec=package | --python=shell! | --path
        -i --index-url=network! | --pip-args= | --with=package | --no-cache | --pypackages | --verbose""",
    "pipx runpip": "operands:text text*",
    "uv": """subcommands | --directory --project=folder | --config-file=read! | --cache-dir= | --color=
        --python-preference= | --allow-insecure-host= | -q --quiet | -v --verbose | -n --no-cache | --offline
        --no-config | --native-tls""",
    "uv run": f"""operands:command | options-first | fetches | does:network | -m --module=module>text ends
        -s --script | --gui-script | {_UV_RUN} | --extra= | --group= | --only-group= | --no-group=
        --package= | -i --index-url=network! | --extra-index-url=network! | -f --find-links=
        -P --upgrade-package= | --refresh-package= | --frozen | --locked | --all-extras | --no-sync
        --no-project | --active | --exact | -C --config-setting=! | --no-dev | --dev | --all-groups
        --no-extra= | --exclude-newer= | --link-mode= | --prerelease= | --resolution= | --keyring-provider=
        --index-strategy= | -U --upgrade | --refresh | --reinstall | --reinstall-package=
        --no-binary-package= | --no-build-package= | --python-platform= | --no-editable | --only-dev | -w=
        --max-recursion-depth=""",
    "uv pip": "subcommands",
    "uv pip install,sync,compile": _PIP_INSTALL
    + """| -p --python=shell! | --extra= | --group= | -o --output-file=write! | --system | --all-extras
        --overrides --override=read | --build-constraints=read | -P --upgrade-package= | --refresh""",
    "uv pip uninstall": """does:delete | -r --requirements=read | -p --python=shell! | --system | --prefix=
        -t --target=""",
    "uv pip list,show,freeze,tree,check": """-p --python=shell! | --format= | --exclude= | --outdated
        --system""",
    "uv add,sync,lock,remove,init,venv,build,export,version,self,cache,python,tree": """does:network
        does:write | -r --requirements=read | -c --constraints=read | -p --python=shell! | case:-p # text
        --extra= | --group= | --optional= | --package= | --index=network! | --default-index=network! | --rev=
        --tag= | --branch= | -o --out-dir --output-file=write | --name= | --dev | --frozen | --locked
        -U --upgrade | -P --upgrade-package= | --script=read | --format= | --prompt= | --editable""",
    "uv publish": """operands:read* | does:network | -u --username= | -p --password= | -t --token= | --index=
        --publish-url=network! | --check-url=network! | --dry-run shows""",
    "uv tool": "subcommands | does:network",
    "uv tool run": f"operands:command | options-first | fetches | --from=package | {_UV_RUN} | -C=!",
    "uv tool install,upgrade,uninstall": """does:write | --with= | -p --python=shell! | -e --editable
        --force | --all""",
    "uvx": f"""operands:command | options-first | fetches | does:network | --from=package | {_UV_RUN} | -w=
        -i --index-url=network! | --extra-index-url=network! | --directory=folder | -q | -v | -n | --refresh
        -U""",
    "poetry": """subcommands | -C --directory=folder | -P --project=folder | -n --no-interaction | -q --quiet
        -v --verbose | --no-plugins | --no-cache | --ansi | --no-ansi""",
    "poetry run": "operands:command | options-first",
    "poetry install,add,remove,update,lock,sync,self,new,init": """does:network | does:write | -G --group=
        -E --extras= | --with= | --without= | --only= | --source= | --python= | --platform= | --optional
        -D --dev | --dry-run shows""",
    "poetry publish": """operands:none | does:network | -h --help | -r --repository= | -u --username=
        -p --password= | --cert=read | --client-cert=read | --dist-dir=read | --build | --dry-run shows""",
    "poetry config": "does:write | --list calms | --unset | --local | --migrate",
    "pipenv": "subcommands | does:network | --python=shell! | --site-packages | -v --verbose | -q --quiet",
    "pipenv run": "operands:command | options-first | style:none",
    "hatch,pdm,rye,invoke,inv,doit": "subcommands | -e= | -p --project=folder | -f --file=script | -s=",
    "hatch run": "operands:command | options-first",
    "pdm run": "operands:command | options-first | -s --site-packages | -v --verbose",
    "rye run": "operands:command | options-first | -l | --pyproject=read",
    "tox": """operands:command | -e= | -c --conf=read | -p --parallel=? | -r --recreate | -x --override=code!
        -f= | -o | --workdir=folder | --root=write | -q | -v""",
    "nox": """-s -e --session --sessions= | -f --noxfile=script | -k --keywords= | -t --tags=
        -p --python --pythons= | -r | -R | -l | --envdir=write | --default-venv-backend= | -db= | -fb=""",
    "conda=mamba=micromamba": "subcommands | does:network",
    "conda run": """operands:command | options-first | -n --name= | -p --prefix= | --cwd=folder | -v
        --no-capture-output --live-stream""",
    "conda install,create,update=upgrade,remove=uninstall": """does:write | -n --name= | -p --prefix=write
        -c --channel=network | --file=read | -f= | --solver= | -y --yes | -q --quiet | --all
        --override-channels | --dry-run shows | -d""",
    "conda env": "subcommands | -n --name= | -p --prefix= | -f --file=read",
    "virtualenv,venv": """operands:write* | does:write | -p --python=shell! | --prompt= | --app-data= | --pip=
        --extra-search-dir=read | --clear | --system-site-packages""",
    "cargo": f"subcommands | options-first | {_CARGO} | --list | --explain= | -V | +=?",
    "cargo build=b,check=c,doc=d,rustc,rustdoc,clippy,fix": f"""does:write | {_CARGO} | --fix | --open!
        --edition | --allow-dirty | --allow-staged""",
    "cargo test=t,bench": f"does:write | {_CARGO} | --no-run | --no-fail-fast | --doc",
    "cargo run=r": f"does:write | {_CARGO}",
    "cargo install": f"""does:network | does:write | {_CARGO} | --git=network! | --path=read | --root=write!
        --index=network! | --registry=network! | --branch= | --tag= | --rev= | --version= | -f --force
        --list""",
    "cargo add,remove=rm,update,fetch,vendor,new,init,generate-lockfile,upgrade": f"""does:network
        does:write | {_CARGO} | --git=network! | --path=read | --branch= | --tag= | --rev=
        --registry=network! | --rename= | --vcs= | --edition= | --name= | --precise= | -D --dev | -B --build
        --optional""",
    "cargo owner": f"""does:network | {_CARGO} | -a --add=! | -r --remove=! | -l --list shows | -h --help
        --token= | --registry=network! | --index=network!""",
    "cargo publish,login,logout,yank,search,info": f"""does:network | {_CARGO} | --token=
        --registry=network! | --index=network! | --limit= | --version --vers= | -a --add= | --undo
        -n --dry-run shows | --allow-dirty | -h --help""",
    "cargo clean": f"operands:none | does:delete | {_CARGO} | --doc | -n --dry-run shows",
    "cargo uninstall": f"does:delete | {_CARGO} | --root=",
    "cargo fmt": f"does:write | {_CARGO} | --check calms",
    (
        "cargo metadata,tree,pkgid,locate-project,read-manifest,verify-project,version,help,report"
    ): f"""{_CARGO} | -e --edges= | -i --invert= | --depth= | --prune= | --prefix= | --charset= | -f --format=
        --format-version= | --filter-platform= | -d""",
    (
        "cargo nextest,llvm-cov,make,xtask,expand,audit,deny,outdated,edit,binstall,machete,hack,"
        "miri,tarpaulin"
    ): f"does:write | {_CARGO}",
    "cargo watch": f"""--=command | {_CARGO} | -x --exec=shell! | -s --shell=shell! | -w --watch=read
        -i --ignore= | -d --delay= | -c --clear""",
    "rustc": """operands:read | does:write | -o=write | --out-dir=write | -C --codegen=! | -L=read | -l=
        --crate-type= | --crate-name= | --edition= | --emit= | --print= | --cfg= | --target= | --extern= | -A
        -W | -D= | -F= | -Z=! | --sysroot=read | -O | -g | case:-C linker shell!""",
    "rustfmt": """operands:write* | --check>read | --edition= | --config= | --config-path=read | --emit= | -l
        -q | -v""",
    "go": "style:single | subcommands | options-first",
    "go build,vet,list,test": f"does:write | {_GO} | -args>text ends | -f= | -m | -c | -e | -deps | -u",
    "go run": f"operands:script text* | options-first | {_GO}",
    "go get": f"does:network | does:write | {_GO} | -u=? | -t | -d | -insecure!",
    "go install": f"does:network | does:write | {_GO}",
    "go generate": f"does:write | {_GO}",
    "go mod": "subcommands",
    "go mod download,tidy,vendor,edit,init,graph,verify,why": f"""does:network | does:write | {_GO} | -go=
        -compat= | -replace= | -require= | -module=""",
    "go fmt,fix,work,tool,env,clean,doc,bug,version,help,telemetry": f"""does:write | {_GO} | -w | -u=
        -cache | -modcache""",
    "gofmt,goimports,gofumpt": """style:single | operands:read* | -w!>write | -d | -l | -e | -s | -r=
        -local= | -cpuprofile=write!""",
    "golangci-lint": """subcommands | -c --config=read | --fix! does:write | --timeout= | -E --enable=
        -D --disable= | --out-format= | -j --concurrency= | -v""",
    "gem": "subcommands | --config-file=read!",
    "gem install=i,update": """does:network | does:write | -v --version= | -i --install-dir=write!
        -n --bindir=write! | -s --source=network! | -p --http-proxy=network | -P --trust-policy= | --platform=
        -g --file=?read | -f --force | -N --no-document | --user-install | -l --local""",
    "gem push,yank,signin,owner,fetch,search,sources": """does:network | -k --key= | --host=network!
        -v --version= | -a --add= | -r --remove= | -h --help""",
    "gem uninstall,cleanup": "does:delete | -v --version= | -a --all | -x | -I | -i --install-dir=",
    "gem exec": "operands:command | options-first | -v --version= | -g --gem= | -q",
    "bundle=bundler": "subcommands | --retry= | -V --verbose | --no-color",
    "bundle exec=e": "operands:command | options-first | --keep-file-descriptors | --gemfile=read",
    (
        "bundle install,update,add,lock,package,cache,outdated,remove,config,init,binstubs"
    ): """does:network | does:write | --path=write | --gemfile=read! | --jobs -j= | --without= | --with=
        --binstubs=?write | --shebang= | --source=network! | --group= | --git=network! | --deployment
        --local | --frozen""",
    "bundle open": "operands:text",
    "rake,thor": """-f --rakefile=script! | -r --require=script! | -e --execute=code!
        -E --execute-continue=code! | -p --execute-print=code! | -I --libdir=read! | -R --rakelibdir=read!
        -C --directory=folder | -j --jobs=? | -T --tasks=? | -P | -n --dry-run shows | -s | -q | -v
        -t --trace=?""",
    "rails": "subcommands | -e --environment=",
    "rails runner=r": "operands:code text*",
    "composer": """subcommands | -d --working-dir=folder | -n --no-interaction | -q --quiet | -v --verbose
        --no-plugins | --no-scripts | --profile | --ansi""",
    (
        "composer install=i,update=u=upgrade,require=r,remove=rm,create-project,self-update,global,"
        "reinstall,bump"
    ): """does:network | does:write | --prefer-dist | --no-dev | --dev | --repository=network!
        -s --stability= | -o | -a | -W | -w""",
    "composer exec": "operands:command | options-first | -- | -l --list",
    "composer run-script=run": "operands:text text* | --timeout= | --dev | -l",
    "composer config": """does:write | -g --global | -e --editor | --unset | -l --list calms
        -f --file=write!""",
    "apt-get,apt,aptitude,apt-fast,nala": _APT,
    (
        "apt-get install,reinstall,build-dep,satisfy,full-upgrade,dist-upgrade,upgrade,update,"
        "download,source,changelog,dselect-upgrade"
    ): _CHANGES,
    (
        "apt-get remove,purge,autoremove=auto-remove,autopurge,clean,autoclean=auto-clean,distclean"
    ): "does:delete | -h shows",
    (
        "apt install,reinstall,build-dep,satisfy,full-upgrade,dist-upgrade,upgrade,update,download,"
        "source,changelog,edit-sources"
    ): _CHANGES,
    "apt remove,purge,autoremove=auto-remove,autopurge,clean,autoclean=auto-clean": "does:delete | -h shows",
    "apt-cache,apt-mark,apt-config,apt-file,apt-listchanges": """subcommands | -o --option=!
        -c --config-file=read! | -p= | -s= | -f | -n | -i | -q | -a""",
    "apt-key": "does:write | --keyring=write",
    "add-apt-repository=apt-add-repository": """operands:network* | does:network | does:write | -y --yes
        -r --remove | -n --no-update | -c --component= | -p --pocket= | -k --keyserver=network""",
    "dpkg": """-i --install>read does:write | --unpack>read does:write | -r --remove does:delete
        -P --purge does:delete | --configure does:write | -b --build>read does:write | -c --contents>read
        -x --extract>read does:write | -X --vextract>read does:write | -e --control>read does:write
        -I --info>read | -l --list | -L --listfiles | -s --status | -S --search>read | -p --print-avail
        -V --verify | --dry-run --no-act --simulate shows | --pre-invoke=shell! | --post-invoke=shell!
        --status-logger=shell! | --root=write! | --admindir=write! | --instdir=write! | --log=write!
        --path-include= | --path-exclude= | -D --debug= | --status-fd= | --force-all! | -R --recursive | -E
        -G | -O""",
    "dpkg-query": """-W --show | -l --list | -L --listfiles | -s --status | -S --search | -p
        -f --showformat= | --admindir=read | --root=read | --load-avail""",
    "rpm": """-i --install>read does:write | -U --upgrade>read does:write | -F --freshen>read does:write
        -e --erase does:delete | -q --query | -V --verify | --import>read does:write | -p --package>read
        --root -r=write! | --dbpath= | --define -D=! | --eval -E=code! | --pipe=shell! | --rcfile=read!
        --macros=read! | --load=read! | --test shows | --qf --queryformat= | --prefix= | --relocate=
        -f --file>read | -a --all | -l --list | -v | -h --hash | --nodeps | --force""",
    (
        "yum,dnf,microdnf,zypper,pkg,apk,emerge,xbps-install,xbps-remove,xbps-query,urpmi,eopkg,"
        "swupd,tdnf,opkg,slackpkg,pkgin,port,guix,choco,winget,scoop"
    ): """subcommands | does:network | does:write | -c --config=read! | -x --exclude= | --enablerepo=
        --disablerepo= | --repo= | --repository= | -X=network! | --releasever= | --installroot=write!
        --root -R -p=write! | --setopt=! | -y --assumeyes | -n --non-interactive | -q --quiet | -v --verbose
        -t --virtual= | --no-cache | -U --update-cache | --assumeno shows | --dry-run shows
        --simulate shows""",
    "apk del": "-s --simulate shows | --purge",
    "pacman,yay,paru,pamac": """does:network | does:write | -S --sync | -R --remove does:delete
        -U --upgrade>read | -Q --query calms | -D --database | -T --deptest calms | -F --files
        -b --dbpath=write | -r --root=write! | --config=read! | -p --print shows | --hookdir=script!
        --cachedir=write | --gpgdir=write | --logfile=write! | --ignore= | --overwrite= | --assume-installed=
        --arch= | -y --refresh | -u --sysupgrade | -s --search | -i --info | -c --clean | -w | -q | -d | -n
        --noconfirm | --needed""",
    "brew": "subcommands",
    (
        "brew install,reinstall,upgrade,update,tap,fetch,link,pin,unlink,untap,services,postinstall,migrate"
    ): """does:network | does:write | -f --force | --cask | --formula | --HEAD | -s --build-from-source
        --cc= | --appdir=write | --file=read | -q | -v | -n --dry-run shows""",
    "brew uninstall=remove=rm,cleanup,autoremove,zap": """does:delete | -f --force | --zap | --cask | --prune=
        -n --dry-run shows | -s""",
    "brew sh": "operands:script | interpreter | shell | -c --cmd=shell | --env=",
    "brew ruby": "operands:script text* | -e=code | -r=script!",
    "brew bundle": "subcommands | --file=read",
    "brew bundle exec": "operands:command",
    "snap,flatpak,mas,softwareupdate": "subcommands | does:network | does:write",
    "snap run": "operands:command | options-first | --shell | --command= | --hook=",
    "flatpak run": """operands:text text* | options-first | --command=shell! | --filesystem=! | --env=env
        --share= | --socket= | --device= | -d | --cwd=folder""",
    (
        "cpan,cpanm,cpanp,luarocks,opam,cabal,stack,mix,rebar3,hex,lein,dub,nimble,shards,pub,"
        "flutter,pod,carthage,xcodegen,vcpkg,conan,dotnet,nuget,paket,elm,bower,jspm,spago,raco"
    ): "subcommands | does:network | does:write",
    "stack exec,runghc": "operands:command | options-first | -- | --package=",
    "opam exec": "operands:command | options-first | --switch= | --set-switch",
    "cabal exec,run": "operands:command | options-first",
    "dotnet run": """--project=read | -c --configuration= | -f --framework= | --launch-profile=
        -r --runtime= | -a= | --os= | -v= | -p --property=""",
    "dotnet exec": "operands:script text*",
}

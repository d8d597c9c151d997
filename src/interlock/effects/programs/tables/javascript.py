"""JavaScript package managers, and how they run the scripts and programs of a project."""

from __future__ import annotations

from typing import Final

_NPM: Final = """subcommands | operands:text* | -C --prefix --dir --cwd=folder! | -w --workspace --filter -F=
    --registry=network! | --userconfig=read! | --globalconfig=read! | --cache= | --loglevel=
    --script-shell=shell! | --node-options=! | --otp= | --tag= | --access= | --omit= | --include= | --depth=
    --shell=shell! | --git=shell! | --editor=shell! | --viewer=shell! | --onload-script=script!
    --browser=shell! | --scope= | --modules-folder= | --cache-folder= | -g --global | -s --silent | -d
    -q --quiet | -y --yes | -f --force | --json | --workspaces | -ws | --if-present | --ignore-scripts
    --dry-run shows | --legacy-peer-deps | --no-audit | --no-fund | -h --help | -v --version"""
_PNPM_RUN: Final = """operands:text* | -r --recursive | --parallel | --stream | --aggregate-output
    --resume-from="""
_NPM_INSTALL: Final = """operands:text* | does:network | does:write | -D --save-dev | -S --save
    -E --save-exact | -O --save-optional | -P --save-prod --production | -B --save-bundle | --frozen-lockfile
    --no-save | --prefer-offline | --offline | --package-lock-only"""

PROGRAMS: Final[dict[str, str]] = {
    "npm,cnpm": _NPM,
    "pnpm": f"""{_NPM} | scripts | -r --recursive | --parallel | --stream | --aggregate-output
        --resume-from= | -w --workspace-root""",
    "yarn": f"{_NPM} | scripts",
    "bun": f"""{_NPM} | scripts | operands:script text* | -e --eval=code! | -p --print=code!
        -r --preload=script! | --env-file=read""",
    "npm install=i=add=in=ins=inst=insta=instal=isnt=isnta=isntal=isntall": _NPM_INSTALL,
    "npm ci=clean-install=ic=install-clean,install-ci-test=cit,install-test=it": _NPM_INSTALL,
    "npm uninstall=unlink=remove=rm=r=un": "operands:text* | does:write | -D --save-dev | -S --save",
    (
        "npm update=up=upgrade=udpate,dedupe=ddp,audit,rebuild=rb,link=ln,prune,pack,version"
    ): """operands:text* | does:write | does:network""",
    "npm publish": "operands:read | does:network",
    (
        "npm unpublish,deprecate,access,owner,dist-tag,token,team,org,login=adduser,logout,star,"
        "view=info=v,search,outdated,ping,whoami,profile,hook,fund"
    ): "operands:text* | does:network",
    "npm run=run-script=rum=urn": "operands:text* | scripts",
    "npm test=t=tst,start,stop,restart": "operands:text*",
    "npm exec=x": """operands:command | options-first | fetches | -- | does:network | -p --package=package
        -c --call=shell! | -w --workspace= | --workspaces | -y --yes | --no --no-install | -q --quiet""",
    "npm init=create=innit": "operands:package text* | does:network | does:write",
    "npm pkg set": "operands:text* | does:write",
    "npm set-script": "operands:text shell | does:write",
    "npm config=c": "subcommands | operands:text* | -L --location=",
    "npm config set": "operands:text* | does:write",
    "npm explore": "operands:text command",
    "npm cache,pkg": "subcommands | operands:text*",
    "npx": """operands:command | options-first | fetches | does:network | -p --package=package
        -c --call=shell! | -w --workspace= | --registry=network! | --userconfig=read! | --cache=
        --prefix=folder | --script-shell=shell! | --node-options=! | -n --node-arg= | --shell=shell!
        -y --yes | -q --quiet | --no-install | --no | --ignore-existing | --workspaces""",
    "bunx,pnpx": """operands:command | options-first | fetches | does:network | -p --package=package | --bun
        --silent | -c --shell-mode>shell""",
    "pnpm install=i": _NPM_INSTALL,
    "pnpm add": _NPM_INSTALL,
    "pnpm remove=rm=uninstall=un": "operands:text* | does:write",
    (
        "pnpm update=up=upgrade,link=ln,rebuild=rb,import,prune,dedupe,patch,fetch,deploy,audit,setup"
    ): "operands:text* | does:write | does:network",
    "pnpm exec": """operands:command | options-first | -c --shell-mode>shell | -r --recursive | --parallel
        --resume-from=""",
    "pnpm dlx": """operands:command | options-first | fetches | does:network | --package=package
        -c --shell-mode>shell | --allow-build= | -s --silent""",
    "pnpm run=run-script": f"scripts | {_PNPM_RUN}",
    "pnpm test=t=tst,start": _PNPM_RUN,
    (
        "pnpm unlink,list=ls=la=ll,why,outdated,store,config=c,get,set,init,root,bin,pack,licenses,doctor,"
        "patch-commit,patch-remove,cat-file,cat-index,find-hash,approve-builds,self-update,server,cache,"
        "install-test=it,help,completion,stop,restart"
    ): "operands:text*",
    "pnpm pkg": "subcommands | operands:text*",
    "pnpm pkg set": "operands:text* | does:write",
    "pnpm set-script": "operands:text shell | does:write",
    "pnpm publish": """operands:read | does:network | --publish-branch= | --no-git-checks | --dry-run shows
        --access= | --tag= | --otp= | -r --recursive""",
    "pnpm env": "subcommands | operands:text* | does:network | does:write",
    "yarn install,add,upgrade,up,upgrade-interactive,dedupe,import,link,unlink,plugin,set": _NPM_INSTALL,
    "yarn remove": "operands:text* | does:write",
    "yarn run": "operands:text text* | scripts",
    (
        "yarn list,why,cache,bin,check,outdated,pack,version,versions,init,policies,help,explain,rebuild,"
        "constraints,search,stage,patch,patch-commit,autoclean,generate-lock-entry,licenses,unplug,test,start"
    ): "operands:text*",
    "yarn exec": "operands:shell* | options-first",
    "yarn dlx": """operands:command | options-first | fetches | does:network | -p --package=package
        -q --quiet""",
    "yarn create": "operands:package text* | does:network | does:write",
    "pnpm create": "operands:package text* | does:network | does:write",
    "yarn publish": "operands:read | does:network | --dry-run shows | --access= | --tag= | --new-version=",
    "yarn npm": "subcommands | operands:text* | does:network",
    "yarn npm publish": "operands:read | does:network | -n --dry-run shows | --access= | --tag= | --otp=",
    "yarn login,logout,info,audit,owner,tag,team": "operands:text* | does:network",
    "yarn global": "subcommands | operands:text* | does:network | does:write",
    "yarn workspace": "operands:text command",
    "yarn workspaces": "subcommands | operands:text*",
    "yarn workspaces run": "operands:text* | scripts",
    "yarn workspaces foreach": """subcommands | operands:text* | -A --all | -p --parallel | -t --topological
        -v --verbose | -j --jobs= | --include= | --exclude= | --from= | -W | -R""",
    "yarn workspaces foreach run": "operands:text* | scripts",
    "yarn workspaces foreach exec": "operands:command",
    "yarn config": "subcommands | operands:text*",
    "yarn node": "operands:script text* | style:none",
    "bun run": """scripts | operands:script text* | options-first | -b --bun | --watch | --hot
        -r --preload=script! | --import=script! | -e --eval=code drops | -p --print=code drops
        --env-file=read | -c --config=?read!""",
    "bun install=i,add=a,update,link": _NPM_INSTALL,
    "bun remove=rm": "operands:text* | does:write",
    "bun x": "operands:command | options-first | fetches | does:network | -p --package=package | --bun",
    "bun exec": "operands:shell*",
    "bun build": """operands:read* | does:write | --outdir=write | --outfile=write | --target= | --format=
        --external -e= | --define -d= | --loader -l= | --root=write | --minify | --sourcemap=? | --compile""",
    "bun test": """operands:text* | -t --test-name-pattern= | --timeout= | --preload=script!
        --coverage-dir=write | --reporter= | --reporter-outfile=write! | --rerun-each= | --bail=?""",
    "bun publish": "operands:read | does:network | --dry-run shows | --access= | --tag= | --otp=",
    "bun create=c,init,upgrade": "operands:text* | does:network | does:write",
    "bun pm": "subcommands | operands:text* | does:network | does:write",
    "bun pm pkg": "subcommands | operands:text*",
    "bun pm pkg set": "operands:text* | does:write",
    "bun unlink,outdated,audit,info,why,patch,patch-commit,repl,completions,discord,help": "operands:text*",
}

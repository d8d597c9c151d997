"""Git, and programs beside it."""

from __future__ import annotations

from typing import Final

_DIFF: Final = """-p -u --patch | -s --no-patch | -U --unified= | --output=write! | --ext-diff!
    --no-ext-diff | --textconv! | --no-textconv | --stat=? | --numstat | --shortstat | --name-only
    --name-status | --dirstat=? | -X=? | --word-diff=? | --word-diff-regex= | --color=? | --color-words=?
    --color-moved=? | -M --find-renames=? | -C --find-copies=? | -B --break-rewrites=? | --diff-filter= | -S=
    -G= | -O=read | -l= | --relative=? | --inter-hunk-context= | --src-prefix= | --dst-prefix=
    --line-prefix= | --output-indicator-new= | --output-indicator-old= | --output-indicator-context=
    --diff-algorithm= | --anchored= | --ws-error-highlight= | --abbrev=? | --submodule=?
    --ignore-submodules=? | -I --ignore-matching-lines= | --find-object= | --skip-to= | --rotate-to=
    --diff-merges=? | --diff-prune | --max-depth= | -R | -a --text | -b | -w | -z | -W --function-context | -c
    -m"""
_LOG: Final = (
    _DIFF
    + """| -n --max-count= | --skip= | --since --after= | --until --before= | --since-as-filter= | --author=
        --committer= | --grep= | --grep-reflog= | -L= | --format=? | --pretty=? | --date= | --encoding=
        --decorate=? | --decorate-refs= | --decorate-refs-exclude= | -i --regexp-ignore-case | --branches=?
        --tags=? | --remotes=? | --glob= | --exclude= | --exclude-hidden= | --min-parents= | --max-parents=
        --show-notes=? | --notes=? | --no-walk=? | --graph | --oneline | --all | --follow | --reverse
        --merges | --no-merges | --first-parent | -g --walk-reflogs | --stdin | -E | -F | -P --perl-regexp
        -q"""
)
_REMOTE: Final = """| -v --verbose | -q --quiet | -4 --ipv4 | -6 --ipv6 | -j --jobs= | -o --server-option=
    --recurse-submodules=? """
# Git runs the values of these settings; a name that ends with a dot stands for all settings below it.
_PROGRAM_KEYS: Final = """core.pager core.editor core.sshcommand core.fsmonitor core.askpass core.gitproxy
    core.alternaterefscommand sequence.editor diff.external gpg.program
    gpg.ssh.program gpg.x509.program gpg.openpgp.program
    gpg.ssh.defaultkeycommand credential.helper interactive.difffilter
    web.browser man.viewer uploadpack.packobjectshook sendemail.smtpserver
    trailer. browser. alias. pager. filter. difftool. mergetool. merge. guitool.
    credential. man. protocol.ext. diff. remote. tar. sendemail. instaweb.""".split()
_CONFIG_CASES: Final = "\n".join(
    [
        *(f"case:-c {key} shell!" for key in _PROGRAM_KEYS),
        "case:-c core.hookspath script!",
        "case:-c include.path script!",
        "case:-c includeif. script!",
        "case:-c core.attributesfile read!",
        "case:-c core.worktree folder!",
    ]
)
_SIGN: Final = "| -S --gpg-sign=? | --no-gpg-sign "
_FETCH: Final = """--upload-pack=shell! | --depth= | --deepen= | --shallow-since= | --shallow-exclude=
    --refmap= | --negotiation-tip= | --dry-run shows | -a --append | --all | -f --force | -p --prune
    -t --tags | -k --keep"""

PROGRAMS: Final[dict[str, str]] = {
    "git": f"""subcommands | options-first | -c=! | {_CONFIG_CASES} | -C=folder | --exec-path=?script!
        --git-dir=read! | --work-tree=write! | --namespace= | --super-prefix= | --config-env=!
        --attr-source= | --list-cmds= | -p --paginate | -P --no-pager | --bare | --no-replace-objects
        --literal-pathspecs | --no-optional-locks | -v --version | -h --help | --html-path | --man-path
        --info-path""",
    "git status": """-s --short | -b --branch | --porcelain=? | -u --untracked-files=? | --ignored=?
        --ignore-submodules=? | --column=? | --find-renames=? | -z | -v --verbose""",
    "git log,whatchanged": f"{_LOG}",
    "git shortlog": f"{_LOG} | -s --summary | -n --numbered | -e --email | -c --committer | -w=? | --group=",
    "git reflog": f"subcommands | {_LOG}",
    "git reflog show": f"{_LOG}",
    "git reflog expire,delete": """does:delete | --expire= | --expire-unreachable= | --rewrite | --updateref
        -n --dry-run shows""",
    "git show": f"{_LOG}",
    "git diff,diff-tree,diff-index,diff-files,range-diff": f"""{_DIFF} | --cached --staged | --no-index>read
        -1 --base | -2 --ours | -3 --theirs | -0 | --merge-base | --exit-code | -q --quiet""",
    "git difftool": f"""{_DIFF} | -x --extcmd=opener! | -t --tool=! | -y --no-prompt | -d --dir-diff
        -g --gui | --tool-help""",
    "git mergetool": "-t --tool=! | -O=read | -y --no-prompt | -g --gui | --tool-help",
    "git grep": """-O --open-files-in-pager=?opener! | -e= | -f=read | -A --after-context=
        -B --before-context= | -C --context= | -m --max-count= | --max-depth= | --threads=
        --parent-basename= | --color=? | --textconv! | --no-index>read | --cached | --untracked
        -i --ignore-case | -n --line-number | -l --files-with-matches --name-only | -L --files-without-match
        -c --count | -w --word-regexp | -v --invert-match | -E --extended-regexp | -F --fixed-strings
        -P --perl-regexp | -W --function-context | -p --show-function | -h | -H | -q --quiet | -a --text | -I
        -o --only-matching | -r --recursive | -z --null""",
    "git blame,annotate": """-L= | -S=read | --contents=read | --ignore-rev= | --ignore-revs-file=read
        --since= | --date= | -M=? | -C=? | --abbrev= | --textconv! | --ext-diff! | -w | -e --show-email | -s
        -p --porcelain | --line-porcelain""",
    "git cat-file": """--textconv! | --filters! | --path= | --batch=? | --batch-check=? | --batch-command=?
        --batch-all-objects | -p | -t | -s | -e | --use-mailmap | --filter=""",
    "git checkout-index": """operands:read* | does:write | --prefix=write | --stage= | --temp | -a --all
        -f --force | -n --no-create | -q --quiet | -u --index | -z | --stdin | --ignore-skip-worktree-bits""",
    "git archive": """-o --output=write! | --exec=shell! | --remote=network! | --format= | --prefix=
        --add-file=read! | --add-virtual-file= | --mtime= | -l --list | -v --verbose
        --worktree-attributes!""",
    "git ls-remote": """operands:network text* | does:network | --upload-pack --exec=shell!
        -h --heads --branches | -t --tags | --refs | -q --quiet | --sort= | -o --server-option= | --symref
        --get-url | --exit-code""",
    "git fetch": f"""does:network {_REMOTE} | {_FETCH} | --filter= | --recurse-submodules-default=
        --submodule-prefix= | --output= | -P --prune-tags | -n --no-tags | -u --update-head-ok | --unshallow
        --multiple | --set-upstream | --atomic""",
    "git pull": f"""does:network | does:write {_REMOTE} {_SIGN} | {_FETCH} | -s --strategy=!
        -X --strategy-option= | --cleanup= | -r --rebase=? | --log=? | --ff-only | --no-ff | --ff
        --no-rebase | --squash | --autostash | --commit | --no-commit | -e --edit | -n | --stat""",
    "git push": """does:network | --receive-pack --exec=shell! | --repo=network! | -o --push-option=
        --recurse-submodules= | -f --force | --force-with-lease=? | --force-if-includes | -d --delete
        --all --branches | --mirror | --tags | --follow-tags | --prune | -u --set-upstream
        -n --dry-run shows | --porcelain | --atomic | --no-verify | --verify | --signed=? | -q --quiet
        -v --verbose | --progress | --thin | -4 --ipv4 | -6 --ipv6""",
    "git clone": """operands:network write | does:network | does:write | -u --upload-pack=shell!
        -c --config=! | --template=read! | -o --origin= | -b --branch= | --revision= | --depth=
        --shallow-since= | --shallow-exclude= | --reference=read | --reference-if-able=read
        --separate-git-dir=write! | -j --jobs= | --filter= | --server-option= | --bundle-uri=network!
        --ref-format= | --recurse-submodules --recursive=? | --bare | --mirror | -n --no-checkout | -l --local
        --no-hardlinks | -s --shared | -q --quiet | -v --verbose | --single-branch | --no-tags | --sparse"""
    f"| {_CONFIG_CASES}",
    "git commit": f"""does:write {_SIGN} | -m --message= | -F --file=read | -C --reuse-message=
        -c --reedit-message= | --fixup= | --squash= | --author= | --date= | -t --template=read | --cleanup=
        --trailer= | -u --untracked-files=? | --pathspec-from-file=read | -a --all | -p --patch | -i --include
        -o --only | --amend | -n --no-verify | --verify | -e --edit | --no-edit | -s --signoff | --allow-empty
        --allow-empty-message | --reset-author | --dry-run shows | -q --quiet | -v --verbose | --short
        --porcelain | -z""",
    "git add=stage": """operands:read* | does:write | -A --all --no-ignore-removal | -u --update | -f --force
        -n --dry-run shows | -p --patch | -i --interactive | -e --edit | -N --intent-to-add | -v --verbose
        --chmod= | --pathspec-from-file=read | --refresh | --renormalize | --sparse""",
    "git rm": """operands:delete* | -r | -f --force | --cached>text | -n --dry-run>text shows | -q --quiet
        --ignore-unmatch | --pathspec-from-file=read | --sparse""",
    "git mv": "operands:move* write | -f --force | -k | -n --dry-run shows | -v --verbose",
    "git clean": """operands:delete* | does:delete | -d | -f --force | -x | -X | -n --dry-run shows
        -i --interactive | -q --quiet | -e --exclude=""",
    "git checkout": """does:write | -b= | -B= | --orphan= | --conflict= | --pathspec-from-file=read
        -t --track=? | --recurse-submodules=? | -f --force | -l | -d --detach | -p --patch | -m --merge
        -q --quiet | -2 --ours | -3 --theirs | --guess | --no-guess | --overlay | --no-overlay
        --ignore-skip-worktree-bits | --ignore-other-worktrees | --pathspec-file-nul""",
    "git switch": """does:write | -c --create= | -C --force-create= | --orphan= | --conflict= | -t --track=?
        --recurse-submodules=? | -d --detach | -f --force --discard-changes | -m --merge | -q --quiet
        --guess""",
    "git restore": """operands:write* | -s --source= | -S --staged | -W --worktree | --conflict= | -p --patch
        --pathspec-from-file=read | -2 --ours | -3 --theirs | -m --merge | -q --quiet | --recurse-submodules=?
        --overlay""",
    "git reset": """does:write | --hard | --soft | --mixed | --merge | --keep | -p --patch | -q --quiet
        -N --intent-to-add | --pathspec-from-file=read | --recurse-submodules=? | --refresh""",
    "git stash": """subcommands | does:write | -m --message= | -p --patch | -k --keep-index
        -u --include-untracked | -a --all | -q --quiet | -S --staged | --pathspec-from-file=read""",
    "git stash push,save": "operands:text*",
    "git stash drop,clear": "does:delete",
    "git stash list,show": f"{_LOG}",
    "git stash pop,apply,branch,create,store,export,import": "--index",
    "git merge": f"""does:write {_SIGN} | -m --message= | -F --file=read | -s --strategy=!
        -X --strategy-option= | --into-name= | --cleanup= | --log=? | --ff-only | --no-ff | --ff | --squash
        --abort | --continue | --quit | -e --edit | --no-edit | -n | --no-verify | --allow-unrelated-histories
        --autostash | --signoff | -q --quiet | -v --verbose | --stat | --no-commit | --commit""",
    "git rebase": f"""does:write {_SIGN} | -x --exec=shell! | --onto= | -s --strategy=!
        -X --strategy-option= | -C= | --empty= | --whitespace= | -r --rebase-merges=? | -i --interactive
        --continue | --skip | --abort | --quit | --edit-todo | --show-current-patch | --root | --autosquash
        --autostash | -f --force-rebase --no-ff | --fork-point | --keep-base | --no-verify | -q --quiet
        -v --verbose | -m --merge | -n --no-stat | --stat | --update-refs | --signoff
        --committer-date-is-author-date""",
    "git cherry-pick,revert": f"""does:write {_SIGN} | -m --mainline= | --strategy=! | -X --strategy-option=
        --cleanup= | --empty= | -e --edit | --no-edit | -n --no-commit | -s --signoff | -x | -r | --ff
        --continue | --skip | --abort | --quit | --allow-empty | --keep-redundant-commits
        --rerere-autoupdate""",
    "git branch": """-d --delete! | -D! | -f --force! | -m --move! | -M! | -c --copy! | -C! | -a --all
        -r --remotes | -l --list | -v --verbose | -vv | -q --quiet | -i --ignore-case | -u --set-upstream-to=
        --unset-upstream | --edit-description! | -t --track=? | --no-track | --contains= | --no-contains=
        --merged= | --no-merged= | --points-at= | --format= | --sort= | --column=? | --color=? | --abbrev=?
        --show-current | --create-reflog""",
    "git tag": f"""{_SIGN.replace("-S --gpg-sign=?", "--gpg-sign")} | -a --annotate | -s --sign
        -u --local-user= | -m --message= | -F --file=read | -d --delete | -f --force | -l --list | -n=?
        -v --verify | -e --edit | --cleanup= | --sort= | --format= | --contains= | --no-contains= | --merged=
        --no-merged= | --points-at= | --column=? | --color=? | -i""",
    (
        "git name-rev,merge-base,rev-list,check-ignore,check-attr,count-objects,verify-commit,"
        "verify-tag,var,version,help,cherry,show-branch,fsck"
    ): f"{_LOG}",
    "git describe": """--match= | --exclude= | --candidates= | --abbrev= | --dirty=? | --broken=? | --tags
        --all | --always | --long | --contains | --exact-match | --first-parent""",
    "git rev-parse": """--default= | --prefix= | --branches=? | --tags=? | --remotes=? | --glob= | --exclude=
        --abbrev-ref=? | --short=? | --path-format= | --resolve-git-dir=read | --git-path= | --since=
        --until= | --show-toplevel | --git-dir | --verify | -q --quiet | --is-inside-work-tree""",
    "git ls-files": """-x --exclude= | -X --exclude-from=read | --exclude-per-directory= | --with-tree=
        --abbrev=? | --format= | -c --cached | -d --deleted | -m --modified | -o --others | -i --ignored
        -s --stage | -u --unmerged | -k --killed | -z | -t | -v | -f | --exclude-standard | --error-unmatch
        --directory | --full-name | --recurse-submodules""",
    "git ls-tree": """-d | -r | -t | -l --long | -z | --name-only | --name-status | --full-name | --full-tree
        --format= | --abbrev=?""",
    "git for-each-ref": """--count= | --sort= | --format= | --points-at= | --merged= | --no-merged=
        --contains= | --no-contains= | --color=? | --exclude= | --shell | --perl | --python | --tcl
        --stdin""",
    "git symbolic-ref,update-ref": """-m= | -d --delete | -q --quiet | --short | --no-deref | --stdin | -z
        --create-reflog""",
    "git show-ref": """--heads --branches | --tags | -d --dereference | -s --hash=? | --verify | -q --quiet
        --abbrev=? | --exclude-existing=?""",
    "git config": """does:write | --global | --system | --local | --worktree | -f --file=write! | --blob=
        -t --type= | --default= | --value= | --comment= | -e --edit | -l --list calms | --get calms
        --get-all calms | --get-regexp calms | --get-urlmatch calms | --get-color calms
        --get-colorbool calms | --add | --unset | --unset-all | --replace-all | --rename-section
        --remove-section | --bool | --int | --path | -z --null | --name-only | --show-origin | --show-scope
        --includes | --all | --fixed-value""",
    "git remote": "subcommands | -v --verbose",
    "git remote add": """operands:text network | does:write | -t --track= | -m --master= | -f --fetch | --tags
        --no-tags | --mirror=?""",
    "git remote set-url": "operands:text network text | does:write | --push | --add | --delete",
    "git remote remove=rm": "does:write",
    "git remote update,show,prune": "does:network | -p --prune | -n --dry-run shows",
    "git submodule": "subcommands | -q --quiet | --cached",
    "git submodule foreach": "operands:shell* | options-first | --recursive",
    "git submodule add": """operands:network write | does:network | does:write | -b --branch= | --name=
        --reference=read | --depth= | --ref-format= | -f --force | -q""",
    "git submodule update": """does:network | does:write | --reference=read | --depth= | --filter=
        -j --jobs= | --init | --remote | -N --no-fetch | -f --force | --recursive | --checkout | --merge
        --rebase | --single-branch""",
    "git submodule deinit,sync,init,set-branch,set-url,summary,absorbgitdirs,status": """-b --branch=
        -n --summary-limit= | -f --force | --all | --recursive | -d --default""",
    "git bisect": "subcommands | does:write",
    "git bisect run": "operands:command | style:none",
    (
        "git bisect start,bad,good,new,old,skip,reset,log,replay,visualize,view,terms,next,help"
    ): "--term-new= | --term-old= | --term-good= | --term-bad= | --first-parent | --no-checkout",
    "git worktree": "subcommands",
    "git worktree add": """operands:write text | -b= | -B= | --reason= | -f --force | -d --detach | --checkout
        --lock | --orphan | -q --quiet | --track""",
    "git worktree remove": "operands:delete | -f --force",
    "git worktree move": "operands:move write | -f --force",
    "git worktree list,prune,lock,unlock,repair": """--reason= | --expire= | --porcelain | -v
        -n --dry-run shows | -z""",
    "git init": """operands:write | does:write | --template=read! | --separate-git-dir=write!
        -b --initial-branch= | --object-format= | --ref-format= | --shared=? | --bare | -q --quiet""",
    "git prune": "does:delete | -n --dry-run shows | -v --verbose | --progress | --expire=",
    "git gc,repack,pack-refs,maintenance": """does:write | --prune=? | --expire= | --aggressive | --auto
        -f --force | -q --quiet | -a | -d | -l | --task= | --schedule=? | --window= | --depth=
        --max-pack-size= | --keep-pack= | --expire-to=write! | -n""",
    "git apply": """operands:read* | does:write | --directory=folder | -p= | -C= | --exclude= | --include=
        --whitespace= | --build-fake-ancestor=write! | --stat calms | --numstat calms | --summary calms
        --check calms | --index | --cached | -3 --3way | -R --reverse | --reject | --unsafe-paths!
        -v --verbose | -q | -z""",
    "git am": f"""operands:read* | does:write {_SIGN} | --directory=folder | -p= | -C= | --exclude=
        --include= | --whitespace= | --patch-format= | --quoted-cr= | --empty= | --show-current-patch=?
        -3 --3way | -s --signoff | -k | -u | -q | -i --interactive | --continue -r --resolved | --skip
        --abort | --quit""",
    "git format-patch": f"""does:write | {_LOG} | -o --output-directory=write! | --start-number= | --suffix=
        --in-reply-to= | --to= | --cc= | --add-header= | --subject-prefix= | -v --reroll-count= | --from=?
        --attach=? | --inline=? | --thread=? | --signature= | --signature-file=read | --base= | --interdiff=
        --range-diff= | --creation-factor= | --cover-letter | --stdout calms | -k | -N | -s --signoff""",
    "git send-email": """operands:read* | does:network | --to= | --cc= | --bcc= | --from= | --subject=
        --in-reply-to= | --smtp-server=shell! | --smtp-server-port= | --smtp-user= | --smtp-pass=
        --smtp-encryption= | --sendmail-cmd=shell! | --to-cmd=shell! | --cc-cmd=shell! | --header-cmd=shell!
        --compose | --annotate | --dry-run shows | --confirm= | --identity= | --suppress-cc=""",
    "git bundle": "subcommands",
    "git bundle create": "operands:write text* | -q --quiet | --all | --version=",
    "git bundle verify,list-heads,unbundle": "operands:read text* | -q --quiet",
    "git filter-branch": """does:write | --env-filter=shell! | --tree-filter=shell! | --index-filter=shell!
        --parent-filter=shell! | --msg-filter=shell! | --commit-filter=shell! | --tag-name-filter=shell!
        --setup=shell! | --subdirectory-filter= | --original= | -d=write | --state-branch= | -f --force
        --prune-empty""",
    "git filter-repo": """does:write | --path= | --path-glob= | --path-rename= | --paths-from-file=read
        --replace-text=read | --replace-message=read | --mailmap=read | --blob-callback=code!
        --commit-callback=code! | --filename-callback=code! | --message-callback=code! | --name-callback=code!
        --email-callback=code! | --refname-callback=code! | --tag-callback=code! | --reset-callback=code!
        --refs= | --source=read | --target=write | --invert-paths | -f --force | --analyze
        --dry-run shows""",
    (
        "git notes,replace,rerere,sparse-checkout,flow,annex,credential,update-index,read-tree,"
        "write-tree,commit-tree,mktag,mktree,merge-file,merge-tree,pack-objects,"
        "index-pack,unpack-objects,multi-pack-index,commit-graph,stripspace,interpret-trailers,"
        "mailinfo,mailsplit,column,http-backend,svn,p4,cvsserver,gui,citool,"
        "backfill"
    ): "does:write | -m --message= | -F --file=read",
    "git fast-export,fast-import": """does:write | --export-marks=write! | --import-marks=read
        --import-marks-if-exists=read | --rewrite-submodules-from=read | --rewrite-submodules-to=read
        --date-format= | --all | --quiet | --force""",
    "git bugreport,diagnose": """operands:none | does:write | -o --output-directory=write! | -s --suffix=
        --mode=""",
    "git hash-object": "operands:read* | does:write | -t= | --path= | -w | --stdin | --no-filters",
    "git fetch-pack,send-pack": """operands:network text* | does:network | --exec --upload-pack=shell!
        --receive-pack=shell! | --depth= | --shallow-since= | --shallow-exclude= | --all | -q | -k | -v
        -f --force | --dry-run shows | --mirror""",
    "git lfs": "subcommands | does:network",
    "git for-each-repo": "operands:code* | --config= | --keep-going",  # git runs itself with these words
    "git credential-store": "operands:text | --file=edit!",
    "git instaweb": """-d --httpd=shell! | -b --browser=shell! | -m --module-path= | -p --port= | -l --local
        --start | --stop""",
    "git daemon": """operands:read* | does:network | --base-path=read | --interpolated-path= | --listen=
        --port= | --access-hook=shell! | --export-all | --enable= | --disable=""",
    (
        "git upload-pack,receive-pack,upload-archive,remote-ext,remote-http,remote-https,remote-fd"
    ): """operands:shell*""",
    "git-upload-pack,git-receive-pack,git-upload-archive": """operands:read | --timeout= | --strict
        --stateless-rpc""",
    "git-shell": "operands:none | -c=code | interpreter",
    "gh": "subcommands:2 | does:network | -R --repo= | -h --help",
    "gh api": """operands:text | -X --method= | -f --raw-field= | -F --field= | -H --header= | --input=read
        -q --jq= | -t --template= | --hostname=network! | -p --preview= | --cache= | -i --include | --paginate
        --silent | case:-F *=@ read""",
    "gh alias,extension": "subcommands",
    "gh alias set": "operands:text shell | -s --shell | --clobber",
    (
        "gh auth,repo,pr,issue,release,run,workflow,gist,secret,variable,label,cache,codespace,org,"
        "project,ruleset,search,ssh-key,gpg-key,config,browse,status"
    ): """subcommands | -b --body= | -F --body-file=read | -t --title= | -B --base= | -H --head=
        -a --assignee= | -l --label= | -m --milestone= | -r --reviewer= | -p --project= | -L --limit=
        -s --state= | -S --search= | -A --author= | --json= | -q --jq= | -T --template= | -w --workflow=
        -e --env= | -o --org=""",
    "gh ssh-key add": "operands:read | --type=",
    "gh gpg-key add": "operands:read",
    "gh codespace ssh": "operands:shell* | -c --codespace= | --profile= | --server-port= | --config | -d",
    "gh auth token": "operands:none | --hostname -h= | -u --user=",
    "gh pr merge": """operands:text | -t --subject= | -A --author-email= | --match-head-commit=
        -d --delete-branch | -m --merge | -r --rebase | -s --squash | --admin | --auto | --disable-auto""",
    "gh pr checkout=co": """operands:text | does:write | -b --branch= | --detach | -f --force
        --recurse-submodules""",
    "gh repo clone": "operands:network write text* | does:write | -u --upstream-remote-name=",
    "gh repo delete": "operands:text | --yes | does:delete",
    "gh release delete": "-y --yes | --cleanup-tag",
    "gh release create": """operands:text read* | -n --notes= | -F --notes-file=read | --target=
        --notes-start-tag= | --discussion-category= | -d --draft | -p --prerelease | --generate-notes
        --latest=? | --verify-tag | --notes-from-tag""",
    "gh release download": """operands:text | does:write | -D --dir=write | -O --output=write | -p --pattern=
        -A --archive= | --clobber | --skip-existing""",
    "gh release upload": "operands:text read* | --clobber",
    "gh gist create": "operands:read* | -d --desc= | -f --filename= | -p --public | -w --web",
    "gh run download": "does:write | -D --dir=write | -n --name= | -p --pattern=",
    "gh secret set": """operands:text | -f --env-file=read | -r --repos= | -v --visibility= | -a --app=
        -u --user""",
    "hub,glab": "subcommands:2 | does:network",
    "hg": """subcommands | --config=! | -R --repository= | --cwd=folder | -y | -q | -v | --encoding=
        --pager= | --color=""",
    "hg clone,pull,push,incoming,outgoing": """operands:network* | does:network | -e --ssh=shell!
        --remotecmd=shell! | -r --rev= | -b --branch= | -B --bookmark= | -u --updaterev= | -f --force""",
    "svn": """subcommands | --username= | --password= | --config-dir=read! | --config-option=!
        -r --revision= | -m --message= | -F --file=read | --diff-cmd=shell! | --diff3-cmd=shell!
        --editor-cmd=shell! | --depth= | -q --quiet | --non-interactive""",
    "svn checkout=co,export,update=up,commit=ci,import,switch,list=ls,cat,log": """operands:network*
        does:network | does:write""",
    "jj": """subcommands:2 | -R --repository= | --config=! | --config-file=read! | --config-toml=!
        -r --revision= | -m --message= | --at-operation=""",
    "pre-commit,lefthook,husky": """subcommands | -c --config=read | --hook-stage= | -a --all-files
        --files>read""",
    "tig,lazygit,gitk": "operands:text*",
}

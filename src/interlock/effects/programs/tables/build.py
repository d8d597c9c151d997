"""Build tools, compilers, test runners, linters and formatters, and JavaScript's package managers."""

from __future__ import annotations

from typing import Final

_GCC: Final = """style:single | operands:read* | does:write | -o=write | -I=read | -L=read | -l= | -D= | -U=
    -x= | -include=read | -imacros=read | -isystem=read | -iquote=read | -idirafter=read | -iprefix=
    -isysroot=read | -sysroot=read | -B=read! | -wrapper=code! | -fplugin=script! | -specs=script! | -T=read!
    -u= | -z= | -e= | -A= | -Xlinker=! | -Xassembler=! | -Xpreprocessor=! | -Xclang=! | -Wl,=?! | -MF=write!
    -MT= | -MQ= | -MD | -MMD | -M | -MM | -G= | -aux-info=write! | -dumpbase= | -dumpdir= | -target= | -arch=
    -framework= | -F=read | -rpath= | -fdump-=? | -c | -S | -E | -v | -w | -g | -s | -static | -shared
    -pthread | -pipe | -save-temps! | -nostdlib | -p | -pg | -O=? | -W=? | -f=? | -m=? | -std=?
    -load=script!"""
_LINT: Final = """operands:read* | -c --config=read | --fix!>edit does:write | --write -w!>write
    -o --output-file --output --outfile=write! | -f --format --formatter --reporter= | --ignore-path=read
    --ext= | --rule= | --rulesdir=script! | --resolve-plugins-relative-to=script! | --plugin=script!
    --parser=script! | --parser-options= | --env= | --global= | --max-warnings= | --cache-location=write!
    --cache-file=write! | --ignore-pattern= | --stdin-filename= | --cache | -q --quiet | --color | --check
    -l --list-different | --stdin-filepath= | --cache-strategy= | --log-level= | --tsconfig=read
    --require=script!"""
_PYTEST: Final = """operands:read* | -k= | -m= | -n --numprocesses= | -p= | -c --config-file=read
    -o --override-ini= | -r= | -W --pythonwarnings= | --rootdir= | --basetemp=write!
    --junitxml --junit-xml=write! | --tb= | --maxfail= | --durations= | --cov=? | --cov-report=
    --cov-config=read | --confcutdir=read | --ignore= | --ignore-glob= | --deselect= | --import-mode=
    --log-file=write! | --log-level= | --log-cli-level= | --log-format= | --pdbcls=! | --capture= | --dist=
    --timeout= | --reruns= | --color= | --html=write! | --pyargs>text | --debug=?write! | --resultlog=write!
    --report-log=write! | --pastebin=! | --assert= | --doctest-glob= | --tx= | --pdb | --trace
    -x --exitfirst | -v --verbose | -q --quiet | -s | -l --showlocals | -h | -V | --lf --last-failed | --ff
    --nf | --sw | --co --collect-only"""
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
    "make=gmake=bmake": """does:write | -f --file --makefile=script | -C --directory=folder
        -I --include-dir=read! | -o --old-file --assume-old= | -W --what-if --new-file --assume-new=
        -j --jobs=? | -l --load-average --max-load=? | -O --output-sync=? | -E --eval=code! | --shuffle=?
        --debug=? | --jobserver-style= | --temp-stdin= | -B --always-make | -d | -e --environment-overrides
        -i --ignore-errors | -k --keep-going | -n --just-print --dry-run --recon calms | -p --print-data-base
        -q --question calms | -r | -R | -s --silent --quiet | -t --touch | -v --version | -w | --trace""",
    "cmake": """operands:read | does:write | -S=read | -B=write | -G= | -T= | -A= | -D= | -U= | -C=script!
        -P=script! ends | -E=command | --build=write | --install=read | --open= | --preset= | --workflow
        --trace-format= | --trace-source= | --profiling-format= | --debug-find-pkg= | --toolchain=read!
        --install-prefix=write | --prefix=write | --target -t= | --config= | --component= | -j --parallel=?
        --log-level= | --graphviz=write! | --trace-redirect=write! | --profiling-output=write!
        --find-package | -L=? | -N | -W=? | --clean-first | -v --verbose | --strip | --fresh | -LAH""",
    # The commands of `cmake -E`.
    "remove_directory": "operands:delete*",
    "make_directory": "operands:write*",
    "copy,copy_directory,copy_if_different,copy_directory_if_different": "operands:read* write",
    "create_symlink,create_hardlink": "operands:read write",
    "ctest,cpack": """-C --build-config= | -R --tests-regex= | -E --exclude-regex= | -L --label-regex=
        -LE --label-exclude= | -j --parallel=? | -S --script=script! | -SP=script! | -D= | -M= | -T=
        -O --output-log=write! | -I= | -G= | -P= | -B=write | --config=read | --test-dir=folder | --timeout=
        --output-junit=write! | --test-command=command | --build-and-test=read,write | --build-run-dir=
        --repeat= | --preset= | -V --verbose | -VV | -N | -Q | -U""",
    "ninja,samu": """does:write | -C=folder | -f=script | -j= | -k= | -l= | -d= | -t=text ends | -w= | -n | -v
        --verbose | --quiet""",
    "meson": """subcommands | -C=folder | -D= | --prefix=write | --buildtype= | --native-file=read!
        --cross-file=read! | --wrap-mode= | --backend=""",
    "meson devenv": "operands:command | -w --workdir=folder | --dump=?",
    "meson test": """--wrapper --wrap=shell! | --suite= | --test-args= | --gdb-path=shell! | -t= | --repeat=
        -v | -q""",
    (
        "scons,waf,b2,bjam,qmake,xmake,premake5,gn,tup,redo,mk,buck,buck2,pants,please,plz,earthly,"
        "dagger,rush,gulp,grunt,jake,webpack,vite,rollup,swc,parcel,next,nuxt,astro,gatsby,ng,"
        "vue-cli-service,react-scripts,remix,svelte-kit,storybook,electron,electron-builder,cordova,"
        "ionic,react-native,tauri,msbuild,devenv,sbt,mill,bloop,lake,dune,bsb,rescript,hugo,jekyll,"
        "eleventy,mkdocs,sphinx-build,doxygen,antora,mdbook,docusaurus"
    ): """does:write | -f --file --config -c=read! | -C --directory=folder
        -o --output --outdir --outfile=write | -j --jobs= | -p --port=""",
    "esbuild": """operands:read* | does:write | --outfile=write | --outdir=write | --servedir=read
        --serve=?! | --tsconfig=read | --metafile=write""",
    "xcodebuild": """style:single | does:write | -project=read | -workspace=read | -scheme= | -target=
        -configuration= | -sdk= | -destination= | -derivedDataPath=write | -archivePath=write
        -exportPath=write | -exportOptionsPlist=read | -resultBundlePath=write | -xcconfig=read! | -toolchain=
        -arch= | -only-testing= | -jobs=""",
    "bazel=bazelisk": """subcommands | does:write | --bazelrc=read! | --output_base=write
        --output_user_root=write | --host_jvm_args=! | --config= | --run_under=shell!
        --workspace_status_command=shell! | --credential_helper=shell! | --remote_executor=network!
        --remote_cache=network! | --test_arg= | --test_filter= | --action_env=! | --define= | --jobs=
        -c --compilation_mode= | -k --keep_going | -s --subcommands | --script_path=write!
        --override_repository=! | --repo_env=!""",
    "nx,turbo,lerna": """subcommands | does:write | --cwd=folder | --filter= | --scope= | --project=
        --projects= | -t --target --targets= | --parallel=? | --concurrency= | -c --configuration= | --base=
        --head= | --api=network! | --token= | --team=""",
    "lerna exec": "operands:command | options-first | --ignore= | --stream | --parallel",
    "lerna run": "operands:text text* | --stream",
    "nx run,affected,run-many": "operands:text*",
    "nx exec": "operands:command",
    "gradle=gradlew": """does:write | does:network | -b --build-file=script | -c --settings-file=script
        -I --init-script=script! | -p --project-dir=folder | -g --gradle-user-home=write! | -P --project-prop=
        -D --system-prop=! | -x --exclude-task= | --include-build=read! | --project-cache-dir=write
        --max-workers= | --console= | --warning-mode= | --priority= | -F --dependency-verification=
        -M --write-verification-metadata= | --configuration-cache=? | --tests= | -i --info | -d --debug
        -q --quiet | -s --stacktrace | -S | -t --continuous | -m --dry-run shows | --offline | --scan
        --no-daemon | --stop""",
    "mvn=mvnw=mvnd": """does:write | does:network | -f --file=script | -s --settings=read!
        -gs --global-settings=read! | -t --toolchains=read! | -D --define=! | case:-D test= text
        case:-D =skipTests text | case:-D =skipTests=true text | case:-D =maven.test.skip=true text
        case:-D =failIfNoTests=false text | -P --activate-profiles= | -pl --projects= | -rf --resume-from=
        -T --threads= | -l --log-file=write! | -b --builder= | --color= | -gt --global-toolchains=read!
        -emp --encrypt-master-password=? | -ep --encrypt-password=? | -q --quiet | -X --debug | -o --offline
        -U --update-snapshots | -B --batch-mode | -am | -amd | -e --errors | -N | -ntp | -V""",
    "ant": """style:single | does:write | -f -file -buildfile=script! | -lib=read! | -logfile -l=write!
        -logger=! | -listener=! | -propertyfile=read | -inputhandler=! | -find=? | -D=! | -q | -v | -d
        -k""",
    "just": """does:write | -f --justfile=script | -d --working-directory=folder | -c --command=command
        --set=,text | --shell=shell! | --shell-arg= | --dotenv-filename=read | --dotenv-path -E=read
        --chooser=shell! | --color= | --dump-format= | -s --show= | -l --list=? | -n --dry-run calms
        --evaluate | -q --quiet | -v | -u | -e --edit""",
    "task=go-task": """does:write | -t --taskfile=script | -d --dir=folder | -c --color=? | -C --concurrency=
        -o --output= | -I --interval= | -n --dry calms | -l --list | -a --list-all | -p --parallel
        -f --force | -s --silent | -w --watch | -g --global | -y --yes""",
    (
        "gcc,g++,cc,c++,clang,clang++,cpp,tcc,icc,icx,nvcc,gfortran,gnat,gdc,hipcc,emcc,em++,c89,c99,"
        "x86_64-linux-gnu-gcc"
    ): _GCC,
    "ld,gold,lld,ld.lld,mold,ld.bfd,ld.gold": """style:single | operands:read* | does:write | -o=write
        -T=read! | -L=read | -l= | -plugin=script! | -m= | -e= | -rpath= | -dynamic-linker=! | -Map=write!
        -z= | -u= | -soname= | -h= | -I=! | -version-script=read""",
    "as,nasm,yasm,fasm,masm": """style:single | operands:read* | does:write | -o=write | -f= | -l=write!
        -I=read | -D=? | -g=? | -p=read | -MF=write!""",
    "swiftc,dmd,ldc2,fpc,valac,kotlinc,scalac,v,odin,hare": """operands:read* | does:write | -o=write
        -I=read | -L=read""",
    "zig": "subcommands | does:write",
    "tsc": """style:single | operands:read* | does:write | -p -project=read | -b -build | -outDir=write
        -outFile=write | -declarationDir=write | -tsBuildInfoFile=write | -rootDir=read | -target -t=
        -module -m= | -lib= | -jsx= | -generateTrace=write! | -generateCpuProfile=write! | -noEmit calms
        -w -watch | -init | -strict | -pretty""",
    (
        "eslint,prettier,stylelint,standard,xo,jshint,tslint,markdownlint,textlint,commitlint,oxlint,"
        "rome,htmlhint,csslint,jscs,semistandard"
    ): _LINT,
    "biome": """subcommands | operands:read* | --config-path=read! | --write --apply!>edit does:write
        --fix!>edit does:write | --unsafe | --max-diagnostics= | --reporter= | --stdin-file-path=
        --log-file=write!""",
    "dprint": "subcommands | operands:read* | -c --config=read! | --plugins=script!",
    "pytest=py.test": _PYTEST,
    "unittest,nose2,nosetests,behave,robot": "operands:script* | -s= | -p= | -t= | -k= | -f=script!",
    "locust": """-f --locustfile=script | -H --host=network | -u --users= | -r --spawn-rate= | -t --run-time=
        --headless | -c= | --csv=write! | --html=write! | --logfile=write! | --config=read | -L --loglevel=
        --master-host=network | --web-host= | --web-port= | -P= | --tags=""",
    "jest,vitest,mocha,ava,tap,jasmine,karma,testcafe,wdio,tape,uvu": """operands:read* | -c --config=script!
        -t --testNamePattern --grep -g= | -r --require=script! | --setupFiles=script! | --testPathPattern=
        --rootDir --root --dir=folder | --outputFile=write! | --coverageDirectory=write!
        --reporter --reporters=! | case:--reporter =dot text | case:--reporter =verbose text
        case:--reporter =default text | case:--reporter =basic text | case:--reporter =spec text
        case:--reporter =tap text | case:--reporter =json text | --globalSetup=script! | --runner=script!
        --transform=! | --project= | -w --maxWorkers --workers= | --testTimeout --timeout= | --shard=
        --watch | --coverage | -u --update --updateSnapshot! does:write | --ci | --bail=? | -i --runInBand
        --silent | --ui= | --env --environment= | -R= | --file=script! | --loader=script!
        --import=script!""",
    "c8,nyc": """operands:command | options-first | -r --reporter= | --report-dir --reports-dir=write
        --temp-dir --temp-directory=write | -x --exclude= | -n --include= | -e --extension= | --cwd=folder
        --all | -c --config=read!""",
    "playwright,cypress": """subcommands | operands:read* | -c --config=read! | -g --grep= | --project=
        --reporter= | --workers -j= | --output=write | --spec -s= | -b --browser= | -e --env= | --headed
        --ui | --debug""",
    "playwright install": "does:network | does:write | --with-deps | --force",
    "ruff": """subcommands | operands:read* | --config=! | --isolated | -q --quiet | -v --verbose
        -s --silent""",
    "ruff check,lint": """operands:read* | --fix!>edit does:write | --unsafe-fixes | --diff | -w --watch
        -o --output-file=write! | --output-format= | --select= | --ignore= | --extend-select=
        --extend-ignore= | --per-file-ignores= | --fixable= | --unfixable= | --target-version= | --exclude=
        --extend-exclude= | --cache-dir=write! | --stdin-filename= | --line-length= | -n --no-cache
        -e --exit-zero | --add-noqa! does:write | --statistics | --preview | --show-fixes
        --fix-only! does:write""",
    "ruff format": """operands:write* | --check>read | --diff>read | --exclude= | --line-length= | --range=
        --target-version= | --stdin-filename= | --cache-dir=write! | -n --no-cache | --preview""",
    "ruff rule,config,linter,clean,server,analyze,version": "--output-format=",
    (
        "black,isort,autopep8,yapf,autoflake,pyupgrade,docformatter,usort,blue,stylua,taplo,"
        "alejandra,nixfmt,ktlint,google-java-format,swiftformat,prettierd,djlint,sqlformat,pyink,"
        "ssort"
    ): """operands:write* | --check>read | --diff>read | -c --code= | -l --line-length= | -t --target-version=
        --config=read! | --include= | --exclude= | -i --in-place | -w --write | -q --quiet | -v --verbose
        --settings-path --sp=read | --profile= | -d""",
    "clang-format,shfmt": """operands:read* | -i!>write | -w!>write | -style --style=
        -assume-filename --assume-filename= | -l | -d | -s | -ln= | -p""",
    "mypy": """operands:read* | -m --module= | -p --package= | -c --command= | --config-file=read!
        --python-version= | --platform= | --python-executable=shell! | --cache-dir=write! | --exclude=
        --follow-imports= | --custom-typeshed-dir=read | --shadow-file=read,read | --junit-xml=write!
        --html-report=write! | --txt-report=write! | --xml-report=write! | --any-exprs-report=write!
        --cobertura-xml-report=write! | --linecount-report=write! | --linecoverage-report=write!
        --lineprecision-report=write! | --disable-error-code= | --enable-error-code=
        --install-types! does:network | --non-interactive | --strict | -v --verbose | --pdb | --always-true=
        --always-false= | --num-workers=""",
    "bandit": """operands:read* | -r --recursive | -f --format= | -o --output=write! | -c --configfile=read!
        -x --exclude= | -s --skip= | -t --tests= | -b --baseline=read | -p --profile= | -n --number=
        --ini=read! | -a --aggregate= | -l --level | -i --confidence | -q --quiet | -v --verbose""",
    (
        "pyright,pyre,pytype,ty,pylint,flake8,pydocstyle,pycodestyle,pyflakes,vulture,radon,"
        "interrogate,safety,pip-audit,semgrep,codespell,yamllint,ansible-lint,actionlint,tflint,"
        "checkov,hadolint,luacheck,phpstan,psalm,phpcs,rubocop,reek,brakeman,checkstyle,spotbugs,pmd,"
        "detekt,swiftlint,cppcheck,clang-tidy,cpplint,vale,proselint,misspell,gitleaks,trufflehog,"
        "import-linter,lint-imports,deptry,tach"
    ): """operands:read* | -c --config --config-file --rcfile=read! | -o --output --output-file=write!
        --fix! does:write | --write-changes -w! does:write | -a --autocorrect --auto-correct! does:write
        -A --autocorrect-all! does:write | --load-plugins=script! | --init-hook=code! | -r --require=script!
        -f --format --output-format= | -j --jobs= | -p --project=read | -s --shell= | -e --exclude= | -x=
        -S --severity= | --select= | --ignore= | --disable= | --enable=""",
    "shellcheck": """operands:read* | -a --check-sourced | -C --color=? | -i --include= | -e --exclude=
        -f --format= | -o --enable= | -P --source-path=read | -s --shell= | -S --severity=
        -W --wiki-link-count= | -x --external-sources | --rcfile=read | --norc""",
    "coverage": "subcommands | --rcfile=read! | --data-file=write | -i",
    "coverage run": """operands:script text* | options-first | -m --module=module>text drops ends | --source=
        --omit= | --include= | -p --parallel-mode | -a --append | --branch | --concurrency= | --context=
        --timid | -L | --save-signal=""",
    "coverage report,html,xml,json,lcov,combine,erase,annotate,debug": """-d --directory=write! | -o=write!
        --omit= | --include= | --fail-under= | -m --show-missing | --format= | --precision= | --sort=
        --title= | -q | --keep | -a --append""",
    "debugpy,pdb,pudb,scalene,memray,kernprof,cProfile,austin": """operands:script text* | options-first
        -m=module>text drops ends | -c= | -o --output=write! | --listen=network! | -p --pid= | -f --format=
        -d --duration= | -r --rate=""",
    "py-spy": """subcommands | operands:command | -o --output=write! | -p --pid= | -d --duration= | -r --rate=
        -f --format= | -n --native | -s --subprocesses""",
    "py-spy record,top,dump": "operands:command",
    (
        "gunicorn,uvicorn,hypercorn,daphne,waitress-serve,celery,streamlit,gradio,jupyter-lab,"
        "http-server,serve,live-server,json-server,php-fpm,nginx,apachectl,httpd,caddy,traefik,"
        "haproxy"
    ): """does:network | -c --config=script! | -b --bind= | -w --workers= | -k --worker-class=!
        --chdir=folder | --pythonpath=read! | --app-dir=read! | --env-file=read | -e --env=env | --host=
        --port -p= | --log-file --error-logfile --access-logfile=write! | -g=code! | -A --app=
        --reload-dir=read | -D --daemon | --pid=write! | --log-config=read! | --reload""",
    "jupyter": "subcommands | does:network",
    "jupyter nbconvert,execute": """operands:read* | does:write | --to= | --output=write | --output-dir=write
        --execute! | --inplace! | --config=script!""",
    "flask,django-admin": """subcommands | -A --app=script! | -e --env-file=read | --settings=
        --pythonpath=read!""",
    "django-admin shell": "operands:none | interpreter | -c --command=code | -i --interface=",
    "autoconf,automake,aclocal,autoheader,autoreconf,libtoolize,autopoint,gettextize": """operands:read*
        does:write | -o --output=write | -I --include=read | -B --prepend-include=read! | -f --force
        -i --install""",
    "libtool": "operands:command | options-first | --mode= | --tag= | --silent",
    "pkg-config,pkgconf,llvm-config,python-config": """--variable= | --define-variable= | --with-path=read
        --cflags | --libs""",
    (
        "flex,bison,yacc,lex,ragel,re2c,swig,thrift,flatc,capnp,gperf,antlr4,moc,uic,rcc,cscope,"
        "indent,astyle,uncrustify"
    ): """operands:read* | does:write | -o --output --outfile --out=write | -I --include=read | -D=
        -d --defines=?""",
    "m4": """operands:script* | interpreter | -D --define= | -U --undefine= | -I --include=read
        -o --debugfile=?write! | -R --reload-state=read | -F --freeze-state=write! | -P --prefix-builtins | -E
        -s | -Q""",
    "protoc": """operands:read* | does:write | --plugin=script! | -I --proto_path=read
        -o --descriptor_set_out=write | --dependency_out=write! | --descriptor_set_in=read""",
    (
        "ffplay,mogrify,jpegoptim,optipng,"
        "pngquant,cwebp,pdftotext,pdftk,qpdf,img2pdf,inkscape,rsvg-convert,plantuml,mmdc,bibtex,"
        "typst,asciidoctor,wkhtmltopdf,tesseract,libreoffice,soffice"
    ): "operands:edit* | style:single | does:write",
    "gs": """operands:script* | style:single | -c=code! | -o=write! | case:-o PIPE shell!
        case:-o *%pipe% shell! | -sOutputFile=write! | case:-sOutputFile PIPE shell!
        case:-sOutputFile *%pipe% shell! | -sDEVICE= | -f | -q | -dBATCH | -dNOPAUSE | -dSAFER
        -dNOSAFER!""",
    "convert,magick,composite,montage,sox": """operands:read* write | style:single | -resize= | -crop=
        -size= | -quality= | -density= | -background= | -fill= | -gravity= | -geometry= | -annotate=,text
        -font= | -draw= | -pointsize= | -extent= | -rotate= | -colorspace= | -depth= | -format= | -type=
        -blur= | -level= | -delay= | -define= | -write=write! | -strip | -alpha= | -fuzz= | -transparent=
        -trim | -flatten | -append""",
    "identify": "operands:read* | style:single | -format= | -ping | -quiet | -verbose",
    "ffprobe": """operands:read* | style:single | -i=read | -f= | -v -loglevel= | -of -print_format=
        -show_entries= | -select_streams= | -hide_banner | -show_streams | -show_format | -show_frames
        -count_frames | -pretty | -o=write!""",
    "ffmpeg": """style:single | operands:write* | -i=read | -f= | -c= | -codec= | -c:v= | -c:a= | -c:s= | -vf=
        -af= | -filter_complex= | -filter_complex_script=read | -map= | -ss= | -t= | -to= | -b:v= | -b:a=
        -r= | -s= | -crf= | -preset= | -ac= | -ar= | -vcodec= | -acodec= | -loglevel -v= | -threads=
        -pix_fmt= | -frames:v= | -vframes= | -pass= | -passlogfile=write | -progress=network! | -metadata=
        -profile:v= | -tune= | -maxrate= | -bufsize= | -g= | -movflags= | -hwaccel= | -y | -n | -an | -vn
        -sn | -hide_banner | -nostdin | -report!""",
    "latex,pdflatex,xelatex,lualatex,tex,latexmk": """style:single | operands:read* | does:write
        -shell-escape! | -enable-write18! | -output-directory=write | -outdir=write | -jobname=
        -interaction= | -e=code! | -r=script! | -pdflatex=shell! | -latex=shell! | -pdf | -c | -C | -pvc
        -f""",
    "gnuplot": "operands:script* | interpreter | -e=code! | -c=script! | -p --persist | -d",
    "dot,neato,circo,fdp,sfdp,twopi": """operands:read* | -o=write! | -T= | -K= | -G= | -N= | -E= | -l=
        -O! does:write""",
    "exiftool": """style:single | operands:read* | -o=write! | -w=write! | -config=script! | -if=code!
        -execute | -@=read! | -overwrite_original! does:write | -tagsFromFile=read | -p=read""",
    "npm,cnpm": _NPM,
    "pnpm": f"""{_NPM} | scripts | -r --recursive | --parallel | --stream | --aggregate-output
        --resume-from= | -w --workspace-root""",
    "yarn": f"{_NPM} | scripts",
    "bun": f"""{_NPM} | scripts | operands:script text* | -e --eval=code! | -p --print=code!
        -r --preload=script! | --env-file=read""",
    "npm install=i=add=in=ins=inst=insta=instal=isnt=isnta=isntal=isntall": _NPM_INSTALL,
    "npm ci=clean-install=ic=install-clean,install-ci-test=cit,install-test=it": _NPM_INSTALL,
    "npm uninstall=unlink=remove=rm=r=un": "does:write | -D --save-dev | -S --save",
    (
        "npm update=up=upgrade=udpate,dedupe=ddp,audit,rebuild=rb,link=ln,prune,pack,version"
    ): "does:write | does:network",
    "npm publish": "operands:read | does:network",
    (
        "npm unpublish,deprecate,access,owner,dist-tag,token,team,org,login=adduser,logout,star,"
        "view=info=v,search,outdated,ping,whoami,profile,hook,fund"
    ): "does:network",
    "npm run=run-script=rum=urn": "scripts",
    "npm test=t=tst,start,stop,restart": "operands:text*",
    "npm exec=x": """operands:command | options-first | fetches | -- | does:network | -p --package=package
        -c --call=shell! | -w --workspace= | --no --no-install""",
    "npm init=create=innit": "operands:package text* | does:network | does:write",
    "npm pkg set": "does:write",
    "npm set-script": "operands:text shell | does:write",
    "npm config=c": "subcommands | -L --location=",
    "npm config set": "does:write",
    "npm explore": "operands:text command",
    "npm cache,pkg": "subcommands",
    "npx": """operands:command | options-first | fetches | does:network | -p --package=package
        -c --call=shell! | -w --workspace= | --registry=network! | --userconfig=read! | --cache=
        --prefix=folder | --script-shell=shell! | --node-options=! | -n --node-arg= | --shell=shell!
        -y --yes | -q --quiet | --no-install | --no | --ignore-existing | --workspaces""",
    "bunx,pnpx": """operands:command | options-first | fetches | does:network | -p --package=package | --bun
        --silent | -c --shell-mode>shell""",
    "pnpm install=i": _NPM_INSTALL,
    "pnpm add": _NPM_INSTALL,
    "pnpm remove=rm=uninstall=un": "does:write",
    (
        "pnpm update=up=upgrade,link=ln,rebuild=rb,import,prune,dedupe,patch,fetch,deploy,audit,setup"
    ): "does:write | does:network",
    "pnpm exec": "operands:command | options-first | -c --shell-mode>shell",
    "pnpm dlx": """operands:command | options-first | fetches | does:network | --package=package
        -c --shell-mode>shell | --allow-build=""",
    "pnpm run=run-script": f"scripts | {_PNPM_RUN}",
    "pnpm test=t=tst,start": _PNPM_RUN,
    (
        "pnpm unlink,list=ls=la=ll,why,outdated,store,config=c,get,set,init,root,bin,pack,licenses,doctor,"
        "patch-commit,patch-remove,cat-file,cat-index,find-hash,approve-builds,self-update,server,cache,"
        "install-test=it,help,completion,stop,restart"
    ): "operands:text*",
    "pnpm pkg": "subcommands",
    "pnpm pkg set": "does:write",
    "pnpm set-script": "operands:text shell | does:write",
    "pnpm publish": "operands:read | does:network | --publish-branch= | --no-git-checks",
    "pnpm env": "subcommands | does:network | does:write",
    "yarn install,add,upgrade,up,upgrade-interactive,dedupe,import,link,unlink,plugin,set": _NPM_INSTALL,
    "yarn remove": "does:write",
    "yarn run": "operands:text text* | scripts",
    (
        "yarn list,why,cache,bin,check,outdated,pack,version,versions,init,policies,help,explain,rebuild,"
        "constraints,search,stage,patch,patch-commit,autoclean,generate-lock-entry,licenses,unplug,test,start"
    ): "operands:text*",
    "yarn exec": "operands:shell* | options-first",
    "yarn dlx": "operands:command | options-first | fetches | does:network | -p --package=package",
    "yarn create": "operands:package text* | does:network | does:write",
    "pnpm create": "operands:package text* | does:network | does:write",
    "yarn publish": "operands:read | does:network | --new-version=",
    "yarn npm": "subcommands | does:network",
    "yarn npm publish": "operands:read | -n --dry-run shows",
    "yarn login,logout,info,audit,owner,tag,team": "does:network",
    "yarn global": "subcommands | does:network | does:write",
    "yarn workspace": "operands:text command",
    "yarn workspaces": "subcommands",
    "yarn workspaces run": "scripts",
    "yarn workspaces foreach": """subcommands | -A --all | -p --parallel | -t --topological | -v --verbose
        -j --jobs= | --exclude= | --from= | -W | -R""",
    "yarn workspaces foreach run": "scripts",
    "yarn workspaces foreach exec": "operands:command",
    "yarn config": "subcommands",
    "yarn node": "operands:script text* | style:none",
    "bun run": """scripts | operands:script text* | options-first | -b --bun | --watch | --hot
        --import=script! | -e --eval=code drops | -p --print=code drops | -c --config=?read!""",
    "bun install=i,add=a,update,link": _NPM_INSTALL,
    "bun remove=rm": "does:write",
    "bun x": "operands:command | options-first | fetches | does:network | -p --package=package | --bun",
    "bun exec": "operands:shell*",
    "bun build": """operands:read* | does:write | --outdir=write | --outfile=write | --target= | --format=
        --external -e= | --define -d= | --loader -l= | --root=write | --minify | --sourcemap=? | --compile""",
    "bun test": """-t --test-name-pattern= | --timeout= | --preload=script! | --coverage-dir=write
        --reporter= | --reporter-outfile=write! | --rerun-each= | --bail=?""",
    "bun publish": "operands:read | does:network",
    "bun create=c,init,upgrade": "does:network | does:write",
    "bun pm": "subcommands | does:network | does:write",
    "bun pm pkg": "subcommands",
    "bun pm pkg set": "operands:text*",
    "bun unlink,outdated,audit,info,why,patch,patch-commit,repl,completions,discord,help": "operands:text*",
}

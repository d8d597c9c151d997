#!/bin/sh
# interlock-hook @VERSION@ where no native one could be built: the same job through Python, more slowly.
if [ "$*" = --version ]; then
    echo "interlock-hook @VERSION@"
    exit 0
fi
# Where our files are was settled when this was installed; whoever calls has no say in it.
unset INTERLOCK_HOME
@PLACES@
if [ "$1" = --home ]; then
    INTERLOCK_HOME=$2
    export INTERLOCK_HOME
    shift 2
fi
interlock() {
    @PYTHON@ -I -c 'import sys; from interlock.cli.entry import main; sys.exit(main())' "$@"
}
case $1 in
pause)
    shift
    interlock pause "$@"
    exit
    ;;
resume)
    interlock pause --end
    exit
    ;;
esac
# Any end that is no answer counts as a refusal.
interlock hook "$@" || exit 2

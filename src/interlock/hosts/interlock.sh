#!/bin/sh
# interlock @VERSION@: the command line of this installation, for agents whose PATH does not lead to it.
# Which home it speaks for was settled when this was installed.
@PLACES@
exec @PYTHON@ -I -c 'import sys; sys.argv[0] = "interlock"; from interlock.cli.entry import main; sys.exit(main())' "$@"

#!/bin/sh
# Runs the Interlock of whoever works here; without one, tool calls are refused. Written by `interlock install`.
trap 'exit 2' EXIT # also when the program is there and cannot be run
project=$(cd -P -- "${CLAUDE_PROJECT_DIR:-/}" 2>/dev/null && pwd -P)

# A project may set the variables below for its sessions, so none of its own programs is run.
is_ours() {
    [ -x "$1" ] || return
    place=$(cd -P -- "${1%/*}" && pwd -P) || return
    case $place/ in "${project%/}"/?*) [ -n "${project%/}" ] || return 0 ;; *) return 0 ;; esac
    eval "own=~$(command -p id -un)" # the project is the home: there, its usual place is
    [ "$place" = "$(cd -P -- "$own/.local/share/interlock/bin" 2>/dev/null && pwd -P)" ]
}

for data in "${XDG_DATA_HOME:-}" "${HOME:-}/.local/share"; do
    hook=$data/interlock/bin/interlock-hook
    case $hook in /*) is_ours "$hook" && exec "$hook" "$@" ;; esac
done
trap - EXIT
case $(command -p cat) in
    *'"hook_event_name":"PreToolUse"'*) ;;
    *'"hook_event_name":"SessionStart"'*) ;;
    *'"hook_event_name":"'*) exit 0 ;; # nothing is held up that has happened already
esac
echo "Interlock guards this project and is not installed for you; run: interlock install claude-code" >&2
exit 2

#!/bin/sh
# Runs the Interlock of whoever works here; without one, tool calls are refused. Written by `interlock install`.
trap 'exit 2' EXIT # also when the program is there and cannot be run
for data in "${XDG_DATA_HOME:-}" "${HOME:-}/.local/share"; do
    hook=$data/interlock/bin/interlock-hook
    case $hook in /*) [ -x "$hook" ] && exec "$hook" "$@" ;; esac
done
trap - EXIT
case $(cat) in
    *'"hook_event_name":"PreToolUse"'*) ;;
    *'"hook_event_name":"SessionStart"'*) ;;
    *'"hook_event_name":"'*) exit 0 ;; # nothing is held up that has happened already
esac
echo "Interlock guards this project and is not installed for you; run: interlock install claude-code" >&2
exit 2

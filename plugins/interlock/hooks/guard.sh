#!/bin/sh
# Runs the Interlock of whoever works here for one event, which is named by the first argument.
# Without one, tool calls are denied and the session says how to get it.
event=$1
project=$(cd -P -- "${CLAUDE_PROJECT_DIR:-/}" 2>/dev/null && pwd -P)

# A project may set variables for its sessions, so nothing that lies in it is believed; where the project is the
# home, the usual folder below it is.
is_ours() {
    place=$(cd -P -- "$1" 2>/dev/null && pwd -P) || return
    case $place/ in "${project%/}"/?*) [ -n "${project%/}" ] || return 0 ;; *) return 0 ;; esac
    eval "own=~$(command -p id -un)"
    [ "$place" = "$(cd -P -- "$own/$2" 2>/dev/null && pwd -P)" ]
}

# Whether the settings of the person or the machine report the same events.
is_installed() {
    user=${CLAUDE_CONFIG_DIR:-${HOME:-}/.claude}
    for folder in "$user" /etc/claude-code "/Library/Application Support/ClaudeCode"; do
        is_ours "$folder" .claude || continue
        command -p grep -qsE 'interlock-(hook|launcher)' "$folder/settings.json" "$folder/managed-settings.json" && return
    done
    return 1
}

# A tool call is always reported: settings that name us may be ones that Claude Code skips, and the daemon gives the
# second report of a call the first one's answer.
[ "$event" = PreToolUse ] || ! is_installed || exit 0

for data in "${XDG_DATA_HOME:-}" "${HOME:-}/.local/share"; do
    folder=$data/interlock/bin
    case $folder in /*) ;; *) continue ;; esac
    [ -x "$folder/interlock-hook" ] && is_ours "$folder" .local/share/interlock/bin || continue
    exec "$folder/interlock-hook" claude-code
done

how="interlock setup"
command -v interlock >/dev/null 2>&1 || how="pipx install interlock && $how"
why="Interlock is not set up on this machine, so nothing checks what the agent does, and every tool call is denied."
next="Run in a terminal: $how. To go on without it: claude plugin uninstall interlock@interlock"
case $event in
PreToolUse)
    echo "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\"," \
        "\"permissionDecisionReason\":\"$why Ask the user. $next\"}}"
    ;;
SessionStart)
    echo "{\"systemMessage\":\"$why $next\",\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\"," \
        "\"additionalContext\":\"$why Tell the user. $next\"}}"
    ;;
esac

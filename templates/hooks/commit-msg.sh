#!/bin/sh
# Refuses trailers in a person's commit that only gh-agentd writes. `gh agentd hook uninstall` takes it away.
# Other messages are let through here: no program is started for them.
program={{quote .Program}}
add={{if .AddChange}}--add-change{{end}}
before=${0%/*}/commit-msg.{{suffix}}

# The hook that was here before comes first: it may rewrite the message, and what it leaves is what counts.
{{template "again.sh"}}if [ -x "$before" ]; then
	"$before" "$@" || exit
fi

# git chooses the name of the file, and never this one: such a message is of gh-agentd, which has judged it.
case ${1##*/} in
agentd-commit-msg-*) exit 0 ;;
esac

ask=$add
[ -n "$ask" ] || while IFS= read -r line || [ -n "$line" ]; do
	case $line in
	[Aa][Gg][Ee][Nn][Tt][Dd]-*)
		ask=yes
		break
		;;
	esac
done <"$1"
[ -n "$ask" ] || exit 0

if [ -x "$program" ]; then
	exec "$program" hook run commit-msg ${add:+"$add"} "$1"
fi
echo "gh-agentd: not checked: the trailers of this commit, for $program is gone" >&2

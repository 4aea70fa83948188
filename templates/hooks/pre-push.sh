#!/bin/sh
# Refuses a push that breaks the record of a change. `gh agentd hook uninstall` takes it away.
# Other pushes are let through here: no program is started for them.
program={{quote .Program}}
base={{quote .Base}}
before=${0%/*}/pre-push.{{suffix}}

# Standard input has a line for each reference: <local ref> <local id> <remote ref> <remote id>.
# Mostly it is one, and then no other program is needed to read it. A shell reads slowly, so many lines are left to cat.
nl='
'
lines=
if IFS= read -r lines && IFS= read -r line; then
	rest=$(cat)
	lines=$lines$nl$line${rest:+$nl$rest}
fi

ask=
change=
set -f
IFS=$nl
for line in $lines; do
	case $line in
	refs/heads/agentd/* | *' refs/heads/agentd/'*) change=yes ask=yes ;;
	*agentd/*) ask=yes ;;
	*" $base "*)
		# The base is of interest where its folder agentd/ would become another one.
		there=${line##* }
		here=${line% *}
		here=${here% *}
		here=${here##* }
		trees=$(
			GIT_NO_LAZY_FETCH=1 git cat-file --batch-check='%(objectname)' <<END
$there:agentd
$here:agentd
END
		)
		there=${trees%%"$nl"*}
		here=${trees#*"$nl"}
		case "$there $here" in
		*' missing '*' missing') ;;
		*) [ -n "$trees" ] && [ "$there" = "$here" ] || ask=yes ;;
		esac
		;;
	*) ;;
	esac
done
unset IFS
set +f

if [ -z "$ask" ]; then
	:
elif [ -x "$program" ]; then
	printf %s "${lines:+$lines$nl}" | "$program" hook run pre-push "$@" >&2 || exit 1
elif [ -n "$change" ]; then
	echo "gh-agentd: error: a push of an agentd/ branch must be checked, and $program is gone" >&2
	echo "gh-agentd: hint: install gh-agentd, then \`gh agentd hook install\`" >&2
	exit 1
else
	echo "gh-agentd: not checked: agentd/ would change on ${base#refs/heads/}, and $program is gone" >&2
fi

# The hook that was here before comes last: it may take minutes, and what is refused above needs none of them.
{{template "again.sh"}}if [ -x "$before" ]; then
	printf %s "${lines:+$lines$nl}" 2>/dev/null | "$before" "$@"
fi

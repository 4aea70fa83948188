agentd_hook=$(git rev-parse --git-common-dir)/agentd/hooks/pre-push
if [ -x "$agentd_hook" ]; then
	agentd_lines=$(cat)
	printf '%s' "${agentd_lines:+$agentd_lines
}" | "$agentd_hook" "$@" || exit 1
	exec <<AGENTD_LINES
$agentd_lines
AGENTD_LINES
	[ -n "$agentd_lines" ] || exec </dev/null
fi

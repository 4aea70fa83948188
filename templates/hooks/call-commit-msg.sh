agentd_hook=$(git rev-parse --git-common-dir)/agentd/hooks/commit-msg
if [ -x "$agentd_hook" ]; then
	"$agentd_hook" "$@" || exit 1
fi

# Completion of `git toolcache` for bash, beside git's own completion, which calls this function.
# Source it from ~/.bashrc. For `git-toolcache` itself: git-toolcache --install-completion
_git_toolcache() {
	local IFS=$'\n'
	COMPREPLY=($(COMP_WORDS="git-toolcache ${COMP_WORDS[*]:2}" COMP_CWORD=$((COMP_CWORD - 1)) \
		_GIT_TOOLCACHE_COMPLETE=complete_bash git-toolcache 2>/dev/null))
}

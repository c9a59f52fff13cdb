"""The only user of pygit2 and of the git executable: what git knows, as values of the core."""

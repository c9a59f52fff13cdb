"""Ecosystems whose commands are the same in every project.

Each is one table: tool → words separated by spaces; a tool that is not in it is not usual there.
"""

from gitcache.core.ecosystems.ecosystem import (
    AUDIT,
    BUILD,
    LINT,
    TEST,
    TYPECHECK,
    Ecosystem,
    Project,
    first_match,
    marked_by,
    usual,
)

RUST = Ecosystem(
    marked_by("Cargo.toml"),
    usual(
        {
            TEST: "cargo test",
            BUILD: "cargo build",
            LINT: "cargo clippy -- -D warnings",
            TYPECHECK: "cargo check",
            AUDIT: "cargo audit",
        }
    ),
)

GO = Ecosystem(
    marked_by("go.mod"),
    usual(
        {
            TEST: "go test ./...",
            BUILD: "go build ./...",
            LINT: "go vet ./...",
            TYPECHECK: "go build -o /dev/null ./...",
            AUDIT: "govulncheck ./...",
        }
    ),
)

RUBY = Ecosystem(
    marked_by("Gemfile"),
    usual(
        {
            TEST: "bundle exec rspec",
            LINT: "bundle exec rubocop",
            AUDIT: "bundle audit",
        }
    ),
)

DOTNET = Ecosystem(
    marked_by("*.sln", "*.csproj"),
    usual(
        {
            TEST: "dotnet test",
            BUILD: "dotnet build",
            LINT: "dotnet format --verify-no-changes",
        },
        kind=".NET",
    ),
)


def _lone_lockfile(project: Project) -> str | None:
    """Return bun's lockfile where no package.json makes the project one of node's."""
    if "package.json" in project.names:
        return None
    return first_match(project, "bun.lock", "bun.lockb")


BUN = Ecosystem(_lone_lockfile, usual({TEST: "bun test", AUDIT: "bun audit"}))
"""https://bun.com/docs/test and https://bun.com/docs/pm/cli/audit"""

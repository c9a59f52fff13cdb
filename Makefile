# What each target does: make help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# Where `make test-runners` installs the test runners of node.
RUNNERS := .runners

# Where `make install` puts the program.
PREFIX ?= $(HOME)/.local
INSTALLED := $(PREFIX)/share/git-toolcache
SCRIPT := $(PREFIX)/bin/git-toolcache

# An older pip's script loads `re` for the sake of Windows, which takes as long as half a hit.
QUICKEN := sed -e '/^import re$$/d' -e '/ re\.sub(/d'

.DEFAULT_GOAL := help
.PHONY: help run test test-slow test-runners check lint types format bench install uninstall lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

$(READY): pyproject.toml requirements-dev.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --config-settings editable_mode=compat --editable .
	@touch $@

run: $(READY) ## answer this repository's own test by git toolcache
	@PATH="$(CURDIR)/$(BIN):$$PATH" git toolcache run test

test: $(READY) ## run the tests
	$(BIN)/python -m pytest -q

test-slow: $(READY) ## run the tests that take minutes
	$(BIN)/python -m pytest -q -m slow

test-runners: $(READY) ## run the tests with real test runners, those of node installed here
	@if command -v npm >/dev/null; then \
		mkdir -p $(RUNNERS) && cp tests/runners/package.json $(RUNNERS) && \
		npm install --prefix $(RUNNERS) --no-audit --no-fund --no-package-lock --loglevel=error; \
	else \
		echo "npm is not there, so vitest, jest and mocha are not"; \
	fi
	$(BIN)/python -m pytest -q -rs -m runners tests/runners

check: lint types test ## lint, types and tests: what CI runs

lint: $(READY) ## look for mistakes and for foreign formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY) ## check the types
	$(BIN)/mypy

format: $(READY) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY) ## time hits and looks beside git and python
	$(BIN)/python -m tests.bench

install: ## put git toolcache into your own git
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make install PYTHON=…")'
	$(PYTHON) -m venv --clear "$(INSTALLED)"
	"$(INSTALLED)/bin/python" -m pip install --quiet --disable-pip-version-check .
	$(QUICKEN) "$(INSTALLED)/bin/git-toolcache" >"$(INSTALLED)/script"
	cat "$(INSTALLED)/script" >"$(INSTALLED)/bin/git-toolcache"
	mkdir -p "$(PREFIX)/bin"
	ln -sf "$(INSTALLED)/bin/git-toolcache" "$(SCRIPT)"
	@command -v git-toolcache >/dev/null || git config --global alias.toolcache >/dev/null || \
		git config --global alias.toolcache "!exec '$(SCRIPT)'"
	git toolcache --version

uninstall: ## take git toolcache out of your own git
	rm -rf "$(INSTALLED)" "$(SCRIPT)"
	@if [ "$$(git config --global alias.toolcache)" = "!exec '$(SCRIPT)'" ]; then \
		git config --global --unset alias.toolcache; \
	fi

lock: ## choose the newest dependencies that work for development
	rm -rf $(VENV)/lock && $(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/lock/bin/python -m pip install --quiet '.[dev]' 'setuptools>=68'
	$(VENV)/lock/bin/python -m pip freeze --all --exclude git-toolcache --exclude pip > requirements-dev.lock
	rm -rf $(VENV)/lock

clean: ## remove what the other targets made here
	rm -rf $(VENV) $(RUNNERS) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

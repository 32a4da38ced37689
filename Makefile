# Nervix: everything a person types. `make demo` and `make test` need Rust and a C compiler, and bring the rest.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# One target folder outside the checkout, so that a second clone compiles only our own crates.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/nervix/target
# What the tests need besides: real servers, clients of other languages.
export NERVIX_TEST_ROOT ?= $(HOME)/.cache/nervix/services

BIN := $(CARGO_TARGET_DIR)/debug/nervix
# The outside sinks and the cluster store that are built in, with commas; none unless said, here or in the environment.
FEATURES ?=
# What `make bench` measures: `engine`, names of nervix-bench, or all.
MEASURE ?=

.PHONY: help demo run build test lint fmt docs bench bench-datafusion services descriptors deny advisories

help: ## What can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 18

build: ## Build the executable, with FEATURES=http,kafka,postgres,etcd or some of them; `run` and `demo` take it, too
	cargo build --locked -p nervix $(if $(FEATURES),--features "$(FEATURES)")

demo: build ## Real flights in, NSPL in the middle, two applications acknowledging on the far side
	examples/flights/demo.sh "$(BIN)"

run: build ## Leave a server up for the walk-through in README.md
	"$(BIN)" dev examples/flights/flights.nspl

services: ## Install what the tests need besides Rust and a C compiler
	tests/services/install.sh

test: services ## Every test: units, properties, golden NSPL, real servers, faults, stock clients, docs
	tests/services/run.sh cargo build --locked --workspace --all-features
	tests/services/run.sh cargo test --locked --workspace --all-features

lint: ## Formatting, lock files, the fuzzer, clippy with warnings denied, rustdoc
	cargo fmt --all -- --check
	for apart in nspl/fuzz benches/datafusion; do cargo update --quiet --workspace --locked --manifest-path $$apart/Cargo.toml; done
	# The targets of the fuzzer compile; libFuzzer itself, which only fuzzing links, is not built.
	CUSTOM_LIBFUZZER_PATH=unlinked/libfuzzer.a cargo check --quiet --locked --manifest-path nspl/fuzz/Cargo.toml
	tests/services/run.sh cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" tests/services/run.sh cargo doc --locked --workspace --all-features --no-deps

deny: ## Licences, bans and sources (installs cargo-deny when it is missing)
	command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny --all-features check licenses bans sources

advisories: ## Known faults of what is linked, but those that deny.toml lists with their reasons (fetches the RustSec list)
	command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny --all-features check advisories

fmt: ## Format the tree
	cargo fmt --all

docs: ## Write docs/reference and the rendered diagnostics of the NSPL corpus from the code; read the difference
	NSPL_WRITE=1 cargo test --locked -p nervix-expr --test pages
	NSPL_WRITE=1 cargo test --locked -p nspl --test language

bench: services ## Speed and memory beside their baselines, in one run; prints tables
	cargo build --locked --release --all-features -p nervix -p nervix-benches -p nervix-bench-engine
	status=0; \
	if [[ -z "$(MEASURE)" || -n "$(filter engine,$(MEASURE))" ]]; then \
	  "$(CARGO_TARGET_DIR)/release/nervix-bench-engine" || status=1; fi; \
	if [[ "$(MEASURE)" != engine ]]; then \
	  tests/services/run.sh "$(CARGO_TARGET_DIR)/release/nervix-bench" $(filter-out engine,$(MEASURE)) || status=1; fi; \
	if [[ -z "$(MEASURE)" ]]; then cargo bench --locked -p nspl || status=1; fi; \
	exit $$status

bench-datafusion: ## The engine beside DataFusion's physical expressions (builds DataFusion, in a workspace of its own)
	cargo run --locked --release --manifest-path benches/datafusion/Cargo.toml

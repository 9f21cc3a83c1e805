# What one can do with a clone of Muster. `make` alone lists it.

SWIFT_PATHS := $(wildcard Sources Tests Examples Apps Benchmarks Wasm Package.swift)

# How long `make fuzz` runs each fuzzer, in seconds.
FUZZ_SECONDS ?= 60

# How many seeds `make soak` runs of each seeded simulation.
SOAK_SEEDS ?= 1000

# The Swift suites that repeat more, or run more seeds, in `make soak` than in `make test`.
SOAK_SUITES := Storm|ClockScenario|Damage|ReportedState|Restart|Oracle|Model|Room|Engine|Truth|TruthStudy|SafetyStudy
SOAK_SUITES := $(SOAK_SUITES)|ShortcutEquivalence|RealData|RegionIndex.*|Inradius|ShapeRules|Distance|Separation
SOAK_SUITES := $(SOAK_SUITES)|ScannerGap|DocumentQuery|Drill

.DEFAULT_GOAL := help
.PHONY: help setup build demo test soak bench fuzz wasm basemap docs package test-package format lint

help: ## List these targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what is missing to build, run and test Muster.
	@Scripts/setup test

build: ## Build everything, for debugging.
	swift build

demo: ## Watch an invented town evacuate; DEMO_SECONDS=n stops by itself.
	@Scripts/setup run
	swift build --product muster
	@.build/debug/muster demo

test: ## Lint, build and run every test; says which part failed.
	@Scripts/test

soak: ## Run SOAK_SEEDS (1000) seeded storms, and many crashes; MUSTER_SEED=n runs one alone.
	MUSTER_SOAK_SEEDS=$(SOAK_SEEDS) swift test --disable-xctest --filter '\.($(SOAK_SUITES))Tests'
	@Scripts/setup test
	swift build --product muster
	MUSTER_SOAK_SEEDS=$(SOAK_SEEDS) MUSTER_BINARY=.build/debug/muster \
		.venv/bin/python -m pytest -rs -n 2 -m soak Tests/Endpoints Tests/Browser

bench: ## Measure Muster and its peers, and write docs/performance.md; ROWS="ingest live" makes some rows.
	swift build -c release --product muster
	swift build -c release --product muster-bench
	@Benchmarks/measure $(ROWS)

fuzz: ## Run every fuzzer for FUZZ_SECONDS (60) seconds.
	@Tests/Fuzz/run $(FUZZ_SECONDS)

wasm: ## Build the engine for WebAssembly, and compare its answers in node.
	@Scripts/wasm
	@PATH="$$PWD/.venv/node:$$PATH"; if command -v node >/dev/null; then node --test Tests/Wasm/*.test.mjs; \
		else echo "skipped: Node.js is not installed; Scripts/setup test installs it"; fi

basemap: ## Make the map of the world that the server ships, Web/basemap/world.pmtiles, anew.
	@Scripts/basemap

docs: ## Make the reference of MusterKit for an app's developer, with its tutorial, in .build/docs.
	MUSTER_DOCS=1 swift package --allow-writing-to-directory .build/docs generate-documentation \
		--target MusterKit --output-path .build/docs --warnings-as-errors
	@echo 'python3 -m http.server -d .build/docs shows it at http://localhost:8000/documentation/musterkit'

package: ## Make a .deb and a tar.gz that need no Swift, in .build/packages.
	@Scripts/package

test-package: ## Install those packages on a Debian of their own, run, upgrade and remove them.
	@Scripts/setup test
	.venv/bin/python -m pytest -rs Tests/Package

format: ## Lay out the Swift sources by .swift-format.
	swift format --in-place --parallel --recursive $(SWIFT_PATHS)

lint: ## Check the layout of the Swift sources; changes nothing.
	swift format lint --strict --parallel --recursive $(SWIFT_PATHS)

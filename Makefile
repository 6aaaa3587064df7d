# Each target sets up what it needs: Debian packages are installed through apt-get, as root or by sudo.
PREFIX ?= /usr/local
export PREFIX DESTDIR RUNTIME
# FUZZ_SECONDS: how long each fuzzer runs, 600 by default. BENCH_REPS, BENCH_KINDS, BENCH_PEERS, BENCH_COUNT: see Scripts/bench.
.PHONY: run help test verify fuzz bench plugins docs format clean install uninstall

run:     ; @Scripts/quickstart
help:    ; @grep -oE '^[a-z]+:' Makefile | tr -d : | xargs echo targets:
test:    ; @Scripts/test
plugins: ; @Scripts/build-plugins -c release && swift build -c release --product pipeline
fuzz:    ; @Scripts/fuzz
bench:   ; @Scripts/bench
verify:  ; @Scripts/verify
format:  ; swift format --in-place --parallel --recursive --configuration .swift-format Package.swift Sources Tests Fuzz Plugins BuildPlugins
# PREFIX=/usr/local DESTDIR= RUNTIME=static
install: ; @Scripts/install
uninstall: ; @Scripts/install --remove
clean:   ; rm -rf .build
docs:    ; PIPELINE_UPDATE_DOCS=1 PIPELINE_TEST_PYTHON=$(CURDIR)/.build/test-venv/bin/python swift test --filter "ReferencePageTests|FormatTests"

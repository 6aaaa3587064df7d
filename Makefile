# Each target sets up what it needs: Debian packages are installed through apt-get, as root or by sudo.
# FUZZ_SECONDS: how long each fuzzer runs, 600 by default.
.PHONY: run test verify fuzz docs format clean

run:     ; @Scripts/quickstart
test:    ; @Scripts/test
fuzz:    ; @Scripts/fuzz
verify:  ; @Scripts/verify
format:  ; swift format --in-place --parallel --recursive --configuration .swift-format Package.swift Sources Tests Fuzz
clean:   ; rm -rf .build
docs:    ; PIPELINE_UPDATE_DOCS=1 PIPELINE_TEST_PYTHON=$(CURDIR)/.build/test-venv/bin/python swift test --filter "ReferencePageTests|FormatTests"

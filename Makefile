# Each target sets up what it needs: Debian packages are installed through apt-get, as root or by sudo.
.PHONY: run test verify docs format clean

run:     ; @Scripts/quickstart
test:    ; @Scripts/test
verify:  ; @Scripts/verify
format:  ; swift format --in-place --parallel --recursive --configuration .swift-format Package.swift Sources Tests
clean:   ; rm -rf .build
docs:    ; PIPELINE_UPDATE_DOCS=1 swift test --filter ReferencePageTests

# Each target sets up what it needs: Debian packages are installed through apt-get, as root or by sudo.
.PHONY: run test verify format clean

run:     ; @Scripts/quickstart
test:    ; @Scripts/test
verify:  ; @Scripts/verify
format:  ; swift format --in-place --parallel --recursive --configuration .swift-format Package.swift Sources Tests
clean:   ; rm -rf .build

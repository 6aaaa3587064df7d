# The Debian packages that this project needs, by purpose. Read by the other scripts.
# shellcheck shell=bash disable=SC2034
build_packages=(pkg-config libcurl4-openssl-dev libjpeg62-turbo-dev libpng-dev libdeflate-dev libwebp-dev liblcms2-dev libsqlite3-dev zlib1g-dev)
quickstart_packages=(nginx)
test_packages=(nginx python3 python3-venv libjpeg-turbo-progs webp liblcms2-utils)
bench_packages=(nginx curl python3 python3-venv libvips-tools imagemagick)
bench_count_packages=(python3 python3-venv valgrind binutils)
# Not installed: unpacked, for their photographs.
bench_picture_packages=(lomiri-wallpapers-16.04 lomiri-wallpapers-20.04)

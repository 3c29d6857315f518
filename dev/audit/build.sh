#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds the Valgrind tool in sl_main.c with the headers and static libraries that Debian's valgrind package ships (3.19).
# Usage: build.sh OUT_DIR; afterwards VALGRIND_LIB=OUT_DIR valgrind --tool=sharelines --fair-sched=yes PROGRAM
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); out=${1:?OUT_DIR}; mkdir -p "$out"
inc=${VALGRIND_INC:-/usr/include/valgrind}
lib=${VALGRIND_STATIC:-/usr/lib/x86_64-linux-gnu/valgrind}
exe=${VALGRIND_LIBEXEC:-/usr/libexec/valgrind}
for f in "$exe"/*; do ln -sf "$f" "$out/"; done
gcc -m64 -O2 -g -std=gnu99 -Wall -Wno-unused-function -fno-strict-aliasing -fno-builtin -fno-stack-protector -fomit-frame-pointer \
    -fno-pie -fcf-protection=none -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1 \
    -I"$inc" -c "$here/sl_main.c" -o "$out/sl_main.o"
gcc -m64 -static -no-pie -nodefaultlibs -nostartfiles -u _start -Wl,-Ttext-segment=0x58000000 -Wl,--build-id=none \
    "$out/sl_main.o" "$lib/libcoregrind-amd64-linux.a" "$lib/libvex-amd64-linux.a" -lgcc "$lib/libgcc-sup-amd64-linux.a" \
    -o "$out/sharelines-amd64-linux"
rm -f "$out/sl_main.o"

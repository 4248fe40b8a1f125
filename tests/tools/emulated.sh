#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a static test program of another machine. Usage: emulated.sh QEMU PROGRAM
set -eu
if ! command -v "$1" > /dev/null; then
	echo "$1 is not there: install qemu-user"
	exit 1
fi
SELFMON_OUTPUT=none exec "$1" "$2"

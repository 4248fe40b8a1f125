# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by boot.sh, get.sh and run.sh: the cache's path, and functions that
# print.

# The scripts that source this file read these variables.
# shellcheck disable=SC2034
cache=${VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/selfmon-vm}

# step TEXT: prints a line of progress to stderr, because stdout is for results
step()
{
	printf '  %-8s %s\n' VM "$1" >&2
}

die()
{
	printf 'check-vm: %s\n' "$*" >&2
	exit 1
}

# need COMMAND PACKAGE: fails and names the package if the command is missing
need()
{
	command -v "$1" > /dev/null ||
		die "$1 is missing: install $2 (./setup check-vm does)"
}

# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced by each script here: where things are, and how to say something.

# Read by the scripts that source this.
# shellcheck disable=SC2034
cache=${VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/selfmon-vm}

# step TEXT: a line of progress; stdout is for results
step()
{
	printf '  %-8s %s\n' VM "$1" >&2
}

die()
{
	printf 'check-vm: %s\n' "$*" >&2
	exit 1
}

# need COMMAND PACKAGE: what is not there is named, never done without
need()
{
	command -v "$1" > /dev/null ||
		die "$1 is missing: install $2 (./setup check-vm does)"
}

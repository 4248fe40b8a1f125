#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the memory of a node and of a thread with their budgets, which are in
# bench/memory.c. Unlike times, these sizes do not depend on the machine's load.
#
#	bench/memory.sh PROGRAM

set -eu
"$1" --case memory | awk '
	/^memory of / {
		print
		rows++
		if ($NF != "ok")
			failed = 1
	}
	END {
		if (rows != 2)
			print "memory: " rows + 0 " rows in place of 2"
		exit failed || rows != 2
	}'

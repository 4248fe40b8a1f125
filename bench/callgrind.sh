# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# Sourced, with $program set to bench/instructions. Computes the instructions of
# one operation: callgrind's count of a run with 2n operations minus that of a
# run with n operations, divided by n.

# A command that runs the program, such as env with its arguments.
in_front=

# counted WHAT N: prints "instructions clock"
counted() {
	# shellcheck disable=SC2086 # words of a command
	$in_front valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$program" "$1" "$2" 2>&1 |
		awk '/Collected :/ { n = $NF } !/^==/ { clock = $0 }
			END { print n, clock }'
}

# turn WHAT: sets $each to the instructions of one operation, and $clock to the
# last line that the program printed, which names its clock
# shellcheck disable=SC2034
turn() {
	# A visit that is the longest so far of its place takes a slow path,
	# which is frequent among the first hundred visits. Measuring the cost
	# of a sample takes a few samples of about 100,000 instructions each,
	# and a run may take one sample more or less. A recorded visit that is
	# one of the slowest takes thousands; their number depends on what else
	# the machine does.
	case $1 in
	children-1000 | recorded* | traced | *sampled | both-rings) n=200000 ;;
	*) n=20000 ;;
	esac
	one=$(counted "$1" $n)
	two=$(counted "$1" $((2 * n)))
	clock=${two#* }
	each=$(((${two%% *} - ${one%% *} + n / 2) / n))
}

# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced: decides from a guest's console whether its tests passed. QEMU's exit
# status has no meaning, so a console without a complete result counts as a
# failure.

# verdict TITLE SECONDS STATUS LOG: prints the scenario's line, then the
# program's messages or, if the boot failed, a part of the console, and last
# "counts PASSED FAILED SKIPPED".
verdict()
{
	tr -d '\r\033' < "$4" | LC_ALL=C awk -v title="$1" -v seconds="$2" \
		-v status="$3" -v tail=20 '
	{ gsub(/[^\t -~]/, ""); line[NR] = $0 }
	/^INIT run / && !running { running = 1; next }
	/^INIT rc=[0-9]+$/ && running && !ended {
		ended = 1; rc = substr($0, 9) + 0; next
	}
	/Kernel panic|Oops/ && !panic { panic = NR }
	running && !ended && /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ {
		counted++; passed = $1; failed = $3; skipped = $5; next
	}
	/^RUN [a-z]/ { next } # progress
	running && !ended { said[++lines] = $0 }
	# The lines around a panic show its cause; the last lines show the cause
	# of other failures.
	function print_tail(i, first) {
		first = panic ? panic - 5 : NR - tail + 1
		for (i = first; i < first + tail; i++)
			if (i in line)
				print "    " line[i]
	}
	function why() {
		if (status == 124)
			return "no line of its program for long"
		if (panic)
			return "its kernel panicked"
		if (!running)
			return "its guest never started the tests"
		if (!ended)
			return "its guest ended without a verdict"
		if (rc > 128)
			return "its program was killed by signal " rc - 128
		if (counted != 1)
			return "its program printed no count, exit status " rc
		if (passed + failed == 0)
			return "no test ran, " skipped " skipped"
		if (rc != 0 && failed == 0)
			return "its program ended with status " rc
		if (rc == 0 && failed > 0)
			return "its program ended with status 0"
		return ""
	}
	END {
		reason = why()
		if (reason == "") {
			printf "%s: %d passed, %d failed, %d skipped (%d s)\n",
				title, passed, failed, skipped, seconds
			for (i = 1; i <= lines; i++)
				print "    " said[i]
		} else {
			printf "%s: FAILED: %s (%d s), its console:\n",
				title, reason, seconds
			print_tail()
			failed++
		}
		print "counts", passed + 0, failed + 0, skipped + 0
	}'
}

/* SPDX-License-Identifier: MIT */
/*
 * selfmon selftest: checks the library's numbers on this machine.
 *
 * A check gathers samples, and passes them to a judge (selftest_judge.h), which
 * has no other input. Each check runs in a process of its own: if a counter
 * read faults, only this check fails.
 */
#ifndef SELFMON_TOOLS_SELFTEST_H
#define SELFMON_TOOLS_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "doctor/sentence.h"

/* ---- rows ---------------------------------------------------------------- */

enum selftest_status {
	SELFTEST_PASS = 0,
	SELFTEST_FAIL,
	SELFTEST_ABSENT, /* not applicable here; the reason is in the row */
	SELFTEST_BUSY    /* disturbed: repeated, if there is time */
};

/*
 * name and unit must be string literals: a child process passes only the
 * pointers to its parent.
 */
struct selftest_figure {
	const char *name;
	const char *unit;
	double value;
};

/* An observed value, and the range in which it was expected. */
struct selftest_difference {
	char what[96];
	double least, most, seen;
};

#define SELFTEST_FIGURES 32
#define SELFTEST_DIFFERENCES 8

struct selftest_row {
	const char *name;
	enum selftest_status status;
	struct selfmon_sentence found; /* what was checked, with figures */
	struct selfmon_sentence reason;
	size_t figures;
	struct selftest_figure figure[SELFTEST_FIGURES];
	size_t differences; /* number of differences, stored or not */
	struct selftest_difference difference[SELFTEST_DIFFERENCES];
};

#define selftest_say selfmon_sentence_add

/* ---- checks -------------------------------------------------------------- */

enum selftest_mode { SELFTEST_QUICK, SELFTEST_NORMAL, SELFTEST_FULL };

/*
 * The input of a check: the command's options, the time for one attempt, and
 * the facts that selftest_machine.c finds about the machine.
 */
struct selftest_case {
	enum selftest_mode mode;
	uint64_t budget_ns;  /* maximum time of one attempt of a check */
	bool pmu;            /* instructions can be counted */
	bool user_reads;     /* instructions are read in user space */
	bool perf;           /* --perf was given */
	bool hypervisor;
	uint64_t read_ns;    /* duration of a user read; 0: unknown */
	int offered;         /* copies of `instructions` on the PMU at once */
	int counting;        /* offered copies that really count */
};

typedef void selftest_check_fn(const struct selftest_case *from,
			       struct selftest_row *row);

/* ---- the machine --------------------------------------------------------- */

struct doctor_report;

#define SELFTEST_NOTES 8

struct selftest_machine {
	const struct doctor_report *report;
	char microcode[32];   /* "": unknown */
	char clocksource[32]; /* of the kernel */
	char why_no_pmu[256];
	size_t notes;
	char note[SELFTEST_NOTES][160];
};

/* ---- output -------------------------------------------------------------- */

#define SELFTEST_ROWS 16

struct selftest_result {
	const struct selftest_machine *machine;
	const struct selftest_case *from;
	double seconds;
	int status; /* the exit status */
	size_t rows;
	const struct selftest_row *row;
	char verdict[1024]; /* the last line */
};

#define SELFTEST_NO_PMU 77

int tool_selftest(int argc, char **argv);

#endif

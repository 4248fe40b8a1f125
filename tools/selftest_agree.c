/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_agree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "selftest_row.h"
#include "selftest_work.h"

#define SPEC "instructions"
#define BRACKETS 50000

/* Reads a set by read(2) although it has user reads. */
static uint64_t read_slowly(struct selfmon_counters *set)
{
	struct selfmon_snapshot at;

	set->flags |= SELFMON_IMPL_SET_SYSCALL;
	selfmon_counters_begin(set, &at);
	set->flags &= ~SELFMON_IMPL_SET_SYSCALL;
	return at.value[0];
}

/* Reads a set in user space. Returns false if that was not possible. */
static bool read_quickly(const struct selfmon_counters *set, uint64_t *value)
{
	struct selfmon_snapshot at;

	selfmon_counters_begin(set, &at);
	*value = at.value[0];
	return !(at.flags & (SELFMON_SNAPSHOT_SLOW | SELFMON_SNAPSHOT_LOST));
}

/*
 * Reads the counter three times. If `outside` is false, the second read is in
 * user space, between two read(2). If `outside` is true, the second read is
 * read(2), between two reads in user space.
 */
static bool take_bracket(struct selfmon_counters *set, bool outside,
			 struct selftest_bracket *to)
{
	bool good;

	if (!outside) {
		to->before = read_slowly(set);
		good = read_quickly(set, &to->inside);
		to->after = read_slowly(set);
		return good;
	}
	good = read_quickly(set, &to->before);
	to->inside = read_slowly(set);
	return read_quickly(set, &to->after) && good;
}

void selftest_agree(const struct selftest_case *from, struct selftest_row *row)
{
	const struct selftest_timer timer = selftest_timer(from, 900);
	struct selftest_bracket *bracket = calloc(BRACKETS, sizeof(*bracket));
	struct selfmon_counters *set;
	size_t tries = 0, n = 0;

	selftest_pin(-1);
	if (!bracket || !selftest_open(SPEC, 0, &set, row)) {
		free(bracket);
		return;
	}
	/* A set that is read by system call has no page to compare with. */
	while (!(set->flags & SELFMON_IMPL_SET_SYSCALL) && n < BRACKETS &&
	       !selftest_is_over(&timer)) {
		if (take_bracket(set, tries & 1, &bracket[n]))
			n++;
		tries++;
	}
	selfmon_counters_close(set);
	selftest_judge_brackets("user reads compared with read(2)", bracket, n,
				row);
	free(bracket);
	if (2 * n < tries || n < 100)
		selftest_busy(row, "%zu of %zu user reads found a counter", n,
			      tries);
	selftest_figure(row, "brackets", "", (double)n);
	selftest_say(&row->found, "%zu brackets of user reads and read(2)", n);
}

/* ---- wrap ---------------------------------------------------------------- */

#define STEP UINT64_C(100000) /* instructions between two reads */
#define AROUND 2000 /* maximum instructions of a step outside of its loop */

static void note_read(struct selftest_run *run, uint64_t last, uint64_t now)
{
	run->reads++;
	if (now >= last)
		return;
	if (!run->backwards++)
		run->first_back = last - now;
}

/*
 * Returns how many times the register wrapped. The kernel starts the register
 * at minus half of its range, so it wraps after counting half of its range.
 */
static double wraps_of(const struct selfmon_counters *set, uint64_t last)
{
	const unsigned int width = 64 - set->shift[0];

	return width < 2 ? 0 : (double)(last >> (width - 1));
}

static void say_wraps(const struct selfmon_counters *set, uint64_t last,
		      const struct selftest_run *run, struct selftest_row *row)
{
	selftest_say(&row->found, "%.1f s, %" PRIu64 " reads, %.3g "
		     "instructions", row->figure[0].value, run->reads,
		     (double)run->counted);
	if (set->flags & SELFMON_IMPL_SET_SYSCALL)
		return;
	selftest_figure(row, "register", "bits", 64.0 - set->shift[0]);
	selftest_figure(row, "overflows", "", wraps_of(set, last));
	selftest_say(&row->found, ", %.0f overflows of %d bits",
		     wraps_of(set, last), 64 - set->shift[0]);
}

void selftest_wrap(const struct selftest_case *from, struct selftest_row *row)
{
	const struct selftest_timer timer = selftest_timer(from, 900);
	const uint64_t began = selftest_now_ns();
	struct selfmon_snapshot first, at[2];
	struct selfmon_counters *set;
	struct selftest_run run = { .reads = 0 };
	uint64_t i;

	selftest_pin(-1);
	if (!selftest_open(SPEC, 0, &set, row))
		return;
	selfmon_counters_begin(set, &first);
	at[0] = first;
	for (i = 1; !selftest_is_over(&timer); i++) {
		selftest_loop(STEP / 2);
		selfmon_counters_begin(set, &at[i & 1]);
		note_read(&run, at[~i & 1].value[0], at[i & 1].value[0]);
		run.work += STEP;
		run.slack += AROUND;
	}
	run.counted = at[~i & 1].value[0] - first.value[0];
	selftest_figure(row, "run", "s",
			(double)(selftest_now_ns() - began) / 1e9);
	if (at[~i & 1].off_ns != first.off_ns)
		selftest_busy(row, "the events were off the PMU for %" PRIu64
			      " ns", at[~i & 1].off_ns - first.off_ns);
	else
		selftest_judge_run(&run, row);
	say_wraps(set, at[~i & 1].value[0], &run, row);
	selfmon_counters_close(set);
}

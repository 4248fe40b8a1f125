/* SPDX-License-Identifier: MIT */
#include "doctor_sampling.h"

#include <errno.h>
#include <inttypes.h>

#include "doctor/lockable.h"
#include "doctor_limits.h"
#include "doctor_result.h"

/*
 * Default number of data pages of a thread's ring, and the number of all its
 * pages: the first one is struct perf_event_mmap_page.
 */
#define RING_PAGES 16
#define THREAD_PAGES (RING_PAGES + 1)
/* Warn if there is room for fewer threads. */
#define THREADS_FEW 64

/*
 * Explains the failure. perf_event_open(2) has succeeded in another probe, so
 * EPERM must come from mmap(2).
 */
static void explain(const struct doctor_case *from,
		    const struct selfmon_failure *failure,
		    struct doctor_check *check)
{
	struct selfmon_failure copy = *failure;

	if (copy.error == EPERM)
		copy.step = SELFMON_STEP_MAP;
	doctor_explain(from, &copy, check);
}

/*
 * Explains why cycles are not sampled. Returns true if this deserves a warning:
 * hardware events count, and all cores are of one type.
 */
static bool say_no_cycles(const struct doctor_case *from,
			  struct doctor_check *check)
{
	const struct doctor_probe *probe = from->probe;

	if (probe->hardware) {
		doctor_say(&check->reason, "no hardware event opens");
		return false;
	}
	if (from->machine->pmus > 1) {
		doctor_say(&check->reason, "each core type has cycles of its "
			   "own, and one event is sampled");
		return false;
	}
	if (probe->together == 0) {
		doctor_say(&check->reason, "no hardware event counts");
		return false;
	}
	doctor_say(&check->reason, "cycles:u: ");
	if (probe->no_cycles.step == SELFMON_STEP_OPEN &&
	    probe->no_cycles.error == EOPNOTSUPP)
		doctor_say(&check->reason, "this CPU's PMU delivers no "
			   "interrupts");
	else
		explain(from, &probe->no_cycles, check);
	return true;
}

static void say_event(const struct doctor_case *from,
		      struct doctor_check *check)
{
	const int64_t ns = from->probe->sample_ns;

	doctor_say(&check->found, "%s",
		   from->probe->sampled == DOCTOR_SAMPLES_CYCLES
			   ? "cycles"
			   : "task-clock");
	if (ns != SELFMON_FACT_UNKNOWN)
		doctor_say(&check->found, ", %.1f us a sample",
			   (double)ns / 1000);
}

static void warn_few(const struct doctor_case *from,
		     struct doctor_check *check)
{
	const struct selfmon_failure failure = { .error = EPERM,
						 .step = SELFMON_STEP_MAP };
	struct doctor_check used_up = { .name = NULL };

	check->status = DOCTOR_WARN;
	doctor_explain(from, &failure, &used_up);
	doctor_say(&check->remedy, "%s%s", check->remedy.length ? ". " : "",
		   used_up.remedy.text);
	doctor_say(&check->remedy, "; or smaller rings: "
		   "SELFMON_SAMPLE=auto,ring=16k");
}

/*
 * If events are counted too, rings may use only half of the lockable memory:
 * see session/ring_room.h.
 */
static void say_room(const struct doctor_case *from,
		     struct doctor_check *check)
{
	const int64_t pages = doctor_locked_pages(from);
	int64_t with_counters;
	const char *const between = check->reason.length ? "; " : "";

	if (pages == SELFMON_FACT_UNKNOWN)
		return;
	if (pages >= SELFMON_LOCKABLE_UNLIMITED) {
		doctor_say(&check->reason, "%sroom for any number of threads",
			   between);
		return;
	}
	with_counters = pages / 2 / THREAD_PAGES;
	doctor_say(&check->reason, "%slocked memory allows %" PRId64
		   " sampled threads at once with counters, %" PRId64
		   " without: each has a ring of %" PRId64 " KiB", between,
		   with_counters, pages / THREAD_PAGES,
		   RING_PAGES * from->machine->page_size / 1024);
	if (with_counters < THREADS_FEW)
		warn_few(from, check);
}

void doctor_check_sampling(const struct doctor_case *from,
			   struct doctor_check *check)
{
	const struct doctor_probe *probe = from->probe;

	if (probe->software) {
		doctor_skip(check, "perf_event_open");
		return;
	}
	check->status = DOCTOR_PASS;
	if (probe->sampled == DOCTOR_SAMPLES_NOTHING) {
		check->status = DOCTOR_WARN;
		doctor_say(&check->found, "not possible");
		explain(from, &probe->no_task_clock, check);
		return;
	}
	say_event(from, check);
	if (probe->sampled == DOCTOR_SAMPLES_CLOCK &&
	    say_no_cycles(from, check))
		check->status = DOCTOR_WARN;
	say_room(from, check);
}

/* SPDX-License-Identifier: MIT */
#include "doctor_limits.h"

#include <errno.h>
#include <inttypes.h>

#include "doctor/cause_access.h"
#include "doctor/lockable.h"
#include "doctor_result.h"

/* The number of hardware events in a thread's set: four, as in `auto`. */
#define EVENTS 4
/* Warn if the limits suffice for fewer threads. */
#define THREADS_FEW 256
/*
 * If the limit is below this number, and not all default events could be
 * opened, the limit is taken as the cause.
 */
#define FILES_LEAST 16

/*
 * A value of at least this is not a limit. Sums of smaller values do not
 * overflow.
 */
#define BEYOND SELFMON_LOCKABLE_UNLIMITED

static void say_threads(struct doctor_check *check, int64_t threads)
{
	if (threads >= BEYOND / EVENTS)
		doctor_say(&check->reason, "room for any number of threads");
	else
		doctor_say(&check->reason, "room for %" PRId64 " threads with "
			   "%d hardware events each", threads, EVENTS);
}

static bool too_few_files(const struct doctor_probe *probe, int64_t limit)
{
	if (probe->hardware == EMFILE || probe->software == EMFILE ||
	    probe->dropped.error == EMFILE)
		return true;
	return limit < FILES_LEAST && probe->together < EVENTS;
}

/*
 * Checks for how many threads the limit of descriptors suffices. The set of a
 * thread needs one descriptor, since mapped pages keep its other events alive.
 * The library uses at most half of all descriptors.
 */
void doctor_check_descriptors(const struct doctor_case *from,
			      struct doctor_check *check)
{
	const int64_t limit = from->facts->nofile;
	const struct selfmon_failure failure = { .error = EMFILE,
						 .step = SELFMON_STEP_OPEN };
	struct doctor_check used_up = { .name = NULL };

	if (limit == SELFMON_FACT_UNKNOWN)
		return;
	if (limit == SELFMON_FACT_UNLIMITED)
		doctor_say(&check->found, "RLIMIT_NOFILE unlimited");
	else
		doctor_say(&check->found, "RLIMIT_NOFILE %" PRId64, limit);
	check->status = too_few_files(from->probe, limit) ? DOCTOR_FAIL
			: limit / 2 < THREADS_FEW	  ? DOCTOR_WARN
							  : DOCTOR_PASS;
	if (check->status == DOCTOR_FAIL)
		doctor_say(&check->reason, "too few for a set of events in "
			   "addition to the program's own files");
	else
		say_threads(check, limit / 2);
	if (check->status == DOCTOR_PASS)
		return;
	doctor_explain(from, &failure, &used_up);
	check->remedy = used_up.remedy;
}

void doctor_check_file_table(const struct doctor_case *from,
			     struct doctor_check *check)
{
	const int64_t max = from->facts->file_max;
	const int64_t used = from->machine->files_open;

	if (max <= 0 || used < 0)
		return;
	doctor_say(&check->found, "%" PRId64 " of fs.file-max %" PRId64, used,
		   max);
	check->status = used < max / 10 * 9 ? DOCTOR_PASS : DOCTOR_WARN;
	if (check->status == DOCTOR_PASS)
		return;
	doctor_say(&check->reason, "the system's table of open files is "
		   "nearly full");
	selfmon_sentence_add_sysctl(&check->remedy, from->facts, "fs.file-max",
				    max * 2);
}

int64_t doctor_locked_pages(const struct doctor_case *from)
{
	return selfmon_lockable_pages(from->facts, from->machine->cpus,
				      from->machine->page_size);
}

static void say_lockable(const struct doctor_case *from,
			 struct doctor_check *check)
{
	const struct selfmon_facts *facts = from->facts;

	if (selfmon_facts_hold(facts, SELFMON_CAP_IPC_LOCK))
		doctor_say(&check->found, "without limit (CAP_IPC_LOCK)");
	else if (facts->paranoid == -1)
		doctor_say(&check->found, "without limit (paranoid -1)");
	else if (facts->memlock >= BEYOND)
		doctor_say(&check->found, "RLIMIT_MEMLOCK unlimited");
	else
		doctor_say(&check->found, "%" PRId64 " KiB for each of %" PRId64
			   " CPUs, then RLIMIT_MEMLOCK %" PRId64 " KiB",
			   facts->mlock_kb, from->machine->cpus,
			   facts->memlock / 1024);
}

void doctor_check_locked_memory(const struct doctor_case *from,
				struct doctor_check *check)
{
	const int64_t pages = doctor_locked_pages(from);
	const int64_t threads = pages / EVENTS;
	const struct selfmon_failure failure = { .error = EPERM,
						 .step = SELFMON_STEP_MAP };
	struct doctor_check used_up = { .name = NULL };

	if (pages == SELFMON_FACT_UNKNOWN) {
		doctor_skip(check, "paranoid");
		return;
	}
	say_lockable(from, check);
	say_threads(check, threads);
	check->status = from->probe->map == EPERM || threads < 1 ? DOCTOR_FAIL
			: threads < THREADS_FEW			? DOCTOR_WARN
								: DOCTOR_PASS;
	if (check->status == DOCTOR_PASS)
		return;
	doctor_explain(from, &failure, &used_up);
	check->remedy = used_up.remedy;
	doctor_say(&check->reason, from->probe->map == EPERM
		   ? ", all used by other processes of this user"
		   : "; others are read by system call");
}

void doctor_check_mappings(const struct doctor_case *from,
			   struct doctor_check *check)
{
	const int64_t max = from->facts->max_map_count;
	const int64_t threads = max / 2 / EVENTS;

	if (max <= 0)
		return;
	doctor_say(&check->found, "vm.max_map_count %" PRId64, max);
	say_threads(check, threads);
	check->status = from->probe->map == ENOMEM	? DOCTOR_FAIL
			: threads < THREADS_FEW		? DOCTOR_WARN
							: DOCTOR_PASS;
	if (check->status != DOCTOR_PASS)
		selfmon_sentence_add_sysctl(&check->remedy, from->facts,
					    "vm.max_map_count", 262144);
}

/* SPDX-License-Identifier: MIT */
#include "doctor/cause_use.h"

#include <errno.h>
#include <inttypes.h>

#include "doctor/remedy.h"

#define KIB 1024
#define MAP_COUNT_DEFAULT 65530

/*
 * Appends the two limits of locked memory. The kernel charges pages to
 * perf_event_mlock_kb first, then to RLIMIT_MEMLOCK: see
 * selfmon_lockable_pages().
 */
static void add_locked_limits(const struct selfmon_facts *facts,
			      struct selfmon_sentence *s)
{
	if (facts->mlock_kb >= 0 && facts->memlock >= 0)
		selfmon_sentence_add(s,
				     " (perf_event_mlock_kb=%" PRId64
				     " a CPU for this user's processes, then "
				     "RLIMIT_MEMLOCK=%" PRId64 " KiB)",
				     facts->mlock_kb, facts->memlock / KIB);
}

static void add_more_locked(const struct selfmon_facts *facts,
			    struct selfmon_sentence *s)
{
	selfmon_sentence_add(s, ". As root, before starting it: ulimit -l "
				"unlimited");
	if (facts->container) {
		selfmon_sentence_add(s, "; or ");
		selfmon_sentence_add_limit(s, facts, "memlock", "-1");
	} else if (facts->mlock_kb > 0) {
		selfmon_sentence_add(s,
				     "; or sysctl -w "
				     "kernel.perf_event_mlock_kb=%" PRId64,
				     facts->mlock_kb * 16);
	}
}

/* Explains EPERM of perf_mmap in kernel/events/core.c. */
static void map_eperm(const struct selfmon_facts *facts,
		      struct selfmon_sentence *s)
{
	if (facts->memlock == SELFMON_FACT_UNLIMITED) {
		selfmon_sentence_add(
			s, "RLIMIT_MEMLOCK is unlimited, so a security module "
			   "refuses to map the event's page. See its log: "
			   "ausearch -m avc -ts recent, or dmesg");
		return;
	}
	selfmon_sentence_add(s, "no more memory may be locked for event "
				"pages");
	add_locked_limits(facts, s);
	add_more_locked(facts, s);
}

/*
 * The library itself reports ENOBUFS, if rings already take half of the memory
 * that may be locked (session/ring_room.h).
 */
static void map_enobufs(const struct selfmon_facts *facts,
			struct selfmon_sentence *s)
{
	selfmon_sentence_add(s, "rings have half of the memory that may be "
				"locked");
	add_locked_limits(facts, s);
	selfmon_sentence_add(s, ", and the rest is for counters");
	add_more_locked(facts, s);
	selfmon_sentence_add(s, "; or smaller rings: ring=16k");
}

static void map_enomem(const struct selfmon_facts *facts,
		       struct selfmon_sentence *s)
{
	const int64_t count = facts->max_map_count > 0 ? facts->max_map_count
						       : MAP_COUNT_DEFAULT;

	selfmon_sentence_add(s,
			     "no memory for the event's page, or this process "
			     "has all the mappings it may have "
			     "(vm.max_map_count=%" PRId64 "). ",
			     count);
	selfmon_sentence_add_sysctl(s, facts, "vm.max_map_count", count * 4);
}

static const struct {
	enum selfmon_step step;
	int error;
	void (*say)(const struct selfmon_facts *facts,
		    struct selfmon_sentence *s);
	const char *text; /* or NULL if the text depends on the machine */
} causes[] = {
	{ SELFMON_STEP_MAP, EPERM, map_eperm, NULL },
	{ SELFMON_STEP_MAP, ENOBUFS, map_enobufs, NULL },
	{ SELFMON_STEP_MAP, ENOMEM, map_enomem, NULL },
	{ SELFMON_STEP_MAP, EINVAL, NULL,
	  "the kernel does not map a page for this event (it is inherited, or "
	  "mapped already in another size). Count it by read(2): "
	  "SELFMON_COUNTERS_SYSCALL" },
	{ SELFMON_STEP_MAP, ENODEV, NULL,
	  "the event's PMU went away before its page was mapped. Load its "
	  "driver again and open the set again" },
	{ SELFMON_STEP_MAP, EBADF, NULL,
	  "the event's descriptor was closed by other code before its page was "
	  "mapped. Look for close or close_range in the program: strace -f -e "
	  "trace=close,close_range" },

	{ SELFMON_STEP_READ, ENOSPC, NULL,
	  "the group has more events than the library added. Open the set "
	  "again; other code must not add events to its group" },
	{ SELFMON_STEP_READ, ECHILD, NULL,
	  "the group and its copy in a child process no longer match. Open a "
	  "set of its own in the child" },
	{ SELFMON_STEP_READ, EBADF, NULL,
	  "the descriptor to read from was closed by other code. Look for "
	  "close or close_range in the program: strace -f -e "
	  "trace=close,close_range" },
	{ SELFMON_STEP_READ, EINTR, NULL,
	  "a signal interrupted the read of the counts. Try again" },
	{ SELFMON_STEP_READ, EINVAL, NULL,
	  "the descriptor to read from is no longer the event: it was closed "
	  "and its number reused. Look for the close: strace -f -e "
	  "trace=close,close_range" },
	{ SELFMON_STEP_READ, EFAULT, NULL,
	  "the buffer for the counts cannot be written. This is a fault in "
	  "the library or memory corruption: run it under valgrind" },

	{ SELFMON_STEP_ENABLE, ENOTTY, NULL,
	  "the descriptor to enable is no longer an event: it was closed and "
	  "its number reused. Look for the close: strace -f -e "
	  "trace=close,close_range" },
	{ SELFMON_STEP_ENABLE, EINVAL, NULL,
	  "the kernel rejects this ioctl for a counting event. Leave terms for "
	  "sampling (period, freq) out of the event" },
	{ SELFMON_STEP_ENABLE, EBADF, NULL,
	  "the descriptor to enable was closed by other code. Look for close "
	  "or close_range in the program: strace -f -e "
	  "trace=close,close_range" },
};

bool selfmon_cause_of_use(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *sentence)
{
	size_t i;

	for (i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (causes[i].step != failure->step ||
		    causes[i].error != failure->error)
			continue;
		if (causes[i].say)
			causes[i].say(facts, sentence);
		else
			selfmon_sentence_add(sentence, "%s", causes[i].text);
		return true;
	}
	return false;
}

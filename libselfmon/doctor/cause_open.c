/* SPDX-License-Identifier: MIT */
/*
 * Finds out why perf_event_open(2) failed, and distinguishes causes that share
 * an errno.
 */
#include "doctor/cause_open.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "doctor/cause_access.h"
#include "doctor/cause_event.h"
#include "doctor/remedy.h"

/* Enough for 8 events in each of 4,000 threads, and for other files. */
#define NOFILE_ENOUGH 65536

static void say_eopnotsupp(const struct selfmon_failure *failure,
			   const struct selfmon_facts *facts,
			   struct selfmon_sentence *s)
{
	const char *modifier = strrchr(failure->event, ':');

	if (modifier && strchr(modifier, 'p'))
		selfmon_sentence_add(
			s,
			"the PMU%s does not support this precision. Leave p "
			"out of the modifier %s",
			facts->hypervisor ? " of this virtual machine" : "",
			modifier);
	else
		selfmon_sentence_add(s, "the PMU does not support a term of "
					"this event. Leave out terms, or use "
					"its plain name");
}

static void say_emfile(const struct selfmon_failure *failure,
		       const struct selfmon_facts *facts,
		       struct selfmon_sentence *s)
{
	const int64_t soft = facts->nofile, hard = facts->nofile_hard;
	const bool limited = soft >= 0 && soft < SELFMON_FACT_UNLIMITED / 2;

	(void)failure;
	if (limited)
		selfmon_sentence_add(s,
				     "all %" PRId64 " descriptors of this "
				     "process are in use (RLIMIT_NOFILE). ",
				     soft);
	else
		selfmon_sentence_add(s, "all descriptors of this process are "
					"in use (RLIMIT_NOFILE). ");
	if (limited && hard > soft && hard < SELFMON_FACT_UNLIMITED)
		selfmon_sentence_add(
			s, "Before starting it: ulimit -n %" PRId64, hard);
	else
		selfmon_sentence_add(
			s, "As root, before starting it: ulimit -n %" PRId64,
			!limited || soft < NOFILE_ENOUGH ? NOFILE_ENOUGH
							 : soft * 2);
	if (!facts->container)
		return;
	selfmon_sentence_other(s);
	selfmon_sentence_add(s, "; or ");
	selfmon_sentence_add_limit(s, facts, "nofile", "N");
}

static void say_enfile(const struct selfmon_failure *failure,
		       const struct selfmon_facts *facts,
		       struct selfmon_sentence *s)
{
	const bool known = facts->file_max > 0 &&
			   facts->file_max < SELFMON_FACT_UNLIMITED / 2;

	(void)failure;
	selfmon_sentence_add(s, "the system's table of open files is full");
	if (known)
		selfmon_sentence_add(s, " (fs.file-max=%" PRId64 ")",
				     facts->file_max);
	selfmon_sentence_add(s, ". ");
	selfmon_sentence_add_sysctl(s, facts, "fs.file-max",
				    known ? facts->file_max * 2 : 1000000);
}

static void say_ebusy(const struct selfmon_failure *failure,
		      const struct selfmon_facts *facts,
		      struct selfmon_sentence *s)
{
	(void)failure;
	selfmon_sentence_add(s, "another user holds the PMU: the firmware, "
				"the NMI watchdog or a profiler. ");
	if (facts->nmi_watchdog > 0) {
		selfmon_sentence_add_sysctl(s, facts, "kernel.nmi_watchdog", 0);
		selfmon_sentence_add(s, "; or stop the profiler");
	} else {
		selfmon_sentence_add(s, "Stop the profiler, or disable the "
					"firmware's use of the PMU");
	}
}

static void say_enodev(const struct selfmon_failure *failure,
		       const struct selfmon_facts *facts,
		       struct selfmon_sentence *s)
{
	(void)facts;
	if (failure->grouped)
		selfmon_sentence_add(s, "the thread of the group's leader has "
					"exited. Open the set again, in the "
					"thread to be measured");
	else
		selfmon_sentence_add(s, "the PMU is not initialised, or its "
					"CPU is offline. See why: dmesg | "
					"grep -i pmu");
}

static const struct {
	int error;
	void (*say)(const struct selfmon_failure *failure,
		    const struct selfmon_facts *facts,
		    struct selfmon_sentence *s);
} told_apart[] = {
	{ EACCES, selfmon_cause_eacces },
	{ EPERM, selfmon_cause_eperm },
	{ ENOSYS, selfmon_cause_enosys },
	{ ENOENT, selfmon_cause_enoent },
	{ EOPNOTSUPP, say_eopnotsupp },
	{ EINVAL, selfmon_cause_einval },
	{ EMFILE, say_emfile },
	{ ENFILE, say_enfile },
	{ EBUSY, say_ebusy },
	{ ENODEV, say_enodev },
};

static const struct {
	int error;
	const char *text;
} plain[] = {
	{ E2BIG, "this kernel does not know a field that the event uses. "
		 "Leave out terms of the event, or use a newer kernel" },
	{ ENOMEM, "the kernel has no memory for one more event. Free some "
		  "(free -m; in a container, raise its memory limit), or "
		  "count fewer events" },
	{ ENOSPC, "all hardware breakpoints of the CPU are taken. Count fewer, "
		  "or remove a debugger's watchpoints" },
	{ ESRCH, "the thread to be counted has exited. Open the set in the "
		 "thread to be measured" },
	{ EBADF, "the descriptor of the group's leader was closed by other "
		 "code. Look for close, closefrom or close_range in the "
		 "program: strace -f -e trace=close,close_range" },
	{ EFAULT, "the kernel could not read the event's description. This "
		  "is a fault in the library or memory corruption: run it "
		  "under valgrind" },
	{ EINTR, "a signal interrupted perf_event_open. Try again" },
	{ EOVERFLOW, "the requested call chain is longer than "
		     "kernel.perf_event_max_stack. As root: sysctl -w "
		     "kernel.perf_event_max_stack=127" },
};

bool selfmon_cause_of_open(const struct selfmon_failure *failure,
			   const struct selfmon_facts *facts,
			   struct selfmon_sentence *sentence)
{
	size_t i;

	for (i = 0; i < sizeof(told_apart) / sizeof(told_apart[0]); i++) {
		if (told_apart[i].error == failure->error) {
			told_apart[i].say(failure, facts, sentence);
			return true;
		}
	}
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (plain[i].error == failure->error) {
			selfmon_sentence_add(sentence, "%s", plain[i].text);
			return true;
		}
	}
	return false;
}

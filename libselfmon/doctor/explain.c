/* SPDX-License-Identifier: MIT */
/* A failure becomes one line: `EVENT: what happened. What to do.` */
#include "doctor/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "doctor/cause.h"
#include "doctor/remedy.h"

static void add_event(struct selfmon_sentence *sentence,
		      const struct selfmon_failure *failure)
{
	if (failure->event[0])
		selfmon_sentence_add(sentence, "%s: ", failure->event);
}

static void add_unknown(struct selfmon_sentence *sentence,
			const struct selfmon_failure *failure)
{
	static const char *const call[] = {
		[SELFMON_STEP_NONE] = "opening it",
		[SELFMON_STEP_PARSE] = "reading the specification",
		[SELFMON_STEP_OPEN] = "perf_event_open",
		[SELFMON_STEP_MAP] = "mmap of the event's page",
		[SELFMON_STEP_READ] = "read of the counts",
		[SELFMON_STEP_ENABLE] = "ioctl to enable the event",
		[SELFMON_STEP_POLICY] = "opening it by the library's rules",
		[SELFMON_STEP_FILE] = "reading the file",
	};
	const unsigned int step = (unsigned int)failure->step;

	/*
	 * strerror(3), for there are two strerror_r(3) and which one it is
	 * hangs on who includes what. What it returns for an errno of the
	 * kernel's is constant; for others, of the thread from glibc 2.32 on.
	 */
	selfmon_sentence_add(sentence,
			     "%s failed: %s (errno %d). See what the kernel "
			     "logged: dmesg | tail",
			     step < sizeof(call) / sizeof(call[0])
				     ? call[step]
				     : "an unknown step",
			     strerror(failure->error), failure->error);
}

/*
 * User reads switched off when the events were opened: the PMU's file rdpmc
 * (kernel arch/x86/events/core.c, x86_pmu_event_init) or the sysctl of arm64
 * and riscv64. The file is root's alone: for others it is not known.
 */
static void add_user_reads(struct selfmon_sentence *sentence,
			   const struct selfmon_facts *facts)
{
	if (facts->rdpmc == 0)
		selfmon_sentence_add(sentence,
				     ", or have them read in user space. As "
				     "root: echo 1 > /sys/devices/cpu/rdpmc");
	if (facts->user_access == 0) {
		selfmon_sentence_add(sentence,
				     ", or have them read in user space. ");
		selfmon_sentence_add_sysctl(sentence, facts,
					    "kernel.perf_user_access", 1);
	}
}

/*
 * The NMI watchdog's own event is pinned on each CPU (kernel/watchdog_perf.c,
 * wd_hw_attr), which a group finds out only by never running.
 */
static void add_policy(struct selfmon_sentence *sentence,
		       const struct selfmon_failure *failure,
		       const struct selfmon_facts *facts)
{
	if (strncmp(failure->message, failure->event, strlen(failure->event)))
		add_event(sentence, failure);
	selfmon_sentence_add(sentence, "%s", failure->message);
	if (failure->error == EOPNOTSUPP && !failure->event[0])
		add_user_reads(sentence, facts);
	if (failure->error != EBUSY)
		return;
	if (facts->nmi_watchdog > 0) {
		selfmon_sentence_add(sentence, ". ");
		selfmon_sentence_add_sysctl(sentence, facts,
					    "kernel.nmi_watchdog", 0);
		selfmon_sentence_add(sentence, " frees one");
	} else {
		selfmon_sentence_add(sentence, ". Count fewer events, or "
					       "stop other profilers");
	}
}

static void add_failure(struct selfmon_sentence *sentence,
			const struct selfmon_failure *failure,
			const struct selfmon_facts *facts)
{
	bool known;

	if ((failure->step == SELFMON_STEP_PARSE ||
	     failure->step == SELFMON_STEP_FILE) && failure->message[0]) {
		/* The parser quotes the event itself. */
		selfmon_sentence_add(sentence, "%s", failure->message);
		return;
	}
	if (failure->step == SELFMON_STEP_POLICY && failure->message[0]) {
		add_policy(sentence, failure, facts);
		return;
	}
	add_event(sentence, failure);
	if (failure->step == SELFMON_STEP_OPEN)
		known = selfmon_cause_of_open(failure, facts, sentence);
	else
		known = selfmon_cause_of_use(failure, facts, sentence);
	if (!known)
		add_unknown(sentence, failure);
}

size_t selfmon_explain_with(const struct selfmon_failure *failure,
			    const struct selfmon_facts *facts, char *text,
			    size_t size)
{
	struct selfmon_sentence sentence = { .length = 0 };
	struct selfmon_failure copy;
	size_t n;

	if (!failure || failure->error == 0) {
		selfmon_sentence_add(&sentence, "nothing failed");
	} else {
		/* Callers may fill the members to the last byte. */
		copy = *failure;
		copy.event[sizeof(copy.event) - 1] = '\0';
		copy.message[sizeof(copy.message) - 1] = '\0';
		add_failure(&sentence, &copy, facts);
	}
	if (size > 0) {
		n = sentence.length < size ? sentence.length : size - 1;
		memcpy(text, sentence.text, n);
		text[n] = '\0';
	}
	return sentence.length;
}

size_t selfmon_explain(const struct selfmon_failure *failure, char *text,
		       size_t size)
{
	struct selfmon_facts facts;

	selfmon_facts_gather(&facts);
	return selfmon_explain_with(failure, &facts, text, size);
}

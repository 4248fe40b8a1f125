/* SPDX-License-Identifier: MIT */
/* Turns a failure into one line: `EVENT: what happened. What to do.` */
#include "doctor/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "doctor/cause_open.h"
#include "doctor/cause_use.h"
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
		[SELFMON_STEP_POLICY] = "the library's own check",
		[SELFMON_STEP_FILE] = "reading the file",
	};
	const unsigned int step = (unsigned int)failure->step;

	/*
	 * strerror_r(3) has two versions, selected by feature macros, so
	 * strerror(3) is used. It returns constant text for the kernel's
	 * errnos. For other errnos its text is thread-local since glibc 2.32.
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
 * Appends how to allow user reads, if they are disabled: by the file rdpmc of
 * the PMU (kernel arch/x86/events/core.c, x86_pmu_event_init), or on arm64 and
 * riscv64 by a sysctl. Only root can read the file rdpmc. For other users the
 * file's value is unknown, and nothing is appended.
 */
static void add_user_reads(struct selfmon_sentence *sentence,
			   const struct selfmon_facts *facts)
{
	if (facts->rdpmc == 0)
		selfmon_sentence_add(sentence,
				     ", or read them in user space. As root: "
				     "echo 1 > /sys/bus/event_source/devices/"
				     "%s/rdpmc",
				     facts->rdpmc_of_cores ? "cpu_core"
							   : "cpu");
	if (facts->user_access == 0) {
		selfmon_sentence_add(sentence,
				     ", or read them in user space. ");
		selfmon_sentence_add_sysctl(sentence, facts,
					    "kernel.perf_user_access", 1);
	}
}

/*
 * The library itself reports EBUSY in two cases. Either perf_event_open(2)
 * succeeded, but the group never got onto the PMU. Or the hypervisor grants
 * fewer counters (counters/granted.c). A possible cause of the first case is
 * the NMI watchdog: its pinned event takes a counter on each CPU
 * (kernel/watchdog_perf.c, wd_hw_attr).
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
		/* The message already names the event, in quotes. */
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

static void add_any_failure(const struct selfmon_failure *failure,
			    const struct selfmon_facts *facts,
			    struct selfmon_sentence *sentence)
{
	struct selfmon_failure copy;

	if (!failure || failure->error == 0) {
		selfmon_sentence_add(sentence, "nothing failed");
		return;
	}
	/* The text members may fill their arrays without a terminating 0. */
	copy = *failure;
	copy.event[sizeof(copy.event) - 1] = '\0';
	copy.message[sizeof(copy.message) - 1] = '\0';
	add_failure(sentence, &copy, facts);
}

size_t selfmon_explain_with(const struct selfmon_failure *failure,
			    const struct selfmon_facts *facts, char *text,
			    size_t size)
{
	struct selfmon_sentence sentence = { .length = 0 };
	size_t n;

	add_any_failure(failure, facts, &sentence);
	if (size > 0) {
		n = sentence.length < size ? sentence.length : size - 1;
		memcpy(text, sentence.text, n);
		text[n] = '\0';
	}
	return sentence.length;
}

void selfmon_explain_parts(const struct selfmon_failure *failure,
			   const struct selfmon_facts *facts,
			   struct selfmon_sentence *cause,
			   struct selfmon_sentence *remedy)
{
	const size_t n = strlen(failure->event);
	struct selfmon_sentence whole = { .length = 0 };
	const char *at = whole.text, *end;

	add_any_failure(failure, facts, &whole);
	if (n && !strncmp(at, failure->event, n) && at[n] == ':')
		at += n + 2;
	end = strstr(at, ". ");
	if (!end) {
		selfmon_sentence_add(cause, "%s", at);
		return;
	}
	selfmon_sentence_add(cause, "%.*s", (int)(end - at), at);
	at = end + 2;
	if (whole.text + whole.other > at) {
		selfmon_sentence_add(remedy, "%.*s",
				     (int)(whole.text + whole.other - at), at);
		selfmon_sentence_other(remedy);
		at = whole.text + whole.other;
	}
	selfmon_sentence_add(remedy, "%s", at);
}

size_t selfmon_explain(const struct selfmon_failure *failure, char *text,
		       size_t size)
{
	struct selfmon_facts facts;

	selfmon_facts_gather(&facts);
	return selfmon_explain_with(failure, &facts, text, size);
}

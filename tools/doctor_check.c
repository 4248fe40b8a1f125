/* SPDX-License-Identifier: MIT */
/* All checks in their order, and what follows from them. */
#include "doctor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "doctor/explain.h"

/*
 * Causes first, what follows from them behind: a consequence that fails is
 * itself told as the cause only where nothing before it failed.
 */
static const struct {
	const char *name;
	doctor_check_fn *run;
	bool consequence;
} checks[] = {
	{ "kernel", doctor_check_kernel, false },
	{ "seccomp", doctor_check_seccomp, false },
	{ "paranoid", doctor_check_paranoid, false },
	{ "capabilities", doctor_check_capabilities, false },
	{ "security-module", doctor_check_security_module, false },
	{ "perf_event_open", doctor_check_call, true },
	{ "event-struct", doctor_check_attr, false },
	{ "pmu", doctor_check_pmu, false },
	{ "core-types", doctor_check_core_types, false },
	{ "hardware", doctor_check_hardware, true },
	{ "user-mode", doctor_check_user_mode, false },
	{ "together", doctor_check_together, true },
	{ "nmi-watchdog", doctor_check_watchdog, false },
	{ "multiplexing", doctor_check_multiplexing, false },
	{ "kernel-mode", doctor_check_kernel_mode, false },
	{ "tracepoints", doctor_check_tracepoints, false },
	{ "breakpoints", doctor_check_breakpoints, false },
	{ "descriptors", doctor_check_descriptors, false },
	{ "open-files", doctor_check_file_table, false },
	{ "locked-memory", doctor_check_locked_memory, false },
	{ "mappings", doctor_check_mappings, false },
	{ "page", doctor_check_page, true },
	{ "user-read-switch", doctor_check_switch, false },
	{ "fork", doctor_check_fork, false },
	{ "user-reads", doctor_check_user_reads, true },
	{ "taken-away", doctor_check_taken_away, true },
	{ "read-cost", doctor_check_cost, false },
	{ "clock", doctor_check_clock, false },
};

#define CHECKS (sizeof(checks) / sizeof(checks[0]))

_Static_assert(CHECKS <= DOCTOR_CHECKS, "a report has room for all checks");

/* `EVENT: cause. Remedy`, see selfmon_explain(), without the event. */
void doctor_explain(const struct doctor_case *from,
		    const struct selfmon_failure *failure,
		    struct doctor_check *check)
{
	char text[SELFMON_SENTENCE_SIZE];
	const char *at = text, *end;
	const size_t n = strlen(failure->event);

	selfmon_explain_with(failure, from->facts, text, sizeof(text));
	if (n && !strncmp(at, failure->event, n) && at[n] == ':')
		at += n + 2;
	end = strstr(at, ". ");
	if (!end) {
		doctor_say(&check->reason, "%s", at);
		return;
	}
	doctor_say(&check->reason, "%.*s", (int)(end - at), at);
	doctor_say(&check->remedy, "%s", end + 2);
}

void doctor_explain_open(const struct doctor_case *from, const char *event,
			 int error, bool kernel, struct doctor_check *check)
{
	struct selfmon_failure failure = { .error = error,
					   .step = SELFMON_STEP_OPEN,
					   .kernel_asked = kernel };

	snprintf(failure.event, sizeof(failure.event), "%s", event);
	doctor_explain(from, &failure, check);
}

const char *doctor_errno(int error)
{
	static const struct {
		int error;
		const char *name;
	} known[] = {
#define KNOWN(error) { error, #error }
		KNOWN(EACCES), KNOWN(EPERM),	  KNOWN(ENOSYS), KNOWN(ENOENT),
		KNOWN(EINVAL), KNOWN(EOPNOTSUPP), KNOWN(E2BIG),	 KNOWN(ENODEV),
		KNOWN(EBUSY),  KNOWN(EMFILE),	  KNOWN(ENFILE), KNOWN(ENOMEM),
		KNOWN(ENOSPC), KNOWN(EAGAIN),
#undef KNOWN
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].error == error)
			return known[i].name;
	return strerror(error);
}

void doctor_skip(struct doctor_check *check, const char *other)
{
	check->status = DOCTOR_SKIP;
	doctor_say(&check->found, "not known: see %s", other);
}

static void find_causes(struct doctor_report *report)
{
	size_t i;

	for (i = 0; i < report->checks; i++) {
		const struct doctor_check *check = &report->check[i];

		if (check->status == DOCTOR_FAIL &&
		    (!check->consequence || report->causes == 0))
			report->cause[report->causes++] = check;
	}
}

void doctor_examine(const struct doctor_machine *machine,
		    const struct doctor_probe *probe,
		    struct doctor_report *report)
{
	const struct doctor_case from = { machine, &machine->facts, probe };
	size_t i;

	memset(report, 0, sizeof(*report));
	report->machine = machine;
	report->user_reads = probe->user_reads;
	for (i = 0; i < CHECKS; i++) {
		struct doctor_check *check = &report->check[report->checks];

		check->name = checks[i].name;
		check->consequence = checks[i].consequence;
		checks[i].run(&from, check);
		if (check->status == DOCTOR_ABSENT)
			memset(check, 0, sizeof(*check));
		else
			report->checks++;
	}
	find_causes(report);
	doctor_note(report);
}

/* SPDX-License-Identifier: MIT */
#include "doctor_check.h"

#include <string.h>

#include "doctor_access.h"
#include "doctor_cores.h"
#include "doctor_events.h"
#include "doctor_limits.h"
#include "doctor_note.h"
#include "doctor_pmu.h"
#include "doctor_sampling.h"
#include "doctor_summary.h"
#include "doctor_user.h"

/*
 * Causes come before their consequences, except "descriptors". A failed
 * consequence counts as a cause only if no earlier failed check explains it: see
 * find_causes().
 */
static const struct {
	const char *name;
	doctor_check_fn *run;
	enum doctor_kind kind;
} checks[] = {
	{ "kernel", doctor_check_kernel, DOCTOR_READ_CAUSE },
	{ "seccomp", doctor_check_seccomp, DOCTOR_CAUSE },
	{ "paranoid", doctor_check_paranoid, DOCTOR_CAUSE },
	{ "capabilities", doctor_check_capabilities, DOCTOR_CAUSE },
	{ "security-module", doctor_check_security_module, DOCTOR_CAUSE },
	{ "perf_event_open", doctor_check_call, DOCTOR_CONSEQUENCE },
	{ "event-struct", doctor_check_attr, DOCTOR_CAUSE },
	{ "pmu", doctor_check_pmu, DOCTOR_CAUSE },
	{ "core-types", doctor_check_core_types, DOCTOR_ROAM_CAUSE },
	{ "hardware", doctor_check_hardware, DOCTOR_CONSEQUENCE },
	{ "user-mode", doctor_check_user_mode, DOCTOR_CAUSE },
	{ "together", doctor_check_together, DOCTOR_CONSEQUENCE },
	{ "granted", doctor_check_granted, DOCTOR_CAUSE },
	{ "nmi-watchdog", doctor_check_watchdog, DOCTOR_CAUSE },
	{ "multiplexing", doctor_check_multiplexing, DOCTOR_CAUSE },
	{ "kernel-mode", doctor_check_kernel_mode, DOCTOR_CAUSE },
	{ "tracepoints", doctor_check_tracepoints, DOCTOR_CAUSE },
	{ "breakpoints", doctor_check_breakpoints, DOCTOR_CAUSE },
	{ "descriptors", doctor_check_descriptors, DOCTOR_CAUSE },
	{ "open-files", doctor_check_file_table, DOCTOR_CAUSE },
	{ "locked-memory", doctor_check_locked_memory, DOCTOR_CAUSE },
	{ "mappings", doctor_check_mappings, DOCTOR_CAUSE },
	{ "sampling", doctor_check_sampling, DOCTOR_CAUSE },
	{ "page", doctor_check_page, DOCTOR_CONSEQUENCE },
	{ "user-read-switch", doctor_check_switch, DOCTOR_CAUSE },
	{ "fork", doctor_check_fork, DOCTOR_CAUSE },
	{ "user-reads", doctor_check_user_reads, DOCTOR_READ_CONSEQUENCE },
	{ "taken-away", doctor_check_taken_away, DOCTOR_CONSEQUENCE },
	{ "read-cost", doctor_check_cost, DOCTOR_CAUSE },
	{ "clock", doctor_check_clock, DOCTOR_CAUSE },
};

#define CHECKS (sizeof(checks) / sizeof(checks[0]))

_Static_assert(CHECKS <= DOCTOR_CHECKS, "a report has room for all checks");

static void find_causes(struct doctor_report *report)
{
	/*
	 * Whether an earlier failed check explains missing events or missing
	 * user reads.
	 */
	bool opening = false, reading = false;
	size_t i;

	for (i = 0; i < report->checks; i++) {
		const struct doctor_check *check = &report->check[i];
		const bool roaming = check->kind == DOCTOR_ROAM_CAUSE;
		const bool of_reads = roaming ||
				      check->kind == DOCTOR_READ_CAUSE ||
				      check->kind == DOCTOR_READ_CONSEQUENCE;

		if (check->status != DOCTOR_FAIL)
			continue;
		if (check->kind < DOCTOR_CONSEQUENCE ||
		    (!opening && !(of_reads && reading)))
			report->cause[report->causes++] = check;
		opening = opening || !of_reads;
		/*
		 * Roaming (a thread may run on several core types) does not
		 * explain why a pinned program has no user reads.
		 */
		reading = reading || !roaming || report->when_pinned;
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
	report->user_reads = probe->user_reads && !doctor_cores_roam(machine);
	report->when_pinned = probe->user_reads && !report->user_reads;
	for (i = 0; i < CHECKS; i++) {
		struct doctor_check *check = &report->check[report->checks];

		check->name = checks[i].name;
		check->kind = checks[i].kind;
		checks[i].run(&from, check);
		if (check->status == DOCTOR_ABSENT)
			memset(check, 0, sizeof(*check));
		else
			report->checks++;
	}
	find_causes(report);
	doctor_summarize(probe, report);
	doctor_note(report);
}

/* SPDX-License-Identifier: MIT */
#include "doctor_user.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "doctor_cores.h"
#include "doctor_result.h"

/* If a read takes this long, `auto` measures time alone: session/events.c. */
#define READ_NS_MAX 200

/* Explains a valid value of rdpmc or perf_user_access. */
static const char *switch_means(enum doctor_arch arch, int64_t value)
{
	if (arch == DOCTOR_X86)
		return value == 1 ? "for processes that have an event mapped"
				  : "for every process, always";
	if (arch == DOCTOR_RISCV64 && value == 2)
		return "cycles and instructions for every process, other "
		       "events as with 1";
	return "for processes that have an event mapped";
}

void doctor_check_switch(const struct doctor_case *from,
			 struct doctor_check *check)
{
	const bool x86 = from->machine->arch == DOCTOR_X86;
	const int64_t value = x86 ? from->facts->rdpmc
				  : from->facts->user_access;

	if (from->machine->pmus == 0 || from->machine->arch == DOCTOR_OTHER)
		return;
	doctor_say(&check->found, x86 ? "rdpmc " : "perf_user_access ");
	if (value == SELFMON_FACT_UNKNOWN) {
		/* The file rdpmc has mode 0600, so only root can read it. */
		check->status = from->probe->user_reads ? DOCTOR_PASS
							: DOCTOR_SKIP;
		doctor_say(&check->found, "cannot be read");
		doctor_say(&check->reason, x86 ? "only root may read it"
					       : "this kernel has no such "
						 "switch");
		return;
	}
	doctor_say(&check->found, "%" PRId64, value);
	if (value > 0) {
		check->status = DOCTOR_PASS;
		doctor_say(&check->reason, "on %s",
			   switch_means(from->machine->arch, value));
		return;
	}
	check->status = DOCTOR_FAIL;
	doctor_say(&check->reason, "user reads are switched off for all events "
		   "opened now");
	if (x86)
		doctor_say(&check->remedy, "As root%s: echo 1 > "
			   "/sys/bus/event_source/devices/%s/rdpmc",
			   from->facts->container ? " on the host" : "",
			   from->machine->pmu[0].name);
	else
		selfmon_sentence_add_sysctl(&check->remedy, from->facts,
					    "kernel.perf_user_access", 1);
}

void doctor_check_page(const struct doctor_case *from,
		       struct doctor_check *check)
{
	const struct doctor_probe *probe = from->probe;
	const struct selfmon_failure failure = { .error = probe->map,
						 .step = SELFMON_STEP_MAP };

	if (probe->map == DOCTOR_UNTRIED) {
		doctor_skip(check, "perf_event_open");
		return;
	}
	if (probe->map) {
		check->status = DOCTOR_FAIL;
		doctor_say(&check->found, "%s", doctor_errno(probe->map));
		doctor_explain(from, &failure, check);
		return;
	}
	check->status = DOCTOR_PASS;
	doctor_say(&check->found, "an event's page is mapped");
	if (probe->hardware == 0)
		doctor_say(&check->reason, "capabilities %#" PRIx64
			   ", index %u, width %u", probe->capabilities,
			   probe->index, probe->width);
}

/* MADV_WIPEONFORK exists since Linux 4.14. */
void doctor_check_fork(const struct doctor_case *from,
		       struct doctor_check *check)
{
	check->status = from->probe->wipe ? DOCTOR_FAIL : DOCTOR_PASS;
	doctor_say(&check->found, "%s", from->probe->wipe
					   ? doctor_errno(from->probe->wipe)
					   : "wiped in children");
	if (!from->probe->wipe) {
		doctor_say(&check->reason, "a forked child cannot access its "
			   "parent's pages");
		return;
	}
	doctor_say(&check->reason, "this kernel cannot hide event pages from "
		   "forked children, so user reads are not used");
	doctor_say(&check->remedy, "Use kernel 4.14 or newer");
}

void doctor_check_user_reads(const struct doctor_case *from,
			     struct doctor_check *check)
{
	const struct doctor_probe *probe = from->probe;
	const bool works = probe->user_reads || probe->unsafe;

	if (works && doctor_cores_roam(from->machine)) {
		check->status = DOCTOR_FAIL;
		doctor_say(&check->found, "only when pinned to one type of "
			   "core");
		doctor_follow(check, "core-types");
		return;
	}
	if (works) {
		check->status = DOCTOR_PASS;
		doctor_say(&check->found, "instructions are read without a "
			   "system call");
		return;
	}
	check->status = DOCTOR_FAIL;
	doctor_say(&check->found, "no");
	if (probe->hardware)
		doctor_follow(check, "hardware");
	else if (probe->why_not[0])
		doctor_say(&check->reason, "%s", probe->why_not);
	else
		doctor_follow(check, "together");
}

/*
 * Checks whether a program survives if user reads are disabled while it runs:
 * an administrator may do this at any time, and on riscv64 other programs, too.
 */
void doctor_check_taken_away(const struct doctor_case *from,
			     struct doctor_check *check)
{
	const struct doctor_probe *probe = from->probe;
	const bool x86 = from->machine->arch == DOCTOR_X86;

	if (!probe->user_reads && !probe->unsafe)
		return;
	check->status = DOCTOR_PASS;
	if (probe->guarded) {
		doctor_say(&check->found, "SELFMON_GUARD=1");
		doctor_say(&check->reason, "a faulting counter read is "
			   "skipped; the program survives");
		return;
	}
	doctor_say(&check->found, "no guard");
	if (!probe->unsafe) {
		doctor_say(&check->reason, "writing 0 to %s while a program "
			   "reads counters kills it (%s), unless it has "
			   "SELFMON_GUARD=1",
			   x86 ? "rdpmc" : "perf_user_access",
			   x86 ? "SIGSEGV" : "SIGILL");
		return;
	}
	check->status = DOCTOR_FAIL;
	doctor_say(&check->reason, "%s", probe->why_not);
	doctor_say(&check->remedy, "Set SELFMON_GUARD=1 for the program");
}

void doctor_check_cost(const struct doctor_case *from,
		       struct doctor_check *check)
{
	const int64_t ns = from->probe->read_ns;

	if (ns == SELFMON_FACT_UNKNOWN || !from->probe->user_reads)
		return;
	check->status = ns < READ_NS_MAX ? DOCTOR_PASS : DOCTOR_WARN;
	doctor_say(&check->found, "%" PRId64 " ns a counter%s", ns,
		   doctor_cores_roam(from->machine) ? " when pinned" : "");
	if (ns < READ_NS_MAX)
		return;
	doctor_say(&check->reason, "%s, so only time is measured unless events "
		   "are named",
		   from->facts->hypervisor
			   ? "the hypervisor intercepts each read"
			   : "reads are slow here");
	doctor_say(&check->remedy, "Name them: SELFMON_EVENTS=cycles,"
		   "instructions");
	selfmon_sentence_other(&check->remedy);
	if (from->facts->hypervisor)
		doctor_say(&check->remedy, "; or use a host whose KVM has the "
			   "mediated vPMU");
}

void doctor_check_clock(const struct doctor_case *from,
			struct doctor_check *check)
{
	const bool slow = !strcmp(from->probe->clock, "clock_gettime");

	check->status = slow ? DOCTOR_WARN : DOCTOR_PASS;
	doctor_say(&check->found, "%s", from->probe->clock);
	if (!slow)
		return;
	doctor_say(&check->reason, "the timestamp counter is not steady here, "
		   "so reading time costs more");
	doctor_say(&check->remedy, "See why: dmesg | grep -i -e tsc -e "
		   "clocksource");
}

/* SPDX-License-Identifier: MIT */
#include "doctor_pmu.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "doctor_cores.h"
#include "doctor_result.h"

#define AUTO_COUNT 4

static void list_pmus(const struct doctor_machine *machine,
		      struct selfmon_sentence *to)
{
	size_t i;

	for (i = 0; i < machine->pmus; i++)
		doctor_say(to, "%s%s%s%s", i ? ", " : "",
			   machine->pmu[i].name,
			   machine->pmu[i].cpus[0] ? " on CPUs " : "",
			   machine->pmu[i].cpus);
}

void doctor_check_pmu(const struct doctor_case *from,
		      struct doctor_check *check)
{
	const bool there = from->machine->pmus > 0 || from->facts->core_pmu;

	/* A sandbox may hide sysfs although the PMU can be used. */
	if (!there && from->probe->hardware == 0) {
		check->status = DOCTOR_PASS;
		doctor_say(&check->found, "not in sysfs, but counts");
		return;
	}
	check->status = there ? DOCTOR_PASS : DOCTOR_FAIL;
	if (!there) {
		doctor_say(&check->found, "none");
		doctor_explain_open(from, "", ENOENT, false, check);
		return;
	}
	list_pmus(from->machine, &check->found);
	if (from->facts->hypervisor)
		doctor_say(&check->reason, "virtual: the hypervisor may share "
			   "it with others unnoticed");
}

static void say_core_types(const struct doctor_case *from,
			   struct doctor_check *check)
{
	const struct doctor_pmu *const largest =
		&from->machine->pmu[from->machine->pmus - 1];

	check->cause = "there are several core types, and this program is not "
		       "pinned to one";
	doctor_say(&check->reason, "an event becomes a column for each core "
		   "type, read by system call unless the program is pinned to "
		   "one");
	if (from->machine->arch == DOCTOR_ARM64)
		doctor_say(&check->remedy, "Name the PMU, as in "
			   "%s/cycles/, and pin the program: taskset -c "
			   "%s PROGRAM", largest->name,
			   largest->cpus);
	else
		doctor_say(&check->remedy, "Pin the program to one type: "
			   "taskset -c %s PROGRAM (%s)",
			   largest->cpus, largest->name);
}

void doctor_check_core_types(const struct doctor_case *from,
			     struct doctor_check *check)
{
	const struct doctor_machine *machine = from->machine;
	size_t i, open = 0;

	if (machine->pmus == 0)
		return;
	check->status = DOCTOR_PASS;
	if (machine->pmus == 1) {
		doctor_say(&check->found, "1");
		doctor_say(&check->reason, "all cores have the same PMU");
		return;
	}
	for (i = 0; i < machine->pmus; i++)
		open += from->probe->core[i] == 0;
	doctor_say(&check->found, "%zu, of which cycles open on %zu",
		   machine->pmus, open);
	if (doctor_cores_roam(machine)) {
		check->status = DOCTOR_FAIL;
		say_core_types(from, check);
		return;
	}
	doctor_say(&check->reason, "this program is pinned to those of %s: "
		   "only their events are counted",
		   machine->pmu[machine->pinned].name);
}

void doctor_check_hardware(const struct doctor_case *from,
			   struct doctor_check *check)
{
	const int error = from->probe->hardware;

	check->status = error ? DOCTOR_FAIL : DOCTOR_PASS;
	doctor_say(&check->found, "instructions: %s",
		   error ? doctor_errno(error) : "opens");
	if (!error)
		return;
	if (error == ENOENT && !from->facts->core_pmu) {
		doctor_follow(check, "pmu");
		return;
	}
	if (error == from->probe->software) {
		doctor_follow(check, "perf_event_open");
		return;
	}
	if (error == ENOENT)
		check->cause = "this CPU's PMU has no event 'instructions'";
	doctor_explain_open(from, "", error, false, check);
}

void doctor_check_user_mode(const struct doctor_case *from,
			    struct doctor_check *check)
{
	if (from->probe->hardware) {
		doctor_skip(check, "hardware");
		return;
	}
	if (!from->probe->both_modes) {
		check->status = DOCTOR_PASS;
		doctor_say(&check->found, "counted without kernel mode");
		return;
	}
	check->status = DOCTOR_WARN;
	doctor_say(&check->found, "only with kernel mode");
	doctor_say(&check->reason, "this PMU cannot exclude kernel mode%s; "
		   "both modes are counted, and the report says so",
		   from->machine->arch == DOCTOR_RISCV64 ? " (no Sscofpmf)"
							 : "");
}

void doctor_check_together(const struct doctor_case *from,
			   struct doctor_check *check)
{
	const int together = from->probe->together;

	if (from->probe->hardware) {
		doctor_skip(check, "hardware");
		return;
	}
	doctor_say(&check->found, "%d of %d", together < 0 ? 0 : together,
		   AUTO_COUNT);
	if (together == AUTO_COUNT) {
		check->status = DOCTOR_PASS;
		doctor_say(&check->reason, "cycles, instructions, "
			   "branch-misses and cache-misses run at once");
		return;
	}
	check->status = together > 0 ? DOCTOR_WARN : DOCTOR_FAIL;
	doctor_say(&check->reason, "%s: ", from->probe->dropped.event);
	doctor_explain(from, &from->probe->dropped, check);
}

/*
 * Checks how many copies of `instructions` count at once. If only one counts,
 * there is no warning: an emulator may have one counter for each kind of event.
 * See counters/granted.c.
 */
void doctor_check_granted(const struct doctor_case *from,
			  struct doctor_check *check)
{
	const int counting = from->probe->counting;

	if (counting < 2 || counting >= from->probe->running)
		return;
	check->status = DOCTOR_WARN;
	doctor_say(&check->found, "%d of %d counters count", counting,
		   from->probe->running);
	doctor_say(&check->reason, "events beyond %d would stay 0 and are "
		   "dropped", counting);
	doctor_say(&check->remedy, "On the host, free the others: stop its "
		   "profilers, and sysctl -w kernel.nmi_watchdog=0");
}

void doctor_check_watchdog(const struct doctor_case *from,
			   struct doctor_check *check)
{
	const int64_t on = from->facts->nmi_watchdog;

	if (on == SELFMON_FACT_UNKNOWN || from->machine->pmus == 0)
		return;
	check->status = DOCTOR_PASS;
	doctor_say(&check->found, on > 0 ? "on" : "off");
	if (on <= 0)
		return;
	doctor_say(&check->reason, "it holds a counter of cycles on each CPU");
	if (from->probe->hardware || from->probe->together == AUTO_COUNT)
		return;
	check->status = DOCTOR_WARN;
	selfmon_sentence_add_sysctl(&check->remedy, from->facts,
				    "kernel.nmi_watchdog", 0);
}

void doctor_check_multiplexing(const struct doctor_case *from,
			       struct doctor_check *check)
{
	const int64_t ms = from->machine->mux_ms;

	if (ms == SELFMON_FACT_UNKNOWN)
		return;
	check->status = DOCTOR_PASS;
	doctor_say(&check->found, "every %" PRId64 " ms", ms);
	doctor_say(&check->reason, "with more events than counters, groups "
		   "rotate; a region shorter than this is not scaled");
}

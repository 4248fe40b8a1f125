/* SPDX-License-Identifier: MIT */
#include "doctor_events.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>

#include "doctor_result.h"

void doctor_check_attr(const struct doctor_case *from,
		       struct doctor_check *check)
{
	const int64_t size = from->probe->attr_size;

	if (size == 0) {
		doctor_skip(check, "perf_event_open");
		return;
	}
	doctor_say(&check->found, "%" PRId64 " bytes", size);
	/* Counting requires no fields after config2, which VER1 added. */
	check->status = size >= PERF_ATTR_SIZE_VER1 ? DOCTOR_PASS
						    : DOCTOR_WARN;
	if (size >= PERF_ATTR_SIZE_VER1)
		doctor_say(&check->reason,
			   "the kernel knows all requested fields");
	else
		doctor_explain_open(from, "", E2BIG, false, check);
}

void doctor_check_kernel_mode(const struct doctor_case *from,
			      struct doctor_check *check)
{
	const int error = from->probe->kernel_mode;

	if (from->probe->software) {
		doctor_skip(check, "perf_event_open");
		return;
	}
	check->status = error ? DOCTOR_WARN : DOCTOR_PASS;
	doctor_say(&check->found, "%s",
		   error ? doctor_errno(error) : "counted");
	if (error)
		doctor_explain_open(from, "", error, true, check);
	else
		doctor_say(&check->reason, "events with :k, context switches "
			   "and migrations can be counted");
}

void doctor_check_tracepoints(const struct doctor_case *from,
			      struct doctor_check *check)
{
	const int error = from->probe->tracepoint;

	if (from->probe->software) {
		doctor_skip(check, "perf_event_open");
		return;
	}
	check->status = error ? DOCTOR_WARN : DOCTOR_PASS;
	if (!error) {
		doctor_say(&check->found, "sched:sched_switch opens");
	} else if (error == ENODEV) {
		doctor_say(&check->found, "not available");
		doctor_say(&check->reason, "tracefs is not mounted");
		doctor_say(&check->remedy, "As root: mount -t tracefs tracefs "
			   "/sys/kernel/tracing");
	} else if (error == ENXIO) {
		/*
		 * Since Linux 6.18 the mount option mode= does not change the
		 * mode of files. They have mode 0440, so the remedy also sets
		 * their group.
		 */
		doctor_say(&check->found, "not available");
		doctor_say(&check->reason, "only root may read tracefs");
		doctor_say(&check->remedy, "As root: mount -o remount,"
			   "mode=750,gid=GROUP /sys/kernel/tracing");
	} else {
		doctor_say(&check->found, "%s", doctor_errno(error));
		doctor_explain_open(from, "sched:sched_switch", error, true,
				    check);
	}
}

void doctor_check_breakpoints(const struct doctor_case *from,
			      struct doctor_check *check)
{
	const int error = from->probe->breakpoint;

	if (from->probe->software) {
		doctor_skip(check, "perf_event_open");
		return;
	}
	if (!error && from->probe->breakpoint_silent) {
		check->status = DOCTOR_WARN;
		doctor_say(&check->found, "one opens, but counts nothing");
		doctor_say(&check->reason, "the hypervisor does not virtualize "
			   "the CPU's debug registers");
		doctor_say(&check->remedy, "Leave out events mem:");
		return;
	}
	check->status = error ? DOCTOR_WARN : DOCTOR_PASS;
	doctor_say(&check->found, "%s",
		   error ? doctor_errno(error) : "one opens");
	if (error == ENOSPC || error == EACCES || error == EPERM) {
		doctor_explain_open(from, "", error, false, check);
	} else if (error) {
		doctor_say(&check->reason, "this machine or its emulator has "
			   "no hardware breakpoints for user programs");
		doctor_say(&check->remedy, "Leave out events mem:");
	}
}

/* SPDX-License-Identifier: MIT */
#include "doctor/cause_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include <selfmon/event.h>

#include "doctor/cause.h"
#include "doctor/remedy.h"
#include "event/modifiers.h"
#include "event/probe_event.h"

/*
 * Parses the event again by its name. Returns false if that fails on this
 * machine.
 */
static bool find_event(const struct selfmon_failure *failure,
		       struct selfmon_event *event)
{
	struct selfmon_events events;

	if (selfmon_events_parse(failure->event, &events, NULL) <= 0)
		return false;
	*event = events.event[0];
	return true;
}

static bool find_probe(const struct selfmon_failure *failure,
		       char path[SELFMON_EVENT_NAME_SIZE],
		       char place[SELFMON_EVENT_NAME_SIZE])
{
	struct selfmon_piece name = { .text = failure->event,
				      .length = strlen(failure->event) };
	struct selfmon_event event = { .config = 0 };
	struct selfmon_piece letters;
	size_t skip;

	selfmon_modifiers_cut(&name, 2, &letters);
	memcpy(event.name, name.text, name.length);
	if (!selfmon_probe_event_path(&event, path))
		return false;
	skip = strlen("uprobe:") + strlen(path) + 1;
	snprintf(place, SELFMON_EVENT_NAME_SIZE, "%s", event.name + skip);
	return true;
}

/* ---- ENOENT -------------------------------------------------------------- */

static void add_no_pmu(const struct selfmon_facts *facts,
		       struct selfmon_sentence *s)
{
	if (facts->core_pmu)
		selfmon_sentence_add(
			s,
			"this CPU's PMU has no such event%s. Choose an event "
			"that exists: perf list",
			facts->hypervisor ? " (or the hypervisor hides it)"
					  : "");
	else if (facts->hypervisor)
		selfmon_sentence_add(
			s,
			"this virtual machine has no PMU. Enable the "
			"hypervisor's vPMU (KVM: -cpu host,pmu=on)");
	else
		selfmon_sentence_add(
			s,
			"the kernel has no driver for this CPU's PMU. See "
			"why: dmesg | grep -i -e pmu -e 'performance events'");
}

/*
 * Returns true for a hardware event, and for an event that cannot be parsed on
 * this machine.
 */
static bool is_hardware(const struct selfmon_failure *failure)
{
	struct selfmon_event event;

	return !find_event(failure, &event) ||
	       event.flags & SELFMON_EVENT_HARDWARE;
}

bool selfmon_cause_is_machine(const struct selfmon_failure *failure,
			      const struct selfmon_facts *facts)
{
	if (failure->step != SELFMON_STEP_OPEN || failure->kernel_asked ||
	    !is_hardware(failure))
		return false;
	switch (failure->error) {
	case EACCES:
	case EPERM:
	case ENOSYS:
		return true;
	case ENOENT:
		return !facts->core_pmu;
	default:
		return false;
	}
}

void selfmon_cause_enoent(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s)
{
	const char *const filter =
		facts->seccomp ? " (or a seccomp filter returns this "
				 "error)" : "";
	char path[SELFMON_EVENT_NAME_SIZE], place[SELFMON_EVENT_NAME_SIZE];
	struct selfmon_event event;

	if (selfmon_event_begins(failure, "cgroup-switches") ||
	    selfmon_event_begins(failure, "bpf-output"))
		selfmon_sentence_add(s, "this kernel is older than this "
					"software event. Use a newer kernel "
					"(cgroup-switches: 5.13)");
	else if (find_probe(failure, path, place))
		selfmon_sentence_add(s,
				     "there is no file '%s'%s. Name the "
				     "program or library as this process sees "
				     "it: ls -l %s",
				     path, filter, path);
	else if (is_hardware(failure))
		add_no_pmu(facts, s);
	else if (find_event(failure, &event) &&
		 event.type == PERF_TYPE_SOFTWARE)
		selfmon_sentence_add(s,
				     "this kernel has no such software "
				     "event%s. Choose an event that exists: "
				     "perf list sw",
				     filter);
	else
		selfmon_sentence_add(s,
				     "the kernel has no such event%s. Choose "
				     "an event that exists: perf list",
				     filter);
}

/* ---- EINVAL -------------------------------------------------------------- */

/*
 * A breakpoint at a kernel address is refused if it excludes the kernel
 * (kernel/events/hw_breakpoint.c, hw_breakpoint_parse). On 64-bit machines
 * kernel addresses are in the upper half.
 */
static void say_watch(const struct selfmon_failure *failure,
		      struct selfmon_sentence *s)
{
	struct selfmon_event event;

	if (!failure->kernel_asked && find_event(failure, &event) &&
	    event.config1 >> 63) {
		selfmon_sentence_add(
			s, "this is a kernel address, and only user mode is "
			   "counted. Watch a variable of the program; or, as "
			   "root, add the modifier :k");
		return;
	}
	selfmon_sentence_add(
		s, "the CPU cannot watch this. The address must be a multiple "
		   "of the length; on x86-64 use rw instead of r, and length 8 "
		   "for x");
}

/*
 * Returns true for Intel's top-down events: event 0, unit masks from 80H on
 * (kernel arch/x86/events/intel/core.c, intel_pmu_hw_config).
 */
static bool needs_slots(const struct selfmon_failure *failure)
{
	struct selfmon_event event;

	return find_event(failure, &event) &&
	       event.flags & SELFMON_EVENT_HARDWARE &&
	       event.type != PERF_TYPE_HARDWARE &&
	       event.type != PERF_TYPE_HW_CACHE &&
	       (event.config & 0x80ff) == 0x8000;
}

static void say_share(const struct selfmon_failure *failure,
		      struct selfmon_sentence *s)
{
	const size_t pmu = strcspn(failure->event, "/");
	const bool named = failure->event[pmu] == '/';

	selfmon_sentence_add(s,
			     "this top-down event needs the event slots before "
			     "it in the same group. Add %.*s/slots/",
			     named ? (int)pmu : 3,
			     named ? failure->event : "cpu");
}

/*
 * An event without :u and :k was also tried with both modes counted
 * (counters/attr_fallback.c). The kernel refused that too, because this user
 * must not count the kernel.
 */
static void say_one_mode(const struct selfmon_failure *failure,
			 const struct selfmon_facts *facts,
			 struct selfmon_sentence *s)
{
	selfmon_sentence_add(s, "this PMU cannot count user mode alone (no "
				"Sscofpmf). ");
	if (strrchr(failure->event, ':')) {
		selfmon_sentence_add(s, "Count both modes, without :u or with "
					":uk, and with perf_event_paranoid <= "
					"1");
		return;
	}
	selfmon_sentence_add_sysctl(s, facts, "kernel.perf_event_paranoid", 1);
	selfmon_sentence_add(s, " lets you count both modes");
}

void selfmon_cause_einval(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s)
{
	char path[SELFMON_EVENT_NAME_SIZE], place[SELFMON_EVENT_NAME_SIZE];

	if (selfmon_event_begins(failure, "mem:"))
		say_watch(failure, s);
	else if (find_probe(failure, path, place))
		selfmon_sentence_add(
			s,
			"'%s' has no instruction at %s: it is not a regular "
			"file, or is shorter. Check it: ls -lL %s",
			path, place, path);
	else if (needs_slots(failure))
		say_share(failure, s);
	else if (failure->grouped)
		selfmon_sentence_add(
			s, "does not fit: the group needs more counters than "
			   "the PMU has, or mixes PMUs. Name fewer events, or "
			   "measure them in two runs");
	else if (facts->riscv64 && !failure->kernel_asked)
		say_one_mode(failure, facts, s);
	else
		selfmon_sentence_add(
			s, "the kernel rejects this event's code or one of its "
			   "terms. Check them: perf list; ls "
			   "/sys/bus/event_source/devices/*/format");
}

/* SPDX-License-Identifier: MIT */
/*
 * Finds out what refused an event: perf_event_paranoid, seccomp or a security
 * module.
 */
#include "doctor/cause_access.h"

#include <inttypes.h>

#include "doctor/cause.h"
#include "doctor/remedy.h"

#define PARANOID "kernel.perf_event_paranoid"
/* CAP_PERFMON exists since Linux 5.8; older kernels check CAP_SYS_ADMIN. */
#define KERNEL_CAP_PERFMON 5008

bool selfmon_facts_hold(const struct selfmon_facts *facts,
			unsigned int capability)
{
	return !facts->user_namespace && facts->capabilities >> capability & 1;
}

/*
 * Debian at level 3 and Ubuntu at level 4 refuse every event without
 * CAP_SYS_ADMIN (by their patches to kernel/events/core.c). Other kernels with
 * such a patch behave like Debian's. Unpatched kernels never refuse events that
 * count only user mode.
 */
bool selfmon_facts_refuse_all(const struct selfmon_facts *facts)
{
	const int64_t level =
		facts->distribution == SELFMON_DISTRIBUTION_UBUNTU ? 4 : 3;

	return facts->paranoid >= level && !selfmon_facts_hold(facts, SELFMON_CAP_SYS_ADMIN);
}

bool selfmon_facts_privileged(const struct selfmon_facts *facts)
{
	return selfmon_facts_hold(facts, SELFMON_CAP_SYS_ADMIN) ||
	       (selfmon_facts_hold(facts, SELFMON_CAP_PERFMON) &&
		!selfmon_facts_refuse_all(facts));
}

/*
 * Appends how to get the capability, as the second alternative of the remedy.
 * Appends nothing in a user namespace, where no capability helps.
 */
static void add_capability(struct selfmon_sentence *s,
			   const struct selfmon_facts *facts)
{
	const bool old = facts->kernel && facts->kernel < KERNEL_CAP_PERFMON;
	const bool admin = old || selfmon_facts_refuse_all(facts);

	selfmon_sentence_other(s);
	if (facts->user_namespace)
		return;
	selfmon_sentence_add(s, facts->container ? "; or " : "; or: ");
	selfmon_sentence_add_capability(s, facts, admin);
}

static void kernel_refused(struct selfmon_sentence *s,
			   const struct selfmon_facts *facts)
{
	selfmon_sentence_add(
		s,
		"not counted: needs perf_event_paranoid <= 1, and it is "
		"%" PRId64 ". ",
		facts->paranoid);
	selfmon_sentence_add_sysctl(s, facts, PARANOID, 1);
	add_capability(s, facts);
}

static void all_refused(struct selfmon_sentence *s,
			const struct selfmon_facts *facts)
{
	static const char *const whose[] = {
		[SELFMON_DISTRIBUTION_OTHER] = "this",
		[SELFMON_DISTRIBUTION_DEBIAN] = "Debian's",
		[SELFMON_DISTRIBUTION_UBUNTU] = "Ubuntu's",
	};

	selfmon_sentence_add(s,
			     "%s kernel refuses every event while "
			     "perf_event_paranoid is %" PRId64 ". ",
			     whose[facts->distribution], facts->paranoid);
	selfmon_sentence_add_sysctl(s, facts, PARANOID, 2);
	add_capability(s, facts);
	selfmon_sentence_add(s, " (CAP_PERFMON does not help here)");
}

void selfmon_cause_eacces(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s)
{
	const bool privileged = selfmon_facts_privileged(facts);

	if (failure->kernel_asked && facts->paranoid >= 2 && !privileged) {
		kernel_refused(s, facts);
	} else if (selfmon_facts_refuse_all(facts)) {
		all_refused(s, facts);
	} else if (facts->paranoid == SELFMON_FACT_UNKNOWN) {
		selfmon_sentence_add(s, "access is refused, for an unknown "
					"reason: perf_event_paranoid cannot be "
					"read. ");
		selfmon_sentence_add_sysctl(s, facts, PARANOID,
					    failure->kernel_asked ? 1 : 2);
	} else if (!privileged && (selfmon_event_begins(failure, "uprobe") ||
				   selfmon_event_begins(failure, "kprobe"))) {
		/* kernel/events/core.c, perf_uprobe_event_init */
		selfmon_sentence_add(s, "a probe needs CAP_PERFMON, whatever "
					"perf_event_paranoid is. Run the "
					"program as root");
		add_capability(s, facts);
	} else {
		selfmon_sentence_add(
			s,
			"a security module (SELinux or another)%s refuses "
			"perf_event_open, which perf_event_paranoid %" PRId64
			" allows. "
			"See its log: ausearch -m avc -ts recent",
			facts->seccomp ? " or the seccomp filter that is set"
				       : "",
			facts->paranoid);
		selfmon_sentence_other(s);
		selfmon_sentence_add(s, ", or dmesg");
	}
}

void selfmon_cause_eperm(const struct selfmon_failure *failure,
			 const struct selfmon_facts *facts,
			 struct selfmon_sentence *s)
{
	(void)failure;
	if (facts->seccomp) {
		selfmon_sentence_add(
			s, "%s refuses perf_event_open. ",
			facts->container
				? "the container's seccomp filter"
				: "a seccomp filter on this process");
		selfmon_sentence_add_unfilter(s, facts);
	} else {
		selfmon_sentence_add(
			s, "%s a rule for raw tracepoints or a security module "
			   "refuses it. ",
			facts->no_status
				? "probably a seccomp filter (/proc cannot be "
				  "read),"
				: "no seccomp filter is set, so");
		selfmon_sentence_add_sysctl(s, facts, PARANOID, -1);
		selfmon_sentence_other(s);
		selfmon_sentence_add(s, "; if that does not help, see dmesg");
	}
}

/*
 * The file of the sysctl perf_event_paranoid exists if and only if the kernel
 * has perf_event_open(2).
 */
void selfmon_cause_enosys(const struct selfmon_failure *failure,
			  const struct selfmon_facts *facts,
			  struct selfmon_sentence *s)
{
	(void)failure;
	if (facts->paranoid == SELFMON_FACT_UNKNOWN) {
		selfmon_sentence_add(
			s, "this kernel has no perf events (no "
			   "CONFIG_PERF_EVENTS, or gVisor). Use a kernel with "
			   "them (gVisor: docker run --runtime runc)");
	} else if (facts->seccomp) {
		selfmon_sentence_add(s, "a seccomp filter hides "
					"perf_event_open. ");
		selfmon_sentence_add_unfilter(s, facts);
	} else {
		selfmon_sentence_add(
			s, "perf_event_open is missing from a kernel that "
			   "should have it. Run outside of the sandbox or "
			   "emulator");
	}
}

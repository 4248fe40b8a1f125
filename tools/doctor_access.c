/* SPDX-License-Identifier: MIT */
#include "doctor_access.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "doctor/cause_access.h"
#include "doctor_result.h"

#define PARANOID "kernel.perf_event_paranoid"

/* <linux/capability.h> */
#define CAP_IPC_LOCK_BIT 14

/*
 * Returns the first kernel version with reliable user reads on this
 * architecture: major * 1000 + minor.
 */
static unsigned int kernel_wanted(enum doctor_arch arch)
{
	static const unsigned int since[] = {
		/*
		 * rdpmc's permission belongs to the address space
		 * (bfe334924ccd)
		 */
		[DOCTOR_X86] = 4013,
		[DOCTOR_ARM64] = 5017,
		[DOCTOR_RISCV64] = 6006,
		/* each capability bit of the page has a single meaning */
		[DOCTOR_OTHER] = 3012,
	};

	return since[arch];
}

void doctor_check_kernel(const struct doctor_case *from,
			 struct doctor_check *check)
{
	const unsigned int have = from->facts->kernel;
	const unsigned int want = kernel_wanted(from->machine->arch);

	if (have == 0) {
		doctor_skip(check, "uname -r");
		return;
	}
	doctor_say(&check->found, "%u.%u", have / 1000, have % 1000);
	check->status = have >= want ? DOCTOR_PASS : DOCTOR_FAIL;
	if (have >= want) {
		doctor_say(&check->reason,
			   "user reads of counters are reliable since %u.%u",
			   want / 1000, want % 1000);
		return;
	}
	doctor_say(&check->reason, "before %u.%u, counters cannot be read "
		   "safely in user space", want / 1000, want % 1000);
	doctor_say(&check->remedy, "Use a newer kernel");
}

/*
 * Returns true if /proc is missing. The file perf_event_paranoid in
 * /proc/sys/kernel exists if and only if the kernel has perf_event_open(2). If
 * the file is missing, but the call succeeds or fails with an error other than
 * ENOSYS, /proc must be missing.
 */
static bool proc_is_missing(const struct doctor_case *from)
{
	return from->facts->paranoid == SELFMON_FACT_UNKNOWN &&
	       from->probe->software != ENOSYS;
}

/*
 * Returns true if the call failed with EACCES, the error of security modules,
 * and neither perf_event_paranoid nor a missing /proc explains this error.
 */
static bool refused_by_module(const struct doctor_case *from)
{
	return from->probe->software == EACCES &&
	       !selfmon_facts_refuse_all(from->facts) &&
	       from->facts->paranoid != SELFMON_FACT_UNKNOWN;
}

/*
 * Returns true if either a seccomp filter or an unknown security module may be
 * the cause. A filter can return any error, including EACCES, the error of
 * security modules. If the security modules are known, returns false.
 */
static bool filter_or_module(const struct doctor_case *from)
{
	return from->facts->seccomp && !from->machine->modules[0] &&
	       refused_by_module(from);
}

/*
 * Returns true if a seccomp filter is set, and the error is EPERM or ENOSYS:
 * most filters refuse a system call with one of these.
 */
static bool filtered(const struct doctor_case *from)
{
	const int error = from->probe->software;

	return from->facts->seccomp && (error == EPERM || error == ENOSYS);
}

void doctor_check_seccomp(const struct doctor_case *from,
			  struct doctor_check *check)
{
	if (!from->facts->seccomp && proc_is_missing(from)) {
		doctor_skip(check, "paranoid");
		return;
	}
	if (!from->facts->seccomp) {
		check->status = DOCTOR_PASS;
		doctor_say(&check->found, "no filter");
		return;
	}
	doctor_say(&check->found, "a filter is set");
	if (filter_or_module(from)) {
		check->status = DOCTOR_FAIL;
		check->cause = "the seccomp filter or a security module "
			       "refuses perf_event_open";
		doctor_say(&check->reason, "it refuses perf_event_open with "
			   "EACCES, or an unknown security module does");
		selfmon_sentence_add_unfilter(&check->remedy, from->facts);
		return;
	}
	if (!filtered(from)) {
		check->status = DOCTOR_PASS;
		doctor_say(&check->reason,
			   "it allows perf_event_open");
		return;
	}
	check->status = DOCTOR_FAIL;
	doctor_explain_open(from, "", from->probe->software, false, check);
}

/*
 * Returns what this level of perf_event_paranoid permits. Each level also
 * permits what all higher levels permit.
 */
static const char *permitted(int64_t level)
{
	if (level >= 2)
		return "user mode of this process's own threads";
	if (level == 1)
		return "user and kernel mode of this process's own threads";
	if (level == 0)
		return "all but raw tracepoints";
	return "everything, and event pages without limit";
}

void doctor_check_paranoid(const struct doctor_case *from,
			   struct doctor_check *check)
{
	const struct selfmon_facts *facts = from->facts;

	if (proc_is_missing(from)) {
		check->status = DOCTOR_WARN;
		doctor_say(&check->found, "no %s", PARANOID);
		doctor_say(&check->reason, "this kernel has perf events, so "
			   "/proc is not mounted, or with subset=pid");
		doctor_say(&check->remedy, "As root: mount -t proc proc /proc");
		return;
	}
	if (facts->paranoid == SELFMON_FACT_UNKNOWN) {
		check->status = DOCTOR_FAIL;
		doctor_say(&check->found, "no %s", PARANOID);
		doctor_explain_open(from, "", ENOSYS, false, check);
		return;
	}
	doctor_say(&check->found, "%" PRId64, facts->paranoid);
	if (selfmon_facts_refuse_all(facts)) {
		check->status = DOCTOR_FAIL;
		doctor_explain_open(from, "", EACCES, false, check);
		return;
	}
	check->status = DOCTOR_PASS;
	if (selfmon_facts_privileged(facts))
		doctor_say(&check->reason, "does not matter: this process has "
			   "%s", selfmon_facts_hold(facts, SELFMON_CAP_SYS_ADMIN)
				? "CAP_SYS_ADMIN" : "CAP_PERFMON");
	else
		doctor_say(&check->reason, "leaves %s",
			   permitted(facts->paranoid));
}

void doctor_check_capabilities(const struct doctor_case *from,
			       struct doctor_check *check)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} wanted[] = { { SELFMON_CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
		       { SELFMON_CAP_PERFMON, "CAP_PERFMON" },
		       { CAP_IPC_LOCK_BIT, "CAP_IPC_LOCK" } };
	const struct selfmon_facts *facts = from->facts;
	size_t i;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (facts->capabilities >> wanted[i].bit & 1)
			doctor_say(&check->found, "%s%s",
				   check->found.length ? " " : "",
				   wanted[i].name);
	if (!check->found.length && proc_is_missing(from)) {
		doctor_skip(check, "paranoid");
		return;
	}
	check->status = DOCTOR_PASS;
	if (!check->found.length) {
		doctor_say(&check->found, "none");
		doctor_say(&check->reason, "none is needed to count user mode "
			   "while %s permits it", PARANOID);
	} else if (facts->user_namespace) {
		check->status = DOCTOR_WARN;
		doctor_say(&check->reason, "they belong to a user namespace "
			   "and have no effect on perf events");
		doctor_say(&check->remedy, "Run it in the initial user "
			   "namespace, or lower %s", PARANOID);
	}
}

void doctor_check_security_module(const struct doctor_case *from,
				  struct doctor_check *check)
{
	const struct doctor_machine *machine = from->machine;
	const bool refused = refused_by_module(from);

	doctor_say(&check->found, "%s",
		   machine->modules[0] ? machine->modules : "none known");
	if (strstr(machine->lockdown, "[integrity]") ||
	    strstr(machine->lockdown, "[confidentiality]"))
		doctor_say(&check->found, ", lockdown %s", machine->lockdown);
	check->status = refused ? DOCTOR_FAIL : DOCTOR_PASS;
	if (filter_or_module(from)) {
		doctor_say(&check->reason, "a security module that is not "
			   "visible here, or the seccomp filter, refuses "
			   "perf_event_open");
		doctor_say(&check->remedy, "If it is not the filter, see the "
			   "host's log: ausearch -m avc -ts recent, or dmesg");
	} else if (refused) {
		doctor_explain_open(from, "", EACCES, false, check);
	} else if (from->probe->software == 0) {
		doctor_say(&check->reason, "nothing is refused");
	}
}

/* Returns the name of the check that has the reason and the remedy, or NULL. */
static const char *who_refuses(const struct doctor_case *from)
{
	if (filtered(from))
		return "seccomp";
	if (from->probe->software == ENOSYS &&
	    from->facts->paranoid == SELFMON_FACT_UNKNOWN)
		return "paranoid";
	if (from->probe->software != EACCES || proc_is_missing(from))
		return NULL;
	if (selfmon_facts_refuse_all(from->facts))
		return "paranoid";
	return filter_or_module(from) ? "seccomp" : "security-module";
}

void doctor_check_call(const struct doctor_case *from,
		       struct doctor_check *check)
{
	const int error = from->probe->software;

	check->status = error ? DOCTOR_FAIL : DOCTOR_PASS;
	if (!error) {
		doctor_say(&check->found, "a software event opens");
		return;
	}
	doctor_say(&check->found, "%s", doctor_errno(error));
	if (who_refuses(from))
		doctor_follow(check, who_refuses(from));
	else
		doctor_explain_open(from, "", error, false, check);
}

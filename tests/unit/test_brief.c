/* SPDX-License-Identifier: MIT */
/*
 * Tests the sentence that gives the reason why nothing is counted, with one
 * remedy.
 */
#include "doctor/brief.h"
#include "unit/test_explain.h"

static struct selfmon_sentence said;

static bool off(const char *event, int error, const struct selfmon_facts *facts)
{
	struct selfmon_failure failure = { .error = error,
					   .step = SELFMON_STEP_OPEN };

	snprintf(failure.event, sizeof(failure.event), "%s", event);
	memset(&said, 0, sizeof(said));
	return selfmon_brief_off(&failure, facts, &said);
}

#define ASSERT_OFF(error, facts, words)                                        \
	do {                                                                   \
		cr_assert(off("cycles", error, facts));                        \
		cr_expect_str_eq(said.text, words);                            \
	} while (0)

Test(brief, names_the_one_sysctl)
{
	struct selfmon_facts facts = machines[1];

	ASSERT_OFF(EACCES, &facts, "Debian's kernel refuses every event while "
		   "perf_event_paranoid is 3; as root: sysctl -w "
		   "kernel.perf_event_paranoid=2");
	facts.container = true;
	facts.user_namespace = true;
	ASSERT_OFF(EACCES, &facts, "Debian's kernel refuses every event while "
		   "perf_event_paranoid is 3; as root on the host: sysctl -w "
		   "kernel.perf_event_paranoid=2");
	ASSERT_OFF(EACCES, &machines[2], "Ubuntu's kernel refuses every event "
		   "while perf_event_paranoid is 4; as root: sysctl -w "
		   "kernel.perf_event_paranoid=2");
}

Test(brief, names_the_one_option_of_each_container)
{
	static const char *const option[] = {
		[SELFMON_RUNTIME_NONE] =
			"start the container with --cap-add PERFMON (older "
			"runtimes: SYS_ADMIN)",
		[SELFMON_RUNTIME_DOCKER] =
			"start the container with --cap-add PERFMON (older "
			"runtimes: SYS_ADMIN)",
		[SELFMON_RUNTIME_PODMAN] =
			"podman run --cap-add PERFMON,SYS_ADMIN",
		[SELFMON_RUNTIME_KUBERNETES] =
			"add PERFMON to the container's "
			"securityContext.capabilities.add",
		[SELFMON_RUNTIME_NSPAWN] =
			"start the container with "
			"--system-call-filter=perf_event_open",
		[SELFMON_RUNTIME_LXC] =
			"allow the call in the file that lxc.seccomp.profile "
			"names",
	};
	struct selfmon_facts facts = { MACHINE(2), .container = true,
				       .seccomp = true };
	char words[256];
	size_t i;

	for (i = 0; i < sizeof(option) / sizeof(option[0]); i++) {
		facts.runtime = (enum selfmon_runtime)i;
		snprintf(words, sizeof(words), "the container's seccomp filter "
			 "refuses perf_event_open; %s", option[i]);
		ASSERT_OFF(EPERM, &facts, words);
		snprintf(words, sizeof(words), "a seccomp filter hides "
			 "perf_event_open; %s", option[i]);
		ASSERT_OFF(ENOSYS, &facts, words);
	}
	ASSERT_OFF(EPERM, &machines[5], "a seccomp filter on this process "
		   "refuses perf_event_open; allow the call there (systemd: "
		   "SystemCallFilter=perf_event_open)");
}

Test(brief, names_a_missing_pmu_behind_a_filter_too)
{
	struct selfmon_facts facts = { LIMITS(2), .hypervisor = true };

	ASSERT_OFF(ENOENT, &facts, "this virtual machine has no PMU; enable "
		   "the hypervisor's vPMU (KVM: -cpu host,pmu=on)");
	facts.seccomp = true;
	ASSERT_OFF(EPERM, &facts, "a seccomp filter on this process refuses "
		   "perf_event_open, and this virtual machine shows no PMU; "
		   "allow the call there (systemd: "
		   "SystemCallFilter=perf_event_open)");
	facts.hypervisor = facts.seccomp = false;
	ASSERT_OFF(ENOENT, &facts, "the kernel has no driver for this CPU's "
		   "PMU; see why: dmesg | grep -i -e pmu -e 'performance "
		   "events'");
}

Test(brief, names_a_security_module_and_its_log)
{
	ASSERT_OFF(EACCES, &metal, "a security module (SELinux or another) "
		   "refuses perf_event_open, which perf_event_paranoid 2 "
		   "allows; see its log: ausearch -m avc -ts recent");
}

Test(brief, leaves_to_the_event_what_is_its_fault)
{
	struct selfmon_failure failure = { .error = EACCES,
					   .step = SELFMON_STEP_OPEN,
					   .event = "cycles:k",
					   .kernel_asked = true };

	cr_expect_not(off("cycles", ENOENT, &metal));
	cr_expect_not(off("cycles", EINVAL, &metal));
	cr_expect_not(off("cycles", EMFILE, &metal));
	cr_expect_not(off("page-faults", EPERM, &machines[5]));
	cr_expect_not(selfmon_brief_off(&failure, &metal, &said));
	failure.kernel_asked = false;
	failure.step = SELFMON_STEP_PARSE;
	cr_expect_not(selfmon_brief_off(&failure, &metal, &said));
	cr_expect_eq(said.length, 0);
}

Test(brief, fits_on_every_machine)
{
	static const int errors[] = { EACCES, EPERM, ENOSYS, ENOENT };
	size_t i, k;

	for (i = 0; i < MACHINES; i++)
		for (k = 0; k < 4; k++) {
			if (!off("cycles", errors[k], &machines[i]))
				continue;
			cr_expect_gt(said.length, 0);
			cr_expect_lt(said.length, 300);
			cr_expect_null(strstr(said.text, "; or"));
			cr_expect_null(strstr(said.text, ". "), "%s",
				       said.text);
		}
}

Test(brief, leaves_names_as_they_are)
{
	struct selfmon_sentence cause = { .length = 0 };
	struct selfmon_sentence remedy = { .length = 0 };

	memset(&said, 0, sizeof(said));
	selfmon_sentence_add(&cause, "reads are slow");
	selfmon_brief_add(&said, &cause, &remedy);
	cr_expect_str_eq(said.text, "reads are slow");
	selfmon_sentence_add(&remedy, "SELFMON_EVENTS=cycles");
	memset(&said, 0, sizeof(said));
	selfmon_brief_add(&said, &cause, &remedy);
	cr_expect_str_eq(said.text, "reads are slow; SELFMON_EVENTS=cycles");
}

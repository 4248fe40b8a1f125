/* SPDX-License-Identifier: MIT */
/*
 * Tests what explanations name as the cause and the remedy on different
 * machines.
 */
#include "unit/test_explain.h"

Test(explain_machine, tells_debians_paranoid_3_and_that_perfmon_is_no_help)
{
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &machines[1], text);
	says(text, "Debian's kernel refuses every event");
	says(text, "perf_event_paranoid is 3");
	says(text, "sysctl -w kernel.perf_event_paranoid=2");
	says(text, "setcap cap_sys_admin+ep");
	says(text, "CAP_PERFMON does not help");
}

Test(explain_machine, tells_ubuntus_paranoid_4)
{
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &machines[2], text);
	says(text, "Ubuntu's kernel refuses every event");
	says(text, "sysctl -w kernel.perf_event_paranoid=2");
}

Test(explain_machine, does_not_blame_paranoid_3_on_ubuntu)
{
	const struct selfmon_facts facts = {
		MACHINE(3), .distribution = SELFMON_DISTRIBUTION_UBUNTU
	};
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &facts, text);
	says(text, "security module");
}

Test(explain_machine, names_a_filter_beside_the_security_module)
{
	struct selfmon_facts facts = { MACHINE(2) };
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &facts, text);
	cr_assert_null(strstr(text, "seccomp"));
	facts.seccomp = 2;
	explain(EACCES, SELFMON_STEP_OPEN, &facts, text);
	says(text, "security module");
	says(text, "seccomp filter");
}

Test(explain_machine, does_not_blame_paranoid_when_the_capability_is_held)
{
	const struct selfmon_facts facts = {
		MACHINE(3), .distribution = SELFMON_DISTRIBUTION_DEBIAN,
		.capabilities = UINT64_C(1) << SELFMON_CAP_SYS_ADMIN
	};
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &facts, text);
	says(text, "security module");
}

Test(explain_machine, counts_no_capability_of_a_user_namespace)
{
	const struct selfmon_facts facts = {
		MACHINE(3), .distribution = SELFMON_DISTRIBUTION_DEBIAN,
		.user_namespace = true, .container = true,
		.capabilities = UINT64_MAX
	};
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &facts, text);
	says(text, "Debian's kernel refuses every event");
	says(text, "As root on the host: sysctl");
	says_not(text, "cap-add");
}

Test(explain_machine, says_not_counted_where_kernel_mode_is_forbidden)
{
	char text[TEXT_SIZE];

	explain_kernel("context-switches", EACCES, &metal, text);
	says(text, "context-switches: not counted: needs perf_event_paranoid "
		   "<= 1, and it is 2. ");
	says(text, "As root: sysctl -w kernel.perf_event_paranoid=1");
	says(text, "setcap cap_perfmon+ep PROGRAM");
}

Test(explain_machine, asks_for_sys_admin_before_linux_5_8)
{
	struct selfmon_facts facts = { MACHINE(2) };
	char text[TEXT_SIZE];

	facts.kernel = 5007;
	explain_kernel("cycles:k", EACCES, &facts, text);
	says(text, "setcap cap_sys_admin+ep");
	facts.kernel = 5008;
	explain_kernel("cycles:k", EACCES, &facts, text);
	says(text, "setcap cap_perfmon+ep");
}

Test(explain_machine, does_not_let_perfmon_pass_debians_paranoid_3)
{
	struct selfmon_facts facts = machines[1];
	char text[TEXT_SIZE];

	facts.capabilities = UINT64_C(1) << SELFMON_CAP_PERFMON;
	explain_kernel("cycles:k", EACCES, &facts, text);
	says(text, "not counted: needs perf_event_paranoid <= 1");
	facts.paranoid = 2;
	explain_kernel("cycles:k", EACCES, &facts, text);
	says(text, "security module");
}

Test(explain_machine, tells_that_a_probe_needs_a_capability)
{
	const struct selfmon_failure failure = { .error = EACCES,
						 .step = SELFMON_STEP_OPEN,
						 .event = "uprobe/x/" };
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	says(text, "a probe needs CAP_PERFMON");
}

Test(explain_machine, tells_a_containers_seccomp_filter_from_a_services)
{
	char text[TEXT_SIZE];

	explain(EPERM, SELFMON_STEP_OPEN, &machines[3], text);
	says(text, "container's seccomp filter");
	says(text, "--cap-add PERFMON");
	explain(EPERM, SELFMON_STEP_OPEN, &machines[5], text);
	says(text, "a seccomp filter on this process");
	says(text, "SystemCallFilter=perf_event_open");
}

Test(explain_machine, does_not_deny_a_filter_that_it_cannot_see)
{
	struct selfmon_facts facts = metal;
	char text[TEXT_SIZE];

	explain(EPERM, SELFMON_STEP_OPEN, &facts, text);
	says(text, "no seccomp filter is set, so a rule");
	facts.no_status = true;
	explain(EPERM, SELFMON_STEP_OPEN, &facts, text);
	says(text, "probably a seccomp filter (/proc cannot be read), a rule");
	cr_expect_null(strstr(text, "is set"));
}

Test(explain_machine, sends_sysctls_of_a_container_to_the_host)
{
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &machines[3], text);
	says(text, "As root on the host: sysctl -w");
	says(text, "--cap-add SYS_ADMIN");
	explain(EACCES, SELFMON_STEP_OPEN, &machines[1], text);
	says(text, "As root: sysctl -w");
}

Test(explain_machine, tells_a_kernel_without_perf_from_a_filter_that_hides_it)
{
	char text[TEXT_SIZE];

	explain(ENOSYS, SELFMON_STEP_OPEN, &machines[7], text);
	says(text, "CONFIG_PERF_EVENTS");
	says(text, "gVisor");
	explain(ENOSYS, SELFMON_STEP_OPEN, &machines[5], text);
	says(text, "seccomp filter hides");
}

Test(explain_machine, tells_a_machine_without_a_pmu_from_an_unknown_event)
{
	struct selfmon_facts facts = { MACHINE(2) };
	char text[TEXT_SIZE];

	explain(ENOENT, SELFMON_STEP_OPEN, &machines[4], text);
	says(text, "this virtual machine has no PMU");
	says(text, "-cpu host,pmu=on");
	facts.hypervisor = true;
	explain(ENOENT, SELFMON_STEP_OPEN, &facts, text);
	says(text, "PMU has no such event (or the hypervisor hides it)");
	facts.hypervisor = facts.core_pmu = false;
	explain(ENOENT, SELFMON_STEP_OPEN, &facts, text);
	says(text, "no driver for this CPU's PMU");
}

Test(explain_machine, does_not_blame_the_pmu_for_a_young_software_event)
{
	char text[TEXT_SIZE];

	explain_kernel("cgroup-switches", ENOENT, &machines[4], text);
	says(text, "kernel is older");
	says_not(text, "PMU");
}

Test(explain_machine, tells_a_group_that_does_not_fit_from_a_bad_code)
{
	const struct selfmon_failure failure = { .error = EINVAL,
						 .step = SELFMON_STEP_OPEN,
						 .grouped = true,
						 .event = "r1a8" };
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	says(text, "does not fit");
	says(text, "fewer events");
}

Test(explain_machine, tells_a_riscv_pmu_that_cannot_leave_the_kernel_out)
{
	char text[TEXT_SIZE];

	struct selfmon_failure failure = { .error = EINVAL,
					   .step = SELFMON_STEP_OPEN,
					   .event = "cycles:u" };

	explain(EINVAL, SELFMON_STEP_OPEN, &machines[6], text);
	says(text, "Sscofpmf");
	says(text, "perf_event_paranoid=1 lets you count both");
	selfmon_explain_with(&failure, &machines[6], text, sizeof(text));
	says(text, "Sscofpmf");
	says(text, ":uk");
	explain_kernel("cycles:uk", EINVAL, &machines[6], text);
	says_not(text, "Sscofpmf");
}

Test(explain_machine, tells_the_modifier_that_asks_for_too_much_precision)
{
	struct selfmon_failure failure = { .error = EOPNOTSUPP,
					   .step = SELFMON_STEP_OPEN,
					   .event = "cycles:upp" };
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	says(text, "Leave p out of the modifier :upp");
	selfmon_explain_with(&failure, &machines[4], text, sizeof(text));
	says(text, "PMU of this virtual machine");
}

Test(explain_machine, tells_a_leader_that_exited_from_a_cpu_that_is_offline)
{
	const struct selfmon_failure failure = { .error = ENODEV,
						 .step = SELFMON_STEP_OPEN,
						 .grouped = true,
						 .event = "cycles" };
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	says(text, "has exited");
}

Test(explain_machine, raises_descriptors_only_as_far_as_the_hard_limit)
{
	struct selfmon_facts facts = { MACHINE(2) };
	char text[TEXT_SIZE];

	facts.nofile_hard = facts.nofile;
	explain(EMFILE, SELFMON_STEP_OPEN, &facts, text);
	says(text, "As root, before starting it: ulimit -n 65536");
	facts.nofile = facts.nofile_hard = 100000;
	explain(EMFILE, SELFMON_STEP_OPEN, &facts, text);
	says(text, "ulimit -n 200000");
	facts.container = true;
	explain(EMFILE, SELFMON_STEP_OPEN, &facts, text);
	says(text, "--ulimit nofile=");
}

Test(explain_machine, gives_the_locked_memory_limits_with_their_values)
{
	struct selfmon_facts facts = { MACHINE(2) };
	char text[TEXT_SIZE];

	explain(EPERM, SELFMON_STEP_MAP, &facts, text);
	says(text, "perf_event_mlock_kb=516");
	says(text, "RLIMIT_MEMLOCK=8192 KiB");
	says(text, "sysctl -w kernel.perf_event_mlock_kb=8256");
	facts.container = true;
	explain(EPERM, SELFMON_STEP_MAP, &facts, text);
	says(text, "--ulimit memlock=-1");
	facts.memlock = SELFMON_FACT_UNLIMITED;
	explain(EPERM, SELFMON_STEP_MAP, &facts, text);
	says(text, "RLIMIT_MEMLOCK is unlimited, so a security module");
}

Test(explain_machine, blames_the_nmi_watchdog_only_where_it_runs)
{
	const struct selfmon_failure failure = {
		.error = EBUSY,
		.step = SELFMON_STEP_POLICY,
		.event = "cycles",
		.message = "the group opens but never runs"
	};
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	says(text, "never runs. As root: sysctl -w kernel.nmi_watchdog=0");
	selfmon_explain_with(&failure, &machines[5], text, sizeof(text));
	says(text, "never runs. Count fewer events");
	explain(EBUSY, SELFMON_STEP_OPEN, &machines[5], text);
	says_not(text, "nmi_watchdog=0");
}

Test(explain_machine, tells_how_to_allow_user_reads_where_they_are_off)
{
	const struct selfmon_failure failure = {
		.error = EOPNOTSUPP,
		.step = SELFMON_STEP_POLICY,
		.message = "not read in user space"
	};
	struct selfmon_facts facts = metal;
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &facts, text, sizeof(text));
	cr_assert_str_eq(text, failure.message);
	facts.rdpmc = 0;
	selfmon_explain_with(&failure, &facts, text, sizeof(text));
	says(text, "As root: echo 1 > /sys/bus/event_source/devices/cpu/rdpmc");
	facts.rdpmc_of_cores = true;
	selfmon_explain_with(&failure, &facts, text, sizeof(text));
	says(text, "echo 1 > /sys/bus/event_source/devices/cpu_core/rdpmc");
	facts.rdpmc = SELFMON_FACT_UNKNOWN;
	facts.user_access = 0;
	selfmon_explain_with(&failure, &facts, text, sizeof(text));
	says(text, "As root: sysctl -w kernel.perf_user_access=1");
}

/* SPDX-License-Identifier: MIT */
/* Failures in words: every errno of the kernel, on machines made up here. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "doctor/explain.h"

#define TEXT_SIZE 1024
/* What a line of a report bears, beside the event's name. */
#define LENGTH_MAX 310

/* An x86 machine, nobody's kernel, an ordinary user. */
#define MACHINE(level)                                                         \
	.kernel = 6012, .core_pmu = true, .nmi_watchdog = 1, LIMITS(level)
#define LIMITS(level)                                                          \
	.paranoid = (level), .rdpmc = 1, .user_access = SELFMON_FACT_UNKNOWN,  \
	.mlock_kb = 516, .file_max = 200000, .max_map_count = 65530,           \
	.nofile = 1024, .nofile_hard = 524288, .memlock = 8388608

static const struct selfmon_facts metal = { MACHINE(2) };

static void explain(int error, enum selfmon_step step,
		    const struct selfmon_facts *facts, char *text)
{
	const struct selfmon_failure failure = { .error = error,
						 .step = step,
						 .event = "cycles" };

	selfmon_explain_with(&failure, facts, text, TEXT_SIZE);
}

static void explain_kernel(const char *event, int error,
			   const struct selfmon_facts *facts, char *text)
{
	struct selfmon_failure failure = { .error = error,
					   .step = SELFMON_STEP_OPEN,
					   .kernel_asked = true };

	snprintf(failure.event, sizeof(failure.event), "%s", event);
	selfmon_explain_with(&failure, facts, text, TEXT_SIZE);
}

static void says(const char *text, const char *words)
{
	cr_assert(strstr(text, words), "no '%s' in: %s", words, text);
}

static void says_not(const char *text, const char *words)
{
	cr_assert(!strstr(text, words), "'%s' in: %s", words, text);
}

/* What each error says on bare metal: a word of the cause, one to type. */
static const struct {
	enum selfmon_step step;
	int error;
	const char *cause, *remedy;
} rows[] = {
	{ SELFMON_STEP_OPEN, EACCES, "security module", "ausearch" },
	{ SELFMON_STEP_OPEN, EPERM, "raw tracepoints",
	  "sysctl -w kernel.perf_event_paranoid=-1" },
	{ SELFMON_STEP_OPEN, ENOSYS, "should have it", "outside" },
	{ SELFMON_STEP_OPEN, ENOENT, "PMU has no such event", "perf list" },
	{ SELFMON_STEP_OPEN, EOPNOTSUPP, "cannot do what a term",
	  "plain name" },
	{ SELFMON_STEP_OPEN, EINVAL, "code or one of its terms", "perf list" },
	{ SELFMON_STEP_OPEN, E2BIG, "does not know a field", "newer kernel" },
	{ SELFMON_STEP_OPEN, ENODEV, "offline", "dmesg" },
	{ SELFMON_STEP_OPEN, EBUSY, "holds the PMU",
	  "sysctl -w kernel.nmi_watchdog=0" },
	{ SELFMON_STEP_OPEN, EMFILE, "1024 descriptors", "ulimit -n 524288" },
	{ SELFMON_STEP_OPEN, ENFILE, "200000", "sysctl -w fs.file-max=400000" },
	{ SELFMON_STEP_OPEN, ENOMEM, "no memory for one more event",
	  "free -m" },
	{ SELFMON_STEP_OPEN, ENOSPC, "breakpoints", "watchpoints" },
	{ SELFMON_STEP_OPEN, ESRCH, "thread", "Open the set" },
	{ SELFMON_STEP_OPEN, EBADF, "group's leader was closed", "strace" },
	{ SELFMON_STEP_OPEN, EFAULT, "event's description", "valgrind" },
	{ SELFMON_STEP_OPEN, EINTR, "interrupted perf_event_open",
	  "Try again" },
	{ SELFMON_STEP_OPEN, EOVERFLOW, "call chain",
	  "sysctl -w kernel.perf_event_max_stack" },
	{ SELFMON_STEP_MAP, EINVAL, "inherited", "SELFMON_COUNTERS_SYSCALL" },
	{ SELFMON_STEP_MAP, EPERM, "perf_event_mlock_kb=516",
	  "ulimit -l unlimited" },
	{ SELFMON_STEP_MAP, ENOMEM, "65530",
	  "sysctl -w vm.max_map_count=262120" },
	{ SELFMON_STEP_MAP, ENODEV, "went away", "driver" },
	{ SELFMON_STEP_MAP, EBADF, "before its page", "strace" },
	{ SELFMON_STEP_READ, ENODATA, "pinned", "fewer events" },
	{ SELFMON_STEP_READ, ENOSPC, "more events than", "Open the set" },
	{ SELFMON_STEP_READ, ECHILD, "child process", "in the child" },
	{ SELFMON_STEP_READ, EBADF, "read from was closed", "strace" },
	{ SELFMON_STEP_READ, EINTR, "interrupted the read", "Try again" },
	{ SELFMON_STEP_READ, EINVAL, "no longer the event", "strace" },
	{ SELFMON_STEP_READ, EFAULT, "buffer", "valgrind" },
	{ SELFMON_STEP_ENABLE, ENOTTY, "not an event any more", "strace" },
	{ SELFMON_STEP_ENABLE, EINVAL, "only counts", "period" },
	{ SELFMON_STEP_ENABLE, EBADF, "enable was closed", "strace" },
	/* No table has these: the step and the C library's word. */
	{ SELFMON_STEP_OPEN, EXDEV, "perf_event_open failed", "dmesg" },
	{ SELFMON_STEP_MAP, EXDEV, "mmap of", "dmesg" },
	{ SELFMON_STEP_READ, EXDEV, "read of the counts failed", "dmesg" },
	{ SELFMON_STEP_ENABLE, EXDEV, "ioctl to enable", "dmesg" },
	{ SELFMON_STEP_NONE, EXDEV, "opening it failed", "dmesg" },
	{ SELFMON_STEP_PARSE, EXDEV, "reading the specification", "dmesg" },
	{ SELFMON_STEP_POLICY, EXDEV, "library's rules", "dmesg" },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

Test(explain, names_the_cause_and_a_remedy_for_every_errno)
{
	char text[TEXT_SIZE];
	size_t i;

	for (i = 0; i < ROWS; i++) {
		const char *remedy;

		explain(rows[i].error, rows[i].step, &metal, text);
		cr_assert_eq(strncmp(text, "cycles: ", 8), 0, "%s", text);
		says(text, rows[i].cause);
		remedy = strstr(text, ". ");
		cr_assert(remedy, "no second sentence: %s", text);
		says(remedy, rows[i].remedy);
	}
}

Test(explain, has_no_two_causes_with_the_same_words)
{
	static char texts[ROWS][TEXT_SIZE];
	size_t i, k;

	for (i = 0; i < ROWS; i++) {
		explain(rows[i].error, rows[i].step, &metal, texts[i]);
		for (k = 0; k < i; k++)
			cr_assert_str_neq(texts[i], texts[k]);
	}
}

/* Machines of all kinds, for what has to hold on each. */
static const struct selfmon_facts machines[] = {
	{ MACHINE(2) },
	{ MACHINE(3), .distribution = SELFMON_DISTRIBUTION_DEBIAN },
	{ MACHINE(4), .distribution = SELFMON_DISTRIBUTION_UBUNTU },
	{ MACHINE(3), .distribution = SELFMON_DISTRIBUTION_DEBIAN,
	  .container = true, .seccomp = true },
	{ LIMITS(2), .hypervisor = true },
	{ LIMITS(2), .core_pmu = true, .seccomp = true },
	{ MACHINE(2), .riscv64 = true, .user_namespace = true,
	  .container = true },
	{ .paranoid = SELFMON_FACT_UNKNOWN,
	  .mlock_kb = SELFMON_FACT_UNKNOWN,
	  .nmi_watchdog = SELFMON_FACT_UNKNOWN,
	  .file_max = SELFMON_FACT_UNKNOWN,
	  .max_map_count = SELFMON_FACT_UNKNOWN,
	  .nofile = SELFMON_FACT_UNKNOWN,
	  .nofile_hard = SELFMON_FACT_UNKNOWN,
	  .memlock = SELFMON_FACT_UNKNOWN },
	{ .paranoid = INT64_MAX,
	  .mlock_kb = 1048576,
	  .nmi_watchdog = 1,
	  .file_max = INT64_MAX,
	  .max_map_count = INT32_MAX,
	  .nofile = SELFMON_FACT_UNLIMITED,
	  .nofile_hard = SELFMON_FACT_UNLIMITED,
	  .memlock = SELFMON_FACT_UNLIMITED,
	  .container = true },
};

#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static void check_line(const struct selfmon_failure *failure,
		       const struct selfmon_facts *facts)
{
	char text[TEXT_SIZE];
	const size_t n =
		selfmon_explain_with(failure, facts, text, sizeof(text));

	cr_assert_eq(n, strlen(text));
	cr_assert_gt(n, 20, "%s", text);
	cr_assert_leq(n, LENGTH_MAX + strlen(failure->event), "%zu: %s", n,
		      text);
	says_not(text, "\n");
	says_not(text, "\t");
	says_not(text, "%");
	says_not(text, "(null)");
	says_not(text, "  ");
	says_not(text, "..");
	/* SELFMON_FACT_UNKNOWN and _UNLIMITED are no numbers to show. */
	says_not(text, "-922337203685477580");
	if (facts->paranoid != INT64_MAX)
		says_not(text, "922337203685477580");
}

Test(explain, is_one_plain_line_for_every_errno_on_every_machine)
{
	struct selfmon_failure failure = { .event = "cycles" };
	size_t m;
	int bits;

	for (m = 0; m < MACHINES; m++) {
		for (failure.error = 1; failure.error < 140; failure.error++) {
			for (bits = 0; bits < 32; bits++) {
				failure.step = (enum selfmon_step)(bits >> 2);
				failure.grouped = bits & 1;
				failure.kernel_asked = bits & 2;
				check_line(&failure, &machines[m]);
			}
		}
	}
}

Test(explain, tells_debians_paranoid_3_and_that_perfmon_is_no_help)
{
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &machines[1], text);
	says(text, "Debian's kernel refuses every event");
	says(text, "perf_event_paranoid is 3");
	says(text, "sysctl -w kernel.perf_event_paranoid=2");
	says(text, "setcap cap_sys_admin+ep");
	says(text, "CAP_PERFMON does not help");
}

Test(explain, tells_ubuntus_paranoid_4)
{
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &machines[2], text);
	says(text, "Ubuntu's kernel refuses every event");
	says(text, "sysctl -w kernel.perf_event_paranoid=2");
}

Test(explain, does_not_blame_paranoid_3_on_ubuntu)
{
	const struct selfmon_facts facts = {
		MACHINE(3), .distribution = SELFMON_DISTRIBUTION_UBUNTU
	};
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &facts, text);
	says(text, "security module");
}

Test(explain, does_not_blame_paranoid_when_the_capability_is_held)
{
	const struct selfmon_facts facts = {
		MACHINE(3), .distribution = SELFMON_DISTRIBUTION_DEBIAN,
		.capabilities = UINT64_C(1) << SELFMON_CAP_SYS_ADMIN
	};
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &facts, text);
	says(text, "security module");
}

Test(explain, counts_no_capability_of_a_user_namespace)
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

Test(explain, says_not_counted_where_kernel_mode_is_forbidden)
{
	char text[TEXT_SIZE];

	explain_kernel("context-switches", EACCES, &metal, text);
	says(text, "context-switches: not counted: needs perf_event_paranoid "
		   "<= 1, and it is 2. ");
	says(text, "As root: sysctl -w kernel.perf_event_paranoid=1");
	says(text, "setcap cap_perfmon+ep PROGRAM");
}

Test(explain, asks_for_sys_admin_before_linux_5_8)
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

Test(explain, does_not_let_perfmon_pass_debians_paranoid_3)
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

Test(explain, tells_that_a_probe_needs_a_capability)
{
	const struct selfmon_failure failure = { .error = EACCES,
						 .step = SELFMON_STEP_OPEN,
						 .event = "uprobe/x/" };
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	says(text, "a probe needs CAP_PERFMON");
}

Test(explain, tells_a_containers_seccomp_filter_from_a_services)
{
	char text[TEXT_SIZE];

	explain(EPERM, SELFMON_STEP_OPEN, &machines[3], text);
	says(text, "container's seccomp filter");
	says(text, "--cap-add PERFMON");
	explain(EPERM, SELFMON_STEP_OPEN, &machines[5], text);
	says(text, "a seccomp filter on this process");
	says(text, "SystemCallFilter=perf_event_open");
}

Test(explain, sends_sysctls_of_a_container_to_the_host)
{
	char text[TEXT_SIZE];

	explain(EACCES, SELFMON_STEP_OPEN, &machines[3], text);
	says(text, "As root on the host: sysctl -w");
	says(text, "--cap-add SYS_ADMIN");
	explain(EACCES, SELFMON_STEP_OPEN, &machines[1], text);
	says(text, "As root: sysctl -w");
}

Test(explain, tells_a_kernel_without_perf_from_a_filter_that_hides_it)
{
	char text[TEXT_SIZE];

	explain(ENOSYS, SELFMON_STEP_OPEN, &machines[7], text);
	says(text, "CONFIG_PERF_EVENTS");
	says(text, "gVisor");
	explain(ENOSYS, SELFMON_STEP_OPEN, &machines[5], text);
	says(text, "seccomp filter hides");
}

Test(explain, tells_a_machine_without_a_pmu_from_an_unknown_event)
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

Test(explain, does_not_blame_the_pmu_for_a_young_software_event)
{
	char text[TEXT_SIZE];

	explain_kernel("cgroup-switches", ENOENT, &machines[4], text);
	says(text, "kernel is older");
	says_not(text, "PMU");
}

Test(explain, tells_a_group_that_does_not_fit_from_a_bad_code)
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

Test(explain, tells_a_riscv_pmu_that_cannot_leave_the_kernel_out)
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

Test(explain, tells_the_modifier_that_asks_for_too_much_precision)
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

Test(explain, tells_a_leader_that_exited_from_a_cpu_that_is_offline)
{
	const struct selfmon_failure failure = { .error = ENODEV,
						 .step = SELFMON_STEP_OPEN,
						 .grouped = true,
						 .event = "cycles" };
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	says(text, "has exited");
}

Test(explain, raises_descriptors_only_as_far_as_the_hard_limit)
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

Test(explain, gives_the_locked_memory_limits_with_their_values)
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

Test(explain, gives_the_parsers_message_as_it_is)
{
	const struct selfmon_failure failure = {
		.error = ENOENT,
		.step = SELFMON_STEP_PARSE,
		.event = "cycels",
		.message = "unknown event 'cycels' (did you mean 'cycles'?)"
	};
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	cr_assert_str_eq(text, failure.message);
}

Test(explain, puts_the_event_before_the_librarys_own_refusal)
{
	struct selfmon_failure failure = { .error = EINVAL,
					   .step = SELFMON_STEP_POLICY,
					   .event = "context-switches:u",
					   .message = "happens in kernel mode "
						      "only" };
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	cr_assert_str_eq(text,
			 "context-switches:u: happens in kernel mode only");
	strcpy(failure.event, "x/y/");
	strcpy(failure.message, "x/y/: counts the package, not your thread");
	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	cr_assert_str_eq(text, failure.message);
}

Test(explain, blames_the_nmi_watchdog_only_where_it_runs)
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

Test(explain, tells_how_to_allow_user_reads_where_they_are_off)
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
	says(text, "As root: echo 1 > /sys/devices/cpu/rdpmc");
	facts.rdpmc = SELFMON_FACT_UNKNOWN;
	facts.user_access = 0;
	selfmon_explain_with(&failure, &facts, text, sizeof(text));
	says(text, "As root: sysctl -w kernel.perf_user_access=1");
}

Test(explain, names_an_unknown_errno_by_the_c_librarys_word)
{
	char text[TEXT_SIZE];

	explain(EXDEV, SELFMON_STEP_OPEN, &metal, text);
	says(text, strerror(EXDEV));
	explain(99999, SELFMON_STEP_READ, &metal, text);
	says(text, "errno 99999");
}

Test(explain, survives_a_step_it_does_not_know)
{
	char text[TEXT_SIZE];

	explain(EIO, (enum selfmon_step)77, &metal, text);
	says(text, "an unknown step failed");
}

Test(explain, says_nothing_failed_where_nothing_did)
{
	const struct selfmon_failure none = { .error = 0,
					      .step = SELFMON_STEP_OPEN };
	char text[TEXT_SIZE];

	cr_assert_eq(selfmon_explain_with(NULL, &metal, text, sizeof(text)),
		     strlen("nothing failed"));
	cr_assert_str_eq(text, "nothing failed");
	selfmon_explain_with(&none, &metal, text, sizeof(text));
	cr_assert_str_eq(text, "nothing failed");
}

Test(explain, leaves_the_name_out_where_there_is_none)
{
	const struct selfmon_failure failure = { .error = EINTR,
						 .step = SELFMON_STEP_OPEN };
	char text[TEXT_SIZE];

	selfmon_explain_with(&failure, &metal, text, sizeof(text));
	cr_assert_eq(strncmp(text, "a signal", 8), 0, "%s", text);
}

Test(explain, cuts_at_any_size_and_returns_the_whole_length)
{
	const struct selfmon_failure failure = { .error = EACCES,
						 .step = SELFMON_STEP_OPEN,
						 .event = "cycles" };
	char whole[TEXT_SIZE], cut[TEXT_SIZE];
	size_t length, size, kept;

	length = selfmon_explain_with(&failure, &machines[3], whole,
				      sizeof(whole));
	cr_assert_eq(selfmon_explain_with(&failure, &machines[3], NULL, 0),
		     length);
	for (size = 0; size <= length + 2; size++) {
		memset(cut, '#', sizeof(cut));
		cr_assert_eq(
			selfmon_explain_with(&failure, &machines[3], cut, size),
			length);
		cr_assert_eq(cut[size], '#', "wrote past %zu", size);
		if (size == 0)
			continue;
		kept = size <= length ? size - 1 : length;
		cr_assert_eq(cut[kept], '\0');
		cr_assert_eq(memcmp(cut, whole, kept), 0);
	}
}

Test(explain, takes_names_without_an_end_and_with_any_bytes)
{
	struct selfmon_failure failure = { .error = EBUSY,
					   .step = SELFMON_STEP_POLICY };
	char text[TEXT_SIZE];
	size_t n;

	memset(failure.event, 'e', sizeof(failure.event));
	memset(failure.message, 'm', sizeof(failure.message));
	failure.event[3] = '\n';
	failure.event[4] = '%';
	failure.event[5] = 's';
	n = selfmon_explain_with(&failure, &metal, text, sizeof(text));
	cr_assert_eq(n, strlen(text));
	says(text, "eee %se");
	says(text, "mmm. As root");
	says_not(text, "\n");
}

Test(explain, looks_at_this_machine_by_itself)
{
	const struct selfmon_failure failure = { .error = EMFILE,
						 .step = SELFMON_STEP_OPEN,
						 .event = "cycles" };
	struct selfmon_facts facts;
	char here[TEXT_SIZE], text[TEXT_SIZE];

	selfmon_facts_gather(&facts);
	selfmon_explain_with(&failure, &facts, here, sizeof(here));
	cr_assert_eq(selfmon_explain(&failure, text, sizeof(text)),
		     strlen(here));
	cr_assert_str_eq(text, here);
}

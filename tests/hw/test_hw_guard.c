/* SPDX-License-Identifier: MIT */
/*
 * Tests that a setting of the machine may disable user reads while they are in
 * use.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/guard.h"
#include "counters/set.h"
#include "hw/settings.h"
#include "hw/tool.h"
#include "platform/fault_step.h"

#define RDPMC "/sys/bus/event_source/devices/cpu/rdpmc"
#define USER_ACCESS "/proc/sys/kernel/perf_user_access"
#define ONLINE "/sys/devices/system/cpu/cpu1/online"

#define TURNS 20
#define READS 1000000
/*
 * After this number of reads, the reader itself disables user reads. If another
 * process on the same CPU did so, arm64's page would show the change, and no
 * read would fault.
 */
#define READS_BETWEEN 8192
/*
 * Limit for plausible counts: far above the count of a visit, and far below the
 * difference between two registers.
 */
#define LEAP 100000

static const char *setting(void)
{
	return access(USER_ACCESS, F_OK) ? RDPMC : USER_ACCESS;
}

static void setup(void)
{
	struct selfmon_counters *set;

	hw_require_guest();
	if (access(setting(), W_OK))
		cr_skip_test("no setting takes user reads away here");
	hw_require_pmu();
	setting_write(setting(), "1");
	set = hw_open_with("instructions", SELFMON_COUNTERS_GUARD);
	hw_require_user_reads(set);
	selfmon_counters_close(set);
}

TestSuite(hw_guard, .init = setup);

static struct selfmon_counters *open_guarded(void)
{
	return hw_open_with("instructions", SELFMON_COUNTERS_GUARD);
}

static bool is_slow(const struct selfmon_counters *set)
{
	return set->flags & SELFMON_IMPL_SET_SYSCALL;
}

/*
 * On machines with unsafe user reads, a counter may be taken away between start
 * and end, and given back. No read faults then, and the page does not change.
 * The count is impossible, and is left out even if there is a guard.
 */
static bool is_left_out(const struct selfmon_delta *delta)
{
	return SELFMON_ARCH_USER_READ_UNSAFE &&
	       delta->flags & SELFMON_DELTA_IMPOSSIBLE;
}

/* Makes one visit of the loop with this set, and expects a plausible count. */
static void visit(struct selfmon_counters *set, struct selfmon_delta *delta)
{
	hw_visit_loop(set, TURNS, delta);
	if (is_left_out(delta))
		return;
	cr_assert_neq(delta->value[0].verdict, SELFMON_NOT_COUNTED,
		      "flags 0x%x", delta->flags);
	cr_assert_geq(delta->value[0].count, 2 * TURNS);
	if (hw_exact())
		cr_assert_lt(delta->value[0].count, LEAP);
}

/*
 * Returns true if no read faults any more once the kernel has started the event
 * again: arm64's page then shows no counter (drivers/perf/arm_pmuv3.c,
 * armv8pmu_user_event_idx()), and riscv64's driver gives access back.
 */
static bool restart_prevents_fault(void)
{
#ifdef __x86_64__
	return false;
#else
	return true;
#endif
}

/* ---- user reads disabled once -------------------------------------------- */

enum moment { BEFORE_THE_START, BEFORE_THE_END };

/*
 * Disables user reads of a set before a visit starts or before it ends.
 *
 * Returns true if a read must have faulted. On x86-64 a read always faults. On
 * arm64 and riscv64 no read faults if the kernel started the event again after
 * user reads were disabled: arm64's page then shows no counter, and riscv64's
 * driver gives access back (see check_way()). Each start changes the lock of
 * the page, which shows this case.
 */
static bool lose_access(struct selfmon_counters *set, enum moment when,
			struct selfmon_delta *delta)
{
	const struct selfmon_page *const page = set->page[0];
	const uint32_t lock = selfmon_load_once(&page->lock);
	struct selfmon_snapshot a, b;
	bool started;

	if (when == BEFORE_THE_START)
		hw_write_file(setting(), "0");
	selfmon_counters_begin(set, &a);
	if (when == BEFORE_THE_END)
		hw_write_file(setting(), "0");
	hw_loop(5000);
	selfmon_counters_end(set, &b);
	started = selfmon_load_once(&page->lock) != lock;
	selfmon_counters_delta(set, &a, &b, delta);
	return !started || !restart_prevents_fault();
}

static void expect_count(const struct selfmon_delta *delta)
{
	if (is_left_out(delta))
		return;
	cr_assert_neq(delta->value[0].verdict, SELFMON_NOT_COUNTED,
		      "flags 0x%x", delta->flags);
	cr_assert_geq(delta->value[0].count, 10000);
	cr_assert_lt(delta->value[0].count, LEAP);
}

/* Expects that one read faults, and that later ones are system calls. */
static void lose_access_once(enum moment when)
{
	struct selfmon_counters *set = open_guarded();
	struct selfmon_delta delta;
	uint64_t before = 0;
	unsigned int tries;

	for (tries = 1; !lose_access(set, when, &delta); tries++) {
		cr_assert_lt(tries, 100, "the event is started all the time");
		expect_count(&delta);
		selfmon_counters_close(set);
		hw_write_file(setting(), "1");
		before = selfmon_guard_taken();
		cr_assert_leq(before, tries);
		set = open_guarded();
	}
	cr_assert_eq(selfmon_guard_taken(), before + 1, "try %u", tries);
	expect_count(&delta);
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	visit(set, &delta);
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	cr_assert_eq(selfmon_guard_taken(), before + 1);
	selfmon_counters_close(set);
}

Test(hw_guard, reads_go_on_by_system_call_and_no_number_is_lost)
{
	struct selfmon_counters *const set = open_guarded();
	struct selfmon_delta delta;

	visit(set, &delta);
	cr_assert_eq(delta.value[0].verdict, SELFMON_EXACT);
	selfmon_counters_close(set);
	lose_access_once(BEFORE_THE_END);
}

Test(hw_guard, a_start_that_faults_is_one_by_system_call)
{
	lose_access_once(BEFORE_THE_START);
}

/*
 * Returns a set with a read that has faulted, after enabling user reads again.
 * If the thread is descheduled between the setting and the read, nothing
 * faults, because arm64's page shows no counter (drivers/perf/arm_pmuv3.c,
 * armv8pmu_user_event_idx). In this case another set is tried.
 */
static struct selfmon_counters *open_taken(void)
{
	struct selfmon_counters *set = NULL;
	struct selfmon_delta delta;
	unsigned int tries;

	for (tries = 0; tries < 100 && (!set || !is_slow(set)); tries++) {
		selfmon_counters_close(set);
		set = open_guarded();
		hw_write_file(setting(), "0");
		visit(set, &delta);
		hw_write_file(setting(), "1");
	}
	return set;
}

Test(hw_guard, sets_opened_once_access_is_back_are_read_in_user_space)
{
	struct selfmon_counters *before, *after;
	struct selfmon_delta delta;

	tool_require_twins();
	before = open_taken();
	after = open_guarded();
	cr_assert(is_slow(before));
	cr_assert_not(is_slow(after));
	visit(before, &delta);
	cr_assert_eq(delta.value[0].verdict, SELFMON_SYSCALL);
	visit(after, &delta);
	cr_assert_eq(delta.value[0].verdict, SELFMON_EXACT);
	selfmon_counters_close(before);
	selfmon_counters_close(after);
}

/*
 * Runs without the guard. Exits with 1 if a read should have faulted and did
 * not.
 */
static void lose_access_unguarded(void)
{
	struct selfmon_counters *const own =
		hw_open_with("instructions", SELFMON_COUNTERS_UNGUARDED);
	struct selfmon_delta delta;
	unsigned int tries;

	signal(SELFMON_FAULT_SIGNAL, SIG_DFL);
	for (tries = 0; tries < 100; tries++) {
		if (lose_access(own, BEFORE_THE_START, &delta))
			_exit(1);
		hw_write_file(setting(), "1");
	}
	_exit(2);
}

Test(hw_guard, without_it_the_program_is_killed)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		lose_access_unguarded();
	cr_assert_eq(hw_wait(pid), 256 + SELFMON_FAULT_SIGNAL);
}

Test(hw_guard, user_reads_go_on_without_any_descriptor)
{
	struct selfmon_counters *const set = open_guarded();
	struct selfmon_delta delta;
	unsigned int tries;
	int fd;

	for (fd = 3; fd < 4096; fd++)
		close(fd);
	visit(set, &delta);
	cr_assert_eq(delta.value[0].verdict, SELFMON_EXACT);
	for (tries = 0; !lose_access(set, BEFORE_THE_END, &delta); tries++) {
		if (is_slow(set))
			break;
		cr_assert_lt(tries, 100, "the event is started all the time");
		hw_write_file(setting(), "1");
	}
	cr_assert(delta.flags & SELFMON_DELTA_LOST, "and read(2) does not");
	cr_assert_eq(delta.value[0].verdict, SELFMON_NOT_COUNTED);
	selfmon_counters_close(set);
}

/* ---- user reads disabled repeatedly -------------------------------------- */

/* Starts a process that disables and enables user reads repeatedly. */
static pid_t toggle(void)
{
	const pid_t pid = fork();

	cr_assert_geq(pid, 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		const int fd = open(setting(), O_WRONLY | O_CLOEXEC);

		if (fd < 0 || pwrite(fd, "0\n", 2, 0) != 2)
			_exit(1);
		usleep(300);
		if (pwrite(fd, "1\n", 2, 0) != 2)
			_exit(1);
		close(fd);
		usleep(2000);
	}
}

static void toggle_end(pid_t pid)
{
	cr_assert_eq(kill(pid, SIGKILL), 0);
	cr_assert_eq(hw_wait(pid), 256 + SIGKILL);
}

/* Opens a set that is read in user space, as soon as user reads are allowed. */
static struct selfmon_counters *open_in_user_space(void)
{
	struct selfmon_counters *set = open_guarded();

	while (is_slow(set)) {
		selfmon_counters_close(set);
		usleep(200);
		set = open_guarded();
	}
	return set;
}

Test(hw_guard, a_million_reads_survive_another_process_that_toggles,
     .timeout = 100)
{
	const pid_t toggler = toggle();
	struct selfmon_counters *set = open_in_user_space();
	struct selfmon_delta delta;
	uint64_t reads = 0, exact = 0;

	while (reads < READS) {
		visit(set, &delta);
		reads += 2;
		if (reads % READS_BETWEEN == 0)
			hw_write_file(setting(), "0");
		exact += delta.value[0].verdict == SELFMON_EXACT;
		if (!is_slow(set))
			continue;
		visit(set, &delta); /* by read(2) */
		selfmon_counters_close(set);
		set = open_in_user_space();
	}
	toggle_end(toggler);
	cr_log_info("guard: %ju sets were taken in %ju reads",
		    (uintmax_t)selfmon_guard_taken(), (uintmax_t)reads);
	cr_assert_gt(selfmon_guard_taken(), 50, "it was hardly tried");
	cr_assert_gt(exact, reads / 4, "it was hardly read in user space");
	selfmon_counters_close(set);
}

static void configure_guarded(const char *events)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.events = events;
	options.output = NULL;
	options.guard = true;
	cr_assert_eq(selfmon_configure(&options), 0);
}

/*
 * Expects that reads are system calls after the first fault. An event that was
 * off the PMU for a moment may be readable again: riscv64's driver allows
 * access whenever it starts an event with user reads
 * (drivers/perf/riscv_pmu_sbi.c, pmu_sbi_ctr_start()).
 */
static void check_way(const struct selfmon_row *row)
{
	const enum selfmon_verdict verdict = row->counter[0].verdict;

	if (SELFMON_ARCH_USER_READ_UNSAFE && !row->slow) {
		cr_assert_eq(selfmon_guard_taken(), 0);
		cr_assert_eq(verdict, SELFMON_EXACT, "%d", (int)verdict);
		return;
	}
	cr_assert_eq(row->slow, 1, "%d", (int)row->slow);
	cr_assert_eq(verdict, SELFMON_SYSCALL, "%d", (int)verdict);
}

static long deschedules(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * Makes the read at the end of a visit fault. If the page shows the loss, a
 * context switch before the end prevents the fault.
 */
static void lose_access_in_a_region(const char *events)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	long before;

	configure_guarded(events);
	hw_visit_region(TURNS);
	before = deschedules();
	SELFMON_REGION("taken") {
		hw_write_file(setting(), "0");
		hw_loop(5000);
	}
	/* Riscv64 also restarts events without a context switch. */
	if (SELFMON_ARCH_USER_READ_UNSAFE ||
	    (restart_prevents_fault() && deschedules() != before))
		cr_assert_leq(selfmon_guard_taken(), 1);
	else
		cr_assert_eq(selfmon_guard_taken(), 1, "%ju",
			     (uintmax_t)selfmon_guard_taken());
	cr_assert_eq(selfmon_report_take(&report), 0);
	row = selfmon_report_row(report, 0);
	if (strcmp(row->name, "taken"))
		row = selfmon_report_row(report, 1);
	cr_assert_str_eq(row->name, "taken");
	check_way(row);
	cr_assert_eq(row->counter[0].visits, 1);
	cr_assert_geq(row->counter[0].sum, 10000);
	cr_assert_lt(row->counter[0].sum, LEAP);
	selfmon_report_free(report);
}

Test(hw_guard, a_visit_in_which_access_goes_keeps_its_count)
{
	lose_access_in_a_region("instructions");
}

Test(hw_guard, a_visit_with_more_counters_keeps_all)
{
	struct selfmon_counters *const set =
		hw_open_with("instructions,cycles", SELFMON_COUNTERS_GUARD);

	hw_require_user_reads(set);
	selfmon_counters_close(set);
	lose_access_in_a_region("instructions,cycles");
}

static void *visit_regions(void *unused)
{
	int i;

	for (i = 0; i < 2000; i++) {
		if (i == 1000)
			hw_write_file(setting(), "0");
		hw_visit_region(TURNS);
	}
	return unused;
}

/* Threads start and exit, some with user reads and some without. */
Test(hw_guard, regions_of_many_threads_lose_no_visit_and_no_count,
     .timeout = 100)
{
	struct selfmon_report *report;
	const struct selfmon_row *row;
	const pid_t toggler = toggle();
	pthread_t thread;
	int i;

	configure_guarded("instructions");
	for (i = 0; i < 100; i++) {
		cr_assert_eq(pthread_create(&thread, NULL, visit_regions, NULL),
			     0);
		pthread_join(thread, NULL);
	}
	toggle_end(toggler);
	cr_assert_gt(selfmon_guard_taken(), 3, "it was hardly tried");
	hw_write_file(setting(), "1");
	cr_assert_eq(selfmon_report_take(&report), 0);
	row = selfmon_report_row(report, 0);
	cr_assert_str_eq(row->name, "loop");
	cr_assert_eq(row->visits, 200000);
	cr_assert_eq(row->counter[0].visits + row->impossible, 200000);
	if (!SELFMON_ARCH_USER_READ_UNSAFE)
		cr_assert_eq(row->impossible, 0);
	cr_assert_eq(row->lost + row->refused, 0);
	cr_assert_geq(row->counter[0].min, 2 * TURNS);
	if (hw_exact())
		cr_assert_lt(row->counter[0].max, LEAP);
	selfmon_report_free(report);
}

Test(hw_guard, the_report_says_that_access_was_taken_away)
{
	struct selfmon_counters *const set = open_taken();

	cr_assert(is_slow(set));
	selfmon_counters_close(set);
	setenv("SELFMON_GUARD", "1", 1);
	take_exit_report("instructions", 0);
	ASSERT_REPORT_SAYS("options guarded counter reads");
}

/* ---- a CPU is taken away -------------------------------------------------- */

static void online_again(void)
{
	const int fd = open(ONLINE, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "1", 1) == 1)
		close(fd);
}

Test(hw_guard, counts_go_on_when_their_cpu_goes_offline)
{
	struct selfmon_counters *set;
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;

	hw_require_cpus(2);
	if (access(ONLINE, W_OK))
		cr_skip_test("this CPU cannot be taken offline");
	hw_pin(1);
	set = open_guarded();
	selfmon_counters_begin(set, &a);
	hw_loop(5000);
	atexit(online_again);
	hw_write_file(ONLINE, "0");
	hw_loop(5000);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, &delta);
	if (a.cpu != UINT32_MAX && b.cpu != UINT32_MAX)
		cr_assert(delta.flags & SELFMON_DELTA_MIGRATED);
	cr_assert_neq(delta.value[0].verdict, SELFMON_NOT_COUNTED);
	cr_assert_geq(delta.value[0].count, 20000);
	visit(set, &delta);
	selfmon_counters_close(set);
}

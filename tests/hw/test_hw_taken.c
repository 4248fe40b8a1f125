/* SPDX-License-Identifier: MIT */
/*
 * Tests reads during which the counter is taken away. One of 16 counter reads
 * in this file yields the CPU between the load of the index and the read of the
 * register.
 */
#define _GNU_SOURCE
#include <sched.h>

#define SELFMON_READ_COUNTER(counter, set) read_after_a_while(counter, set)
#define SELFMON_READ_COUNTERS SELFMON_ARCH_COUNTERS
#include <selfmon/arch.h>

static unsigned int turn;

static inline uint64_t read_after_a_while(uint32_t counter, const void *set)
{
	if (++turn % 16 == 0)
		sched_yield();
	return selfmon_arch_read_counter(counter, set);
}

#include "hw/hw.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISITS 4000
#define TURNS 100

TestSuite(hw_taken, .init = hw_require_pmu);

/*
 * Acts as another tool, whose event on this CPU repeatedly takes a counter and
 * releases it. The event differs from ours, because QEMU has one counter for
 * each kind of event.
 */
static void be_a_tool(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.pinned = 1,
		.exclude_kernel = 1,
	};
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		const long fd =
			syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

		for (i = 0; i < 20; i++)
			sched_yield();
		if (fd >= 0)
			close((int)fd);
		for (i = 0; i < 20; i++)
			sched_yield();
	}
}

static pid_t tool_start(void)
{
	const pid_t pid = fork();

	cr_assert_geq(pid, 0);
	if (pid == 0)
		be_a_tool();
	return pid;
}

/* Checks that no count is less than the loop's, or far too high. */
static void visit_often(struct selfmon_counters *set)
{
	struct selfmon_snapshot a, b;
	struct selfmon_delta delta;
	int i;

	for (i = 0; i < VISITS; i++) {
		selfmon_counters_begin(set, &a);
		hw_loop(TURNS);
		selfmon_counters_end(set, &b);
		selfmon_counters_delta(set, &a, &b, &delta);
		if (delta.value[0].verdict == SELFMON_NOT_COUNTED)
			continue;
		cr_assert_geq(delta.value[0].count, 2 * TURNS);
		if (hw_exact())
			cr_assert_lt(delta.value[0].count, 100000, "visit %d", i);
	}
}

Test(hw_taken, visits_survive_another_tools_events, .timeout = 60)
{
	pid_t tool;

	hw_require_guest();
	hw_pin(0);
	tool = tool_start();
	visit_often(hw_open("instructions"));
	kill(tool, SIGKILL);
	hw_wait(tool);
}

static volatile int done;

static void *open_and_close(void *arg)
{
	(void)arg;
	hw_pin(1);
	while (!done) {
		selfmon_counters_close(hw_open("instructions"));
		usleep(1000);
	}
	return NULL;
}

Test(hw_taken, visits_survive_the_end_of_other_threads_sets, .timeout = 60)
{
	struct selfmon_counters *set;
	pthread_t other;
	int i;

	hw_require_cpus(2);
	hw_pin(0);
	set = hw_open("instructions");
	cr_assert_eq(pthread_create(&other, NULL, open_and_close, NULL), 0);
	for (i = 0; i < 20; i++)
		visit_often(set);
	done = 1;
	pthread_join(other, NULL);
	selfmon_counters_close(set);
}

/*
 * On riscv64, a read without the guard kills the program if the counter is
 * taken away. Therefore sets there are read by read(2) by default. If this test
 * fails, the kernel is fixed, and the default can be changed.
 */
Test(hw_taken, an_unguarded_read_is_killed, .timeout = 60)
{
	pid_t tool, reader;

	if (!SELFMON_ARCH_USER_READ_UNSAFE)
		cr_skip_test("user reads are safe on " SELFMON_ARCH_NAME);
	hw_require_guest();
	hw_pin(0);
	tool = tool_start();
	reader = fork();
	if (reader == 0) {
		visit_often(hw_open_with("instructions",
					 SELFMON_COUNTERS_UNGUARDED));
		_exit(0);
	}
	cr_assert_eq(hw_wait(reader), 256 + SIGILL);
	kill(tool, SIGKILL);
	hw_wait(tool);
}

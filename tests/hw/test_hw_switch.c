/* SPDX-License-Identifier: MIT */
/* Tests context switches in and around visits. */
#define _GNU_SOURCE
#include "counters/group.h"
#include "hw/hw.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "counters/set.h"

#define VISITS 1000
#define SWITCHES 20000

/* A process on this CPU that answers while the caller sleeps. */
struct peer {
	int to, from; /* pipes, this side */
	pid_t pid;
};

static void answer(int in, int out)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(in, &byte, 1) == 1)
		if (write(out, &byte, 1) != 1)
			break;
	_exit(0);
}

static struct peer peer_start(void)
{
	int there[2], back[2];
	struct peer peer;

	cr_assert(!pipe(there) && !pipe(back));
	peer.pid = fork();
	cr_assert_geq(peer.pid, 0);
	if (peer.pid == 0) {
		close(there[1]);
		answer(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	peer.to = there[1];
	peer.from = back[0];
	return peer;
}

static void peer_end(const struct peer *peer)
{
	close(peer->to);
	close(peer->from);
	cr_assert_eq(hw_wait(peer->pid), 0);
}

/*
 * Asks the peer. The caller leaves this CPU, since the peer must run to answer.
 */
static void peer_ask(const struct peer *peer)
{
	char byte = 0;

	if (write(peer->to, &byte, 1) != 1 || read(peer->from, &byte, 1) != 1)
		cr_assert_fail("the peer is gone");
}

static HW_NOINLINE void visit_with_switch(struct selfmon_counters *set,
					  const struct peer *peer,
					  struct selfmon_delta *delta)
{
	struct selfmon_snapshot a, b;

	selfmon_counters_begin(set, &a);
	peer_ask(peer);
	selfmon_counters_end(set, &b);
	selfmon_counters_delta(set, &a, &b, delta);
}

static long preemptions(void)
{
	struct rusage usage;

	cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nivcsw;
}

static long switches(void)
{
	struct rusage usage;

	cr_assert_eq(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

Test(hw_switch, every_visit_with_a_forced_switch_is_marked_and_no_other)
{
	struct selfmon_counters *set;
	struct selfmon_delta delta;
	struct peer peer;
	int i, still = 0;

	hw_pin(0);
	set = hw_open("instructions");
	hw_require_user_reads(set);
	peer = peer_start();
	for (i = 0; i < VISITS; i++) {
		long before;

		visit_with_switch(set, &peer, &delta);
		cr_assert(delta.flags & SELFMON_DELTA_DISTURBED,
			  "a switch in visit %d is not marked", i);
		before = switches();
		hw_visit_loop(set, 1000, &delta);
		if (switches() != before)
			continue;
		still++;
		cr_assert_not(delta.flags & SELFMON_DELTA_DISTURBED,
			      "no switch in visit %d, but marked", i);
	}
	cr_assert_gt(still, 0);
	peer_end(&peer);
	selfmon_counters_close(set);
}

/* Counts of one kind of visit, which must all be the same. */
struct counted {
	uint64_t count;
	int visits, wrong;
};

/*
 * Skips visits in which a read was tried again. The instructions of a failed
 * attempt are counted, too.
 */
static void count_visit(struct counted *counted,
			const struct selfmon_delta *delta)
{
	if (delta->moved)
		return;
	if (counted->visits++ > 0)
		counted->wrong += delta->value[0].count != counted->count;
	counted->count = delta->value[0].count;
}

/* Makes visits in one of two processes. Returns the number of wrong counts. */
static int count_exactly(const struct peer *peer, uint64_t n)
{
	struct selfmon_counters *set = hw_open("instructions");
	struct counted with = { .visits = 0 }, without = { .visits = 0 };
	struct selfmon_delta delta;
	int i, wrong;

	visit_with_switch(set, peer, &delta); /* takes the page faults */
	for (i = 0; i < VISITS; i++) {
		visit_with_switch(set, peer, &delta);
		count_visit(&with, &delta);
		hw_visit_loop(set, n, &delta);
		count_visit(&without, &delta);
	}
	wrong = with.wrong + without.wrong + (with.visits < VISITS / 2) +
		(without.visits < VISITS / 2);
	hw_visit_loop(set, 1, &delta);
	if (!delta.moved)
		wrong += without.count - delta.value[0].count != 2 * (n - 1);
	selfmon_counters_close(set);
	return wrong;
}

Test(hw_switch, two_processes_on_one_cpu_are_both_exact)
{
	struct peer peer;
	pid_t other;
	int wrong;

	hw_require_pmu();
	hw_require_exact();
	hw_pin(0);
	other = fork();
	cr_assert_geq(other, 0);
	peer = peer_start();
	/* Long enough that both processes are preempted in some runs. */
	wrong = count_exactly(&peer, other ? 70000 : 50000);
	peer_end(&peer);
	if (other == 0)
		_exit(wrong ? 1 : 0);
	cr_assert_eq(wrong, 0, "%d visits", wrong);
	cr_assert_eq(hw_wait(other), 0);
}

Test(hw_switch, switches_without_multiplexing_leave_no_time_off_the_pmu)
{
	struct selfmon_counters *set;
	struct selfmon_group_read before, after;
	struct selfmon_snapshot a, b;
	struct peer peer;
	long from;
	int fd, i;

	hw_pin(0);
	set = hw_open("cycles,instructions");
	hw_require_user_reads(set);
	fd = selfmon_set_of(set)->member[0].fd_plus_1 - 1;
	peer = peer_start();
	cr_assert_eq(selfmon_group_read(fd, 2, &before), 0);
	selfmon_counters_begin(set, &a);
	from = switches();
	/* Each question causes two switches: to the peer and back. */
	for (i = 0; i < SWITCHES / 2; i++)
		peer_ask(&peer);
	cr_assert_geq(switches() - from, SWITCHES / 2);
	selfmon_counters_end(set, &b);
	cr_assert_eq(selfmon_group_read(fd, 2, &after), 0);
	cr_assert_eq(a.off_ns, b.off_ns, "the page: %jd ns",
		     (intmax_t)(b.off_ns - a.off_ns));
	cr_assert_eq(after.enabled_ns - after.running_ns,
		     before.enabled_ns - before.running_ns, "read(2)");
	peer_end(&peer);
	selfmon_counters_close(set);
}

/*
 * Returns the kernel's number of switches of the thread, and sets *event to the
 * number that the event counted. Repeats if there was a switch between the two
 * reads.
 */
static uint64_t switches_of_both(const struct selfmon_counters *set,
				 uint64_t *event)
{
	static const char path[] = "/proc/thread-self/status";
	struct selfmon_snapshot at;
	uint64_t before, after;

	after = hw_read_number(path, "\nvoluntary_ctxt_switches") +
		hw_read_number(path, "\nnonvoluntary_ctxt_switches");
	do {
		before = after;
		selfmon_counters_begin(set, &at);
		after = hw_read_number(path, "\nvoluntary_ctxt_switches") +
			hw_read_number(path, "\nnonvoluntary_ctxt_switches");
	} while (after != before);
	*event = at.value[hw_member(set, "context-switches")];
	return after;
}

Test(hw_switch, the_event_counts_what_the_kernel_says_of_the_thread)
{
	uint64_t event[2], status[2];
	struct selfmon_counters *set;
	struct peer peer;
	pid_t competitor;
	long before;
	int i;

	hw_require_pmu();
	hw_write_file("/proc/sys/kernel/perf_event_paranoid", "1");
	hw_pin(0);
	set = hw_open("instructions,context-switches");
	peer = peer_start();
	competitor = hw_competitor();
	status[0] = switches_of_both(set, &event[0]);
	before = preemptions();
	for (i = 0; i < 50; i++)
		peer_ask(&peer);
	while (preemptions() - before < 5)
		hw_loop(100000);
	status[1] = switches_of_both(set, &event[1]);
	cr_assert_eq(event[1] - event[0], status[1] - status[0],
		     "%ju by the event, %ju by the kernel",
		     (uintmax_t)(event[1] - event[0]),
		     (uintmax_t)(status[1] - status[0]));
	/* The 50 questions must switch to the peer, which has the same CPU. */
	cr_assert_geq(status[1] - status[0], 10);
	hw_competitor_end(competitor);
	peer_end(&peer);
	selfmon_counters_close(set);
}

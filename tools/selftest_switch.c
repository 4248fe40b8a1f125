/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_switch.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "selftest_row.h"
#include "selftest_work.h"

#define ROUNDS 9
#define TRIPS_MAX 20000

/* A process on the same CPU that answers while the caller sleeps. */
struct peer {
	int to, from;
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

static bool start(struct peer *peer)
{
	int there[2], back[2];

	if (pipe(there))
		return false;
	if (pipe(back)) {
		close(there[0]);
		close(there[1]);
		return false;
	}
	peer->pid = fork();
	if (peer->pid == 0) {
		close(there[1]);
		answer(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	peer->to = there[1];
	peer->from = back[0];
	return peer->pid > 0;
}

static void stop(const struct peer *peer)
{
	close(peer->to);
	close(peer->from);
	waitpid(peer->pid, NULL, 0);
}

/*
 * Returns the time of a round trip, in which this thread leaves its CPU once
 * and returns.
 */
static double ns_of_a_trip(const struct peer *peer, const struct selftest_case
			   *from)
{
	const struct selftest_timer timer =
		selftest_timer(from, 900 / (3 * ROUNDS));
	const uint64_t began = selftest_now_ns();
	char byte = 0;
	int trips;

	for (trips = 0; trips < TRIPS_MAX && !selftest_is_over(&timer); trips++)
		if (write(peer->to, &byte, 1) != 1 ||
		    read(peer->from, &byte, 1) != 1)
			return -1;
	if (!trips)
		return -1;
	return (double)(selftest_now_ns() - began) / trips;
}

static const struct {
	const char *events, *figure, *word;
} kinds[] = {
	{ NULL, "round trip, no event", "none" },
	{ "dummy", "round trip, a dummy event", "a dummy" },
	{ NULL, "round trip, four events", "four" },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Returns the time with this kind of events, or a negative value if the events
 * cannot be opened. The first kind has no events.
 */
static double measure(const struct peer *peer, const struct selftest_case *from,
		      size_t kind, const char *four)
{
	const char *const events = kind == KINDS - 1 ? four
						     : kinds[kind].events;
	struct selfmon_counters *set = NULL;
	double ns;

	if (kind == KINDS - 1 && !four)
		return -1;
	if (events && selfmon_counters_open(events, SELFMON_COUNTERS_STRICT,
					    &set, NULL) < 1) {
		selfmon_counters_close(set);
		return -1;
	}
	ns = ns_of_a_trip(peer, from);
	selfmon_counters_close(set);
	return ns;
}

void selftest_switches(const struct selftest_case *from,
		       struct selftest_row *row)
{
	const char *const four = selftest_four_events();
	double ns[KINDS][ROUNDS];
	struct peer peer;
	size_t kind, i;

	selftest_pin(-1);
	signal(SIGPIPE, SIG_IGN);
	if (!start(&peer)) {
		selftest_absent(row, "no second process");
		return;
	}
	/*
	 * Kinds alternate, so that changes of the machine's speed affect all of
	 * them.
	 */
	for (i = 0; i < ROUNDS; i++)
		for (kind = 0; kind < KINDS; kind++)
			ns[kind][i] = measure(&peer, from, kind, four);
	stop(&peer);
	for (kind = 0; kind < KINDS; kind++) {
		qsort(ns[kind], ROUNDS, sizeof(double), by_value);
		if (ns[kind][0] < 0)
			continue;
		selftest_figure(row, kinds[kind].figure, "ns",
				ns[kind][ROUNDS / 2]);
		selftest_say(&row->found, "%s%s %.0f ns",
			     kind ? ", " : "a round trip with events open: ",
			     kinds[kind].word, ns[kind][ROUNDS / 2]);
	}
}

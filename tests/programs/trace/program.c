/* SPDX-License-Identifier: MIT */
/*
 * Visits whose number and order are known, for tests/tools/trace.py:
 *
 *   program known         two threads that nest, a long visit, spans, fibers;
 *                         each outer visit has the mark of a frame
 *   program deep          visits of one name inside each other, from two places;
 *                         and WORKERS threads
 *   program laps          frames, each longer than LAP_US, around visits that
 *                         are as long, and around short visits
 *   program late FILE     the trace FILE begins long after the library's first
 *                         use; then one visit
 *   program slowest SEED  100 regions: nested, recursive, on fibers, in threads
 *   program rate V S      S seconds of V visits a second, by one thread
 *   program kill          visits until it is killed
 *   program fork          a child that visits regions
 *   program bursts FILE   four slow visits among short ones; after the first
 *                         three, waits until FILE, if any, has grown; the
 *                         fourth follows soon after the third
 *   program modes FILE    long visits among short ones: one in 4000, after
 *                         FILE has grown
 *   program always N      N visits, each of which is longer than 100 ns
 *   program always N FILE the same; after each of the first ALONE visits the
 *                         program waits until FILE, the trace, has grown: each
 *                         is a burst by itself
 *   program names R N     first one visit of each of R regions, which have
 *                         names of 200 bytes; then as "always N"
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <selfmon.h>

#define KNOWN 1000
#define TURNS 20
#define REGIONS 100
#define STACK 65536
#define BURSTS 3
#define STEPS 33333
#define NEAR 100
#define PARTS 5
#define SLOW_US 400000
#define ALONE 2000
#define DEPTH 5
#define WORKERS 25
#define LAPS 4
#define LAP_US 20000
#define LATE_US 100000

static void spin(unsigned int n)
{
	volatile unsigned int i;

	for (i = 0; i < n; i++)
		;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- fibers -------------------------------------------------------------- */

static ucontext_t home, away[2];
static struct selfmon_fiber *fiber[2];

static void switch_to(int which, ucontext_t *from)
{
	selfmon_fiber_switch(which < 0 ? NULL : fiber[which]);
	swapcontext(from, which < 0 ? &home : &away[which]);
}

static void turn(int which)
{
	int i;

	SELFMON_REGION("fiber's work")
		for (i = 0; i < TURNS; i++)
			SELFMON_REGION("turn") {
				SELFMON_REGION("step")
					spin(100);
				switch_to(-1, &away[which]);
			}
	switch_to(-1, &away[which]);
}

static void run_fibers(void)
{
	static char stack[2][STACK];
	int i, j;

	for (i = 0; i < 2; i++) {
		fiber[i] = selfmon_fiber_create("fiber");
		getcontext(&away[i]);
		away[i].uc_stack.ss_sp = stack[i];
		away[i].uc_stack.ss_size = STACK;
		away[i].uc_link = &home;
		makecontext(&away[i], (void (*)(void))turn, 1, i);
	}
	SELFMON_REGION("scheduler")
		for (j = 0; j <= TURNS; j++)
			for (i = 0; i < 2; i++)
				switch_to(i, &home);
	for (i = 0; i < 2; i++)
		selfmon_fiber_destroy(fiber[i]);
}

/* ---- modes --------------------------------------------------------------- */

static void *nest(void *name)
{
	int i;

	if (name)
		pthread_setname_np(pthread_self(), name);
	for (i = 0; i < KNOWN; i++)
		SELFMON_REGION("outer") {
			SELFMON_REGION("first")
				spin(50);
			selfmon_frame_mark("lap");
			SELFMON_REGION("second")
				spin(20);
		}
	return NULL;
}

static void known(void)
{
	struct selfmon_async_span span[3];
	pthread_t thread;
	int i;

	pthread_create(&thread, NULL, nest, (void *)(uintptr_t) "worker");
	nest(NULL);
	pthread_join(thread, NULL);
	for (i = 0; i < 3; i++)
		selfmon_async_begin(selfmon_region("request"), &span[i]);
	SELFMON_REGION("slow frame")
		usleep(20000);
	for (i = 0; i < 3; i++)
		selfmon_async_end(&span[i]);
	run_fibers();
}

static void descend(int depth)
{
	spin(10000);
	if (depth % 2)
		SELFMON_REGION("deep")
			descend(depth - 1);
	else if (depth)
		SELFMON_REGION("deep")
			descend(depth - 1);
}

static void *work(void *unused)
{
	SELFMON_REGION("work")
		spin(10);
	return unused;
}

static void deep(void)
{
	pthread_t thread[WORKERS];
	int i;

	SELFMON_REGION("around")
		descend(DEPTH);
	for (i = 0; i < WORKERS; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
}

static void late(const char *path)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;

	options.trace = path;
	selfmon_region("slow frame");
	usleep(LATE_US);
	if (selfmon_configure(&options))
		exit(1);
	SELFMON_REGION("slow frame")
		usleep(20000);
}

static void laps(void)
{
	int i;

	for (i = 0; i < LAPS; i++) {
		selfmon_frame_mark("lap");
		SELFMON_REGION("short")
			spin(10);
		SELFMON_REGION("long")
			usleep(LAP_US);
	}
}

/* Each call visits one region; the regions nest to the given depth. */
static void visit(unsigned int which, unsigned int depth, unsigned int *seed)
{
	static struct selfmon_region *region[REGIONS];
	struct selfmon_region *of =
		__atomic_load_n(&region[which], __ATOMIC_ACQUIRE);
	struct selfmon_frame frame;
	char name[32];

	if (!of) {
		snprintf(name, sizeof(name), "region %u", which);
		of = selfmon_region(name);
		__atomic_store_n(&region[which], of, __ATOMIC_RELEASE);
	}
	selfmon_enter(of, &frame);
	spin((unsigned int)rand_r(seed) % 50);
	if (rand_r(seed) % 100 == 0)
		spin(2000);
	if (depth)
		visit(rand_r(seed) % 3 ? (unsigned int)rand_r(seed) % REGIONS
				       : which,
		      depth - 1, seed);
	selfmon_leave(&frame);
}

static void *visit_all(void *context)
{
	unsigned int seed = (unsigned int)(uintptr_t)context, i;

	for (i = 0; i < 20 * REGIONS; i++)
		visit(i % REGIONS, (unsigned int)rand_r(&seed) % 6, &seed);
	return NULL;
}

static void slowest(unsigned int seed)
{
	pthread_t thread[3];
	uintptr_t i;

	for (i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, visit_all,
			       (void *)(seed + i));
	visit_all((void *)(seed + i));
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	run_fibers();
}

/* Visits follow the clock, so a thread that waited for a CPU catches up. */
static void rate(double visits_per_second, double seconds)
{
	const uint64_t begin = now_ns();
	uint64_t visits = 0, due, ns;
	int i;

	do {
		ns = now_ns() - begin;
		due = (uint64_t)((double)ns * 1e-9 * visits_per_second);
		for (i = 0; i < 1000 && visits < due; i++, visits++)
			SELFMON_REGION("paced")
				;
	} while ((double)ns < seconds * 1e9);
	printf("%llu visits in %.2f s\n", (unsigned long long)visits,
	       (double)(now_ns() - begin) * 1e-9);
}

static off_t size_of(const char *path)
{
	struct stat found;

	return stat(path, &found) ? 0 : found.st_size;
}

/*
 * Makes a slow visit, and waits until its burst is in the file, unless path is
 * empty: half of a ring, which is 2048 entries of 16 bytes with ring=64k.
 */
static void slow_frame(const char *path)
{
	const off_t size = size_of(path);
	int i;

	SELFMON_REGION("frame") {
		for (i = 0; i < PARTS; i++)
			SELFMON_REGION("part")
				;
		usleep(SLOW_US);
	}
	while (*path && size_of(path) < size + 2048 * 16)
		usleep(1000);
}

static void bursts(const char *path)
{
	int i;

	for (i = 1; i <= BURSTS * STEPS; i++) {
		SELFMON_REGION("step")
			;
		if (i % STEPS == 0)
			slow_frame(path);
	}
	for (i = 0; i < NEAR; i++)
		SELFMON_REGION("step")
			;
	slow_frame("");
}

static void query(bool slow)
{
	SELFMON_REGION("query")
		if (slow)
			usleep(SLOW_US / 10);
		else
			spin(100);
}

/*
 * A long visit triggers only if the percentile is known. So first there are
 * long visits until one has triggered, and FILE has grown.
 */
static void modes(const char *path)
{
	const off_t size = size_of(path);
	int i;

	for (i = 0; i < 20; i++)
		query(i == 10);
	for (i = 0; i < 200000; i++)
		query(false);
	while (size_of(path) < size + 2048 * 16)
		query(true);
	for (i = 1; i <= 40000; i++)
		query(i % 4000 == 0);
}

static void always(int visits, const char *path)
{
	int i;

	for (i = 0; i < visits; i++) {
		const bool alone = path && i < ALONE;
		const off_t size = alone ? size_of(path) : 0;

		SELFMON_REGION("long")
			spin(1000);
		while (alone && size_of(path) == size)
			sched_yield();
	}
}

static void names(int regions, int visits)
{
	char name[201];
	int i;

	for (i = 0; i < regions; i++) {
		snprintf(name, sizeof(name), "%0200d", i);
		SELFMON_REGION_OF(selfmon_region(name))
			spin(1000);
	}
	always(visits, NULL);
}

static void until_killed(void)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (;;)
		nest(NULL);
}

static void fork_child(void)
{
	nest(NULL);
	if (!fork()) {
		nest(NULL);
		exit(0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	const char *const mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "known"))
		known();
	else if (!strcmp(mode, "deep"))
		deep();
	else if (!strcmp(mode, "late") && argc == 3)
		late(argv[2]);
	else if (!strcmp(mode, "laps"))
		laps();
	else if (!strcmp(mode, "slowest") && argc == 3)
		slowest((unsigned int)atoi(argv[2]));
	else if (!strcmp(mode, "rate") && argc == 4)
		rate(atof(argv[2]), atof(argv[3]));
	else if (!strcmp(mode, "bursts") && argc == 3)
		bursts(argv[2]);
	else if (!strcmp(mode, "modes") && argc == 3)
		modes(argv[2]);
	else if (!strcmp(mode, "always") && (argc == 3 || argc == 4))
		always(atoi(argv[2]), argv[3]);
	else if (!strcmp(mode, "names") && argc == 4)
		names(atoi(argv[2]), atoi(argv[3]));
	else if (!strcmp(mode, "kill"))
		until_killed();
	else if (!strcmp(mode, "fork"))
		fork_child();
	else
		return 2;
	return 0;
}

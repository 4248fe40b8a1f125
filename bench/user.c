/* SPDX-License-Identifier: MIT */
/*
 * Runs N operations of one kind, by the code that reads four counters in user
 * space. bench/lines.sh uses the visits ("user"). bench/switch.sh uses the
 * snapshots, and the switches of fibers that have one or two open visits each:
 *
 *	user user|switched-1|switched|snapshot|loop N
 *	user address 0		prints the address of selfmon_impl_enter()
 *	user pages 0		prints the address of the events' pages
 *
 * It also runs on machines without user reads: this file and some of the
 * library's objects are compiled with RDTSC in place of RDPMC (see bench.mk).
 * The touched memory and the number of instructions are the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

#include "counters/set.h"
#include "store/self.h"

#define COUNT 4

/* Each event has a page of its own, as from the kernel. */
static struct {
	struct selfmon_page page __attribute__((aligned(4096)));
} place[COUNT];
static struct selfmon_set set __attribute__((aligned(64)));

static void make_set(void)
{
	unsigned int k;

	for (k = 0; k < COUNT; k++) {
		place[k].page.lock = 2;
		place[k].page.index = k + 1;
		place[k].page.pmc_width = 48;
		set.head.page[k] = &place[k].page;
		set.head.shift[k] = 16;
	}
	set.head.owner = selfmon_arch_thread_pointer();
	set.head.cpu = selfmon_thread_self()->cpu;
	set.head.hardware_count = COUNT;
	set.head.count = COUNT;
	set.head.sign = UINT64_C(1) << 47;
	set.head.max_per_tick = 16;
}

static __attribute__((noinline)) void visit(unsigned long n)
{
	for (; n > 0; n--)
		SELFMON_REGION("visit")
			selfmon_compiler_fence();
}

static __attribute__((noinline)) void loop(unsigned long n)
{
	for (; n > 0; n--)
		selfmon_compiler_fence();
}

static struct selfmon_snapshot snapshot;

static __attribute__((noinline)) void take_snapshots(unsigned long n)
{
	const struct selfmon_counters *const four = selfmon_thread_self()->set;

	for (; n > 0; n--)
		selfmon_counters_begin(four, &snapshot);
}

/* As in bench/instructions.c. */
static __attribute__((noinline)) void switch_fibers(unsigned long n, int open)
{
	struct selfmon_fiber *const fiber[2] = {
		selfmon_fiber_create("even"), selfmon_fiber_create("odd")
	};
	struct selfmon_region *const region = selfmon_region("switched");
	static struct selfmon_frame frame[2][2];
	int i, k;

	for (i = 0; i < 2; i++) {
		selfmon_fiber_switch(fiber[i]);
		for (k = 0; k < open; k++)
			selfmon_enter(region, &frame[i][k]);
	}
	for (; n > 0; n--)
		selfmon_fiber_switch(fiber[n & 1]);
	selfmon_fiber_switch(NULL);
}

static void switch_with_one(unsigned long n)
{
	switch_fibers(n, 1);
}

static void switch_with_two(unsigned long n)
{
	switch_fibers(n, 2);
}

static const struct user_way {
	const char *name;
	void (*run)(unsigned long n);
} user_ways[] = {
	{ "user", visit },
	{ "loop", loop },
	{ "snapshot", take_snapshots },
	{ "switched-1", switch_with_one },
	{ "switched", switch_with_two },
};

static int run_counted(void (*run)(unsigned long n), unsigned long n)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	struct selfmon_thread *thread;
	unsigned int k;

	options.output = NULL;
	options.events = "none";
	if (selfmon_configure(&options) || selfmon_prepare())
		return 1;
	thread = selfmon_thread_self();
	make_set();
	thread->set = &set.head;
	thread->max_per_tick = set.head.max_per_tick;
	for (k = 0; k < COUNT; k++)
		thread->column[k] = (uint8_t)k;
	selfmon_thread_set_mode(thread, SELFMON_MODE_USER);
	run(n);
	selfmon_thread_set_mode(thread, SELFMON_MODE_TIME);
	thread->set = NULL; /* it has no descriptors to close */
	return 0;
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc == 3 && strcmp(argv[1], "address") == 0)
		return printf("%lx\n", (unsigned long)selfmon_impl_enter) < 0;
	if (argc == 3 && strcmp(argv[1], "pages") == 0)
		return printf("%lx\n", (unsigned long)place) < 0;
	for (i = 0; argc == 3 && i < sizeof(user_ways) / sizeof(user_ways[0]);
	     i++)
		if (strcmp(argv[1], user_ways[i].name) == 0)
			return run_counted(user_ways[i].run,
					   strtoul(argv[2], NULL, 10));
	return 2;
}

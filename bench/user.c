/* SPDX-License-Identifier: MIT */
/*
 * n visits with four counters read in user space, on machines without user
 * reads, for bench/lines.sh:
 *
 *	user user N
 *	user address 0
 *
 * Linked with the library's objects, one of which has RDTSC in place of RDPMC
 * (see bench.mk). The touched memory and the number of instructions are the
 * same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

#include "counters/set.h"
#include "store/self.h"

#define COUNT 4

/* Each page is separate, as the kernel's are. */
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

static int visit_counted(unsigned long n)
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
	visit(n);
	selfmon_thread_set_mode(thread, SELFMON_MODE_TIME);
	thread->set = NULL; /* it has no descriptors to close */
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "address") == 0)
		return printf("%lx\n", (unsigned long)selfmon_impl_enter) < 0;
	if (argc == 3 && strcmp(argv[1], "pages") == 0)
		return printf("%lx\n", (unsigned long)place) < 0;
	if (argc != 3 || strcmp(argv[1], "user") != 0)
		return 2;
	return visit_counted(strtoul(argv[2], NULL, 10));
}

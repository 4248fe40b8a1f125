/* SPDX-License-Identifier: MIT */
#include "list_describe.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *text;
} named[] = {
	{ "cycles", "cycles of the core's clock while it runs the thread" },
	{ "instructions", "instructions retired" },
	{ "cache-references", "accesses to the last level of cache" },
	{ "cache-misses", "accesses that miss the last level of cache" },
	{ "branches", "branch instructions retired" },
	{ "branch-misses", "branches predicted wrongly" },
	{ "bus-cycles", "cycles of the bus" },
	{ "stalled-cycles-frontend", "cycles without instructions to issue" },
	{ "stalled-cycles-backend", "cycles that wait for results or memory" },
	{ "ref-cycles", "cycles at a constant rate while not halted" },
	{ "cpu-clock", "nanoseconds by the CPU's clock" },
	{ "task-clock", "nanoseconds the thread was on a CPU" },
	{ "page-faults", "page faults" },
	{ "minor-faults", "page faults without a read from a disk" },
	{ "major-faults", "page faults with a read from a disk" },
	{ "context-switches", "context switches of the thread" },
	{ "cpu-migrations", "migrations of the thread to another CPU" },
	{ "alignment-faults", "accesses that the kernel had to align" },
	{ "emulation-faults", "instructions that the kernel emulated" },
	{ "cgroup-switches", "switches to a thread of another cgroup" },
	{ "dummy", "nothing: always 0" },
};

static const struct {
	const char *name, *text;
} cache[] = {
	{ "L1-dcache", "first level data cache" },
	{ "L1-icache", "first level instruction cache" },
	{ "LLC", "last level of cache" },
	{ "dTLB", "translations of data addresses" },
	{ "iTLB", "translations of instruction addresses" },
	{ "branch", "branch prediction" },
	{ "node", "memory of the local NUMA node" },
};

static const struct {
	const char *name, *text;
} operation[] = {
	{ "loads", "loads" },
	{ "load-misses", "loads that miss" },
	{ "stores", "stores" },
	{ "store-misses", "stores that miss" },
	{ "prefetches", "prefetches" },
	{ "prefetch-misses", "prefetches that miss" },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *of_operation(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(operation); i++)
		if (!strcmp(name, operation[i].name))
			return operation[i].text;
	return NULL;
}

void list_describe(const char *name, char *text, size_t size)
{
	size_t i;

	text[0] = '\0';
	for (i = 0; i < COUNT(named); i++)
		if (!strcmp(name, named[i].name))
			snprintf(text, size, "%s", named[i].text);
	for (i = 0; i < COUNT(cache) && !text[0]; i++) {
		const size_t n = strlen(cache[i].name);

		if (!strncmp(name, cache[i].name, n) && name[n] == '-' &&
		    of_operation(name + n + 1))
			snprintf(text, size, "%s: %s", cache[i].text,
				 of_operation(name + n + 1));
	}
}

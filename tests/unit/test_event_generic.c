/* SPDX-License-Identifier: MIT */
/* Tests the names that perf list prints, and their aliases. */
#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include <selfmon/event.h>

#include "event/generic.h"

struct expected {
	const char *name;
	uint32_t type;
	uint64_t config;
};

/*
 * The tables have numbers instead of constants, so that a wrong constant in the
 * library is noticed.
 */
static const struct expected hardware_and_software[] = {
	{"cpu-cycles", 0, 0},
	{"cycles", 0, 0},
	{"instructions", 0, 1},
	{"cache-references", 0, 2},
	{"cache-misses", 0, 3},
	{"branch-instructions", 0, 4},
	{"branches", 0, 4},
	{"branch-misses", 0, 5},
	{"bus-cycles", 0, 6},
	{"stalled-cycles-frontend", 0, 7},
	{"idle-cycles-frontend", 0, 7},
	{"stalled-cycles-backend", 0, 8},
	{"idle-cycles-backend", 0, 8},
	{"ref-cycles", 0, 9},
	{"cpu-clock", 1, 0},
	{"task-clock", 1, 1},
	{"page-faults", 1, 2},
	{"faults", 1, 2},
	{"context-switches", 1, 3},
	{"cs", 1, 3},
	{"cpu-migrations", 1, 4},
	{"migrations", 1, 4},
	{"minor-faults", 1, 5},
	{"major-faults", 1, 6},
	{"alignment-faults", 1, 7},
	{"emulation-faults", 1, 8},
	{"dummy", 1, 9},
	{"cgroup-switches", 1, 11},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void expect_event(const char *name, uint32_t type, uint64_t config)
{
	struct selfmon_events events;
	struct selfmon_failure failure = {0};
	const int ret = selfmon_events_parse(name, &events, &failure);

	cr_assert_eq(ret, 1, "%s gives %d: %s", name, ret, failure.message);
	cr_expect_str_eq(events.event[0].name, name);
	cr_expect_eq(events.event[0].type, type, "%s: type %u", name,
		     events.event[0].type);
	cr_expect_eq(events.event[0].config, config, "%s: config %llx", name,
		     (unsigned long long)events.event[0].config);
	cr_expect_eq(events.event[0].config1 | events.event[0].config2, 0);
}

static void expect_unknown(const char *name)
{
	struct selfmon_events events;

	cr_expect_eq(selfmon_events_parse(name, &events, NULL), -2,
		     "%s is taken", name);
}

Test(event_generic, knows_every_hardware_and_software_name)
{
	size_t i;

	for (i = 0; i < COUNT(hardware_and_software); i++)
		expect_event(hardware_and_software[i].name,
			     hardware_and_software[i].type,
			     hardware_and_software[i].config);
}

/* One line for each cache, in the order of enum perf_hw_cache_id. */
static const char *const cache_words[] = {
	"L1-dcache l1-d l1d L1-data",
	"L1-icache l1-i l1i L1-instruction",
	"LLC L2",
	"dTLB d-tlb Data-TLB",
	"iTLB i-tlb Instruction-TLB",
	"branch branches bpu btb bpc",
	"node",
};

static const char *const op_words[] = {
	"load loads read",
	"store stores write",
	"prefetch prefetches speculative-read speculative-load",
};

static const char *const result_words[] = {
	"refs Reference ops access",
	"misses miss",
};

/*
 * Which operations are valid. Rows are caches; columns are load, store,
 * prefetch.
 */
static const char *const valid[] = {"yyy", "y-y", "yyy", "yyy",
				    "y--", "y--", "yyy"};

static bool is_valid(unsigned int cache, unsigned int op)
{
	return valid[cache][op] == 'y';
}

static bool next_word(const char **line, char *word)
{
	int n = 0;

	if (sscanf(*line, "%31s%n", word, &n) != 1)
		return false;
	*line += n;
	return true;
}

static void expect_cache(const char *name, unsigned int cache,
			 unsigned int op, unsigned int result)
{
	static const char *const of_hardware[] = {
		"branches", "branch-misses", NULL};
	size_t i;

	/* For perf, these words are hardware events. */
	for (i = 0; of_hardware[i]; i++) {
		if (strcmp(name, of_hardware[i]) == 0)
			return;
	}
	if (is_valid(cache, op))
		expect_event(name, 3, cache + (op << 8) + (result << 16));
	else
		expect_unknown(name);
}

/*
 * Tests all spellings of cache, operation and result, with the last two in
 * either order.
 */
static void expect_spellings(unsigned int cache, unsigned int op,
			     unsigned int result)
{
	const char *caches = cache_words[cache];
	char c[32], o[32], r[32], name[128];

	while (next_word(&caches, c)) {
		const char *ops = op_words[op];

		while (next_word(&ops, o)) {
			const char *results = result_words[result];

			while (next_word(&results, r)) {
				snprintf(name, sizeof(name), "%s-%s-%s", c, o,
					 r);
				expect_cache(name, cache, op, result);
				snprintf(name, sizeof(name), "%s-%s-%s", c, r,
					 o);
				expect_cache(name, cache, op, result);
			}
		}
	}
}

Test(event_generic, knows_the_whole_grid_of_cache_events)
{
	unsigned int i;

	for (i = 0; i < 7 * 3 * 2; i++)
		expect_spellings(i / 6, i / 2 % 3, i % 2);
}

Test(event_generic, takes_loads_where_a_cache_name_gives_no_operation)
{
	unsigned int cache, result;

	for (cache = 0; cache < 7; cache++) {
		const char *caches = cache_words[cache];
		char c[32], r[32], name[128];

		while (next_word(&caches, c)) {
			expect_cache(c, cache, 0, 0);
			for (result = 0; result < 2; result++) {
				const char *results = result_words[result];

				while (next_word(&results, r)) {
					snprintf(name, sizeof(name), "%s-%s",
						 c, r);
					expect_cache(name, cache, 0, result);
				}
			}
		}
	}
}

Test(event_generic, takes_accesses_where_a_cache_name_gives_no_result)
{
	unsigned int cache, op;

	for (cache = 0; cache < 7; cache++) {
		for (op = 0; op < 3; op++) {
			const char *caches = cache_words[cache];
			char c[32], o[32], name[128];

			while (next_word(&caches, c)) {
				const char *ops = op_words[op];

				while (next_word(&ops, o)) {
					snprintf(name, sizeof(name), "%s-%s",
						 c, o);
					expect_cache(name, cache, op, 0);
				}
			}
		}
	}
}

Test(event_generic, takes_branches_and_branch_misses_for_hardware_events)
{
	expect_event("branches", PERF_TYPE_HARDWARE,
		     PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	expect_event("branch-misses", PERF_TYPE_HARDWARE,
		     PERF_COUNT_HW_BRANCH_MISSES);
}

Test(event_generic, refuses_what_only_looks_like_a_cache_event)
{
	static const char *const names[] = {
		"L1-dcache-", "L1-dcache-load-", "L1-dcacheloads",
		"L1-dcache-load-store", "L1-dcache-misses-refs",
		"L1-dcache-load-misses-misses", "L1-dcache--misses",
		"-L1-dcache", "l1", "L1", "L1-", "LLC-loadsx", "nodes",
		"L1-Dcache", "llc", "dtlb-loads", "branch-load-misses-",
		"node-load-misses-read", "loads", "misses"};
	size_t i;

	for (i = 0; i < COUNT(names); i++)
		expect_unknown(names[i]);
}

Test(event_generic, refuses_perf_words_that_count_nothing)
{
	expect_unknown("bpf-output");
	expect_unknown("duration_time");
	expect_unknown("user_time");
	expect_unknown("system_time");
}

static uint32_t flags_of(const char *name)
{
	struct selfmon_events events;

	cr_assert_eq(selfmon_events_parse(name, &events, NULL), 1, "%s", name);
	return events.event[0].flags;
}

Test(event_generic, marks_hardware_and_cache_events_as_of_a_core_pmu)
{
	cr_expect_eq(flags_of("cycles"), SELFMON_EVENT_HARDWARE);
	cr_expect_eq(flags_of("ref-cycles"), SELFMON_EVENT_HARDWARE);
	cr_expect_eq(flags_of("LLC-load-misses"), SELFMON_EVENT_HARDWARE);
	cr_expect_eq(flags_of("task-clock"), 0);
	cr_expect_eq(flags_of("page-faults"), 0);
	cr_expect_eq(flags_of("dummy"), 0);
}

Test(event_generic, marks_events_that_fire_in_kernel_mode)
{
	static const char *const names[] = {
		"context-switches", "cs", "cpu-migrations", "migrations",
		"cgroup-switches"};
	size_t i;

	for (i = 0; i < COUNT(names); i++)
		cr_expect_eq(flags_of(names[i]), SELFMON_EVENT_KERNEL_FIRED,
			     "%s", names[i]);
}

Test(event_generic, lists_every_name_once_and_each_parses_to_itself)
{
	struct selfmon_event event, other;
	size_t count, i;

	for (count = 0; selfmon_generic_at(count, &event); count++) {
		expect_event(event.name, event.type, event.config);
		cr_expect_eq(flags_of(event.name), event.flags);
		for (i = 0; i < count; i++) {
			selfmon_generic_at(i, &other);
			cr_expect_str_neq(event.name, other.name);
		}
	}
	/* 28 names, and 16 operations of caches with accesses and misses */
	cr_expect_eq(count, 28 + 2 * 16, "%zu names", count);
}

Test(event_generic, lists_cache_events_as_perf_list_prints_them)
{
	static const char *const names[] = {
		"L1-dcache-loads", "L1-dcache-load-misses",
		"L1-dcache-stores", "L1-dcache-store-misses",
		"L1-dcache-prefetches", "L1-dcache-prefetch-misses"};
	struct selfmon_event event;
	size_t i;

	for (i = 0; i < COUNT(names); i++) {
		cr_assert(selfmon_generic_at(28 + i, &event));
		cr_expect_str_eq(event.name, names[i]);
	}
}

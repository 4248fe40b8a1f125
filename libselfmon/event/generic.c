/* SPDX-License-Identifier: MIT */
#include "event/generic.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* In <linux/perf_event.h> since Linux 5.13. */
#define SW_CGROUP_SWITCHES 11

struct named_event {
	const char *name;
	uint32_t type;
	uint32_t config;
};

#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SW(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id

/*
 * bpf-output is left out: it carries the samples of BPF programs and never
 * counts (kernel/trace/bpf_trace.c, __bpf_perf_event_output).
 */
static const struct named_event named_events[] = {
	{"cycles", HW(CPU_CYCLES)},
	{"cpu-cycles", HW(CPU_CYCLES)},
	{"instructions", HW(INSTRUCTIONS)},
	{"cache-references", HW(CACHE_REFERENCES)},
	{"cache-misses", HW(CACHE_MISSES)},
	{"branches", HW(BRANCH_INSTRUCTIONS)},
	{"branch-instructions", HW(BRANCH_INSTRUCTIONS)},
	{"branch-misses", HW(BRANCH_MISSES)},
	{"bus-cycles", HW(BUS_CYCLES)},
	{"stalled-cycles-frontend", HW(STALLED_CYCLES_FRONTEND)},
	{"idle-cycles-frontend", HW(STALLED_CYCLES_FRONTEND)},
	{"stalled-cycles-backend", HW(STALLED_CYCLES_BACKEND)},
	{"idle-cycles-backend", HW(STALLED_CYCLES_BACKEND)},
	{"ref-cycles", HW(REF_CPU_CYCLES)},
	{"cpu-clock", SW(CPU_CLOCK)},
	{"task-clock", SW(TASK_CLOCK)},
	{"page-faults", SW(PAGE_FAULTS)},
	{"faults", SW(PAGE_FAULTS)},
	{"minor-faults", SW(PAGE_FAULTS_MIN)},
	{"major-faults", SW(PAGE_FAULTS_MAJ)},
	{"context-switches", SW(CONTEXT_SWITCHES)},
	{"cs", SW(CONTEXT_SWITCHES)},
	{"cpu-migrations", SW(CPU_MIGRATIONS)},
	{"migrations", SW(CPU_MIGRATIONS)},
	{"alignment-faults", SW(ALIGNMENT_FAULTS)},
	{"emulation-faults", SW(EMULATION_FAULTS)},
	{"cgroup-switches", PERF_TYPE_SOFTWARE, SW_CGROUP_SWITCHES},
	{"dummy", SW(DUMMY)},
};

#define NAMED_COUNT (sizeof(named_events) / sizeof(named_events[0]))

#define CACHES PERF_COUNT_HW_CACHE_MAX
#define OPS PERF_COUNT_HW_CACHE_OP_MAX
#define RESULTS PERF_COUNT_HW_CACHE_RESULT_MAX
#define ALIASES 6

/*
 * The first alias of each row is the name in `perf list`. A NULL ends each row,
 * since no row has ALIASES names.
 */
static const char *const caches[CACHES][ALIASES] = {
	[PERF_COUNT_HW_CACHE_L1D] = {"L1-dcache", "l1-d", "l1d", "L1-data"},
	[PERF_COUNT_HW_CACHE_L1I] = {"L1-icache", "l1-i", "l1i",
				     "L1-instruction"},
	[PERF_COUNT_HW_CACHE_LL] = {"LLC", "L2"},
	[PERF_COUNT_HW_CACHE_DTLB] = {"dTLB", "d-tlb", "Data-TLB"},
	[PERF_COUNT_HW_CACHE_ITLB] = {"iTLB", "i-tlb", "Instruction-TLB"},
	[PERF_COUNT_HW_CACHE_BPU] = {"branch", "branches", "bpu", "btb",
				     "bpc"},
	[PERF_COUNT_HW_CACHE_NODE] = {"node"},
};

/*
 * `perf list` uses the second alias of a row for accesses, and the first one
 * for misses.
 */
static const char *const ops[OPS][ALIASES] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {"load", "loads", "read"},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {"store", "stores", "write"},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {"prefetch", "prefetches",
					     "speculative-read",
					     "speculative-load"},
};

static const char *const results[RESULTS][ALIASES] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {"refs", "Reference", "ops",
					       "access"},
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = {"misses", "miss"},
};

#define OP(id) (1u << PERF_COUNT_HW_CACHE_OP_##id)

/*
 * The operations that each cache has. Programs do not write to instruction
 * caches, and instruction TLBs and branch predictors are only read (perf
 * refuses the same operations: tools/perf/util/evsel.c,
 * evsel__is_cache_op_valid).
 */
static const unsigned int cache_ops[CACHES] = {
	[PERF_COUNT_HW_CACHE_L1D] = OP(READ) | OP(WRITE) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_L1I] = OP(READ) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_LL] = OP(READ) | OP(WRITE) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_DTLB] = OP(READ) | OP(WRITE) | OP(PREFETCH),
	[PERF_COUNT_HW_CACHE_ITLB] = OP(READ),
	[PERF_COUNT_HW_CACHE_BPU] = OP(READ),
	[PERF_COUNT_HW_CACHE_NODE] = OP(READ) | OP(WRITE) | OP(PREFETCH),
};

static bool cache_has(size_t cache, size_t op)
{
	return cache_ops[cache] & (1u << op);
}

/*
 * Returns true for events that occur only in kernel mode: with exclude_kernel
 * their count is always 0.
 */
static bool fires_in_kernel(uint64_t config)
{
	return config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
	       config == PERF_COUNT_SW_CPU_MIGRATIONS ||
	       config == SW_CGROUP_SWITCHES;
}

uint32_t selfmon_generic_flags(uint32_t type, uint64_t config)
{
	switch (type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return SELFMON_EVENT_HARDWARE;
	case PERF_TYPE_SOFTWARE:
		return fires_in_kernel(config) ? SELFMON_EVENT_KERNEL_FIRED
					       : 0;
	case PERF_TYPE_TRACEPOINT:
		return SELFMON_EVENT_KERNEL_FIRED;
	default:
		return 0;
	}
}

static void set_event(struct selfmon_event *event, uint32_t type,
		      uint64_t config)
{
	event->type = type;
	event->config = config;
	event->flags = selfmon_generic_flags(type, config);
}

/* PERF_TYPE_HW_CACHE: cache, operation and result are bytes of config. */
static void set_cache_event(struct selfmon_event *event, size_t cache,
			    size_t op, size_t result)
{
	set_event(event, PERF_TYPE_HW_CACHE, cache | op << 8 | result << 16);
}

/*
 * Finds the longest alias at the beginning of the text. After the alias, the
 * text must end or continue with a dash. Returns the alias's length (0: none
 * found) and its row.
 */
static size_t match_alias(const char *const table[][ALIASES], size_t rows,
			  const char *text, size_t length, size_t *row)
{
	size_t best = 0;
	size_t i, j;

	for (i = 0; i < rows; i++) {
		for (j = 0; table[i][j]; j++) {
			const size_t n = strlen(table[i][j]);

			if (n <= best || n > length ||
			    memcmp(text, table[i][j], n) ||
			    (n < length && text[n] != '-'))
				continue;
			best = n;
			*row = i;
		}
	}
	return best;
}

/* Removes "-word" from the front of the text, if the word is in the table. */
static bool take_word(const char *const table[][ALIASES], size_t rows,
		      const char **text, size_t *length, size_t *row)
{
	size_t n;

	if (*length < 2 || **text != '-')
		return false;
	n = match_alias(table, rows, *text + 1, *length - 1, row);
	if (n == 0)
		return false;
	*text += n + 1;
	*length -= n + 1;
	return true;
}

/*
 * Parses CACHE[-OPERATION][-RESULT]. As in perf, operation and result may be in
 * any order. The operation defaults to reads and the result to accesses.
 */
static int find_cache_event(const char *name, size_t length,
			    struct selfmon_event *event)
{
	size_t cache = 0;
	size_t op = PERF_COUNT_HW_CACHE_OP_READ;
	size_t result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	const size_t n = match_alias(caches, CACHES, name, length, &cache);
	bool has_op;

	if (n == 0)
		return -ENOENT;
	name += n;
	length -= n;
	has_op = take_word(ops, OPS, &name, &length, &op);
	take_word(results, RESULTS, &name, &length, &result);
	if (!has_op)
		take_word(ops, OPS, &name, &length, &op);
	if (length > 0 || !cache_has(cache, op))
		return -ENOENT;
	set_cache_event(event, cache, op, result);
	return 0;
}

int selfmon_generic_find(const char *name, size_t length,
			 struct selfmon_event *event)
{
	size_t i;

	for (i = 0; i < NAMED_COUNT; i++) {
		const struct named_event *known = &named_events[i];

		if (strlen(known->name) == length &&
		    memcmp(known->name, name, length) == 0) {
			set_event(event, known->type, known->config);
			return 0;
		}
	}
	return find_cache_event(name, length, event);
}

/* Writes the name as in `perf list`: LLC-loads, LLC-load-misses. */
static void name_cache_event(struct selfmon_event *event, size_t cache,
			     size_t op, size_t result)
{
	if (result == PERF_COUNT_HW_CACHE_RESULT_ACCESS)
		snprintf(event->name, sizeof(event->name), "%s-%s",
			 caches[cache][0], ops[op][1]);
	else
		snprintf(event->name, sizeof(event->name), "%s-%s-%s",
			 caches[cache][0], ops[op][0], results[result][0]);
}

static bool cache_event_at(size_t index, struct selfmon_event *event)
{
	size_t i;

	for (i = 0; i < (size_t)CACHES * OPS * RESULTS; i++) {
		const size_t cache = i / (OPS * RESULTS);
		const size_t op = i / RESULTS % OPS;
		const size_t result = i % RESULTS;

		if (!cache_has(cache, op) || index-- > 0)
			continue;
		name_cache_event(event, cache, op, result);
		set_cache_event(event, cache, op, result);
		return true;
	}
	return false;
}

bool selfmon_generic_at(size_t index, struct selfmon_event *event)
{
	const struct named_event *known;

	if (index >= NAMED_COUNT)
		return cache_event_at(index - NAMED_COUNT, event);
	known = &named_events[index];
	snprintf(event->name, sizeof(event->name), "%s", known->name);
	set_event(event, known->type, known->config);
	return true;
}

static bool next_name(struct selfmon_words *words, char *word, size_t size)
{
	struct selfmon_event event;

	if (!selfmon_generic_at(words->index, &event))
		return false;
	words->index++;
	snprintf(word, size, "%s", event.name);
	return true;
}

struct selfmon_words selfmon_generic_words(void)
{
	const struct selfmon_words words = {.next = next_name};

	return words;
}

/* SPDX-License-Identifier: MIT */
/*
 * The call stacks of a thread's samples, counted by node and label. Their
 * memory is limited for the whole process. If there is no memory for a sample's
 * stack, the sample is only counted in its node.
 */
#ifndef SELFMON_STORE_STACKS_H
#define SELFMON_STORE_STACKS_H

#include <stdbool.h>
#include <stdint.h>

struct selfmon_process;

/*
 * Memory limit for the stacks of all threads: enough for 30,000 stacks of 10
 * addresses.
 */
#define SELFMON_STACKS_BYTES (4u << 20)
#define SELFMON_STACK_CHUNK 4096u
#define SELFMON_STACK_DEPTH_MAX 127u /* kernel.perf_event_max_stack */
#define SELFMON_STACK_SLOTS 256u

struct selfmon_stack_key {
	uint32_t ordinal; /* of the node */
	uint32_t depth;
	uint64_t label;
};

/*
 * A call stack. Once count is above 0, the key and the addresses do not change.
 */
struct selfmon_stack_entry {
	struct selfmon_stack_entry *next; /* with the same hash */
	struct selfmon_stack_key key;
	uint64_t count;		       /* 0: no entry yet */
	/* Lowest and highest address of the accessed data. */
	uint64_t data_low, data_high;
	uint64_t address[];
};

struct selfmon_stack_chunk {
	struct selfmon_stack_chunk *next;
	uint32_t used;
	uint32_t padding;
	char data[SELFMON_STACK_CHUNK - 16];
};

/* The call stacks of one thread. Written under the ring's lock. */
struct selfmon_stacks {
	struct selfmon_stack_chunk *first, *last;
	struct selfmon_stack_entry *slot[SELFMON_STACK_SLOTS];
	uint64_t unstored; /* number of samples whose stack is not stored */
};

/*
 * Counts a sample. Takes the process lock if it needs memory. The caller has
 * blocked signals.
 */
void selfmon_stacks_add(struct selfmon_stacks *stacks,
			const struct selfmon_stack_key *key,
			const uint64_t *address, uint64_t data);
/*
 * Calls take() for each entry until take() returns an error. Returns 0 or that
 * error. For readers; needs no lock.
 */
int selfmon_stacks_read(const struct selfmon_stacks *stacks,
			int (*take)(void *context,
				    const struct selfmon_stack_entry *entry),
			void *context);

#endif

/* SPDX-License-Identifier: MIT */
#include "store/stacks.h"

#include <string.h>

#include <selfmon/arch.h>

#include "store/lock.h"
#include "store/memory.h"
#include "store/process.h"

static uint64_t stack_hash(const struct selfmon_stack_key *key,
			const uint64_t *address)
{
	uint64_t hash = key->label * 31 + key->ordinal;
	uint32_t i;

	for (i = 0; i < key->depth; i++)
		hash = (hash ^ address[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return hash >> 32;
}

static bool is_entry_of(const struct selfmon_stack_entry *entry,
			const struct selfmon_stack_key *key,
			const uint64_t *address)
{
	return entry->key.ordinal == key->ordinal &&
	       entry->key.depth == key->depth &&
	       entry->key.label == key->label &&
	       !memcmp(entry->address, address,
		       key->depth * sizeof(*address));
}

static struct selfmon_stack_chunk *take_chunk(void)
{
	struct selfmon_process *const process = selfmon_process();
	struct selfmon_stack_chunk *chunk = NULL;

	selfmon_process_lock(process);
	if (process->stack_bytes + sizeof(*chunk) <= SELFMON_STACKS_BYTES)
		chunk = selfmon_memory_wiped(sizeof(*chunk));
	if (chunk)
		process->stack_bytes += sizeof(*chunk);
	selfmon_process_unlock(process);
	return chunk;
}

/* Returns zeroed memory of `size` bytes (at most a chunk), or NULL. */
static void *stack_room(struct selfmon_stacks *stacks, uint32_t size)
{
	struct selfmon_stack_chunk *chunk = stacks->last;

	if (!chunk || chunk->used + size > sizeof(chunk->data)) {
		chunk = take_chunk();
		if (!chunk)
			return NULL;
		/*
		 * Release: a reader that loads the pointer sees a zeroed chunk.
		 */
		__atomic_store_n(stacks->last ? &stacks->last->next
					      : &stacks->first,
				 chunk, __ATOMIC_RELEASE);
		stacks->last = chunk;
	}
	chunk->used += size;
	return chunk->data + chunk->used - size;
}

static uint32_t size_of(uint32_t depth)
{
	return (uint32_t)(sizeof(struct selfmon_stack_entry) +
			  depth * sizeof(uint64_t));
}

static void add_data(struct selfmon_stack_entry *entry, uint64_t data)
{
	if (data < entry->data_low || !entry->count)
		selfmon_store_once(&entry->data_low, data);
	if (data > entry->data_high)
		selfmon_store_once(&entry->data_high, data);
}

void selfmon_stacks_add(struct selfmon_stacks *stacks,
			const struct selfmon_stack_key *key,
			const uint64_t *address, uint64_t data)
{
	struct selfmon_stack_entry **const slot =
		&stacks->slot[stack_hash(key, address) % SELFMON_STACK_SLOTS];
	struct selfmon_stack_entry *entry = *slot;

	while (entry && !is_entry_of(entry, key, address))
		entry = entry->next;
	if (!entry) {
		entry = stack_room(stacks, size_of(key->depth));
		if (!entry) {
			selfmon_store_once(&stacks->unstored,
					   stacks->unstored + 1);
			return;
		}
		entry->key = *key;
		memcpy(entry->address, address,
		       key->depth * sizeof(*address));
		entry->next = *slot;
		*slot = entry;
	}
	add_data(entry, data);
	/*
	 * Release: a reader that loads a count other than 0 sees the complete
	 * entry.
	 */
	__atomic_store_n(&entry->count, entry->count + 1, __ATOMIC_RELEASE);
}

int selfmon_stacks_read(const struct selfmon_stacks *stacks,
			int (*take)(void *context,
				    const struct selfmon_stack_entry *entry),
			void *context)
{
	const struct selfmon_stack_chunk *chunk =
		__atomic_load_n(&stacks->first, __ATOMIC_ACQUIRE);
	const struct selfmon_stack_entry *entry;
	uint32_t at;
	int error = 0;

	for (; chunk; chunk = __atomic_load_n(&chunk->next, __ATOMIC_ACQUIRE))
		for (at = 0; at + size_of(0) <= sizeof(chunk->data);
		     at += size_of(entry->key.depth)) {
			entry = (const void *)(chunk->data + at);
			if (!__atomic_load_n(&entry->count, __ATOMIC_ACQUIRE))
				break;
			error = take(context, entry);
			if (error)
				return error;
		}
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * The library's allocator: maps chunks, allocates small pieces of them, and
 * frees nothing. It does not use malloc, because the program may be measuring
 * malloc.
 *
 * There are two pools. A forked child keeps the contents of the pool `kept`. In
 * the pool `wiped` a child finds zeros and maps new chunks. The child does not
 * reuse the old chunks: memory that the frames of the parent's threads point to
 * must stay zero.
 *
 * Callers hold the process lock.
 */
#include "store/memory.h"

#include <string.h>

#include "platform/kernel.h"
#include "store/state.h"

#define CHUNK_SIZE ((size_t)1 << 20)
#define CHUNKS_MAX 16384

struct pool {
	size_t chunks;
	size_t current;   /* chunk from which pieces are allocated */
	size_t used;      /* number of bytes used in this chunk */
	char *chunk[CHUNKS_MAX];
	size_t size[CHUNKS_MAX];
};

/*
 * No initialisers: the pools have 256 KiB each, which would take space in the
 * object file.
 */
static struct pool kept, wiped;
static bool cannot_wipe; /* true before Linux 4.14 */

void selfmon_memory_start(bool wipes)
{
	cannot_wipe = !wipes;
}

static bool pool_grow(struct pool *pool, size_t size)
{
	const size_t chunk = size > CHUNK_SIZE ? size : CHUNK_SIZE;
	void *memory = NULL;

	if (pool->chunks == CHUNKS_MAX ||
	    selfmon_kernel_map_memory(chunk, pool == &wiped && !cannot_wipe,
				      &memory))
		return false;
	pool->chunk[pool->chunks] = memory;
	pool->size[pool->chunks] = chunk;
	__atomic_store_n(&pool->chunks, pool->chunks + 1, __ATOMIC_RELEASE);
	return true;
}

/*
 * Returns the first free offset in the chunk that is `offset` bytes after the
 * beginning of a cache line.
 */
static size_t place_at(const struct pool *pool, size_t offset)
{
	const size_t up = pool->used + SELFMON_LINE - 1 - offset;

	return (up & ~(SELFMON_LINE - 1)) + offset;
}

/*
 * A fork may happen after the loop has incremented `current` and before it
 * clears `used`. The child then has the `used` of the previous chunk, which may
 * exceed the current chunk's size. The comparison in the loop handles this.
 */
static void *pool_take(struct pool *pool, size_t offset, size_t size)
{
	size_t place = place_at(pool, offset);

	while (pool->current < pool->chunks &&
	       place + size > pool->size[pool->current]) {
		pool->current++;
		pool->used = 0;
		place = offset;
	}
	if (pool->current == pool->chunks) {
		if (!pool_grow(pool, offset + size))
			return NULL;
		place = offset;
	}
	pool->used = place + size;
	return pool->chunk[pool->current] + place;
}

void *selfmon_memory_kept(size_t size)
{
	return pool_take(&kept, 0, size);
}

void *selfmon_memory_wiped(size_t size)
{
	return pool_take(&wiped, 0, size);
}

void *selfmon_memory_wiped_at(size_t offset, size_t size)
{
	return pool_take(&wiped, offset, size);
}

void selfmon_memory_forked(void)
{
	size_t i;

	if (cannot_wipe)
		for (i = 0; i < wiped.chunks; i++)
			memset(wiped.chunk[i], 0, wiped.size[i]);
	wiped.current = wiped.chunks;
	wiped.used = 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Which descriptors are ours, by the kernel's number of the event behind each.
 *
 * The table is ordinary memory: a forked child, whose sets are wiped, finds in
 * it what it has inherited, and closes that before it opens events of its own.
 * The host may have closed it already and may be using the number for a file:
 * an event is known by its id, which the kernel never uses twice.
 *
 * No lock: the kernel gives a descriptor to one thread at a time.
 */
#include "counters/held.h"

#include "platform/kernel.h"

#define PAGE_BITS 9
#define PAGE_SLOTS (1u << PAGE_BITS)
#define PAGES 2048 /* a million descriptors; those beyond are not noted */

enum state {
	STATE_NEW = 0, /* as a child finds it */
	STATE_SWEEPING,
	STATE_READY
};

/* Written once each; the addresses are kept by children. */
static uint64_t *page[PAGES];
static uint32_t *state; /* wiped */
static uint32_t count;

static uint32_t *state_word(void)
{
	uint32_t *expected = NULL;
	void *memory;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE))
		return state;
	if (selfmon_kernel_map_memory(sizeof(*state), true, &memory))
		return NULL;
	if (__atomic_compare_exchange_n(&state, &expected, memory, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return memory;
	selfmon_kernel_unmap_memory(memory, sizeof(*state));
	return expected;
}

/* The place of a descriptor; NULL: there is none. */
static uint64_t *slot_of(int fd, bool make)
{
	const size_t i = (size_t)(unsigned int)fd >> PAGE_BITS;
	uint64_t *expected = NULL;
	void *memory;

	if (fd < 0 || i >= PAGES)
		return NULL;
	if (!__atomic_load_n(&page[i], __ATOMIC_ACQUIRE)) {
		const size_t size = PAGE_SLOTS * sizeof(uint64_t);

		if (!make || selfmon_kernel_map_memory(size, false, &memory))
			return NULL;
		if (!__atomic_compare_exchange_n(&page[i], &expected, memory,
						 false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE))
			selfmon_kernel_unmap_memory(memory, size);
	}
	return &page[i][(unsigned int)fd & (PAGE_SLOTS - 1)];
}

static void close_if_inherited(int fd, uint64_t *slot)
{
	const uint64_t noted = selfmon_load_once(slot);

	if (!noted)
		return;
	if (selfmon_kernel_event_id(fd) == noted)
		selfmon_kernel_close(fd);
	selfmon_store_once(slot, 0);
}

static void sweep(void)
{
	size_t i, k;

	for (i = 0; i < PAGES; i++)
		for (k = 0; page[i] && k < PAGE_SLOTS; k++)
			close_if_inherited((int)(i << PAGE_BITS | k),
					   &page[i][k]);
	selfmon_store_once(&count, 0);
}

void selfmon_held_begin(void)
{
	uint32_t *const word = state_word();
	uint32_t expected = STATE_NEW;

	if (!word || __atomic_load_n(word, __ATOMIC_ACQUIRE) == STATE_READY)
		return;
	if (__atomic_compare_exchange_n(word, &expected, STATE_SWEEPING, false,
					__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		sweep();
		__atomic_store_n(word, STATE_READY, __ATOMIC_RELEASE);
		return;
	}
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != STATE_READY)
		selfmon_kernel_yield();
}

/*
 * Where there was no memory for the state nothing is noted: the next to begin
 * would take it for a parent's, and close it.
 */
static bool is_ready(void)
{
	const uint32_t *const word = __atomic_load_n(&state, __ATOMIC_ACQUIRE);

	return word && __atomic_load_n(word, __ATOMIC_ACQUIRE) == STATE_READY;
}

uint64_t selfmon_held_add(int fd)
{
	uint64_t *const slot = is_ready() ? slot_of(fd, true) : NULL;
	const uint64_t id = selfmon_kernel_event_id(fd);

	__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	if (id == SELFMON_EVENT_UNKNOWN)
		return 0;
	if (slot)
		selfmon_store_once(slot, id);
	return id;
}

bool selfmon_held_is(int fd, uint64_t id)
{
	const uint64_t now = id ? selfmon_kernel_event_id(fd) : 0;

	return now == id || now == SELFMON_EVENT_UNKNOWN;
}

/* A number that is another's now may be another set's: noted for that. */
void selfmon_held_close(int fd, uint64_t id)
{
	uint64_t *const slot = slot_of(fd, false);

	__atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
	if (slot && selfmon_load_once(slot) == id)
		selfmon_store_once(slot, 0);
	if (selfmon_held_is(fd, id))
		selfmon_kernel_close(fd);
}

void selfmon_held_drop(int fd)
{
	uint64_t *const slot = slot_of(fd, false);

	__atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
	if (slot)
		selfmon_store_once(slot, 0);
	selfmon_kernel_close(fd);
}

uint32_t selfmon_held_count(void)
{
	return selfmon_load_once(&count);
}

void selfmon_held_release(void)
{
	size_t i;

	for (i = 0; i < PAGES; i++)
		if (page[i]) {
			selfmon_kernel_unmap_memory(
				page[i], PAGE_SLOTS * sizeof(uint64_t));
			page[i] = NULL;
		}
	if (state)
		selfmon_kernel_unmap_memory(state, sizeof(*state));
	state = NULL;
}

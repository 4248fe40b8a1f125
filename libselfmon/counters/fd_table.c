/* SPDX-License-Identifier: MIT */
/*
 * Recognises the library's own descriptors by the kernel's id of each event.
 *
 * The table is not wiped by fork(), unlike counter sets. It lists the
 * descriptors that a forked child inherited, and the child closes them before
 * it opens events. The program may have closed a descriptor already and reused
 * its number for a file. Therefore events are identified by their ids, which
 * the kernel never reuses.
 *
 * No lock is needed: the kernel gives a descriptor's number to one thread at a
 * time.
 */
#include "counters/fd_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock/page_clock.h"
#include "platform/kernel.h"
#include "platform/once.h"

#define PAGE_BITS 9
#define PAGE_SLOTS (1u << PAGE_BITS)
#define PAGES 2048 /* for a million descriptors; higher ones are not stored */

#define MAP_LIMIT_PATH "/proc/sys/vm/max_map_count"
#define MAP_LIMIT 65530 /* DEFAULT_MAX_MAP_COUNT of <linux/mm.h> */

/* Each pointer is written once; forked children inherit it. */
static uint64_t *held[PAGES];
static struct selfmon_once swept;
static uint32_t count, maps;

/*
 * Several threads may allocate the same page at once. One page is used, and the
 * others are freed.
 */
static uint64_t *page_of(size_t i, bool make)
{
	const size_t size = PAGE_SLOTS * sizeof(uint64_t);
	uint64_t *page = __atomic_load_n(&held[i], __ATOMIC_ACQUIRE);
	void *memory = NULL;

	if (page || !make || selfmon_kernel_map_memory(size, false, &memory))
		return page;
	if (__atomic_compare_exchange_n(&held[i], &page, memory, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return memory;
	selfmon_kernel_unmap_memory(memory, size);
	return page;
}

/* Returns the entry of a descriptor, or NULL. */
static uint64_t *slot_of(int fd, bool make)
{
	const size_t i = (size_t)(unsigned int)fd >> PAGE_BITS;
	uint64_t *const page = fd >= 0 && i < PAGES ? page_of(i, make) : NULL;

	return page ? &page[(unsigned int)fd & (PAGE_SLOTS - 1)] : NULL;
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
		for (k = 0; held[i] && k < PAGE_SLOTS; k++)
			close_if_inherited((int)(i << PAGE_BITS | k),
					   &held[i][k]);
	selfmon_store_once(&count, 0);
	selfmon_store_once(&maps, 0);
	selfmon_clock_page_forked();
}

void selfmon_fd_table_begin(void)
{
	struct selfmon_critical holder;

	if (selfmon_once_begin(&swept, &holder) <= 0)
		return;
	sweep();
	selfmon_once_end(&swept, &holder, true);
}

/*
 * Does not store the id if selfmon_fd_table_begin() has not swept the table in
 * this process, for lack of memory. The next call of that function sweeps the
 * table, and would close each stored descriptor as one of the parent's.
 */
uint64_t selfmon_fd_table_add(int fd)
{
	uint64_t *const slot =
		selfmon_once_is_done(&swept) ? slot_of(fd, true) : NULL;
	const uint64_t id = selfmon_kernel_event_id(fd);

	__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	if (id == SELFMON_EVENT_UNKNOWN)
		return 0;
	if (slot)
		selfmon_store_once(slot, id);
	return id;
}

bool selfmon_fd_table_is(int fd, uint64_t id)
{
	const uint64_t now = id ? selfmon_kernel_event_id(fd) : 0;

	return now == id || now == SELFMON_EVENT_UNKNOWN;
}

static void stop_event(int fd, uint64_t noted)
{
	if (noted && selfmon_kernel_event_id(fd) == noted)
		selfmon_kernel_disable_group(fd);
}

/*
 * Clears the entry only if it has this id: if the number was reused, the entry
 * may belong to an event of another set.
 */
void selfmon_fd_table_close(int fd, uint64_t id)
{
	uint64_t *const slot = slot_of(fd, false);

	__atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
	if (slot && selfmon_load_once(slot) == id)
		selfmon_store_once(slot, 0);
	if (selfmon_fd_table_is(fd, id))
		selfmon_kernel_close(fd);
}

void selfmon_fd_table_drop(int fd)
{
	uint64_t *const slot = slot_of(fd, false);

	__atomic_sub_fetch(&count, 1, __ATOMIC_RELAXED);
	if (slot)
		selfmon_store_once(slot, 0);
	selfmon_kernel_close(fd);
}

void selfmon_fd_table_map(int pages)
{
	__atomic_add_fetch(&maps, (uint32_t)pages, __ATOMIC_RELAXED);
}

/*
 * Smallest limit that a message suggests: enough for 8 events in each of 4,000
 * threads.
 */
#define ENOUGH 65536ul

static unsigned long raised(unsigned long limit)
{
	return limit < ENOUGH / 4 ? ENOUGH : limit * 4;
}

static void say(struct selfmon_failure *failure, int error, const char *what,
		unsigned long limit, const char *remedy)
{
	failure->error = error;
	failure->step = SELFMON_STEP_POLICY;
	snprintf(failure->message, sizeof(failure->message),
		 "counters take at most half of the %lu %s, and that half is "
		 "in use. %s%lu", limit, what, remedy, raised(limit));
}

bool selfmon_fd_table_all_fds(struct selfmon_failure *failure)
{
	const unsigned long limit = selfmon_kernel_fd_limit();

	if (selfmon_load_once(&count) < limit / 2)
		return false;
	say(failure, EMFILE, "descriptors of this process (RLIMIT_NOFILE)",
	    limit, "Before starting it: ulimit -n ");
	return true;
}

bool selfmon_fd_table_few_fds(void)
{
	return selfmon_load_once(&count) < selfmon_kernel_fd_limit() / 4;
}

/*
 * Read only once: if the limit is raised later, the increase is left to the
 * program.
 */
static unsigned long map_limit(void)
{
	static unsigned long known;
	unsigned long limit = selfmon_load_once(&known);
	char text[32];

	if (limit)
		return limit;
	if (selfmon_kernel_read_file(MAP_LIMIT_PATH, text, sizeof(text)) > 0)
		limit = strtoul(text, NULL, 10);
	limit = limit ? limit : MAP_LIMIT;
	selfmon_store_once(&known, limit);
	return limit;
}

bool selfmon_fd_table_all_maps(struct selfmon_failure *failure)
{
	const unsigned long limit = map_limit();

	if (selfmon_load_once(&maps) < limit / 2)
		return false;
	say(failure, ENOMEM, "maps of this process (vm.max_map_count)", limit,
	    "As root: sysctl -w vm.max_map_count=");
	return true;
}

/* Skips the parent's descriptors that a forked child has not closed yet. */
void selfmon_fd_table_disable(void)
{
	size_t i, k;

	if (!selfmon_once_is_done(&swept))
		return;
	for (i = 0; i < PAGES; i++)
		for (k = 0; held[i] && k < PAGE_SLOTS; k++)
			stop_event((int)(i << PAGE_BITS | k),
				   selfmon_load_once(&held[i][k]));
}

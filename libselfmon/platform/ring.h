/* SPDX-License-Identifier: MIT */
/*
 * The ring buffer of an event. The kernel writes records into the ring, and the
 * library reads them.
 */
#ifndef SELFMON_PLATFORM_RING_H
#define SELFMON_PLATFORM_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <selfmon/arch.h>

struct perf_event_attr;
struct perf_event_mmap_page;

struct selfmon_ring {
	struct perf_event_mmap_page *page; /* NULL: not open */
	const char *data;
	uint64_t size; /* size of the data, a power of two */
	uint64_t tail; /* all records before this position were read */
	/* The kernel overwrites records that were not read. */
	bool overwrites;
	/* The event was opened, but its ring could not be mapped. */
	bool unmapped;
};

/*
 * Opens the event for the calling thread, and maps its page and 2^order pages
 * of records. The mapping keeps the event alive, so no descriptor stays open. A
 * forked child does not have the mapping and must not access it. Returns 0 or
 * -errno.
 *
 * overwrites: the kernel overwrites the oldest records of a full ring, instead
 * of dropping new ones (ring_buffer_init() in kernel/events/ring_buffer.c). So
 * the head moves with each record, even if nobody reads.
 *
 * -EPERM has two causes. If `unmapped` is false, the kernel refused the
 * event, for example by a seccomp filter. If it is true, the user's locked
 * memory is used up (perf_mmap() in kernel/events/core.c: perf_event_mlock_kb
 * for each user, then RLIMIT_MEMLOCK).
 */
int selfmon_ring_open(struct selfmon_ring *ring, struct perf_event_attr *attr,
		      unsigned int order, bool overwrites);
void selfmon_ring_close(struct selfmon_ring *ring);
/* Return the memory that a ring locks: its records and the event's page. */
uint64_t selfmon_ring_bytes(unsigned int order);
uint64_t selfmon_ring_bytes_of(const struct selfmon_ring *ring);

/*
 * Returns the position of the end of the records: everything before it may be
 * read.
 */
uint64_t selfmon_ring_head(const struct selfmon_ring *ring);
/*
 * Returns the address of the low half of the head. A record that the kernel
 * writes for an event of this thread changes this word before the thread's next
 * instruction in user space (perf_output_put_handle() in
 * kernel/events/ring_buffer.c).
 */
const uint32_t *selfmon_ring_head_word(const struct selfmon_ring *ring);
/* Copies bytes of a record, which may wrap around the end of the ring. */
void selfmon_ring_copy(const struct selfmon_ring *ring, uint64_t position,
		       void *to, size_t size);
/*
 * Returns true if the kernel has overwritten the record at the tail, or may be
 * overwriting it now.
 */
bool selfmon_ring_is_overwritten(const struct selfmon_ring *ring);
/* Gives the space before the tail back to the kernel. */
void selfmon_ring_release(const struct selfmon_ring *ring);

#endif

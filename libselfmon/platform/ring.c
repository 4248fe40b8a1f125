/* SPDX-License-Identifier: MIT */
#include "platform/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/perf_open.h"

uint64_t selfmon_ring_bytes(unsigned int order)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return page + (page << order);
}

uint64_t selfmon_ring_bytes_of(const struct selfmon_ring *ring)
{
	return (uint64_t)(ring->data - (const char *)ring->page) + ring->size;
}

int selfmon_ring_open(struct selfmon_ring *ring, struct perf_event_attr *attr,
		      unsigned int order, bool overwrites)
{
	const int access = overwrites ? PROT_READ : PROT_READ | PROT_WRITE;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t size = page << order;
	const int fd = selfmon_kernel_perf_open(attr, -1, false);
	void *map;
	int error;

	ring->unmapped = false;
	if (fd < 0)
		return fd;
	map = mmap(NULL, page + size, access, MAP_SHARED, fd, 0);
	error = map == MAP_FAILED ? -errno : 0;
	close(fd);
	ring->unmapped = error != 0;
	if (error)
		return error;
	ring->page = map;
	ring->data = (const char *)map + page;
	ring->size = size;
	ring->tail = 0;
	ring->overwrites = overwrites;
	return 0;
}

void selfmon_ring_close(struct selfmon_ring *ring)
{
	if (ring->page)
		munmap(ring->page, selfmon_ring_bytes_of(ring));
	/* Atomic, because another thread may check page at the same time. */
	__atomic_store_n(&ring->page, NULL, __ATOMIC_RELAXED);
}

uint64_t selfmon_ring_head(const struct selfmon_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

const uint32_t *selfmon_ring_head_word(const struct selfmon_ring *ring)
{
	const uint32_t *const half =
		(const uint32_t *)(const void *)&ring->page->data_head;

	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? half + 1 : half;
}

void selfmon_ring_copy(const struct selfmon_ring *ring, uint64_t position,
		       void *to, size_t size)
{
	const size_t at = (size_t)(position & (ring->size - 1));
	const size_t room = (size_t)ring->size - at;
	const size_t first = size < room ? size : room;

	memcpy(to, ring->data + at, first);
	memcpy((char *)to + first, ring->data, size - first);
}

bool selfmon_ring_is_overwritten(const struct selfmon_ring *ring)
{
	return ring->overwrites &&
	       selfmon_ring_head(ring) - ring->tail > ring->size;
}

/* Release: the kernel must not overwrite records before they were read. */
void selfmon_ring_release(const struct selfmon_ring *ring)
{
	if (!ring->overwrites)
		__atomic_store_n(&ring->page->data_tail, ring->tail,
				 __ATOMIC_RELEASE);
}

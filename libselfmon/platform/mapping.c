/* SPDX-License-Identifier: MIT */
/*
 * Finds memory mappings of the process: by the ioctl PROCMAP_QUERY (Linux 6.11,
 * 1.3 us), or by reading /proc/self/maps (6 us in a small program).
 */
#define _GNU_SOURCE
#include "platform/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/kernel.h"

/* From <linux/fs.h>, which may be too old when the library is compiled. */
struct mapping_query {
	uint64_t size, flags, address;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t major, minor, name_size, build_id_size;
	uint64_t name, build_id;
};

#define MAPPING_QUERY _IOWR('f', 17, struct mapping_query)
#define MAPPING_ACCESSIBLE UINT64_C(7) /* readable, writable, executable */

/*
 * Enough for about 800 mappings, which take 0.5 ms. If the list was longer,
 * maps_too_long is set and no thread reads the list again.
 */
#define READ_MAX ((size_t)64 << 10)
static uint32_t maps_too_long;

static int query(int fd, uint64_t address, struct mapping_query *query)
{
	*query = (struct mapping_query){ .size = sizeof(*query),
					 .address = address };
	return ioctl(fd, MAPPING_QUERY, query) ? -errno : 0;
}

/*
 * Returns 0, or -ENOENT if no mapping contains the address. After any other
 * error the caller uses find_by_reading() instead.
 */
static int find_by_query(int fd, uint64_t address,
			 struct selfmon_mapping *mapping)
{
	struct mapping_query found, below;
	const int result = query(fd, address, &found);

	if (result)
		return result;
	mapping->start = found.start;
	mapping->end = found.end;
	mapping->guard = 0;
	if (!query(fd, found.start - 1, &below) &&
	    !(below.vma_flags & MAPPING_ACCESSIBLE))
		mapping->guard = below.end - below.start;
	return 0;
}

/*
 * State of the parser of /proc/self/maps, whose lines are "start-end perms
 * ...". address is the address to find.
 */
struct list {
	uint64_t address;
	struct selfmon_mapping mapping; /* of the last complete line */
	bool inaccessible;              /* the previous line was inaccessible */
	unsigned int field, column;     /* position in the line */
	uint64_t start, end;
	bool accessible;
};

static unsigned int value_of_hex(char c)
{
	return (unsigned int)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

/*
 * Called at the end of a line. Returns true if the line's mapping ends above
 * the address, so that the search is over.
 */
static bool end_line(struct list *list)
{
	const struct selfmon_mapping before = list->mapping;

	list->mapping.start = list->start;
	list->mapping.end = list->end;
	list->mapping.guard = list->inaccessible && before.end == list->start
				      ? before.end - before.start
				      : 0;
	list->inaccessible = !list->accessible;
	list->field = list->column = 0;
	list->start = list->end = 0;
	list->accessible = false;
	return list->address < list->mapping.end;
}

static bool take_character(struct list *list, char c)
{
	if (c == '\n')
		return end_line(list);
	if (list->field < 2 && (c == '-' || c == ' ')) {
		list->field++;
	} else if (list->field == 0) {
		list->start = list->start << 4 | value_of_hex(c);
	} else if (list->field == 1) {
		list->end = list->end << 4 | value_of_hex(c);
	} else if (list->column < 3) {
		list->accessible |= c != '-';
		list->column++;
	}
	return false;
}

static bool find_by_reading(int fd, uint64_t address,
			    struct selfmon_mapping *mapping)
{
	struct list list = { .address = address };
	/* Small, because the caller may be on a small stack. */
	char buffer[512];
	size_t read = 0;
	ssize_t n, i;

	while (read < READ_MAX) {
		n = selfmon_kernel_read(fd, buffer, sizeof(buffer));
		if (n <= 0)
			return false;
		read += (size_t)n;
		for (i = 0; i < n; i++) {
			if (!take_character(&list, buffer[i]))
				continue;
			*mapping = list.mapping;
			return list.mapping.start <= address;
		}
	}
	selfmon_store_once(&maps_too_long, 1);
	return false;
}

bool selfmon_mapping_find(uint64_t address, struct selfmon_mapping *mapping)
{
	const int fd = selfmon_kernel_open("/proc/self/maps", O_RDONLY);
	bool found;
	int result;

	if (fd < 0)
		return false;
	result = find_by_query(fd, address, mapping);
	found = !result;
	if (result && result != -ENOENT && !selfmon_load_once(&maps_too_long))
		found = find_by_reading(fd, address, mapping);
	selfmon_kernel_close(fd);
	return found;
}

/* PM_GUARD_REGION in /proc/self/pagemap, which has one word for each page. */
#define PAGE_IS_GUARD (UINT64_C(1) << 58)
#define PAGES_MAX ((uint64_t)16 << 20) /* bytes */
#define PAGES_AT_ONCE ((uint64_t)64)

/*
 * Returns the last guard page in [from, to), or `to` if there is none, or if
 * the pages cannot be read.
 */
static uint64_t last_guard(int fd, uint64_t from, uint64_t to)
{
	uint64_t page[PAGES_AT_ONCE], n, i;

	for (i = to; i > from; i -= n) {
		n = i - from < PAGES_AT_ONCE ? i - from : PAGES_AT_ONCE;
		if (syscall(SYS_pread64, fd, page, n * sizeof(*page),
			    (i - n) * sizeof(*page)) !=
		    (long)(n * sizeof(*page)))
			return to;
		for (; n > 0 && !(page[n - 1] & PAGE_IS_GUARD); n--)
			i--;
		if (n > 0)
			return i - 1;
	}
	return to;
}

void selfmon_mapping_cut(uint64_t address, struct selfmon_mapping *mapping)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t to = address / size, most = PAGES_MAX / size;
	const int fd = selfmon_kernel_open("/proc/self/pagemap", O_RDONLY);
	uint64_t from = mapping->start / size, guard;

	if (fd < 0)
		return;
	if (to - from > most)
		from = to - most;
	guard = last_guard(fd, from, to);
	selfmon_kernel_close(fd);
	if (guard == to)
		return;
	mapping->start = (guard + 1) * size;
	mapping->guard = size;
}

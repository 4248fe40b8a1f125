/* SPDX-License-Identifier: MIT */
/*
 * Reads /tmp/perf-PID.map. Each line has a start and a size in hexadecimal, and
 * a name. Every user can create files in /tmp. Therefore only a regular file of
 * this user or of root is read, as perf does.
 */
#define _GNU_SOURCE
#include "symbols_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_MOST ((off_t)1 << 28)

struct entry {
	uint64_t start, size;
	size_t order; /* number of its line */
	char *name;
};

struct symbols_map {
	size_t entries, room;
	struct entry *entry;
};

static int refuse(int fd, const char *path, const char *reason,
		  char why[SYMBOLS_MAP_WHY_SIZE])
{
	snprintf(why, SYMBOLS_MAP_WHY_SIZE, "%s: %s", path, reason);
	if (fd >= 0)
		close(fd);
	return -1;
}

static int open_map(int32_t pid, char why[SYMBOLS_MAP_WHY_SIZE])
{
	char path[64];
	struct stat status;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
				O_NOCTTY);
	if (fd < 0)
		return refuse(fd, path, errno == ELOOP ? "a symbolic link, "
			      "which is not followed" : strerror(errno), why);
	if (fstat(fd, &status))
		return refuse(fd, path, strerror(errno), why);
	if (!S_ISREG(status.st_mode))
		return refuse(fd, path, "not a regular file", why);
	if (status.st_uid != geteuid() && status.st_uid != 0)
		return refuse(fd, path, "owned by another user", why);
	if (status.st_size > SIZE_MOST)
		return refuse(fd, path, "larger than 256 MiB", why);
	return fd;
}

static bool add_entry(struct symbols_map *map, uint64_t start, uint64_t size,
		      const char *name)
{
	struct entry *longer;

	if (map->entries == map->room) {
		map->room = map->room ? 2 * map->room : 256;
		longer = reallocarray(map->entry, map->room, sizeof(*longer));
		if (!longer)
			return false;
		map->entry = longer;
	}
	map->entry[map->entries] = (struct entry){ start, size, map->entries,
						   strdup(name) };
	return map->entry[map->entries++].name;
}

/*
 * Adds a line "START SIZE NAME". Skips other lines. Returns false if out of
 * memory.
 */
static bool add_line(struct symbols_map *map, char *line)
{
	char *end, *name;
	uint64_t start, size;

	line[strcspn(line, "\n")] = '\0';
	start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return true;
	size = strtoull(end, &name, 16);
	if (name == end || *name != ' ')
		return true;
	name += strspn(name, " ");
	return !*name || !size || add_entry(map, start, size, name);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *const x = a, *const y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static struct symbols_map *read_map(FILE *stream)
{
	struct symbols_map *const map = calloc(1, sizeof(*map));
	char *line = NULL;
	size_t size = 0;
	bool fine = map != NULL;

	while (fine && getline(&line, &size, stream) > 0)
		fine = add_line(map, line);
	free(line);
	if (map && map->entries)
		qsort(map->entry, map->entries, sizeof(*map->entry),
		      compare_entries);
	return map;
}

struct symbols_map *symbols_map_open(int32_t pid,
				     char why[SYMBOLS_MAP_WHY_SIZE])
{
	const int fd = open_map(pid, why);
	struct symbols_map *map;
	FILE *stream;

	if (fd < 0)
		return NULL;
	stream = fdopen(fd, "r");
	if (!stream) {
		close(fd);
		return NULL;
	}
	map = read_map(stream);
	fclose(stream);
	return map;
}

void symbols_map_close(struct symbols_map *map)
{
	size_t i;

	if (!map)
		return;
	for (i = 0; i < map->entries; i++)
		free(map->entry[i].name);
	free(map->entry);
	free(map);
}

/*
 * If several lines have the same start, returns the last one: code may have
 * been replaced by other code at the same address.
 */
const char *symbols_map_find(const struct symbols_map *map, uint64_t address)
{
	size_t low = 0, high = map ? map->entries : 0;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (map->entry[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - map->entry[low - 1].start >=
			    map->entry[low - 1].size)
		return NULL;
	return map->entry[low - 1].name;
}

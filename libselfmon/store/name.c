/* SPDX-License-Identifier: MIT */
/*
 * The regions of the process by name, file and line. The list is append-only:
 * an entry is complete before its id is published. Entries do not point to
 * strings of the program, which may be in a shared object that is unloaded.
 */
#include "store/name.h"

#include <string.h>

#include "store/live.h"
#include "store/lock.h"
#include "store/memory.h"
#include "store/process.h"

#define PAGE_BITS 10
#define PAGE_SLOTS (UINT32_C(1) << PAGE_BITS)
#define PAGES_MAX 4096
#define UNNAMED "(unnamed)"

struct selfmon_site selfmon_impl_nowhere = {
	.id = SELFMON_REGION_NOWHERE, .name = "", .file = ""
};

/*
 * The regions by id. The array consists of pages that never move, so readers
 * need no lock.
 */
static struct selfmon_region **named[PAGES_MAX];
static uint32_t last_id;
/*
 * A hash table of ids with open addressing. Its size is doubled when it is half
 * full.
 */
static uint32_t *table;
static uint32_t table_slots;

/* FNV-1a, 64 bits. */
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
	while (length-- > 0)
		hash = (hash ^ (unsigned char)*bytes++) *
		       UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_of(const char *name, const char *file, uint32_t line)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	hash = hash_bytes(hash, name, strlen(name) + 1);
	hash = hash_bytes(hash, file, strlen(file) + 1);
	return (hash ^ line) * UINT64_C(0x9e3779b97f4a7c15);
}

const struct selfmon_region *selfmon_name_of(uint32_t id)
{
	if (id == 0 || id > __atomic_load_n(&last_id, __ATOMIC_ACQUIRE))
		return NULL;
	return named[id >> PAGE_BITS][id & (PAGE_SLOTS - 1)];
}

static void table_insert(uint32_t *slots, uint32_t count, uint64_t hash,
			 uint32_t id)
{
	uint32_t i = (uint32_t)(hash >> 32) & (count - 1);

	while (slots[i])
		i = (i + 1) & (count - 1);
	slots[i] = id;
}

static bool table_grow(void)
{
	const uint32_t count = table_slots ? table_slots * 2 : PAGE_SLOTS;
	uint32_t *slots = selfmon_memory_kept(count * sizeof(*slots));
	uint32_t id;

	if (!slots)
		return false;
	for (id = 1; id <= last_id; id++)
		table_insert(slots, count, selfmon_name_of(id)->hash, id);
	table = slots;
	table_slots = count;
	return true;
}

static uint32_t find_name(uint64_t hash, const char *name, const char *file,
			  uint32_t line)
{
	uint32_t i, id;

	if (!table_slots)
		return 0;
	i = (uint32_t)(hash >> 32) & (table_slots - 1);
	for (; (id = table[i]) != 0; i = (i + 1) & (table_slots - 1)) {
		const struct selfmon_region *region = selfmon_name_of(id);

		if (region->hash == hash && region->site.line == line &&
		    !strcmp(region->site.name, name) &&
		    !strcmp(region->site.file, file))
			return id;
	}
	return 0;
}

static struct selfmon_region *make_region(uint64_t hash, const char *name,
					  const char *file, uint32_t line)
{
	const size_t length = strlen(name), file_length = strlen(file);
	struct selfmon_region *region = selfmon_memory_kept(
		sizeof(*region) + length + 1 + file_length + 1);
	char *text;

	if (!region)
		return NULL;
	text = (char *)(region + 1);
	memcpy(text, name, length + 1);
	memcpy(text + length + 1, file, file_length + 1);
	region->site.name = text;
	region->site.file = text + length + 1;
	region->site.line = line;
	region->hash = hash;
	region->length = length;
	return region;
}

/*
 * Adds a region. The caller holds the process lock. Returns 0 if out of memory,
 * or if there are too many regions.
 */
static uint32_t append(const struct selfmon_process *process, uint64_t hash, const char *name, const char *file,
		       uint32_t line)
{
	const uint32_t id = last_id + 1;
	struct selfmon_region ***slots = &named[id >> PAGE_BITS];
	struct selfmon_region *region;

	if (id >> PAGE_BITS >= PAGES_MAX)
		return 0;
	if (id * UINT64_C(2) > table_slots && !table_grow())
		return 0;
	if (!*slots)
		*slots = selfmon_memory_kept(PAGE_SLOTS * sizeof(**slots));
	region = make_region(hash, name, file, line);
	if (!*slots || !region)
		return 0;
	selfmon_site_set(&region->site, id);
	(*slots)[id & (PAGE_SLOTS - 1)] = region;
	__atomic_store_n(&last_id, id, __ATOMIC_RELEASE);
	table_insert(table, table_slots, hash, id);
	selfmon_live_add_region(process, region);
	return id;
}

void selfmon_name_publish(const struct selfmon_process *process)
{
	const struct selfmon_region *region;
	uint32_t id;

	for (id = 1; (region = selfmon_name_of(id)); id++)
		selfmon_live_add_region(process, region);
}

uint32_t selfmon_name_register(const char *name, const char *file,
			       uint32_t line)
{
	struct selfmon_process *process = selfmon_process();
	uint64_t hash;
	uint32_t id;

	if (!process)
		return 0;
	if (!name || !*name)
		name = UNNAMED;
	hash = hash_of(name, file, line);
	selfmon_process_lock(process);
	id = find_name(hash, name, file, line);
	if (!id)
		id = append(process, hash, name, file, line);
	selfmon_process_unlock(process);
	return id;
}

uint32_t selfmon_name_register_site(struct selfmon_site *site)
{
	const uint32_t id =
		selfmon_name_register(site->name, site->file, site->line);

	if (id)
		selfmon_site_set(site, id);
	return id;
}

struct selfmon_region *selfmon_impl_region(const char *name)
{
	const uint32_t id = selfmon_name_register(name, "", 0);

	return (struct selfmon_region *)(uintptr_t)selfmon_name_of(id);
}

/* SPDX-License-Identifier: MIT */
/*
 * The live file as it is written: records in chunks, each mapped where the
 * kernel likes. All that knows of it is in memory that a forked child finds
 * wiped: there the maps are not, and nothing leads to them.
 *
 * A disk that is full, a limit, a descriptor that others have closed: from
 * then on what is new is kept in memory alone, and both reports say so.
 */
#include "region/live.h"

#include <errno.h>
#include <string.h>

#include "platform/kernel.h"
#include "platform/path.h"

#define CHUNK_SIZE ((size_t)1 << 20)
#define CHUNKS_MAX 16384

struct selfmon_live {
	struct selfmon_live_header *header;
	struct selfmon_file file;
	bool full;
	uint32_t threads;
	char *next;       /* in the newest chunk */
	size_t room;      /* from there on */
	uint64_t end;     /* of all chunks, in the file */
	size_t chunks;
	struct {
		char *at;
		size_t size;
	} chunk[CHUNKS_MAX];
};

/* Ordinary memory: what a child has of its parent's, to be closed there. */
static struct selfmon_file opened;
/* Did this process or one before it ever have a file? */
static bool ever;

static struct selfmon_live *live_of(const struct selfmon_process *process)
{
	struct selfmon_live *const live =
		process ? __atomic_load_n(&process->live, __ATOMIC_ACQUIRE)
			: NULL;

	return live && live->header ? live : NULL;
}

static struct selfmon_live *live_now(void)
{
	return live_of(selfmon_process());
}

/* ---- room ---------------------------------------------------------------- */

static int grow(struct selfmon_live *live, size_t size)
{
	const size_t chunk = (size + CHUNK_SIZE - 1) & ~(CHUNK_SIZE - 1);
	void *map;
	int error;

	if (live->chunks == CHUNKS_MAX)
		return -EFBIG;
	error = selfmon_file_grow(&live->file, live->end, chunk, &map);
	if (error)
		return error;
	live->chunk[live->chunks].at = map;
	live->chunk[live->chunks].size = chunk;
	__atomic_store_n(&live->chunks, live->chunks + 1, __ATOMIC_RELEASE);
	live->end += chunk;
	return 0;
}

static void is_full(struct selfmon_live *live, int error)
{
	live->full = true;
	selfmon_config_note("SELFMON_LIVE: the file cannot grow: %s; new "
			    "regions, threads and places are kept in memory "
			    "alone", strerror(-error));
}

/* What is not used of the newest chunk is a record of its own. */
static void close_chunk(struct selfmon_live *live)
{
	if (live->room)
		*(struct selfmon_live_record *)(void *)live->next =
			(struct selfmon_live_record){ SELFMON_LIVE_REST, 0,
						      live->room };
}

/* Zeroed room for a record that is not seen yet; NULL: there is none. */
static void *take(struct selfmon_live *live, enum selfmon_live_type type,
		  size_t size)
{
	struct selfmon_live_record *record;
	int error = 0;

	size = SELFMON_LIVE_ROUND(size);
	if (!live->full && size > live->room) {
		error = grow(live, size);
		if (error)
			is_full(live, error);
	}
	if (live->full) {
		live->header->counts.left_out++;
		return NULL;
	}
	if (size > live->room) {
		close_chunk(live);
		live->next = live->chunk[live->chunks - 1].at;
		live->room = live->chunk[live->chunks - 1].size;
	}
	record = (void *)live->next;
	record->type = type;
	record->size = size;
	return record;
}

/* The record that was taken, as a whole, is there from now on. */
static void publish(struct selfmon_live *live,
		    const struct selfmon_live_record *record)
{
	live->next += record->size;
	live->room -= record->size;
	__atomic_store_n(&live->header->used, live->end - live->room,
			 __ATOMIC_RELEASE);
	selfmon_live_tell_time(live->header);
}

/* ---- records ------------------------------------------------------------- */

static size_t length_kept(size_t length)
{
	return length < SELFMON_LIVE_NAME_MAX ? length : SELFMON_LIVE_NAME_MAX;
}

static void add_region(struct selfmon_live *live,
		       const struct selfmon_region *region)
{
	const size_t name = length_kept(region->length);
	const size_t file = length_kept(strlen(region->site.file));
	struct selfmon_live_region *const record =
		take(live, SELFMON_LIVE_REGION,
		     sizeof(*record) + name + 1 + file + 1);
	char *text;

	if (!record)
		return;
	record->id = region->site.id;
	record->line = region->site.line;
	record->name_length = (uint32_t)name;
	record->file_length = (uint32_t)file;
	text = (char *)(record + 1);
	memcpy(text, region->site.name, name);
	memcpy(text + name + 1, region->site.file, file);
	publish(live, &record->record);
}

void selfmon_live_add_region(const struct selfmon_region *region)
{
	struct selfmon_live *const live = live_now();

	if (live)
		add_region(live, region);
}

struct selfmon_live_thread *selfmon_live_add_thread(void)
{
	struct selfmon_live *const live = live_now();
	struct selfmon_live_thread *record;

	if (!live)
		return NULL;
	record = take(live, SELFMON_LIVE_THREAD, sizeof(*record));
	if (!record)
		return NULL;
	record->number = live->threads++;
	publish(live, &record->record);
	return record;
}

struct selfmon_stats *selfmon_live_add_node(const struct selfmon_thread *thread,
					    const struct selfmon_node *node)
{
	struct selfmon_live *const live = live_now();
	struct selfmon_live_node *record;

	if (!live || !thread->live)
		return NULL;
	record = take(live, SELFMON_LIVE_NODE, sizeof(*record));
	if (!record)
		return NULL;
	record->address = (uint64_t)(uintptr_t)node;
	record->thread = thread->live->number;
	record->region = node->region;
	record->ordinal = node->ordinal;
	record->parent = node->parent ? node->parent->ordinal : 0;
	selfmon_stats_init(&record->stats);
	publish(live, &record->record);
	return &record->stats;
}

/* ---- beginning and end --------------------------------------------------- */

static void begin_header(struct selfmon_live *live)
{
	struct selfmon_live_header *const header = (void *)live->chunk[0].at;
	const size_t size = SELFMON_LIVE_ROUND(sizeof(*header));

	header->order = SELFMON_LIVE_ORDER;
	header->version = SELFMON_LIVE_VERSION;
	header->header_size = (uint32_t)size;
	header->facts_size = sizeof(header->facts[0]);
	header->thread_size = sizeof(struct selfmon_live_thread);
	header->node_size = sizeof(struct selfmon_live_node);
	header->open_size = sizeof(struct selfmon_open);
	header->entries = SELFMON_DEPTH_MAX + 1;
	header->counters = SELFMON_MAX_COUNTERS;
	header->buckets = SELFMON_BUCKETS;
	header->rare = SELFMON_RARE_COUNT;
	strncpy(header->machine, SELFMON_ARCH_NAME,
		sizeof(header->machine) - 1);
	header->used = size;
	live->next = live->chunk[0].at + size;
	live->room = live->chunk[0].size - size;
	live->header = header;
}

/* Under which name, if any? A child's file is never its parent's. */
static bool name_of(const struct selfmon_process *process,
		    char path[SELFMON_PATH_SIZE])
{
	const char *const name = selfmon_config()->live;
	bool names_process;

	if (!*name)
		return false;
	if (selfmon_path_expand(name, strlen(name), path, &names_process))
		return names_process || !process->forked;
	selfmon_config_note("SELFMON_LIVE=%.64s...: too long; ignored", name);
	return false;
}

static const char *why_no_file(int error)
{
	switch (error) {
	case -EEXIST: return "a file that is no live file is there";
	case -ELOOP: return "symbolic links are not followed";
	case -EINVAL: return "it is no regular file";
	case -EPERM:
		if (selfmon_kernel_is_secure())
			return "the program has privileges that its caller "
			       "has not";
		break;
	}
	return strerror(-error);
}

static int create_live(struct selfmon_live *live, const char *path)
{
	int error = selfmon_file_create(path, SELFMON_LIVE_MAGIC, &live->file);

	if (error)
		return error;
	opened = live->file;
	error = grow(live, sizeof(struct selfmon_live_header));
	if (error)
		selfmon_file_close(&live->file);
	return error;
}

/* The magic last: what has none is no live file yet. */
static void begin_content(struct selfmon_live *live,
			  struct selfmon_process *process)
{
	const struct selfmon_region *region;
	uint32_t id;

	begin_header(live);
	for (id = 1; (region = selfmon_name_of(id)); id++)
		add_region(live, region);
	selfmon_live_tell_to(live->header, process);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(live->header->magic, SELFMON_LIVE_MAGIC,
	       sizeof(live->header->magic));
}

void selfmon_live_begin(struct selfmon_process *process)
{
	struct selfmon_live *live = process->live;
	char path[SELFMON_PATH_SIZE];
	int error = -ENOMEM;

	if (live || !name_of(process, path))
		return;
	live = selfmon_memory_wiped(sizeof(*live));
	if (live)
		error = create_live(live, path);
	if (error) {
		selfmon_config_note("SELFMON_LIVE=%.128s: cannot be written: "
				    "%s; statistics are kept in memory alone",
				    path, why_no_file(error));
	} else {
		if (live->file.may_fault)
			selfmon_config_note("SELFMON_LIVE: its file system "
					    "copies on write: a full disk may "
					    "end the process (SIGBUS)");
		selfmon_store_once(&ever, true);
		begin_content(live, process);
	}
	__atomic_store_n(&process->live, live, __ATOMIC_RELEASE);
}

struct selfmon_live_counts *
selfmon_live_counts(const struct selfmon_process *process)
{
	struct selfmon_live *const live = live_of(process);

	return live ? &live->header->counts : NULL;
}

void selfmon_live_count(struct selfmon_process *process)
{
	struct selfmon_live_counts *const counts = selfmon_live_counts(process);
	size_t i;

	if (!counts)
		return;
	for (i = 0; i < SELFMON_LIMITED_COUNT; i++)
		selfmon_store_once(&counts->limited[i],
				   process->limited[i].threads);
	selfmon_store_once(&counts->threads, process->attached);
	selfmon_store_once(&counts->threads_at_once, process->alive_max);
	selfmon_store_once(&counts->refused, process->refused);
	selfmon_store_once(&counts->unready, selfmon_thread_unready());
	selfmon_store_once(&counts->torn, process->torn);
	selfmon_live_tell_time(live_of(process)->header);
}

void selfmon_live_tell(struct selfmon_process *process)
{
	const struct selfmon_live *const live = live_of(process);

	if (!live)
		return;
	selfmon_live_count(process);
	selfmon_live_tell_to(live->header, process);
}

bool selfmon_live_holds(const void *address)
{
	const struct selfmon_live *live;
	size_t chunks, i;

	if (!selfmon_load_once(&ever) || selfmon_memory_holds(address))
		return true;
	live = live_now();
	chunks = live ? __atomic_load_n(&live->chunks, __ATOMIC_ACQUIRE) : 0;
	for (i = 0; i < chunks; i++)
		if ((uintptr_t)address - (uintptr_t)live->chunk[i].at <
		    live->chunk[i].size)
			return true;
	return false;
}

void selfmon_live_forked(void)
{
	selfmon_file_close(&opened);
}

void selfmon_live_end(void)
{
	struct selfmon_process *process;

	if (!selfmon_load_once(&ever)) /* nor is there a process to be made */
		return;
	process = selfmon_process();
	if (!live_of(process))
		return;
	selfmon_process_lock(process);
	selfmon_live_tell(process);
	live_of(process)->header->counts.ended = 1;
	selfmon_process_unlock(process);
}

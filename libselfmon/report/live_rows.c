/* SPDX-License-Identifier: MIT */
#include "report/live_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/gather_units.h"
#include "report/live_read.h"
#include "report/live_slowest.h"
#include "report/live_stats.h"
#include "report/room.h"
#include "store/live.h"
#include "store/unit.h"

static int no_memory(struct selfmon_live_input *input)
{
	return selfmon_live_fails(input, -ENOMEM, "cannot be read");
}

/* ---- regions ------------------------------------------------------------- */

static bool is_text(const char *text, size_t length)
{
	return text[length] == '\0' && strlen(text) == length;
}

/*
 * Allocates a region. Both strings are stored after the struct. Returns NULL if
 * out of memory.
 */
static struct selfmon_region *new_region(uint32_t id, uint32_t line,
					  size_t name, size_t file)
{
	struct selfmon_region *const region =
		calloc(1, sizeof(*region) + name + 1 + file + 1);

	if (!region)
		return NULL;
	region->length = name;
	region->site.id = id;
	region->site.line = line;
	region->site.name = (char *)(region + 1);
	region->site.file = region->site.name + name + 1;
	return region;
}

struct selfmon_region *
selfmon_live_region_copy(const struct selfmon_region *from)
{
	const size_t file = strlen(from->site.file);
	struct selfmon_region *const region = new_region(
		from->site.id, from->site.line, from->length, file);

	if (region)
		memcpy(region + 1, from + 1, from->length + 1 + file + 1);
	return region;
}

/*
 * Reads a region's record. Two strings follow it, each with one NUL at its end.
 */
static int read_region(struct selfmon_live_input *input, uint64_t offset,
		       const struct selfmon_live_region *record,
		       struct selfmon_region **out)
{
	const size_t name = record->name_length, file = record->file_length;
	struct selfmon_region *const region =
		new_region(record->id, record->line, name, file);
	char *text;
	int error;

	*out = region;
	if (!region)
		return no_memory(input);
	text = (char *)(region + 1);
	error = selfmon_live_get(input, offset + sizeof(*record), text,
				 name + 1 + file + 1);
	if (error)
		return error;
	if (!is_text(text, name) || !is_text(text + name + 1, file))
		return selfmon_live_wrong(input, offset,
					  "a region has an invalid name");
	return 0;
}

static int take_region(struct selfmon_live_input *input, uint64_t offset,
		       uint64_t size)
{
	struct selfmon_live_region record;
	struct selfmon_region *region;
	int error = selfmon_live_get(input, offset, &record, sizeof(record));

	if (error)
		return error;
	if (record.id != input->regions + 1)
		return selfmon_live_wrong(input, offset,
					  "a region is out of order");
	if (record.name_length > SELFMON_LIVE_NAME_MAX ||
	    record.file_length > SELFMON_LIVE_NAME_MAX ||
	    (uint64_t)record.name_length + record.file_length + 2 >
		    size - sizeof(record))
		return selfmon_live_wrong(input, offset,
					  "a region's name is too long");
	error = read_region(input, offset, &record, &region);
	if (!error &&
	    !selfmon_room_for_one(&input->region, input->regions,
				  &input->regions_room, sizeof(region)))
		error = no_memory(input);
	if (error)
		free(region);
	else
		input->region[input->regions++] = region;
	return error;
}

/* ---- threads and their places -------------------------------------------- */

static int take_thread(struct selfmon_live_input *input, uint64_t offset,
		       uint64_t size)
{
	const size_t head = offsetof(struct selfmon_thread_record, open);
	struct selfmon_thread_record *const record = &input->thread;
	struct selfmon_live_tree *tree;
	int error;

	if (size != SELFMON_LIVE_ROUND(sizeof(*record)))
		return selfmon_live_wrong(input, offset,
					  "a thread's record has the wrong "
					  "size");
	error = selfmon_live_get(input, offset, record, head);
	if (error)
		return error;
	if (record->number != input->trees)
		return selfmon_live_wrong(input, offset,
					  "a thread is out of order");
	if (!selfmon_room_for_one(&input->tree, input->trees,
				  &input->trees_room, sizeof(*tree)))
		return no_memory(input);
	tree = &input->tree[input->trees++];
	*tree = (struct selfmon_live_tree){ .offset = offset };
	selfmon_gather_begin(&input->gather, &tree->gather, record);
	return 0;
}

static bool has_samples(uint64_t size)
{
	return size == SELFMON_LIVE_ROUND(sizeof(struct selfmon_node) +
					  sizeof(struct selfmon_sampled));
}

/* Checks a node's record: it must come after the record of its parent. */
static int check_place(struct selfmon_live_input *input, uint64_t offset,
		       const struct selfmon_node *record)
{
	const struct selfmon_gather_tree *tree;

	if (record->thread >= input->trees)
		return selfmon_live_wrong(input, offset,
					  "a place belongs to no thread");
	tree = &input->tree[record->thread].gather;
	if (record->ordinal != tree->places)
		return selfmon_live_wrong(input, offset, "a place is out of "
							 "order");
	if (record->ordinal == 0)
		return 0;
	if (record->parent_ordinal >= record->ordinal)
		return selfmon_live_wrong(input, offset,
					  "a place precedes its parent");
	if (record->region == SELFMON_REGION_ASYNC && !record->parent_ordinal)
		return 0;
	if (record->region == 0 || record->region > input->regions)
		return selfmon_live_wrong(input, offset,
					  "a place belongs to no region");
	if (tree->place[record->parent_ordinal].depth >=
	    SELFMON_DEPTH_MAX + SELFMON_DEPTH_SLACK)
		return selfmon_live_wrong(input, offset, "nested deeper than "
							 "256 places");
	return 0;
}

static int take_node(struct selfmon_live_input *input, uint64_t offset,
		     uint64_t size)
{
	const size_t stats = offsetof(struct selfmon_node, stats);
	struct selfmon_sampled sampled;
	struct selfmon_node record;
	bool whole = false;
	int error;

	if (size != SELFMON_LIVE_ROUND(sizeof(record)) && !has_samples(size))
		return selfmon_live_wrong(input, offset,
					  "a place's record has the wrong "
					  "size");
	error = selfmon_live_get(input, offset, &record, stats);
	if (!error)
		error = check_place(input, offset, &record);
	if (!error)
		error = selfmon_live_stats(input, offset + stats, record.stats,
					   &whole);
	if (!error && has_samples(size))
		error = selfmon_live_get(input, offset + sizeof(record),
					 &sampled, sizeof(sampled));
	if (error)
		return error;
	if (selfmon_gather_node(
		    &input->gather, &input->tree[record.thread].gather, &record,
		    record.stats, whole, has_samples(size) ? &sampled : NULL))
		return no_memory(input);
	return 0;
}

/*
 * Reads what a node counted of one unit. The sum is in the node's statistics.
 */
static int take_work(struct selfmon_live_input *input, uint64_t offset,
		     uint64_t size)
{
	struct selfmon_work record;
	int error;

	if (size != SELFMON_LIVE_ROUND(sizeof(record)))
		return selfmon_live_wrong(input, offset,
					  "a unit's record has the wrong size");
	error = selfmon_live_get(input, offset, &record, sizeof(record));
	if (error)
		return error;
	if (record.thread >= input->trees ||
	    record.ordinal >= input->tree[record.thread].gather.places)
		return selfmon_live_wrong(input, offset,
					  "a unit belongs to no place");
	if (record.unit >= SELFMON_MAX_UNITS ||
	    record.name[sizeof(record.name) - 1] ||
	    !selfmon_unit_is_name(record.name))
		return selfmon_live_wrong(input, offset,
					  "a unit has an invalid name");
	if (selfmon_gather_work(&input->gather,
				&input->tree[record.thread].gather, &record))
		return no_memory(input);
	return 0;
}

/*
 * Stores the offset of a record of off-CPU time and samples. The record may
 * belong to nodes that follow it in the file, so it is read at the end.
 */
static int note_off_cpu(struct selfmon_live_input *input, uint64_t offset,
			uint64_t size)
{
	if (size != SELFMON_LIVE_ROUND(sizeof(struct selfmon_ring_record)))
		return selfmon_live_wrong(input, offset,
					  "a record of switches has the wrong "
					  "size");
	if (!selfmon_room_for_one(&input->off_cpu, input->off_cpus,
				  &input->off_cpus_room,
				  sizeof(*input->off_cpu)))
		return no_memory(input);
	input->off_cpu[input->off_cpus++] = offset;
	return 0;
}

static int take_off_cpu(struct selfmon_live_input *input, uint64_t offset)
{
	struct selfmon_ring_record record;
	size_t i;
	int error = selfmon_live_get(input, offset, &record, sizeof(record));

	if (error)
		return error;
	if (record.thread >= input->trees)
		return selfmon_live_wrong(input, offset,
					  "a record of switches belongs to no "
					  "thread");
	if (record.first == 0)
		input->gather.samples_outside += record.place[0].samples;
	for (i = 0; i < SELFMON_RING_PLACES; i++)
		selfmon_gather_ring(&input->gather,
				       &input->tree[record.thread].gather,
				       record.first + i, &record.place[i]);
	return 0;
}

static int take_open(struct selfmon_live_input *input,
		     struct selfmon_live_tree *tree)
{
	struct selfmon_visit *const open = input->thread.open;
	const int error = selfmon_live_get(input, tree->offset, &input->thread,
					   sizeof(input->thread));
	size_t i;

	for (i = SELFMON_DEPTH_MAX; !error && i > 0; i--) {
		if (open[i].start.ticks > input->newest)
			input->newest = open[i].start.ticks;
		selfmon_gather_visit(&input->gather, &tree->gather, &open[i]);
	}
	return error;
}

/* ---- all records --------------------------------------------------------- */

static int add_record(struct selfmon_live_input *input, uint64_t offset,
		      const struct selfmon_record *record)
{
	switch (record->type) {
	case SELFMON_RECORD_REST:
		return 0;
	case SELFMON_RECORD_REGION:
		return take_region(input, offset, record->size);
	case SELFMON_RECORD_THREAD:
		return take_thread(input, offset, record->size);
	case SELFMON_RECORD_NODE:
		return take_node(input, offset, record->size);
	case SELFMON_RECORD_WORK:
		return take_work(input, offset, record->size);
	case SELFMON_RECORD_RING:
		return note_off_cpu(input, offset, record->size);
	case SELFMON_RECORD_SLOWEST:
		return selfmon_live_note_slowest(input, offset, record->size);
	default:
		if (record->type & SELFMON_RECORD_OPTIONAL) {
			input->unknown++;
			return 0;
		}
		return selfmon_live_wrong(input, offset,
					  "a record has the unknown type %u",
					  record->type);
	}
}

int selfmon_live_rows(struct selfmon_live_input *input)
{
	const uint64_t end = input->header.used;
	uint64_t offset = input->header.header_size;
	struct selfmon_record record = { .size = 0 };
	size_t i;
	int error = 0;

	while (!error && offset < end) {
		error = selfmon_live_get(input, offset, &record,
					 sizeof(record));
		if (!error && (record.size < SELFMON_LIVE_ALIGN ||
			       record.size % SELFMON_LIVE_ALIGN ||
			       record.size > end - offset))
			error = selfmon_live_wrong(input, offset,
						   "a record has a wrong size");
		if (!error)
			error = add_record(input, offset, &record);
		offset += record.size;
	}
	for (i = 0; !error && i < input->off_cpus; i++)
		error = take_off_cpu(input, input->off_cpu[i]);
	if (!error)
		error = selfmon_live_slowest(input);
	for (i = 0; !error && i < input->trees; i++)
		error = take_open(input, &input->tree[i]);
	if (!error && selfmon_gather_end(&input->gather))
		error = no_memory(input);
	return error;
}

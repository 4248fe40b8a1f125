/* SPDX-License-Identifier: MIT */
/* The records of a live file, as rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/live_read.h"

#define ROOM_FIRST 16

/* Room for one more; false: there is no memory. */
static bool make_room(void **array, size_t used, size_t *room, size_t size)
{
	const size_t more = *room ? *room * 2 : ROOM_FIRST;
	void *larger;

	if (used < *room)
		return true;
	larger = realloc(*array, more * size);
	if (!larger)
		return false;
	*array = larger;
	*room = more;
	return true;
}

static int no_memory(struct selfmon_live_input *input)
{
	return selfmon_live_fails(input, -ENOMEM, "cannot be read");
}

/* ---- regions ------------------------------------------------------------- */

static bool is_text(const char *text, size_t length)
{
	return text[length] == '\0' && strlen(text) == length;
}

/* With both of its strings behind it. NULL: no memory. */
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

/* Two strings behind the record, each with its NUL and no other. */
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
					  "a region without a proper name");
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
					  "a region out of turn");
	if (record.name_length > SELFMON_LIVE_NAME_MAX ||
	    record.file_length > SELFMON_LIVE_NAME_MAX ||
	    (uint64_t)record.name_length + record.file_length + 2 >
		    size - sizeof(record))
		return selfmon_live_wrong(input, offset,
					  "a region with too long a name");
	error = read_region(input, offset, &record, &region);
	if (!error && !make_room((void **)&input->region, input->regions,
				 &input->regions_room, sizeof(region)))
		error = no_memory(input);
	if (error)
		free(region);
	else
		input->region[input->regions++] = region;
	return error;
}

/* ---- threads and their places -------------------------------------------- */

static int32_t top_of_record(struct selfmon_live_input *input,
			     const struct selfmon_live_thread *record)
{
	struct selfmon_gather_apart *const apart = input->gather.apart;

	if (!apart)
		return -1;
	return selfmon_gather_top(selfmon_gather_thread(
		apart, record->number, record->record.owners, record->tid,
		record->name));
}

static int take_thread(struct selfmon_live_input *input, uint64_t offset,
		       uint64_t size)
{
	const size_t head = offsetof(struct selfmon_live_thread, open);
	struct selfmon_live_thread record;
	int error;

	if (size != SELFMON_LIVE_ROUND(sizeof(record)))
		return selfmon_live_wrong(input, offset,
					  "a thread of the wrong size");
	error = selfmon_live_get(input, offset, &record, head);
	if (error)
		return error;
	if (record.number != input->trees)
		return selfmon_live_wrong(input, offset,
					  "a thread out of turn");
	if (!make_room((void **)&input->tree, input->trees, &input->trees_room,
		       sizeof(*input->tree)))
		return no_memory(input);
	input->gather.too_deep += record.too_deep;
	input->gather.unready += record.unready;
	input->gather.displaced += record.displaced;
	input->tree[input->trees++] = (struct selfmon_live_tree){
		.offset = offset, .top = top_of_record(input, &record)
	};
	return 0;
}

/* The root has no row; a place's parent was read before it. */
static int check_place(struct selfmon_live_input *input, uint64_t offset,
		       const struct selfmon_live_node *record)
{
	const struct selfmon_live_tree *tree;

	if (record->thread >= input->trees)
		return selfmon_live_wrong(input, offset,
					  "a place of no thread");
	tree = &input->tree[record->thread];
	if (record->ordinal != tree->places)
		return selfmon_live_wrong(input, offset, "a place out of turn");
	if (record->ordinal == 0)
		return record->region ? selfmon_live_wrong(input, offset,
							   "no root")
				      : 0;
	if (record->parent >= record->ordinal)
		return selfmon_live_wrong(input, offset,
					  "a place before its parent");
	if (record->region == 0 || record->region > input->regions)
		return selfmon_live_wrong(input, offset,
					  "a place of no region");
	if (tree->place[record->parent].depth >= SELFMON_DEPTH_MAX)
		return selfmon_live_wrong(input, offset, "nested too deep");
	return 0;
}

static int add_row(struct selfmon_live_input *input, uint64_t offset,
		   const struct selfmon_live_node *record,
		   struct selfmon_live_place *place)
{
	const struct selfmon_live_place *const parent =
		&input->tree[record->thread].place[record->parent];
	struct selfmon_sampled sampled;
	struct selfmon_stats stats;
	int error = selfmon_live_stats(
		input, offset + offsetof(struct selfmon_live_node, stats),
		&stats, &place->updating);

	if (!error)
		error = selfmon_live_get(
			input,
			offset + offsetof(struct selfmon_live_node, sampled),
			&sampled, sizeof(sampled));
	if (error)
		return error;
	place->depth = parent->depth + 1;
	if (selfmon_gather_add(&input->gather, parent->row, record->region,
			       &stats, &sampled, &place->row))
		return no_memory(input);
	if (input->gather.apart &&
	    selfmon_gather_add(&input->gather.apart->gather, parent->apart,
			       record->region, &stats, &sampled, &place->apart))
		return no_memory(input);
	return 0;
}

static int take_node(struct selfmon_live_input *input, uint64_t offset,
		     uint64_t size)
{
	const size_t head = offsetof(struct selfmon_live_node, padding);
	struct selfmon_live_place place = { .row = -1 };
	struct selfmon_live_node record;
	struct selfmon_live_tree *tree;
	int error;

	if (size != SELFMON_LIVE_ROUND(sizeof(record)))
		return selfmon_live_wrong(input, offset,
					  "a place of the wrong size");
	error = selfmon_live_get(input, offset, &record, head);
	if (!error)
		error = check_place(input, offset, &record);
	if (!error && record.ordinal)
		error = add_row(input, offset, &record, &place);
	if (error)
		return error;
	place.address = record.address;
	tree = &input->tree[record.thread];
	if (!record.ordinal)
		place.apart = tree->top;
	if (!make_room((void **)&tree->place, tree->places, &tree->room,
		       sizeof(place)))
		return no_memory(input);
	tree->place[tree->places++] = place;
	return 0;
}

/* ---- open visits --------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct selfmon_live_place *const x = a, *const y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* The visit of an update that was under way counts as one, and is not open. */
static void add_visit(struct selfmon_live_input *input,
		      struct selfmon_live_tree *tree,
		      const struct selfmon_open *open)
{
	const struct selfmon_live_place key = {
		.address = (uint64_t)(uintptr_t)open->node
	};
	struct selfmon_live_place *const place =
		bsearch(&key, tree->place, tree->places, sizeof(key),
			by_address);

	if (!place || place->row < 0)
		return;
	if (place->updating) {
		place->updating = false;
		return;
	}
	input->gather.row[place->row].open++;
	if (input->gather.apart)
		input->gather.apart->gather.row[place->apart].open++;
}

/* From the newest entry on; a thread's tree is in no order after this. */
static int take_open(struct selfmon_live_input *input,
		     struct selfmon_live_tree *tree)
{
	struct selfmon_live_thread *const record = /* of whole cache lines */
		aligned_alloc(_Alignof(struct selfmon_live_thread),
			      sizeof(*record));
	size_t i;
	int error;

	if (!record)
		return no_memory(input);
	error = selfmon_live_get(input, tree->offset, record, sizeof(*record));
	if (!error && tree->places)
		qsort(tree->place, tree->places, sizeof(*tree->place),
		      by_address);
	for (i = SELFMON_DEPTH_MAX; !error && tree->places && i > 0; i--) {
		const struct selfmon_open *const open = &record->open[i];

		if (open->start.ticks > input->newest)
			input->newest = open->start.ticks;
		if (!(open->mark & SELFMON_MARK_RECORDED) &&
		    open->mark != SELFMON_MARK_LEFT)
			add_visit(input, tree, open);
	}
	free(record);
	return error;
}

/* ---- all of them --------------------------------------------------------- */

static int add_record(struct selfmon_live_input *input, uint64_t offset,
		      const struct selfmon_live_record *record)
{
	switch (record->type) {
	case SELFMON_LIVE_REST:
		return 0;
	case SELFMON_LIVE_REGION:
		return take_region(input, offset, record->size);
	case SELFMON_LIVE_THREAD:
		return take_thread(input, offset, record->size);
	case SELFMON_LIVE_NODE:
		return take_node(input, offset, record->size);
	default:
		return selfmon_live_wrong(input, offset,
					  "a record of no known type (%u)",
					  record->type);
	}
}

int selfmon_live_rows(struct selfmon_live_input *input)
{
	const uint64_t end = input->header.used;
	uint64_t offset = input->header.header_size;
	struct selfmon_live_record record = { .size = 0 };
	size_t i;
	int error = 0;

	while (!error && offset < end) {
		error = selfmon_live_get(input, offset, &record,
					 sizeof(record));
		if (!error && (record.size < SELFMON_LIVE_ALIGN ||
			       record.size % SELFMON_LIVE_ALIGN ||
			       record.size > end - offset))
			error = selfmon_live_wrong(input, offset,
						   "a record of no size");
		if (!error)
			error = add_record(input, offset, &record);
		offset += record.size;
	}
	for (i = 0; !error && i < input->trees; i++)
		error = take_open(input, &input->tree[i]);
	if (!error && selfmon_gather_end(&input->gather))
		error = no_memory(input);
	return error;
}

/* SPDX-License-Identifier: MIT */
#include "report_merge_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/apart.h"
#include "report_merge_alike.h"
#include "report_merge_place.h"
#include "report_merge_stacks.h"
#include "report_note.h"
#include "tool.h"

struct merging {
	struct selfmon_report *to;
	struct selfmon_samples *samples; /* samples of `to` */
	struct report_places places;
	const struct report_file *file; /* the file being added */
	/* For each row of the file: its row in the merged report. */
	int32_t *row;
	size_t *module;	 /* for each module of the file: its new index */
	size_t stacks, addresses; /* room in the arrays of samples */
	int status;
};

static void fail_memory(struct merging *merging)
{
	if (!merging->status)
		merging->status = tool_fail("report", "no memory");
}

/* ---- modules and rows ---------------------------------------------------- */

/*
 * Finds or adds a module by its path and build id. There is room for all
 * modules.
 */
static size_t module_in(struct merging *merging,
			const struct selfmon_sampled_module *from)
{
	struct selfmon_samples *const to = merging->samples;
	size_t i;

	for (i = 0; i < to->modules; i++)
		if (!strcmp(to->module[i].path, from->path) &&
		    !strcmp(to->module[i].build_id, from->build_id))
			return i;
	to->module[i].path = strdup(from->path);
	to->module[i].build_id = strdup(from->build_id);
	if (!to->module[i].path || !to->module[i].build_id)
		fail_memory(merging);
	to->modules++;
	return i;
}

static void map_modules(struct merging *merging)
{
	const struct selfmon_samples *const from =
		merging->file->report->samples;
	size_t i;

	for (i = 0; i < from->modules && !merging->status; i++)
		merging->module[i] = module_in(merging, &from->module[i]);
}

/*
 * Maps the file's rows to rows of the merged report, which has no rows of
 * threads: regions below a thread's row are mapped to the rows of all threads.
 */
static void map_rows(struct merging *merging)
{
	const struct selfmon_report *const from = merging->file->report;
	size_t i;

	for (i = 0; i < from->rows; i++) {
		const struct selfmon_row *const row = &from->row[i];
		const int32_t parent =
			row->parent < 0 ? -1 : merging->row[row->parent];

		merging->row[i] = -1;
		if (!selfmon_row_is_thread(from, i))
			merging->row[i] = (int32_t)*report_place(
						  &merging->places, parent,
						  row) - 1;
	}
}

/* ---- stacks -------------------------------------------------------------- */

/* Finds the module whose path address->module points to. */
static const struct selfmon_sampled_module *
module_at(const struct selfmon_samples *samples,
	  const struct selfmon_address *address)
{
	size_t i;

	for (i = 0; i < samples->modules; i++)
		if (samples->module[i].path == address->module)
			return &samples->module[i];
	return NULL;
}

static void add_address(struct merging *merging, struct selfmon_address *to,
			const struct selfmon_address *address)
{
	const struct selfmon_samples *const from =
		merging->file->report->samples;
	const struct selfmon_sampled_module *at = module_at(from, address);

	*to = (struct selfmon_address){ "", "", address->address };
	if (!at || !merging->module)
		return;
	at = &merging->samples->module[merging->module[at - from->module]];
	to->module = at->path;
	to->build_id = at->build_id;
}

static void add_stack(struct merging *merging,
		      const struct selfmon_sampled_stack *from)
{
	struct selfmon_samples *const samples = merging->samples;
	struct selfmon_sampled_stack *const to =
		&samples->stack[samples->stacks++];
	uint32_t i;

	*to = *from;
	to->row = from->row < 0 || !merging->row ? -1
						 : merging->row[from->row];
	to->address = &samples->address[samples->addresses];
	for (i = 0; i < from->depth; i++)
		add_address(merging, &to->address[i], &from->address[i]);
	samples->addresses += from->depth;
}

/* ---- files --------------------------------------------------------------- */

static void add_count(struct merging *merging, const char *key, uint64_t *to,
		      uint64_t n)
{
	if (__builtin_add_overflow(*to, n, to) && !merging->status)
		merging->status = tool_fail(
			"report", "%s: samples.%s: the sum of all files is "
			"more than a number can hold", merging->file->path,
			key);
}

static void add_counts(struct merging *merging,
		       const struct selfmon_samples *from)
{
	struct selfmon_samples *const to = merging->samples;

	add_count(merging, "taken", &to->taken, from->taken);
	add_count(merging, "outside", &to->outside, from->outside);
	add_count(merging, "lost", &to->lost, from->lost);
	add_count(merging, "lost_more", &to->lost_more, from->lost_more);
	add_count(merging, "unstored", &to->unstored, from->unstored);
	to->cost_ns = fmax(to->cost_ns, from->cost_ns);
	if (to->chain < from->chain)
		to->chain = from->chain;
	if (to->asked < from->asked)
		to->asked = from->asked;
}

static void add_file(struct merging *merging, const struct report_file *file)
{
	const struct selfmon_samples *const from = file->report->samples;
	size_t i;

	merging->file = file;
	merging->row = calloc(file->report->rows + 1, sizeof(*merging->row));
	merging->module = calloc(from->modules + 1, sizeof(*merging->module));
	if (merging->row && merging->module) {
		add_counts(merging, from);
		map_modules(merging);
		map_rows(merging);
	} else {
		fail_memory(merging);
	}
	for (i = 0; i < from->stacks && !merging->status; i++)
		add_stack(merging, &from->stack[i]);
	free(merging->row);
	free(merging->module);
}

static bool make_room(struct merging *merging, const struct report_file *files,
		      size_t count)
{
	struct selfmon_samples *const to = merging->samples;
	size_t modules = 0, i;

	for (i = 0; i < count; i++) {
		const struct selfmon_samples *const from =
			files[i].report->samples;

		modules += from ? from->modules : 0;
		merging->stacks += from ? from->stacks : 0;
		merging->addresses += from ? from->addresses : 0;
	}
	to->module = calloc(modules + 1, sizeof(*to->module));
	to->stack = calloc(merging->stacks + 1, sizeof(*to->stack));
	to->address = calloc(merging->addresses + 1, sizeof(*to->address));
	if (!to->module || !to->stack || !to->address ||
	    !report_places_make(&merging->places, merging->to,
				merging->to->rows))
		return false;
	for (i = 0; i < merging->to->rows; i++)
		*report_place(&merging->places, merging->to->row[i].parent,
			      &merging->to->row[i]) = (uint32_t)i + 1;
	return true;
}

static const struct report_file *first_of(const struct report_file *files,
					  size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (files[i].report->samples)
			return &files[i];
	return NULL;
}

static void note_missing(struct selfmon_report *to,
			 const struct report_file *files, size_t count)
{
	size_t samples = 0, stacks = 0, i;

	for (i = 0; i < count; i++) {
		samples += files[i].report->samples != NULL;
		stacks += files[i].report->samples && files[i].report->stacks;
	}
	if (samples < count)
		report_note(to, "samples: %zu of %zu reports have none",
			    count - samples, count);
	if (stacks < samples)
		report_note(to, "samples: %zu of %zu reports have no call "
			    "stacks", samples - stacks, samples);
	to->stacks = stacks > 0;
}

static int merge_alike(struct selfmon_report *to,
		       const struct selfmon_samples *like,
		       const struct report_file *files, size_t count)
{
	struct merging merging = { .to = to, .samples = to->samples };
	size_t i;

	memcpy(to->samples->event, like->event, sizeof(like->event));
	to->samples->period = like->period;
	to->samples->frequency = like->frequency;
	to->samples->cost_ns = (double)NAN;
	if (!make_room(&merging, files, count))
		fail_memory(&merging);
	for (i = 0; i < count && !merging.status; i++)
		if (files[i].report->samples)
			add_file(&merging, &files[i]);
	if (!merging.status)
		merging.status = report_stacks_unite(to->samples);
	free(merging.places.slot);
	return merging.status;
}

int report_merge_samples(struct selfmon_report *to,
			 const struct report_file *files, size_t count)
{
	const struct report_file *const first = first_of(files, count);

	if (!first ||
	    !report_samples_alike(to, first->report->samples, files, count))
		return 0;
	note_missing(to, files, count);
	to->samples = calloc(1, sizeof(*to->samples));
	if (!to->samples)
		return tool_fail("report", "no memory");
	return merge_alike(to, first->report->samples, files, count);
}

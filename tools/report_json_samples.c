/* SPDX-License-Identifier: MIT */
#include "report_json_samples.h"

#include <stdlib.h>
#include <string.h>

#include "report/samples.h"

#define BUILD_ID_MAX 64 /* in bytes; linkers write 16 or 20 */

static bool is_build_id(const char *text)
{
	const size_t length = strlen(text);

	return length % 2 == 0 && length <= 2 * BUILD_ID_MAX &&
	       strspn(text, "0123456789abcdef") == length;
}

static void read_module(struct json_in *in, json_t *from,
			struct selfmon_sampled_module *to)
{
	to->path = json_in_string(in, from, "path");
	to->build_id = json_in_string(in, from, "build_id");
	if (to->path && !*to->path)
		json_in_wrong(in, "path: at least one byte was expected");
	if (to->build_id && !is_build_id(to->build_id))
		json_in_wrong(in, "build_id: at most %d bytes in hexadecimal "
			      "were expected", BUILD_ID_MAX);
}

static void read_modules(struct json_in *in, json_t *from,
			 struct selfmon_samples *to)
{
	json_t *const list = json_in_list(in, from, "modules");
	size_t i;

	to->module = calloc(json_array_size(list) + 1, sizeof(*to->module));
	if (!to->module) {
		json_in_wrong(in, "no memory");
		return;
	}
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		/* Counted now, so that the module is freed after an error. */
		to->modules++;
		read_module(in, json_in_element(in, list, i), &to->module[i]);
		json_in_up(in);
	}
	json_in_up(in);
}

static void read_address(struct json_in *in, const json_t *pair,
			 const struct selfmon_samples *samples,
			 struct selfmon_address *to)
{
	const json_t *const number = json_array_get(pair, 0);
	json_int_t module = json_integer_value(number);

	to->module = to->build_id = "";
	if (json_array_size(pair) != 2 || !json_is_integer(number))
		json_in_wrong(in, "a pair of module and address was expected");
	else if (module < -1 || module >= (json_int_t)samples->modules)
		json_in_wrong(in, "a module from -1 to %lld was expected, not "
			      "%lld", (long long)samples->modules - 1,
			      (long long)module);
	else if (module >= 0) {
		to->module = samples->module[module].path;
		to->build_id = samples->module[module].build_id;
	}
	to->address = json_in_count(in, json_array_get(pair, 1), UINT64_MAX);
}

/*
 * Reads the addresses of a stack into the array of all addresses, which is
 * large enough.
 */
static void read_addresses(struct json_in *in, json_t *from,
			   struct selfmon_samples *samples,
			   struct selfmon_sampled_stack *to)
{
	json_t *const list = json_in_list(in, from, "addresses");
	size_t i;

	to->address = samples->address + samples->addresses;
	if (json_array_size(list) > samples->chain)
		json_in_wrong(in, "at most %lu addresses were expected, the "
			      "chain", (unsigned long)samples->chain);
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		read_address(in, json_in_element(in, list, i), samples,
			     &to->address[i]);
		json_in_up(in);
		to->depth++;
		samples->addresses++;
	}
	json_in_up(in);
}

static uint64_t optional(struct json_in *in, json_t *from, const char *key,
			 uint64_t otherwise)
{
	return json_object_get(from, key)
		       ? json_in_integer(in, from, key, UINT64_MAX)
		       : otherwise;
}

static void read_stack(struct json_in *in, json_t *from, size_t rows,
		       struct selfmon_samples *samples,
		       struct selfmon_sampled_stack *to)
{
	to->row = -1;
	if (!json_in_is_null(in, from, "row")) {
		to->row = (int32_t)json_in_integer(in, from, "row", INT32_MAX);
		if ((size_t)to->row >= rows)
			json_in_wrong(in, "row: null or the id of one of %zu "
				      "rows was expected", rows);
	}
	to->count = json_in_integer(in, from, "count", INT64_MAX);
	to->label = optional(in, from, "label", 0);
	to->data = optional(in, from, "data", 0);
	to->data_end = optional(in, from, "data_end", to->data);
	read_addresses(in, from, samples, to);
}

static size_t addresses_of(const json_t *list)
{
	size_t sum = 0, i;

	for (i = 0; i < json_array_size(list); i++)
		sum += json_array_size(json_object_get(json_array_get(list, i),
						       "addresses"));
	return sum;
}

static void read_stacks(struct json_in *in, json_t *from, size_t rows,
			struct selfmon_samples *to)
{
	json_t *const list = json_in_list(in, from, "stacks");
	size_t i;

	to->stack = calloc(json_array_size(list) + 1, sizeof(*to->stack));
	to->address = calloc(addresses_of(list) + 1, sizeof(*to->address));
	if (!to->stack || !to->address) {
		json_in_wrong(in, "no memory");
		return;
	}
	for (i = 0; !in->fault[0] && i < json_array_size(list); i++) {
		read_stack(in, json_in_element(in, list, i), rows, to,
			   &to->stack[i]);
		json_in_up(in);
		to->stacks++;
	}
	json_in_up(in);
	selfmon_samples_sort(to);
}

static void read_counts(struct json_in *in, json_t *from,
			struct selfmon_samples *to)
{
	json_in_copy(in, from, "event", to->event, sizeof(to->event));
	to->period = json_in_integer(in, from, "period", INT64_MAX);
	to->asked = json_in_integer(in, from, "asked", INT64_MAX);
	to->frequency = (uint32_t)json_in_integer(in, from, "frequency",
						  UINT32_MAX);
	to->chain = (uint32_t)json_in_integer(in, from, "chain", UINT32_MAX);
	to->cost_ns = json_in_real(in, from, "cost_ns");
	to->taken = json_in_integer(in, from, "taken", INT64_MAX);
	to->outside = json_in_integer(in, from, "outside", INT64_MAX);
	to->lost = json_in_integer(in, from, "lost", INT64_MAX);
	to->lost_more = json_in_integer(in, from, "lost_more", INT64_MAX);
	to->unstored = json_in_integer(in, from, "unstored", INT64_MAX);
	if (to->outside > to->taken)
		json_in_wrong(in, "outside: at most the %llu taken were "
			      "expected", (unsigned long long)to->taken);
}

/*
 * Lets the report of the spans refer to the samples of the main report, if the
 * rows of spans have counts of samples.
 */
static void share_with_spans(struct selfmon_report *report, const json_t *root)
{
	const json_t *const rows =
		json_object_get(json_object_get(root, "async"), "rows");

	if (report->async &&
	    json_object_get(json_array_get(rows, 0), "samples"))
		report->async->samples = report->samples;
}

static bool has_stacks(struct json_in *in, json_t *from)
{
	char *const reason = json_in_string(in, from, "no_stacks_reason");
	const bool stacks = reason && !*reason;

	free(reason);
	return stacks;
}

/*
 * Older reports lack the member `samples`. It is null if there are no samples.
 */
void report_json_samples(struct report_file *file, struct json_in *in)
{
	struct selfmon_samples *samples;
	json_t *from;

	if (!json_object_get(in->root, "samples") ||
	    json_in_is_null(in, in->root, "samples"))
		return;
	samples = calloc(1, sizeof(*samples));
	if (!samples) {
		json_in_wrong(in, "no memory");
		return;
	}
	file->report->samples = samples;
	share_with_spans(file->report, in->root);
	from = json_in_object(in, in->root, "samples");
	file->report->stacks = has_stacks(in, from);
	read_counts(in, from, samples);
	read_modules(in, from, samples);
	read_stacks(in, from, file->report->rows, samples);
	json_in_up(in);
}

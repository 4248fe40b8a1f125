/* SPDX-License-Identifier: MIT */
/*
 * Writes the functions with the most samples of each region, as JSON. The
 * page itself cannot look up the names of functions.
 */
#include "html_hot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "hot.h"
#include "platform/escape.h"
#include "report/model.h"
#include "symbols.h"
#include "symbols_name.h"

#define FUNCTIONS_MOST 20

static const char *name_of(const struct selfmon_samples *samples,
			   const struct hot *hot)
{
	if (!hot->function)
		return "(no address)";
	if (hot->function->known)
		return hot->function->name;
	if (hot->function->module < 0)
		return "(code without a file)";
	return symbols_short_name(samples->module[hot->function->module].path);
}

/*
 * Returns the source file. If the source file is unknown, returns the module of
 * the function. For an address without a symbol, returns the address.
 */
static const char *file_of(const struct selfmon_samples *samples,
			   const struct hot *hot)
{
	if (*hot->file)
		return symbols_short_name(hot->file);
	if (hot->function && !hot->function->known)
		return hot->function->name;
	if (!hot->function || hot->function->module < 0)
		return "";
	return symbols_short_name(samples->module[hot->function->module].path);
}

/*
 * Writes [name, samples, file or module, line, whether it is inlined]: see
 * name_of() and file_of().
 */
static void put_hot(const struct selfmon_samples *samples,
		    const struct hot *hot, FILE *to)
{
	putc('[', to);
	selfmon_output_json(to, name_of(samples, hot));
	fprintf(to, ",%" PRIu64 ",", hot->count);
	selfmon_output_json(to, file_of(samples, hot));
	fprintf(to, ",%" PRIu32 ",%d]", hot->line, hot->inlined);
}

static void count_unknown(uint64_t *unknown, const struct hot *hot)
{
	if (hot->function && !hot->function->known)
		unknown[hot->function->module + 1] += hot->count;
}

static int put_row(const struct selfmon_samples *samples,
		   struct symbols *symbols,
		   const struct selfmon_sampled_stack *stack, size_t stacks,
		   uint64_t *unknown, FILE *to)
{
	struct hot *list;
	const size_t count = hot_list(symbols, stack, stacks, &list);
	size_t i;

	if (!list)
		return -ENOMEM;
	fprintf(to, "\"%" PRId32 "\":[", stack->row);
	for (i = 0; i < count; i++) {
		count_unknown(unknown, &list[i]);
		if (i >= FUNCTIONS_MOST)
			continue;
		fputs(i ? ",\n" : "", to);
		put_hot(samples, &list[i], to);
	}
	putc(']', to);
	free(list);
	return 0;
}

static int put_rows(const struct selfmon_samples *samples,
		    struct symbols *symbols, uint64_t *unknown, FILE *to)
{
	size_t from = 0, end;
	int error = 0;

	for (; !error && from < samples->stacks; from = end) {
		const struct selfmon_sampled_stack *const stack =
			&samples->stack[from];

		for (end = from; end < samples->stacks &&
				 samples->stack[end].row == stack->row;)
			end++;
		fputs(from ? ",\n" : "", to);
		error = put_row(samples, symbols, stack, end - from, unknown,
				to);
	}
	return error;
}

/* Writes [module, samples without a symbol, reason]. */
static void put_unknown(const struct selfmon_samples *samples,
			const struct symbols *symbols, const uint64_t *unknown,
			FILE *to)
{
	bool first = true;
	size_t i;

	for (i = 0; i <= samples->modules; i++) {
		const char *const why = symbols_why(symbols, (int32_t)i - 1);

		if (!unknown[i])
			continue;
		fputs(first ? "[" : ",[", to);
		selfmon_output_json(to, i ? samples->module[i - 1].path
					  : "code without a file");
		fprintf(to, ",%" PRIu64 ",", unknown[i]);
		selfmon_output_json(to, why ? why : "no symbol there");
		putc(']', to);
		first = false;
	}
}

static int put_all(const struct selfmon_samples *samples,
		   struct symbols *symbols, FILE *to)
{
	uint64_t *const unknown = calloc(samples->modules + 1,
					 sizeof(*unknown));
	int error = -ENOMEM;

	if (unknown) {
		fputs("{\"rows\":{", to);
		error = put_rows(samples, symbols, unknown, to);
		fputs("},\"unknown\":[", to);
		put_unknown(samples, symbols, unknown, to);
		fputs("]}", to);
	}
	free(unknown);
	return error ? error : symbols_failed(symbols) ? -ENOMEM : 0;
}

int html_hot(const struct selfmon_report *report, FILE *to)
{
	struct symbols *symbols;
	int error;

	if (!report || !report->samples || !report->stacks) {
		fputs("null", to);
		return 0;
	}
	symbols = symbols_open(report);
	if (!symbols)
		return -ENOMEM;
	error = put_all(report->samples, symbols, to);
	symbols_close(symbols);
	return error;
}

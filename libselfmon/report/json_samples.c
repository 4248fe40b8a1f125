/* SPDX-License-Identifier: MIT */
#include "report/json_samples.h"

#include <string.h>

#include "report/samples.h"

#define NO_STACKS                                                              \
	"views (threads, flat, top and so on), intervals and live files have " \
	"numbers of samples, but no call stacks"

static void put_modules(struct selfmon_json *outer,
			const struct selfmon_samples *samples)
{
	size_t i;

	selfmon_json_key(outer, "modules");
	putc('[', outer->stream);
	for (i = 0; i < samples->modules; i++) {
		struct selfmon_json json = { outer->stream, "", true };

		fputs(i ? ",\n      {" : "\n      {", json.stream);
		selfmon_json_text(&json, "path", samples->module[i].path);
		selfmon_json_text(&json, "build_id",
				  samples->module[i].build_id);
		putc('}', json.stream);
	}
	fputs(i ? "\n    ]" : "]", outer->stream);
}

/*
 * Returns the index of an address's module, or -1. address->module is the same
 * pointer as the module's path, so only pointers are compared.
 */
static long module_of(const struct selfmon_samples *samples,
		      const struct selfmon_address *address)
{
	size_t i;

	for (i = 0; i < samples->modules; i++)
		if (samples->module[i].path == address->module)
			return (long)i;
	return -1;
}

static void put_stack(FILE *stream, const struct selfmon_samples *samples,
		      const struct selfmon_sampled_stack *stack)
{
	struct selfmon_json json = { stream, "", true };
	uint32_t i;

	putc('{', stream);
	if (stack->row >= 0)
		selfmon_json_signed(&json, "row", stack->row);
	else
		selfmon_json_null(&json, "row");
	selfmon_json_integer(&json, "count", stack->count);
	if (stack->label)
		selfmon_json_integer(&json, "label", stack->label);
	if (stack->data)
		selfmon_json_integer(&json, "data", stack->data);
	if (stack->data_end != stack->data)
		selfmon_json_integer(&json, "data_end", stack->data_end);
	selfmon_json_key(&json, "addresses");
	putc('[', stream);
	for (i = 0; i < stack->depth; i++)
		fprintf(stream, "%s[%ld, %llu]", i ? ", " : "",
			module_of(samples, &stack->address[i]),
			(unsigned long long)stack->address[i].address);
	fputs("]}", stream);
}

static void put_stacks(struct selfmon_json *outer,
		       const struct selfmon_samples *samples, size_t stacks)
{
	size_t i;

	selfmon_json_key(outer, "stacks");
	putc('[', outer->stream);
	for (i = 0; i < stacks; i++) {
		fputs(i ? ",\n      " : "\n      ", outer->stream);
		put_stack(outer->stream, samples, &samples->stack[i]);
	}
	fputs(i ? "\n    ]" : "]", outer->stream);
}

void selfmon_json_samples(struct selfmon_json *outer,
			  const struct selfmon_report *report)
{
	const struct selfmon_samples *const samples = report->samples;
	struct selfmon_json json = { outer->stream, "\n    ", true };

	if (!samples) {
		selfmon_json_null(outer, "samples");
		return;
	}
	selfmon_json_key(outer, "samples");
	putc('{', json.stream);
	selfmon_json_text(&json, "event", samples->event);
	selfmon_json_integer(&json, "period", samples->period);
	selfmon_json_integer(&json, "asked", samples->asked);
	selfmon_json_integer(&json, "frequency", samples->frequency);
	selfmon_json_integer(&json, "chain", samples->chain);
	selfmon_json_real(&json, "cost_ns", samples->cost_ns);
	selfmon_json_integer(&json, "taken", samples->taken);
	selfmon_json_integer(&json, "outside", samples->outside);
	selfmon_json_integer(&json, "lost", samples->lost);
	selfmon_json_integer(&json, "lost_more", samples->lost_more);
	selfmon_json_integer(&json, "unstored", samples->unstored);
	selfmon_json_text(&json, "no_stacks_reason",
			  report->stacks ? "" : NO_STACKS);
	put_modules(&json, samples);
	put_stacks(&json, samples, report->stacks ? samples->stacks : 0);
	fputs("\n  }", json.stream);
}

/* SPDX-License-Identifier: MIT */
/*
 * Prints the results of selfmon_bench.h as a table, and as JSON in
 * google-benchmark's format, which its compare.py reads.
 */
#ifndef SELFMON_BENCH_OUTPUT_H
#define SELFMON_BENCH_OUTPUT_H

#include <stdio.h>

#include "bench_run.h"
#include "version.h"

SELFMON_C_BEGIN

/* ---- names --------------------------------------------------------------- */

struct selfmon_impl_bench_text {
	char text[512];
};

/*
 * Escapes a name or an argument for a terminal: control characters become \xNN.
 */
SELFMON_INLINE struct selfmon_impl_bench_text
selfmon_impl_bench_safe(const char *name)
{
	struct selfmon_impl_bench_text safe;

	selfmon_impl_escape_text(safe.text, sizeof(safe.text), name);
	return safe;
}

/*
 * Returns true for quantities that are times: they depend on the machine's
 * speed.
 */
SELFMON_INLINE bool selfmon_impl_bench_is_time(const char *quantity)
{
	return !strcmp(quantity, "cpu-time") ||
	       !strcmp(quantity, "real-time") ||
	       !strncmp(quantity, "task-clock", 10) ||
	       !strncmp(quantity, "cpu-clock", 9);
}

/* ---- table --------------------------------------------------------------- */

/* Marks a scaled value, and a value with disturbed rounds. Ends the line. */
SELFMON_INLINE void
selfmon_impl_bench_mark(const struct selfmon_bench_result *result,
			const struct selfmon_bench_quantity *of, FILE *stream)
{
	if (of->verdict == SELFMON_SCALED)
		fputs("  scaled", stream);
	if (result->disturbed)
		fprintf(stream, "  disturbed %u of %u", result->disturbed,
			result->rounds);
	fputc('\n', stream);
}

SELFMON_INLINE void
selfmon_impl_bench_line(const struct selfmon_bench_result *result,
			const struct selfmon_bench_quantity *of,
			const char *label, FILE *stream)
{
	const bool time = selfmon_impl_bench_is_time(of->name);
	char name[64];

	snprintf(name, sizeof(name), "%.55s%s", of->name, time ? ", ns" : "");
	fprintf(stream, "%-24s %-18s ", selfmon_impl_bench_safe(label).text,
		selfmon_impl_bench_safe(name).text);
	if (of->count > 0) {
		fprintf(stream, "%10.6g %10.6g  %.6g to %.6g", of->median,
			of->minimum, of->low, of->high);
		selfmon_impl_bench_mark(result, of, stream);
	} else {
		fprintf(stream, "%10s %10s  %s\n", "-", "-",
			of->verdict == SELFMON_NOT_COUNTED ? "not counted"
							   : "no sample");
	}
}

/*
 * Writes a line for each case and quantity: median, minimum, 95 % interval of
 * the median. Marks scaled values, and values with rounds that were disturbed
 * by the scheduler. Returns 0, or -EIO.
 */
SELFMON_INLINE int
selfmon_bench_print(const struct selfmon_bench_result *results, size_t count,
		    FILE *stream)
{
	unsigned int q;
	size_t i;

	fprintf(stream, "%-24s %-18s %10s %10s  %s\n", "benchmark",
		"per iteration", "median", "minimum", "95 %");
	for (i = 0; i < count; i++)
		for (q = 0; q < results[i].quantities; q++)
			selfmon_impl_bench_line(
				&results[i], &results[i].quantity[q],
				q ? "" : results[i].name, stream);
	return ferror(stream) ? -EIO : 0;
}

SELFMON_INLINE void
selfmon_impl_bench_print_ratio(const struct selfmon_bench_result *first,
			       const struct selfmon_bench_result *other,
			       const char *name, FILE *stream)
{
	const struct selfmon_bench_quantity *const a =
		selfmon_bench_quantity(first, name);
	const struct selfmon_bench_quantity *const b =
		selfmon_bench_quantity(other, name);
	struct selfmon_bench_quantity ratio;

	if (!a || !b || selfmon_bench_compare(a, b, &ratio))
		return;
	fprintf(stream, "%-24s %-18s %10.4g %10s  %.4g to %.4g\n",
		selfmon_impl_bench_safe(other->name).text, name, ratio.median,
		"", ratio.low, ratio.high);
}

/*
 * Writes the ratio of each case to the first case, computed round by round: the
 * ratio of CPU times, and of instructions if both cases have them. Returns 0,
 * or -EIO.
 */
SELFMON_INLINE int
selfmon_bench_print_ratios(const struct selfmon_bench_result *results,
			   size_t count, FILE *stream)
{
	size_t i;

	if (count > 1)
		fprintf(stream, "\n%-24s %-18s %10s %10s  %s\n", "relative to",
			selfmon_impl_bench_safe(results[0].name).text, "ratio",
			"", "95 %");
	for (i = 1; i < count; i++) {
		selfmon_impl_bench_print_ratio(&results[0], &results[i],
					       "cpu-time", stream);
		selfmon_impl_bench_print_ratio(&results[0], &results[i],
					       "instructions", stream);
	}
	return ferror(stream) ? -EIO : 0;
}

/* ---- JSON ---------------------------------------------------------------- */

/* Writes a JSON string, truncated if it does not fit. */
SELFMON_INLINE void selfmon_impl_bench_quote(char *to, size_t size,
					     const char *text)
{
	const size_t used = selfmon_impl_escape_json(to + 1, size - 2, text);

	to[0] = to[used + 1] = '"';
	to[used + 2] = '\0';
}

/* Returns the sample with this slot, or NULL. */
SELFMON_INLINE const double *
selfmon_impl_bench_at(const struct selfmon_bench_quantity *of,
		      unsigned int slot)
{
	unsigned int i;

	for (i = 0; i < of->count; i++)
		if (of->slot[i] == slot)
			return &of->sample[i];
	return NULL;
}

/*
 * Returns the sample with this slot, or the median if slot is -1. Returns NULL
 * if there is none.
 */
SELFMON_INLINE const double *
selfmon_impl_bench_of(const struct selfmon_bench_quantity *of, int slot)
{
	if (of->count == 0)
		return NULL;
	return slot < 0 ? &of->median
			: selfmon_impl_bench_at(of, (unsigned int)slot);
}

SELFMON_INLINE void
selfmon_impl_bench_object_head(const struct selfmon_bench_result *result,
			       int slot, int index, FILE *stream)
{
	char name[512], whole[600], key[512];

	snprintf(whole, sizeof(whole), "%.500s%s", result->name,
		 slot < 0 ? "_median" : "");
	selfmon_impl_bench_quote(key, sizeof(key), result->name);
	selfmon_impl_bench_quote(name, sizeof(name), whole);
	fprintf(stream, "    {\"name\": %s, \"run_name\": %s, ", name, key);
	if (slot < 0)
		fprintf(stream, "\"run_type\": \"aggregate\", "
				"\"aggregate_name\": \"median\", "
				"\"aggregate_unit\": \"time\", ");
	else
		fprintf(stream, "\"run_type\": \"iteration\", "
				"\"repetition_index\": %d, \"slot\": %d, ",
			index, slot);
}

/*
 * Writes one JSON object: a round, or the median if slot is -1. It must be on
 * one line, since selfmon_bench_baseline() reads line by line.
 */
SELFMON_INLINE void
selfmon_impl_bench_object(const struct selfmon_bench_result *result, int slot,
			  int index, FILE *stream)
{
	const double *const real = selfmon_impl_bench_of(
		&result->quantity[SELFMON_BENCH_REAL_TIME], slot);
	const double *const cpu = selfmon_impl_bench_of(
		&result->quantity[SELFMON_BENCH_CPU_TIME], slot);
	const unsigned int rounds =
		result->quantity[SELFMON_BENCH_REAL_TIME].count;
	char key[256];
	unsigned int q;

	selfmon_impl_bench_object_head(result, slot, index, stream);
	fprintf(stream,
		"\"repetitions\": %u, \"threads\": 1, \"iterations\": %llu, "
		"\"real_time\": %.17g, \"cpu_time\": %.17g, "
		"\"time_unit\": \"ns\"", rounds,
		slot < 0 ? (unsigned long long)rounds
			 : (unsigned long long)result->turns,
		real ? *real : 0, cpu ? *cpu : 0);
	for (q = SELFMON_BENCH_FIRST_EVENT; q < result->quantities; q++) {
		const double *const value =
			selfmon_impl_bench_of(&result->quantity[q], slot);

		if (!value)
			continue;
		selfmon_impl_bench_quote(key, sizeof(key),
					 result->quantity[q].name);
		fprintf(stream, ", %s: %.17g", key, *value);
	}
	fputc('}', stream);
}

/*
 * Returns true if the case has a real time and a CPU time for this slot: each
 * JSON object needs both.
 */
SELFMON_INLINE bool
selfmon_impl_bench_has(const struct selfmon_bench_result *result, int slot)
{
	return selfmon_impl_bench_of(
		       &result->quantity[SELFMON_BENCH_REAL_TIME], slot) &&
	       selfmon_impl_bench_of(&result->quantity[SELFMON_BENCH_CPU_TIME],
				     slot);
}

SELFMON_INLINE void
selfmon_impl_bench_objects(const struct selfmon_bench_result *result,
			   const char **between, FILE *stream)
{
	const struct selfmon_bench_quantity *const real =
		&result->quantity[SELFMON_BENCH_REAL_TIME];
	int index = 0;
	unsigned int i;

	for (i = 0; i <= real->count; i++) {
		const int slot = i < real->count ? real->slot[i] : -1;

		if (!selfmon_impl_bench_has(result, slot))
			continue;
		fputs(*between, stream);
		*between = ",\n";
		selfmon_impl_bench_object(result, slot, index++, stream);
	}
}

/*
 * Writes each round as a repetition, then their median. "slot" encodes the run
 * and the round. Returns 0, or -EIO.
 */
SELFMON_INLINE int
selfmon_bench_json(const struct selfmon_bench_result *results, size_t count,
		   FILE *stream)
{
	const char *between = "";
	size_t i;

	fprintf(stream, "{\n  \"context\": {\"library_version\": \"selfmon %s\"},"
			"\n  \"benchmarks\": [\n", SELFMON_VERSION);
	for (i = 0; i < count; i++)
		selfmon_impl_bench_objects(&results[i], &between, stream);
	fputs("\n  ]\n}\n", stream);
	return ferror(stream) ? -EIO : 0;
}

SELFMON_C_END

#endif

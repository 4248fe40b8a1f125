/* SPDX-License-Identifier: MIT */
/*
 * What selfmon_bench.h makes of its results: a table, JSON as google-benchmark
 * writes it (its compare.py reads it), the gate, and a main().
 */
#ifndef SELFMON_BENCH_OUTPUT_H
#define SELFMON_BENCH_OUTPUT_H

#include "../selfmon_bench.h"

SELFMON_C_BEGIN

/* ---- table --------------------------------------------------------------- */

SELFMON_INLINE void
selfmon_impl_bench_line(const struct selfmon_bench_quantity *of,
			const char *label, FILE *stream)
{
	fprintf(stream, "%-28s %-18s ", label, of->name);
	if (of->verdict == SELFMON_NOT_COUNTED)
		fprintf(stream, "%12s\n", "not counted");
	else
		fprintf(stream, "%12.6g   %.6g to %.6g, %s\n", of->median,
			of->low, of->high, selfmon_verdict_name(of->verdict));
}

/* 0, or -EIO. */
SELFMON_INLINE int
selfmon_bench_print(const struct selfmon_bench_result *results, size_t count,
		    FILE *stream)
{
	unsigned int q;
	size_t i;

	fprintf(stream, "%-28s %-18s %12s   %s\n", "benchmark", "a turn",
		"median", "95 %");
	for (i = 0; i < count; i++)
		for (q = 0; q < results[i].quantities; q++)
			selfmon_impl_bench_line(&results[i].quantity[q],
						q ? "" : results[i].name,
						stream);
	return ferror(stream) ? -EIO : 0;
}

/* ---- JSON ---------------------------------------------------------------- */

/* A string of JSON, cut where it does not fit. */
SELFMON_INLINE void selfmon_impl_bench_quote(char *to, size_t size,
					     const char *text)
{
	size_t used = 0;

	to[used++] = '"';
	for (; *text && used + 8 < size; text++) {
		const unsigned char c = (unsigned char)*text;

		if (c < 0x20) {
			used += (size_t)snprintf(to + used, size - used,
						 "\\u%04x", c);
			continue;
		}
		if (c == '"' || c == '\\')
			to[used++] = '\\';
		to[used++] = (char)c;
	}
	to[used++] = '"';
	to[used] = '\0';
}

/*
 * One object: round `round`, or all of them for -1, which is the median. On
 * one line, which is what selfmon_bench_baseline() relies on.
 */
SELFMON_INLINE void
selfmon_impl_bench_object(const struct selfmon_bench_result *result, int round,
			  FILE *stream)
{
	const struct selfmon_bench_quantity *const cpu =
		selfmon_bench_quantity(result, "task-clock");
	const struct selfmon_bench_quantity *of = &result->quantity[0];
	char name[512], whole[600], key[256];
	unsigned int q;

	snprintf(whole, sizeof(whole), "%.500s%s", result->name,
		 round < 0 ? "_median" : "");
	selfmon_impl_bench_quote(key, sizeof(key), result->name);
	selfmon_impl_bench_quote(name, sizeof(name), whole);
	fprintf(stream, "    {\"name\": %s, \"run_name\": %s, ", name, key);
	if (round < 0)
		fprintf(stream, "\"run_type\": \"aggregate\", "
				"\"aggregate_name\": \"median\", "
				"\"aggregate_unit\": \"time\", ");
	else
		fprintf(stream, "\"run_type\": \"iteration\", "
				"\"repetition_index\": %d, ", round);
	fprintf(stream,
		"\"repetitions\": %u, \"threads\": 1, "
		"\"iterations\": %llu, \"real_time\": %.17g, ", of->count,
		(unsigned long long)(round < 0 ? of->count : result->turns),
		round < 0 ? of->median : of->sample[round]);
	if (cpu && cpu->count > 0)
		of = cpu;
	fprintf(stream, "\"cpu_time\": %.17g, \"time_unit\": \"ns\"",
		round < 0 ? of->median : of->sample[round]);
	for (q = 1; q < result->quantities; q++) {
		of = &result->quantity[q];
		if (of->count == 0)
			continue;
		selfmon_impl_bench_quote(key, sizeof(key), of->name);
		fprintf(stream, ", %s: %.17g", key,
			round < 0 ? of->median : of->sample[round]);
	}
	fputc('}', stream);
}

/* Each round as a repetition, then their median. 0, or -EIO. */
SELFMON_INLINE int
selfmon_bench_json(const struct selfmon_bench_result *results, size_t count,
		   FILE *stream)
{
	const char *between = "";
	size_t i;

	fprintf(stream, "{\n  \"context\": {\"library_version\": \"selfmon %s\"},"
			"\n  \"benchmarks\": [\n", SELFMON_VERSION);
	for (i = 0; i < count; i++) {
		const int rounds = (int)results[i].quantity[0].count;
		int round;

		for (round = 0; round <= rounds; round++) {
			fputs(between, stream);
			between = ",\n";
			selfmon_impl_bench_object(
				&results[i], round < rounds ? round : -1,
				stream);
		}
	}
	fputs("\n  ]\n}\n", stream);
	return ferror(stream) ? -EIO : 0;
}

/* ---- the gate ------------------------------------------------------------ */

/*
 * The median of a quantity ("instructions") of a case, out of a file that
 * selfmon_bench_json() wrote. 0, or -ENODATA: it is not in it.
 */
SELFMON_INLINE int selfmon_bench_baseline(FILE *stream, const char *name,
					  const char *quantity, double *median)
{
	char line[8192], whole[600], wanted[512], key[256];
	const char *found;

	snprintf(whole, sizeof(whole), "%.500s_median", name);
	selfmon_impl_bench_quote(wanted, sizeof(wanted), whole);
	selfmon_impl_bench_quote(key, sizeof(key) - 2, quantity);
	memcpy(key + strlen(key), ": ", 3);
	rewind(stream);
	while (fgets(line, (int)sizeof(line), stream)) {
		found = strstr(line, "{\"name\": ");
		if (!found || strncmp(found + 9, wanted, strlen(wanted)))
			continue;
		found = strstr(found + 9 + strlen(wanted), key);
		if (!found)
			return -ENODATA;
		*median = strtod(found + strlen(key), NULL);
		return 0;
	}
	return -ENODATA;
}

/*
 * Judges all cases that are in the baseline by one quantity: a median that
 * has grown by more than so many percent fails. A line for each that has, or
 * that cannot be judged. How many failed, or -ENODATA if none could be judged.
 */
SELFMON_INLINE int
selfmon_bench_gate(const struct selfmon_bench_result *results, size_t count,
		   FILE *baseline, const char *quantity, double percent,
		   FILE *log)
{
	int failed = 0, judged = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct selfmon_bench_quantity *const now =
			selfmon_bench_quantity(&results[i], quantity);
		double before;

		if (!now || now->count == 0) {
			fprintf(log, "gate: %s: %s not counted\n",
				results[i].name, quantity);
			continue;
		}
		if (selfmon_bench_baseline(baseline, results[i].name, quantity,
					   &before)) {
			fprintf(log, "gate: %s: not in the baseline\n",
				results[i].name);
			continue;
		}
		judged++;
		if (now->median <= before + (before < 0 ? -before : before) *
						    percent / 100)
			continue;
		failed++;
		fprintf(log, "gate: %s: %s were %.6g, are %.6g\n",
			results[i].name, quantity, before, now->median);
	}
	return judged ? failed : -ENODATA;
}

/* ---- main ---------------------------------------------------------------- */

#define SELFMON_BENCH_CASES_MAX 64

struct selfmon_impl_bench_arguments {
	struct selfmon_bench_options options;
	const char *json, *baseline, *gate_on;
	double gate; /* percent; below 0: no gate */
};

SELFMON_INLINE const char *selfmon_impl_bench_value(const char *argument,
						    const char *name)
{
	const size_t length = strlen(name);

	return strncmp(argument, name, length) ? NULL : argument + length;
}

SELFMON_INLINE bool
selfmon_impl_bench_argument(struct selfmon_impl_bench_arguments *to,
			    const char *argument)
{
	const char *value;
	char *end = NULL;

	if ((value = selfmon_impl_bench_value(argument, "--events=")) != NULL)
		to->options.events = value;
	else if ((value = selfmon_impl_bench_value(argument, "--json=")))
		to->json = value;
	else if ((value = selfmon_impl_bench_value(argument, "--baseline=")))
		to->baseline = value;
	else if ((value = selfmon_impl_bench_value(argument, "--gate-on=")))
		to->gate_on = value;
	else if ((value = selfmon_impl_bench_value(argument, "--gate=")))
		to->gate = strtod(value, &end);
	else if ((value = selfmon_impl_bench_value(argument, "--rounds=")))
		to->options.rounds = (unsigned int)strtoul(value, &end, 10);
	else
		return false;
	return !end || (*value != '\0' && *end == '\0');
}

/* 0, 1 (cannot be written), 2 (no baseline), 1 or 77 of the gate. */
SELFMON_INLINE int
selfmon_impl_bench_finish(const struct selfmon_impl_bench_arguments *arguments,
			  const struct selfmon_bench_result *results,
			  size_t count)
{
	FILE *stream;
	int failed;

	if (arguments->json) {
		stream = fopen(arguments->json, "w");
		failed = !stream || selfmon_bench_json(results, count, stream);
		if ((stream && fclose(stream)) || failed) {
			fprintf(stderr, "%s: cannot be written\n",
				arguments->json);
			return 1;
		}
	}
	if (arguments->gate < 0)
		return 0;
	stream = arguments->baseline ? fopen(arguments->baseline, "r") : NULL;
	if (!stream) {
		fprintf(stderr, "--gate needs a --baseline that can be read\n");
		return 2;
	}
	failed = selfmon_bench_gate(results, count, stream, arguments->gate_on,
				    arguments->gate, stderr);
	fclose(stream);
	return failed < 0 ? SELFMON_BENCH_SKIPPED : failed > 0;
}

/*
 * For main(): measures and prints all cases (64 at most). Arguments:
 *   --events=LIST    --rounds=N
 *   --json=FILE      is written
 *   --baseline=FILE  of an earlier --json; --gate=PERCENT judges by it
 *   --gate-on=EVENT  by what: instructions, or another event of the list
 * Returns 0; 1, the gate has failed, or a file cannot be written; 2, the
 * arguments are wrong; 77, the gate had nothing to judge by: no counters.
 */
SELFMON_INLINE int
selfmon_bench_main(int argc, char **argv,
		   const struct selfmon_bench_case *cases, size_t count)
{
	static struct selfmon_bench_result results[SELFMON_BENCH_CASES_MAX];
	struct selfmon_impl_bench_arguments arguments = {
		SELFMON_BENCH_OPTIONS_INIT, NULL, NULL, "instructions", -1
	};
	struct selfmon_failure failure;
	struct selfmon_counters *set;
	char text[512];
	int i, ret;

	for (i = 1; i < argc; i++)
		if (!selfmon_impl_bench_argument(&arguments, argv[i])) {
			fprintf(stderr, "%s: not understood\n", argv[i]);
			return 2;
		}
	memset(&failure, 0, sizeof(failure));
	ret = selfmon_counters_open(arguments.options.events, 0, &set,
				    &failure);
	if (failure.error) {
		selfmon_explain(&failure, text, sizeof(text));
		fprintf(stderr, "%s\n", text);
	}
	if (ret < 0)
		return 2;
	if (count > SELFMON_BENCH_CASES_MAX ||
	    selfmon_bench_run(set, cases, count, &arguments.options, results)) {
		fprintf(stderr, "rounds are 3 to %d, cases 64 at most\n",
			SELFMON_BENCH_ROUNDS_MAX);
		ret = 2;
	} else {
		ret = selfmon_bench_print(results, count, stdout)
			      ? 1
			      : selfmon_impl_bench_finish(&arguments, results,
							  count);
	}
	selfmon_counters_close(set);
	return ret;
}

SELFMON_C_END

#endif

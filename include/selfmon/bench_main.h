/* SPDX-License-Identifier: MIT */
/* A main() for benchmarks: selfmon_bench_main() and its options. */
#ifndef SELFMON_BENCH_MAIN_H
#define SELFMON_BENCH_MAIN_H

#include "bench_gate.h"
#include "bench_process.h"
#include "doctor.h"

SELFMON_C_BEGIN

#define SELFMON_BENCH_CASES_MAX 64
#define SELFMON_IMPL_BENCH_ALL                                                 \
	(SELFMON_BENCH_CASES_MAX + SELFMON_BENCH_REFERENCES)

struct selfmon_impl_bench_arguments {
	struct selfmon_bench_options options;
	const char *json, *baseline, *gate_on, *filter;
	double gate; /* limit in percent; negative: no gate */
	unsigned int runs;
	bool help;
};

SELFMON_INLINE void selfmon_impl_bench_help(const char *program)
{
	printf("Usage: %s [OPTION]...\n\n"
	       "  --filter=TEXT    only cases whose name contains TEXT\n"
	       "  --events=LIST    counters (instructions,cycles,branch-misses)\n"
	       "  --rounds=N       rounds a run, 3 to %d (31)\n"
	       "  --runs=N         runs, each a new process, 1 to %d (5)\n"
	       "  --json=FILE      write all rounds as google-benchmark's JSON\n"
	       "  --baseline=FILE  a --json of an earlier run, to compare with\n"
	       "  --gate=PERCENT   fail if a case takes over PERCENT more than\n"
	       "                   in the baseline\n"
	       "  --gate-on=WHAT   cpu-time, real-time or a counter\n"
	       "                   (instructions if counted, else cpu-time)\n"
	       "  --help           print this\n\n"
	       "At most %d rounds in all runs.\n\n"
	       "Exit status: 0 measured, and the gate passed; 1 a regression, "
	       "or a file\ncannot be written; 2 usage; 3 inconclusive; 77 the "
	       "gate had nothing to\njudge by.\n",
	       selfmon_impl_bench_safe(program).text,
	       SELFMON_BENCH_ROUNDS_MAX, SELFMON_BENCH_RUNS_MAX,
	       SELFMON_BENCH_SAMPLES_MAX);
}

SELFMON_INLINE const char *selfmon_impl_bench_value(const char *argument,
						    const char *name)
{
	const size_t length = strlen(name);

	return strncmp(argument, name, length) ? NULL : argument + length;
}

/*
 * Parses a whole number from least to most. If the argument is not such a
 * number, prints a message and returns false.
 */
SELFMON_INLINE bool selfmon_impl_bench_number(const char *argument,
					      const char *value,
					      unsigned int least,
					      unsigned int most,
					      unsigned int *to)
{
	char *end = NULL;
	const unsigned long number = strtoul(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || number < least ||
	    number > most) {
		fprintf(stderr, "%s: not a number from %u to %u\n",
			selfmon_impl_bench_safe(argument).text, least, most);
		return false;
	}
	*to = (unsigned int)number;
	return true;
}

SELFMON_INLINE bool selfmon_impl_bench_percent(const char *argument,
					       const char *value, double *to)
{
	char *end = NULL;

	*to = strtod(value, &end);
	if (*value && !*end && *to >= 0 && *to < HUGE_VAL)
		return true;
	fprintf(stderr, "%s: not a percentage of at least 0\n",
		selfmon_impl_bench_safe(argument).text);
	return false;
}

SELFMON_INLINE bool
selfmon_impl_bench_argument(struct selfmon_impl_bench_arguments *to,
			    const char *argument)
{
	const char *value;

	if ((value = selfmon_impl_bench_value(argument, "--events=")) != NULL)
		to->options.events = value;
	else if ((value = selfmon_impl_bench_value(argument, "--json=")))
		to->json = value;
	else if ((value = selfmon_impl_bench_value(argument, "--baseline=")))
		to->baseline = value;
	else if ((value = selfmon_impl_bench_value(argument, "--filter=")))
		to->filter = value;
	else if ((value = selfmon_impl_bench_value(argument, "--gate-on=")))
		to->gate_on = value;
	else if ((value = selfmon_impl_bench_value(argument, "--gate=")))
		return selfmon_impl_bench_percent(argument, value, &to->gate);
	else if ((value = selfmon_impl_bench_value(argument, "--rounds=")))
		return selfmon_impl_bench_number(argument, value,
						 SELFMON_BENCH_ROUNDS_MIN,
						 SELFMON_BENCH_ROUNDS_MAX,
						 &to->options.rounds);
	else if ((value = selfmon_impl_bench_value(argument, "--runs=")))
		return selfmon_impl_bench_number(argument, value, 1,
						 SELFMON_BENCH_RUNS_MAX,
						 &to->runs);
	else if (!strcmp(argument, "--help"))
		to->help = true;
	else {
		fprintf(stderr, "%s: no such option; see --help\n",
			selfmon_impl_bench_safe(argument).text);
		return false;
	}
	return true;
}

/*
 * Fills `chosen` with the cases that match the filter, followed by the
 * reference loops. Returns the number of cases without the loops.
 */
SELFMON_INLINE size_t
selfmon_impl_bench_choose(const struct selfmon_impl_bench_arguments *arguments,
			  const struct selfmon_bench_case *cases, size_t count,
			  struct selfmon_bench_case *chosen)
{
	static uint64_t sink;
	size_t i, left = 0;

	for (i = 0; i < count; i++)
		if (!arguments->filter ||
		    strstr(cases[i].name, arguments->filter))
			chosen[left++] = cases[i];
	selfmon_impl_bench_references(chosen + left, &sink);
	return left;
}

/*
 * Returns true if the arguments are valid, including the number of cases and
 * the baseline's file. If not, prints the reason.
 */
SELFMON_INLINE bool
selfmon_impl_bench_usable(const struct selfmon_impl_bench_arguments *arguments,
			  size_t count, size_t chosen)
{
	FILE *stream;

	if (count > SELFMON_BENCH_CASES_MAX)
		fprintf(stderr, "%zu cases: at most %d are allowed\n", count,
			SELFMON_BENCH_CASES_MAX);
	else if (chosen == 0)
		fprintf(stderr, "--filter=%s: no case has that in its name\n",
			selfmon_impl_bench_safe(arguments->filter
							? arguments->filter
							: "")
				.text);
	else if (arguments->options.rounds * arguments->runs >
		 SELFMON_BENCH_SAMPLES_MAX)
		fprintf(stderr, "%u runs of %u rounds: at most %d rounds are "
				"allowed in all\n", arguments->runs,
			arguments->options.rounds, SELFMON_BENCH_SAMPLES_MAX);
	else if (arguments->gate < 0)
		return true;
	else if (!arguments->baseline)
		fprintf(stderr, "--gate=%g: needs a --baseline=FILE\n",
			arguments->gate);
	else if ((stream = fopen(arguments->baseline, "r")) != NULL)
		return !fclose(stream);
	else
		fprintf(stderr, "--baseline=%s: cannot be read: %s\n",
			selfmon_impl_bench_safe(arguments->baseline).text,
			strerror(errno));
	return false;
}

/*
 * Returns the quantity that is compared by default: instructions if the first
 * case has them in this run and in the baseline, else CPU time.
 */
SELFMON_INLINE const char *
selfmon_impl_bench_gate_on(const struct selfmon_bench_result *results,
			   FILE *baseline)
{
	const struct selfmon_bench_quantity *const of =
		selfmon_bench_quantity(&results[0], "instructions");
	double median;

	return of && of->count > 0 &&
			       !selfmon_bench_baseline(baseline,
						       results[0].name,
						       "instructions", &median)
		       ? "instructions"
		       : "cpu-time";
}

SELFMON_INLINE int
selfmon_impl_bench_judge(const struct selfmon_impl_bench_arguments *arguments,
			 const struct selfmon_bench_result *results,
			 size_t count)
{
	FILE *const stream = fopen(arguments->baseline, "r");
	const char *on = arguments->gate_on;
	int ret;

	if (!stream)
		return SELFMON_BENCH_USAGE;
	if (!on)
		on = selfmon_impl_bench_gate_on(results, stream);
	ret = selfmon_bench_gate(results, count, stream, on, arguments->gate,
				 stderr);
	fclose(stream);
	return ret < 0 ? SELFMON_BENCH_SKIPPED : ret;
}

/*
 * Writes tables and JSON, and runs the gate. The last elements of `results` are
 * the results of the reference loops.
 */
SELFMON_INLINE int
selfmon_impl_bench_finish(const struct selfmon_impl_bench_arguments *arguments,
			  const struct selfmon_bench_result *results,
			  size_t count)
{
	FILE *stream;
	int bad;

	bad = selfmon_bench_print(results, count, stdout) ||
	      selfmon_bench_print_ratios(
		      results, count - SELFMON_BENCH_REFERENCES, stdout) ||
	      fflush(stdout);
	if (bad)
		fprintf(stderr, "standard output: cannot be written\n");
	if (arguments->json) {
		stream = fopen(arguments->json, "w");
		if (!stream || selfmon_bench_json(results, count, stream) ||
		    fflush(stream)) {
			fprintf(stderr, "--json=%s: cannot be written: %s\n",
				selfmon_impl_bench_safe(arguments->json).text,
				strerror(errno));
			bad = 1;
		}
		if (stream)
			fclose(stream);
	}
	if (bad)
		return 1;
	return arguments->gate < 0 ? SELFMON_BENCH_PASS
				   : selfmon_impl_bench_judge(arguments,
							      results, count);
}

/* Measures further runs. If a run fails, reports the error and stops. */
SELFMON_INLINE void
selfmon_impl_bench_repeat(const struct selfmon_impl_bench_arguments *arguments,
			  struct selfmon_bench_result *results, size_t count)
{
	struct selfmon_bench_result *const more =
		(struct selfmon_bench_result *)calloc(count, sizeof(*more));
	unsigned int run, q;
	size_t i;
	int ret = more ? 0 : -ENOMEM;

	for (run = 1; run < arguments->runs; run++) {
		if (ret == 0)
			ret = selfmon_impl_bench_again(more,
						       count * sizeof(*more));
		if (ret) {
			fprintf(stderr, "run %u of %u: failed (%s %d): %u "
					"measured\n", run + 1, arguments->runs,
				ret < 0 ? "errno" : "exit status",
				ret < 0 ? -ret : ret, run);
			break;
		}
		selfmon_impl_bench_merge(results, more, count, run);
	}
	for (i = 0; i < count && arguments->runs > 1; i++)
		for (q = 0; q < results[i].quantities; q++)
			selfmon_bench_summarise(&results[i].quantity[q]);
	free(more);
}

SELFMON_INLINE int
selfmon_impl_bench_all(const struct selfmon_impl_bench_arguments *arguments,
		       struct selfmon_counters *set,
		       const struct selfmon_bench_case *cases, size_t count)
{
	static struct selfmon_bench_result results[SELFMON_IMPL_BENCH_ALL];
	const int to = selfmon_impl_bench_pipe();
	const int ret = selfmon_bench_run(set, cases, count,
					  &arguments->options, results);

	if (to >= 0)
		_exit(ret || !selfmon_impl_bench_send(
				     to, results, count * sizeof(*results)));
	if (ret) {
		fprintf(stderr, "benchmarks: %s\n", strerror(-ret));
		return 1;
	}
	selfmon_impl_bench_repeat(arguments, results, count);
	return selfmon_impl_bench_finish(arguments, results, count);
}

/*
 * Measures and prints all cases, at most 64; call it from main(). --help lists
 * the arguments. For each further run the program starts again, with the same
 * command line and standard output redirected to /dev/null, and runs up to this
 * call. Code in main() before this call therefore runs again; --runs=1 avoids
 * that. Returns a status for main() to return:
 *   0   the results are printed, and the gate passed if there is one
 *   1   a case is a regression, a file cannot be written, or there is no memory
 *   2   the arguments or the baseline cannot be used
 *   3   the gate is inconclusive: no regression, but a case may be one
 *   77  the gate had nothing to judge
 */
SELFMON_INLINE int
selfmon_bench_main(int argc, char **argv,
		   const struct selfmon_bench_case *cases, size_t count)
{
	struct selfmon_impl_bench_arguments arguments = {
		SELFMON_BENCH_OPTIONS_INIT, NULL, NULL, NULL, NULL, -1, 5, false
	};
	struct selfmon_bench_case chosen[SELFMON_IMPL_BENCH_ALL];
	struct selfmon_failure failure;
	struct selfmon_counters *set;
	size_t left = 0;
	char text[512];
	int i, ret;

	for (i = 1; i < argc; i++)
		if (!selfmon_impl_bench_argument(&arguments, argv[i]))
			return SELFMON_BENCH_USAGE;
	if (arguments.help) {
		selfmon_impl_bench_help(argc > 0 ? argv[0] : "benchmark");
		return SELFMON_BENCH_PASS;
	}
	if (count <= SELFMON_BENCH_CASES_MAX)
		left = selfmon_impl_bench_choose(&arguments, cases, count,
						 chosen);
	if (!selfmon_impl_bench_usable(&arguments, count, left))
		return SELFMON_BENCH_USAGE;
	memset(&failure, 0, sizeof(failure));
	ret = selfmon_counters_open(arguments.options.events, 0, &set,
				    &failure);
	if (failure.error && selfmon_impl_bench_pipe() < 0) {
		selfmon_explain(&failure, text, sizeof(text));
		fprintf(stderr, "not counted: %s\n", text);
	}
	if (ret < 0)
		return SELFMON_BENCH_USAGE;
	ret = selfmon_impl_bench_all(&arguments, set, chosen,
				     left + SELFMON_BENCH_REFERENCES);
	selfmon_counters_close(set);
	return ret;
}

SELFMON_C_END

#endif

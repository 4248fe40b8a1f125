/* SPDX-License-Identifier: MIT */
/*
 * Counter sets without regions, as in a benchmark harness: batches of
 * iterations between two snapshots, the median of many batches, and a verdict
 * for each number. Explains events that cannot be counted.
 *
 *	cc -O2 harness.c $(pkg-config --cflags --libs selfmon) -o harness
 *	./harness
 */
#include <stdio.h>
#include <stdlib.h>

#include <selfmon.h>

#define BATCHES 31
#define ITERATIONS 200 /* per batch: enough to make two snapshots negligible */
#define NUMBERS 500

/* The measured code: sorts a few numbers. */
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void iteration(void)
{
	int numbers[NUMBERS];
	unsigned int seed = 1;

	for (int i = 0; i < NUMBERS; i++) {
		seed = seed * 1103515245u + 12345u;
		numbers[i] = (int)(seed >> 16 & 0x7fff);
	}
	qsort(numbers, NUMBERS, sizeof(numbers[0]), compare);
}

static void explain(const struct selfmon_failure *failure)
{
	char text[512];

	selfmon_explain(failure, text, sizeof(text));
	printf("not counted: %s\n", text);
}

/*
 * Opens the first specification that has a countable event, or else the last
 * specification, which measures time alone.
 */
static struct selfmon_counters *open_counters(void)
{
	static const char *const specs[] = {
		"cycles,instructions,branch-misses", "task-clock,page-faults", ""
	};
	struct selfmon_counters *set = NULL;

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct selfmon_counter_info info = { .size = sizeof(info) };
		struct selfmon_failure failure;
		const int counting =
			selfmon_counters_open(specs[i], 0, &set, &failure);

		if (counting < 0)
			explain(&failure);
		for (size_t k = 0;
		     set && selfmon_counters_info(set, k, &info) == 0; k++)
			if (info.failure)
				explain(info.failure);
		if (counting > 0)
			break;
		if (specs[i][0] != '\0') {
			selfmon_counters_close(set);
			set = NULL;
		}
	}
	return set;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *name, double *values, size_t count,
		  enum selfmon_verdict verdict)
{
	qsort(values, count, sizeof(*values), ascending);
	printf("%-16s %12.2f %12.2f  %s, %zu of %d batches\n", name,
	       values[count / 2], values[0], selfmon_verdict_name(verdict),
	       count, BATCHES);
}

int main(void)
{
	static struct selfmon_delta batch[BATCHES];
	struct selfmon_counters *const set = open_counters();
	struct selfmon_counter_info info = { .size = sizeof(info) };
	double values[BATCHES];

	if (!set)
		return 1;
	for (int i = 0; i < BATCHES; i++) {
		struct selfmon_snapshot a, b;

		selfmon_counters_begin(set, &a);
		for (int k = 0; k < ITERATIONS; k++)
			iteration();
		selfmon_counters_end(set, &b);
		selfmon_counters_delta(set, &a, &b, &batch[i]);
		values[i] = (double)selfmon_clock_ns(selfmon_clock(),
						     batch[i].ticks) /
			    ITERATIONS;
	}

	printf("%-16s %12s %12s\n", "per iteration", "median", "minimum");
	print("ns", values, BATCHES, SELFMON_EXACT);
	for (size_t k = 0; selfmon_counters_info(set, k, &info) == 0; k++) {
		enum selfmon_verdict worst = SELFMON_EXACT;
		size_t count = 0;

		for (int i = 0; i < BATCHES; i++) {
			const struct selfmon_value *v = &batch[i].value[k];

			if (v->verdict == SELFMON_NOT_COUNTED)
				continue;
			values[count++] = (double)v->count / ITERATIONS;
			if (v->verdict > worst)
				worst = v->verdict;
		}
		if (count > 0)
			print(info.name, values, count, worst);
	}
	selfmon_counters_close(set);
	return 0;
}

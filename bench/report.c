/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of a report with many rows: the time to take the report,
 * and to write it in each format. Each time is the median of ROUNDS.
 *
 *	bench/report [ROWS [FILE]]	FILE receives the JSON
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <selfmon.h>

#define ROUNDS 15
#define CHILDREN 100

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *what, double *ns, size_t rows)
{
	qsort(ns, ROUNDS, sizeof(*ns), by_value);
	printf("%-6s %8.2f us a row %10.2f ms\n", what,
	       ns[ROUNDS / 2] / (double)rows / 1e3, ns[ROUNDS / 2] / 1e6);
}

/*
 * Visits a tree in groups of CHILDREN rows: a top-level row and the rows below
 * it.
 */
static void visit(size_t rows)
{
	char name[32];
	size_t i, k;

	for (i = 0; i < rows; i += CHILDREN) {
		snprintf(name, sizeof(name), "group %zu", i / CHILDREN);
		SELFMON_REGION_OF(selfmon_region(name))
		for (k = i + 1; k < rows && k < i + CHILDREN; k++) {
			snprintf(name, sizeof(name), "region %zu", k);
			SELFMON_REGION_OF(selfmon_region(name));
		}
	}
}

static void write_once(const struct selfmon_report *report,
		       enum selfmon_format format, const char *path)
{
	FILE *const file = fopen(path, "w");

	if (!file || selfmon_report_write(report, format, file) ||
	    fclose(file)) {
		perror(path);
		exit(1);
	}
}

static void measure_format(const struct selfmon_report *report,
			   const char *name, enum selfmon_format format,
			   size_t rows)
{
	double ns[ROUNDS];
	size_t i;

	for (i = 0; i < ROUNDS; i++) {
		const double start = now_ns();

		write_once(report, format, "/dev/null");
		ns[i] = now_ns() - start;
	}
	print(name, ns, rows);
}

static struct selfmon_report *measure_take(size_t rows)
{
	struct selfmon_report *report = NULL;
	double ns[ROUNDS];
	size_t i;

	for (i = 0; i < ROUNDS; i++) {
		const double start = now_ns();

		selfmon_report_free(report);
		if (selfmon_report_take(&report)) {
			fputs("bench/report: no report\n", stderr);
			exit(1);
		}
		ns[i] = now_ns() - start;
	}
	print("take", ns, rows);
	return report;
}

int main(int argc, char **argv)
{
	const size_t rows = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	struct selfmon_report *report;
	size_t i;

	for (i = 0; i < 10; i++)
		visit(rows);
	report = measure_take(rows);
	printf("%zu rows\n", selfmon_report_row_count(report));
	measure_format(report, "json", SELFMON_JSON, rows);
	measure_format(report, "csv", SELFMON_CSV, rows);
	measure_format(report, "text", SELFMON_TEXT, rows);
	if (argc > 2)
		write_once(report, SELFMON_JSON, argv[2]);
	selfmon_report_free(report);
	return 0;
}

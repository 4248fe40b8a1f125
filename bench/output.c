/* SPDX-License-Identifier: MIT */
/* Prints results as a table or JSON. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <selfmon.h>

#include "bench.h"

static unsigned int rows_printed;

void bench_emit(const struct bench_row *row)
{
	if (write(STDOUT_FILENO, row, sizeof(*row)) != (ssize_t)sizeof(*row))
		_exit(1);
}

/* "model name" of /proc/cpuinfo. */
static void cpu_name(char *name, size_t size)
{
	FILE *const file = fopen("/proc/cpuinfo", "re");
	char line[256];
	const char *colon;

	snprintf(name, size, "unknown CPU");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "model name", 10) != 0)
			continue;
		colon = strchr(line, ':');
		if (colon)
			snprintf(name, size, "%s", colon + 2);
		name[strcspn(name, "\n")] = '\0';
		break;
	}
	if (file)
		fclose(file);
}

static const char *compiler(void)
{
#ifdef __clang__
	return "clang " __clang_version__;
#else
	return "gcc " __VERSION__;
#endif
}

void bench_print_machine(bool json)
{
	const char *const clock =
		selfmon_clock_source_name(selfmon_clock()->source);
	struct utsname system;
	char cpu[128];

	cpu_name(cpu, sizeof(cpu));
	uname(&system);
	if (json) {
		printf("{\"libselfmon\":\"%s\",\"cpu\":\"%s\",\"kernel\":\"%s\","
		       "\"clock\":\"%s\",\"compiler\":\"%s\",\"rows\":[",
		       SELFMON_VERSION, cpu, system.release, clock,
		       compiler());
		return;
	}
	printf("libselfmon %s bench: %s, %s %s\n", SELFMON_VERSION, cpu,
	       system.sysname, system.release);
	printf("clock: %s, compiler: %s\n", clock, compiler());
	printf("%u rounds, all operations of a case in turns; spread is p10 to "
	       "p90\n\n",
	       bench_effort.rounds);
	printf("%-46s %9s  %-4s %17s  %-7s %8s  %s\n", "what", "median", "",
	       "spread", "ratio", "budget", "");
}

static bool over(const struct bench_row *row)
{
	return (row->judge == BENCH_RATIO ? row->ratio : row->median) >
	       row->budget;
}

static void print_json(const struct bench_row *row)
{
	printf("%s\n{\"what\":\"%s\"", rows_printed ? "," : "", row->what);
	if (row->state[0])
		printf(",\"state\":\"%s\"", row->state);
	if (row->note[0]) {
		printf(",\"note\":\"%s\"}", row->note);
		return;
	}
	printf(",\"unit\":\"%s\",\"median\":%.4g,\"p10\":%.4g,\"p90\":%.4g,"
	       "\"min\":%.4g",
	       row->unit, row->median, row->low, row->high, row->min);
	if (row->against[0])
		printf(",\"ratio\":%.3f,\"ratio_to\":\"%s\"", row->ratio,
		       row->against);
	if (row->judge)
		printf(",\"budget\":%g,\"budget_of\":\"%s\",\"ok\":%s",
		       row->budget,
		       row->judge == BENCH_RATIO ? "ratio" : "median",
		       over(row) ? "false" : "true");
	printf("}");
}

/* Returns the number of decimals: at most two, fewer for larger numbers. */
static int digits(double value)
{
	return value < 10 ? 2 : value < 1000 ? 1 : 0;
}

static void print_text(const struct bench_row *row)
{
	char spread[32], ratio[16] = "", budget[32] = "";

	if (row->note[0]) {
		printf("%-46s %s\n", row->what, row->note);
		return;
	}
	snprintf(spread, sizeof(spread), "%.*f - %.*f", digits(row->low),
		 row->low, digits(row->high), row->high);
	if (row->against[0])
		snprintf(ratio, sizeof(ratio), "%.2f x", row->ratio);
	if (row->judge == BENCH_RATIO)
		snprintf(budget, sizeof(budget), "%.2f x", row->budget);
	else if (row->judge == BENCH_MEDIAN)
		snprintf(budget, sizeof(budget), "%g %s", row->budget,
			 row->unit);
	printf("%-46s %9.*f  %-4s %17s  %-7s %8s  %s\n", row->what,
	       digits(row->median), row->median, row->unit, spread, ratio,
	       budget, !row->judge ? "" : over(row) ? "over" : "ok");
}

void bench_print_row(const struct bench_row *row, bool json)
{
	if (json)
		print_json(row);
	else
		print_text(row);
	rows_printed++;
	fflush(stdout);
}

void bench_print_end(bool json)
{
	if (json)
		printf("\n]}\n");
}

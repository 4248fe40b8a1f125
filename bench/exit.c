/* SPDX-License-Identifier: MIT */
/*
 * Measures what a report adds to a tiny program, which has two regions and
 * little work. Compares wall time and CPU time from start to end, without a
 * report, switched off, and with each kind of report. The program is this one
 * with the argument "tiny". SELFMON_EVENTS is passed on from the caller.
 *
 *	bench/exit [RUNS]	31 of each kind by default, alternately
 *
 * The library promises at most 2 ms more wall time than without a report.
 * Nothing fails if a report takes longer, since on a busy machine a process may
 * take any time.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <selfmon.h>

#define RUNS 31
#define RUNS_MOST 1001
#define PROMISED_MS 2

static const struct kind {
	const char *name, *output, *enable;
} kind[] = {
	{ "none (SELFMON_OUTPUT=none)", "none", "1" },
	{ "switched off (SELFMON_ENABLE=0)", "text:/dev/null", "0" },
	{ "text", "text:/dev/null", "1" },
	{ "json", "json:/dev/null", "1" },
	{ "csv", "csv:/dev/null", "1" },
};
#define KINDS (sizeof(kind) / sizeof(kind[0]))

struct run {
	double wall_ms, cpu_ms;
};

static int tiny(void)
{
	volatile double sum = 0;
	int i, k;

	for (i = 1; i <= 10; i++)
		SELFMON_REGION("round")
			SELFMON_REGION("add")
				for (k = 1; k <= 100; k++)
					sum += 1.0 / k;
	return sum < 0;
}

static double ms(struct timeval time)
{
	return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static double now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "bench/exit: %s\n", what);
	exit(1);
}

static struct run run_once(const char *program, const struct kind *of)
{
	struct rusage usage;
	struct run run;
	double start;
	int status;
	pid_t child;

	setenv("SELFMON_OUTPUT", of->output, 1);
	setenv("SELFMON_ENABLE", of->enable, 1);
	start = now_ms();
	child = vfork();
	if (!child) {
		execl(program, program, "tiny", (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
		fail("the tiny program does not run");
	run.wall_ms = now_ms() - start;
	run.cpu_ms = ms(usage.ru_utime) + ms(usage.ru_stime);
	return run;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *value, size_t count)
{
	qsort(value, count, sizeof(*value), by_value);
	return value[count / 2];
}

int main(int argc, char **argv)
{
	static double wall[KINDS][RUNS_MOST], cpu[KINDS][RUNS_MOST];
	double none_wall = 0, none_cpu = 0;
	size_t runs = RUNS, i, k;

	if (argc > 1 && !strcmp(argv[1], "tiny"))
		return tiny();
	if (argc > 1)
		runs = strtoul(argv[1], NULL, 10);
	if (!runs || runs > RUNS_MOST)
		fail("1 to 1001 runs");
	for (i = 0; i < runs; i++)
		for (k = 0; k < KINDS; k++) {
			const struct run run = run_once(argv[0], &kind[k]);

			wall[k][i] = run.wall_ms;
			cpu[k][i] = run.cpu_ms;
		}
	printf("%-34s %10s %10s %10s %10s\n", "report, median of the runs",
	       "wall", "more", "CPU", "more");
	for (k = 0; k < KINDS; k++) {
		const double w = median(wall[k], runs), c = median(cpu[k], runs);

		if (!k) {
			none_wall = w;
			none_cpu = c;
		}
		printf("%-34s %7.2f ms %7.2f ms %7.2f ms %7.2f ms\n",
		       kind[k].name, w, w - none_wall, c, c - none_cpu);
	}
	printf("%zu runs of each; promised: at most %d ms more wall time\n",
	       runs, PROMISED_MS);
	return 0;
}

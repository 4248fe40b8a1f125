/* SPDX-License-Identifier: MIT */
/*
 * Measures what regions add to a real program: textstats over a generated text,
 * built with and without regions, alternately. Times are CPU times, user and
 * system.
 *
 *	overhead [--quick|--exact] TEXTSTATS TEXTSTATS_OFF BENCH
 *
 * There are two checks. Regions around the stages must add less than 1 %,
 * including the report. Regions around the lines must add at most the number of
 * visits times the cost of a pair, plus 25 %. The cost of a pair is measured by
 * the bench between the runs. It is an upper bound: in the bench a pair waits
 * for the previous pair, while in a program its timestamps overlap with the
 * program's work. Two builds also differ by a percent because their code is
 * placed differently.
 *
 * --exact is for a machine whose clock is its instruction count, where nothing
 * overlaps. One run of each variant is sufficient. Regions around the lines
 * must then also add at least the predicted cost minus 25 %, and the exit
 * status shows the result.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_BYTES (50u << 20)
#define WORDS_A_LINE 5
#define VOCABULARY 20000u
#define ROUNDS 20
#define QUICK_ROUNDS 10

#define STAGE_PERCENT_MAX 1
#define LINE_PERCENT_MAX 25

static char text[] = "/tmp/selfmon-overhead-XXXXXX";

static _Noreturn void die(const char *what)
{
	perror(what);
	if (strchr(text, 'X') == NULL)
		unlink(text);
	exit(1);
}

/*
 * Writes the same text each time: words of 2 to 9 letters, some much more
 * frequent.
 */
static unsigned long write_text(void)
{
	unsigned long lines = 0, size = 0, state = 1;
	const int fd = mkstemp(text);
	FILE *const file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file)
		die("temporary file");
	while (size < TEXT_BYTES) {
		unsigned int i;

		for (i = 0; i < WORDS_A_LINE; i++) {
			unsigned int word, k;

			state = state * 6364136223846793005u + 1;
			word = (unsigned int)(state >> 33) % VOCABULARY;
			word = (unsigned int)((unsigned long)word * word /
					      VOCABULARY);
			for (k = word % 8 + 2; k > 0; k--, size++)
				putc('a' + (int)((word * 7 + k * k) % 26),
				     file);
			putc(i + 1 < WORDS_A_LINE ? ' ' : '\n', file);
			size++;
		}
		lines++;
	}
	if (fclose(file))
		die("temporary file");
	return lines;
}

static _Noreturn void run_child(const char *program, const char *option)
{
	const int null = open("/dev/null", O_WRONLY);

	dup2(null, STDOUT_FILENO);
	execl(program, program, option ? option : text,
	      option ? text : NULL, (char *)NULL);
	_exit(127);
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Returns the CPU seconds of a run. */
static double run(const char *program, const char *option, const char *output)
{
	struct rusage usage;
	int status;
	pid_t child;

	setenv("SELFMON_OUTPUT", output, 1);
	child = fork();
	if (child == 0)
		run_child(program, option);
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
		die(program);
	return seconds(&usage.ru_utime) + seconds(&usage.ru_stime);
}

/* Returns the row "region pair, time only" of the bench, in ns. */
static double pair_ns(const char *bench)
{
	char command[4096], line[512];
	double ns = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "'%s' --quick --json --case time",
		 bench);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe)) {
		const char *const at = strstr(line, "\"median\":");

		if (at && strstr(line, "region pair, time only"))
			ns = strtod(at + strlen("\"median\":"), NULL);
	}
	if (!pipe || pclose(pipe) || ns <= 0)
		die(bench);
	return ns;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *value, unsigned int count)
{
	qsort(value, count, sizeof(value[0]), compare);
	return value[count / 2];
}

/* The variants. Each round measures each of them once. */
enum way { STAGE_OFF, STAGE, LINE_OFF, LINE, PAIR, WAYS };

struct round {
	double time[WAYS]; /* in seconds; PAIR: in ns */
};

static double run_way(char **program, enum way way)
{
	switch (way) {
	case STAGE_OFF:
		return run(program[1], NULL, "none");
	case STAGE:
		return run(program[0], NULL, "text:/dev/null");
	case LINE_OFF:
		return run(program[1], "-l", "none");
	case LINE:
		return run(program[0], "-l", "none");
	default:
		return pair_ns(program[2]);
	}
}

/*
 * Each pair of rounds begins with another variant, and every second round runs
 * the variants in reverse order. The reason is that a run's time depends on the
 * run before it, by more than the library adds.
 */
static void measure(char **program, unsigned int number, struct round *round)
{
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		const unsigned int at = number / 2 + i;
		const enum way way = number & 1 ? WAYS - 1 - at % WAYS
						: at % WAYS;

		round->time[way] = run_way(program, way);
	}
}

static bool print_stage(const struct round *round, unsigned int rounds)
{
	double added[ROUNDS], off[ROUNDS], percent;
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		off[i] = round[i].time[STAGE_OFF];
		added[i] = round[i].time[STAGE] - off[i];
	}
	percent = median(added, rounds) / median(off, rounds) * 100;
	printf("a region a stage:  %.3f s compiled off, %+.2f %% measured, "
	       "report included (below %d %%: %s)\n",
	       off[rounds / 2], percent, STAGE_PERCENT_MAX,
	       percent < STAGE_PERCENT_MAX ? "ok" : "over");
	return percent < STAGE_PERCENT_MAX;
}

static bool print_line(const struct round *round, unsigned int rounds,
		       unsigned long lines, bool exact)
{
	double added[ROUNDS], off[ROUNDS], pair[ROUNDS], expected, percent;
	unsigned int i;
	bool fits;

	for (i = 0; i < rounds; i++) {
		off[i] = round[i].time[LINE_OFF];
		added[i] = round[i].time[LINE] - off[i];
		pair[i] = round[i].time[PAIR];
	}
	expected = (double)lines * median(pair, rounds) / 1e9;
	percent = (median(added, rounds) / expected - 1) * 100;
	fits = percent <= LINE_PERCENT_MAX &&
	       (!exact || percent >= -LINE_PERCENT_MAX);
	printf("a region a line:   %.3f s compiled off, %+.1f ms measured\n",
	       median(off, rounds), added[rounds / 2] * 1e3);
	printf("                   %lu visits x %.1f ns = %.1f ms: %+.1f %% "
	       "(%s %d %%: %s)\n",
	       lines, pair[rounds / 2], expected * 1e3, percent,
	       exact ? "within" : "at most", LINE_PERCENT_MAX,
	       fits ? "ok" : percent > 0 ? "over" : "under");
	return fits;
}

static int usage(void)
{
	fprintf(stderr, "usage: overhead [--quick|--exact] TEXTSTATS "
			"TEXTSTATS_OFF BENCH\n");
	return 2;
}

int main(int argc, char **argv)
{
	const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
	const bool exact = argc > 1 && strcmp(argv[1], "--exact") == 0;
	const unsigned int rounds = exact ? 1 : quick ? QUICK_ROUNDS : ROUNDS;
	char **const program = argv + 1 + (quick || exact);
	struct round round[ROUNDS];
	unsigned long lines;
	unsigned int i, over = 0;

	if (argc != program - argv + 3)
		return usage();
	setenv("SELFMON_EVENTS", "none", 1);
	lines = write_text();
	printf("textstats, %u MiB, %lu lines", TEXT_BYTES >> 20, lines);
	if (exact) {
		puts(", a run of each");
	} else {
		printf(", medians of %u runs in turns\n", rounds);
		measure(program, 0, &round[0]); /* warm-up */
	}
	for (i = 0; i < rounds; i++)
		measure(program, i, &round[i]);
	over += !print_stage(round, rounds);
	over += !print_line(round, rounds, lines, exact);
	unlink(text);
	if (!exact)
		return 0;
	printf("%u passed, %u failed, 0 skipped\n", 2 - over, over);
	return over > 0;
}

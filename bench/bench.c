/* SPDX-License-Identifier: MIT */
/*
 * The driver: runs each case in its own process, pinned to one CPU, and prints
 * the rows it sends.
 *
 *	bench [--json] [--quick] [--case NAME]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

static const struct bench_case {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "time", bench_case_time },
	{ "nested", bench_case_nested },
	{ "off", bench_case_off },
	{ "off-start", bench_case_off_start },
	{ "software", bench_case_software },
	{ "read", bench_case_read },
	{ "threads", bench_case_threads },
	{ "threads-software", bench_case_threads_software },
	{ "memory", bench_case_memory },
	{ "nesting", bench_case_nesting },
	{ "parallel", bench_case_parallel },
	{ "guard", bench_case_guard },
	{ "live", bench_case_live },
	{ "fence", bench_case_fence },
	{ "every", bench_case_every },
	{ "every-time", bench_case_every_time },
	{ "events-0", bench_case_events_0 },
	{ "events-1", bench_case_events_1 },
	{ "events-2", bench_case_events_2 },
	{ "events-3", bench_case_events_3 },
	{ "events-4", bench_case_events_4 },
	{ "events-5", bench_case_events_5 },
	{ "events-6", bench_case_events_6 },
	{ "events-7", bench_case_events_7 },
	{ "events-8", bench_case_events_8 },
};

/* Programs in folders next to this program. They print rows like a case. */
static const struct bench_peer {
	const char *folder, *program, *without;
} peers[] = {
	{ "states", "states", "the states are not built: make bench" },
	{ "peers", "papi", "PAPI is not installed: install libpapi-dev" },
	{ "peers", "likwid", "LIKWID is not installed: install likwid" },
	{ "peers", "benchmark",
	  "google-benchmark is not installed: install libbenchmark-dev" },
};

/*
 * Runs the program in the child process. The program writes rows instead of a
 * table.
 */
static _Noreturn void run_child(const char *program, const char *name,
				bool is_quick, int rows)
{
	dup2(rows, STDOUT_FILENO);
	execl(program, "bench", "--rows", name, is_quick ? "--quick" : NULL,
	      (char *)NULL);
	bench_fail("cannot run %s", program);
}

static bool run_program(const char *program, const char *name, bool json,
			bool is_quick)
{
	struct bench_row row;
	int ends[2], status = 0;
	FILE *rows;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) || (child = fork()) < 0)
		bench_fail("no process");
	if (child == 0)
		run_child(program, name, is_quick, ends[1]);
	close(ends[1]);
	rows = fdopen(ends[0], "r");
	while (rows && fread(&row, sizeof(row), 1, rows) == 1)
		bench_print_row(&row, json);
	if (rows)
		fclose(rows);
	waitpid(child, &status, 0);
	return status == 0;
}

/*
 * Runs FOLDER/PROGRAM, next to this program. If it was not built, such as a peer
 * whose library is not installed, prints why and returns true.
 */
static bool run_peer(const struct bench_peer *peer, bool json, bool is_quick)
{
	char path[4096];
	const ssize_t length = readlink("/proc/self/exe", path,
					sizeof(path) - 64);
	char *slash;

	if (length < 0)
		bench_fail("no /proc");
	path[length] = '\0';
	slash = strrchr(path, '/');
	snprintf(slash, 64, "/%s/%s", peer->folder, peer->program);
	if (access(path, X_OK) == 0)
		return run_program(path, peer->program, json, is_quick);
	fflush(stdout);
	fprintf(stderr, "%s\n", peer->without);
	return true;
}

static bool run_cases(const char *only, bool json, bool is_quick)
{
	bool ok = true;
	size_t i;

	bench_print_machine(json);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!only || strcmp(only, cases[i].name) == 0)
			ok = run_program("/proc/self/exe", cases[i].name, json,
					 is_quick) && ok;
	for (i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
		if (!only || strcmp(only, peers[i].program) == 0)
			ok = run_peer(&peers[i], json, is_quick) && ok;
	bench_print_end(json);
	return ok;
}

static void run_rows(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(name, cases[i].name) == 0)
			cases[i].run();
}

static _Noreturn void usage(void)
{
	size_t i;

	fprintf(stderr, "usage: bench [--json] [--quick] [--case NAME]\n"
			"cases:");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		fprintf(stderr, " %s", cases[i].name);
	for (i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
		fprintf(stderr, " %s", peers[i].program);
	fprintf(stderr, "\n");
	exit(2);
}

int main(int argc, char **argv)
{
	const char *only = NULL, *rows = NULL;
	bool json = false, is_quick = false;
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0)
			json = true;
		else if (strcmp(argv[i], "--quick") == 0)
			is_quick = true;
		else if (strcmp(argv[i], "--case") == 0 && i + 1 < argc)
			only = argv[++i];
		else if (strcmp(argv[i], "--rows") == 0 && i + 1 < argc)
			rows = argv[++i];
		else
			usage();
	}
	bench_prepare(is_quick);
	if (rows) {
		bench_pin();
		run_rows(rows);
		return 0;
	}
	return run_cases(only, json, is_quick) ? 0 : 1;
}

/* SPDX-License-Identifier: MIT */
/*
 * Tests servers with forked workers, and daemons: which process writes a
 * report, and to which file.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "holds.h"
#include "rows.h"

#define WORKERS 32

static char text[1 << 18];
static char dir[] = "/tmp/selfmon-XXXXXX";

static void visit(const char *name, int times)
{
	while (times-- > 0)
		SELFMON_REGION_OF(selfmon_region(name))
		{
		}
}

/*
 * Runs body in a process. Stores in text what that process and its children
 * write to standard error.
 */
static void run(void (*body)(void), const char *output)
{
	const int file = memfd_create("stderr", 0);
	ssize_t length;
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		dup2(file, STDERR_FILENO);
		fcntl(STDERR_FILENO, F_SETFL, O_APPEND);
		setenv("SELFMON_EVENTS", "task-clock", 1);
		setenv("SELFMON_OUTPUT", output, 1);
		body();
		exit(0);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", status);
	length = pread(file, text, sizeof(text) - 1, 0);
	cr_assert_geq(length, 0);
	text[length] = '\0';
	close(file);
}

static size_t count_of(const char *word)
{
	size_t count = 0;
	const char *at;

	for (at = text; (at = strstr(at, word)); at += strlen(word))
		count++;
	return count;
}

/*
 * Returns the number of table rows of this region. A row begins with the
 * region's name and a blank. A note on the region's visits begins with the
 * parent's name or, without a parent, with the region's name and a colon.
 */
static size_t rows_of(const char *name)
{
	const size_t length = strlen(name);
	const char *line = text;
	size_t count = 0;

	for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *const word = line + strspn(line, " ");

		if (!strncmp(word, name, length) && word[length] == ' ')
			count++;
	}
	return count;
}

static void serve(void)
{
	pid_t pid[WORKERS];
	int status, i;

	SELFMON_REGION("server")
	{
		visit("setup", 1);
		for (i = 0; i < WORKERS; i++) {
			pid[i] = fork();
			if (pid[i] == 0) {
				visit("request", i + 1);
				exit(0);
			}
		}
	}
	for (i = 0; i < WORKERS; i++)
		if (waitpid(pid[i], &status, 0) != pid[i] || status)
			exit(1);
}

Test(host_server, a_server_with_32_workers_prints_one_table)
{
	run(serve, "text:-");
	cr_assert_eq(count_of("library "), 1, "%s", text);
	/*
	 * Two or three tables: time, events, and metrics, which are omitted if
	 * a net value is 0.
	 */
	cr_assert_geq(rows_of("setup"), 2);
	cr_assert_leq(rows_of("setup"), 3);
	cr_assert_eq(count_of("request"), 0);
}

Test(host_server, workers_print_theirs_if_they_are_asked_to)
{
	run(serve, "text:-,children=yes");
	cr_assert_eq(count_of("library "), WORKERS + 1, "%s", text);
	cr_assert_eq(count_of("(forked child)"), WORKERS);
	cr_assert_geq(rows_of("setup"), 2);
	cr_assert_leq(rows_of("setup"), 3);
	cr_assert_geq(rows_of("request"), 2 * WORKERS);
	cr_assert_leq(rows_of("request"), 3 * WORKERS);
}

/*
 * Returns the number in the column "visits" of a CSV report, from the line that
 * contains the region's name. Returns 0 if there is no such line.
 */
static int visits_in(const char *path, const char *region)
{
	char line[1024];
	FILE *file = fopen(path, "re");
	int visits = 0, column = -1, i;
	char *at, *rest;

	cr_assert_not_null(file);
	while (fgets(line, sizeof(line), file)) {
		const bool wanted = strstr(line, region);

		for (i = 0, rest = line; (at = strsep(&rest, ",")); i++) {
			if (column < 0 && !strcmp(at, "visits"))
				column = i;
			else if (wanted && i == column)
				visits = atoi(at);
		}
	}
	fclose(file);
	return visits;
}

static void read_reports(int *reports, int *requests, int *setups)
{
	struct dirent *entry;
	char path[512];
	DIR *list = opendir(dir);

	*reports = *requests = *setups = 0;
	cr_assert_not_null(list);
	while ((entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		++*reports;
		*requests += visits_in(path, "request");
		*setups += visits_in(path, "setup");
		unlink(path);
	}
	closedir(list);
	rmdir(dir);
}

Test(host_server, each_worker_writes_a_file_of_its_own)
{
	int reports, requests, setups;
	char output[64];

	cr_assert_not_null(mkdtemp(dir));
	snprintf(output, sizeof(output), "csv:%s/%%p", dir);
	run(serve, output);
	cr_assert_str_empty(text);
	read_reports(&reports, &requests, &setups);
	cr_assert_eq(reports, WORKERS + 1);
	cr_assert_eq(requests, WORKERS * (WORKERS + 1) / 2);
	cr_assert_eq(setups, 1);
}

static int finished[2]; /* a pipe that the daemon keeps open to its end */

/* Closes all descriptors except the write end of the pipe, as daemons do. */
static void close_all(void)
{
	int fd;

	for (fd = 0; fd < HOLDS_FDS; fd++)
		if (fd != finished[1])
			close(fd);
	open("/dev/null", O_RDWR);
	if (dup(0) != 1 || dup(0) != 2)
		_exit(1);
}

/*
 * Visits regions before, between and after the two forks. The grandchild is the
 * daemon.
 */
static void daemonise(void)
{
	visit("setup", 3);
	if (fork() > 0)
		_exit(0);
	setsid();
	visit("session", 1);
	if (fork() > 0)
		_exit(0);
	visit("request", 1);
	close_all();
	visit("request", 4);
	if (fcntl(2, F_GETFD) < 0)
		_exit(1);
}

Test(host_server, a_daemon_that_closes_all_descriptors_goes_on_and_reports)
{
	int reports, requests, setups;
	char output[64], byte;

	cr_assert_not_null(mkdtemp(dir));
	cr_assert_eq(pipe(finished), 0);
	snprintf(output, sizeof(output), "csv:%s/%%p", dir);
	run(daemonise, output);
	close(finished[1]);
	cr_assert_eq(read(finished[0], &byte, 1), 0);
	read_reports(&reports, &requests, &setups);
	cr_assert_eq(reports, 1);
	cr_assert_eq(requests, 5);
	cr_assert_eq(setups, 0);
}

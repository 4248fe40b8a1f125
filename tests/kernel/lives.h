/* SPDX-License-Identifier: MIT */
/*
 * For tests of live files: a child process with a live file, which stores its
 * own counts in *outcome for the test. Define _GNU_SOURCE before including
 * this.
 */
#ifndef SELFMON_TESTS_LIVES_H
#define SELFMON_TESTS_LIVES_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rows.h"

struct outcome {
	uint64_t visits, sum;
	bool noted, subtracts;
	bool held; /* the file's descriptor is open */
	char path[128];
};

static char path[64];
static struct outcome *outcome;

static inline void setup(void)
{
	snprintf(path, sizeof(path), "/dev/shm/selfmon-limit-%d", getpid());
	outcome = mmap(NULL, sizeof(*outcome), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(outcome, MAP_FAILED);
	setenv("SELFMON_OUTPUT", "none", 1);
	setenv("SELFMON_EVENTS", "none", 1);
}

static inline void teardown(void)
{
	unlink(path);
}

static inline int run(void (*what)(void))
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		setenv("SELFMON_LIVE", path, 0);
		what();
		_exit(0);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	return status;
}

static inline struct selfmon_report *read_back(const char *name)
{
	struct selfmon_report *report = NULL;
	struct selfmon_failure failure = { .error = 0 };

	cr_assert_eq(selfmon_report_open(name, &report, &failure), 0, "%s",
		     failure.message);
	return report;
}

static inline uint64_t visits_in(const struct selfmon_report *report)
{
	uint64_t visits = 0;
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		visits += selfmon_report_row(report, i)->visits;
	return visits;
}

static inline bool says(const struct selfmon_report *report, const char *words)
{
	char *text = NULL, *c;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	bool found;

	selfmon_report_write(report, SELFMON_TEXT, stream);
	fclose(stream);
	for (c = text; (c = strstr(c, "\n         ")); ) /* join lines */
		memmove(c + 1, c + 10, strlen(c + 10) + 1), *c++ = ' ';
	found = strstr(text, words) != NULL;
	free(text);
	return found;
}

#endif

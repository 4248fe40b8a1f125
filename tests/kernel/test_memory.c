/* SPDX-License-Identifier: MIT */
/*
 * Tests a program whose address space is used up, and that pages of counters
 * are mapped read-only.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/model.h"
#include "rows.h"
#include "sanitizer.h"

#define THREADS 64
#define VISITS 10

static pthread_barrier_t step;
static unsigned int done;

static void *visit(void *unused)
{
	int i;

	pthread_barrier_wait(&step); /* all threads have started */
	pthread_barrier_wait(&step); /* now there is no more memory */
	for (i = 0; i < VISITS; i++) {
		SELFMON_REGION("visited")
		{
			__atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
		}
	}
	pthread_barrier_wait(&step); /* all have visited */
	pthread_barrier_wait(&step); /* now there is memory again */
	return unused;
}

static rlim_t address_space(void)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!statm || fscanf(statm, "%lu", &pages) != 1)
		_exit(90);
	fclose(statm);
	return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void visit_without_memory(void)
{
	pthread_t thread[THREADS];
	struct rlimit limit;
	rlim_t before;
	int i;

	SELFMON_REGION("visited")
	{
	}
	pthread_barrier_init(&step, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, visit, NULL))
			_exit(91);
	pthread_barrier_wait(&step);
	getrlimit(RLIMIT_AS, &limit);
	before = limit.rlim_cur;
	limit.rlim_cur = address_space();
	if (setrlimit(RLIMIT_AS, &limit))
		_exit(92);
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&step);
	limit.rlim_cur = before;
	setrlimit(RLIMIT_AS, &limit);
	pthread_barrier_wait(&step);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static uint64_t visits_in(const struct selfmon_report *report)
{
	uint64_t visits = 0;
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++)
		visits += selfmon_report_row(report, i)->visits;
	return visits;
}

static int look(void)
{
	struct selfmon_report *report;
	char words[64];

	visit_without_memory();
	if (selfmon_report_take(&report))
		return 1;
	if (done != THREADS * VISITS)
		return 2;
	if (report->refused == 0 || report->threads + report->refused !=
					    THREADS + 1)
		return 3;
	if (visits_in(report) + report->unready != 1 + THREADS * VISITS)
		return 4;
	snprintf(words, sizeof(words), "%llu threads not measured: no memory",
		 (unsigned long long)report->refused);
	return rows_say(report, SELFMON_TEXT, words) ? 0 : 5;
}

Test(memory, threads_without_memory_work_on_and_are_counted)
{
	int status;
	pid_t pid;

	SKIP_IF_SANITIZED("it needs all of the address space");
	pid = fork();
	if (pid == 0) {
		alarm(60);
		_exit(look());
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status), "signal %d", WTERMSIG(status));
	cr_assert_eq(WEXITSTATUS(status), 0, "step %d", WEXITSTATUS(status));
}

#define SETS 16

/*
 * Opens sets of software events. Once the library has a quarter of the
 * descriptors that the limit allows, it maps the pages of further events and
 * closes their descriptors (counters/group.c).
 */
static void open_until_pages(struct selfmon_counters *set[SETS])
{
	const struct rlimit limit = { .rlim_cur = 64, .rlim_max = 64 };
	size_t i;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (i = 0; i < SETS; i++)
		cr_assert_eq(selfmon_counters_open("page-faults,task-clock", 0,
						   &set[i], NULL), 2);
}

Test(memory, pages_of_counters_are_mapped_read_only)
{
	struct selfmon_counters *set[SETS];
	size_t pages = 0, i;
	char line[512];
	FILE *maps;

	open_until_pages(set);
	maps = fopen("/proc/self/maps", "r");
	cr_assert_not_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "[perf_event]"))
			continue;
		pages++;
		cr_assert_not_null(strstr(line, " r--s "), "%s", line);
	}
	fclose(maps);
	cr_assert_gt(pages, 0);
	for (i = 0; i < SETS; i++)
		selfmon_counters_close(set[i]);
}

/* SPDX-License-Identifier: MIT */
/*
 * Tests the table of the library's descriptors: several threads add descriptors
 * at the same time, and a forked child closes all of them.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters/fd_table.h"
#include "dummy_event.h"

#define THREADS 4
#define PAGE 512 /* descriptors in one page of the table */
#define ROUNDS 64

static pthread_barrier_t at_once;
static int event, rounds;

static int number_of(int round, int thread)
{
	return (round + 1) * PAGE + thread;
}

static void raise_limit(void)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	rounds = limit.rlim_cur / PAGE < ROUNDS + 2
			 ? (int)(limit.rlim_cur / PAGE) - 2
			 : ROUNDS;
	cr_assert_gt(rounds, 0, "RLIMIT_NOFILE is %ju: at least %d is wanted",
		     (uintmax_t)limit.rlim_cur, 3 * PAGE);
}

static void *note(void *which)
{
	const int thread = *(const int *)which;
	int i, noted = 0;

	for (i = 0; i < rounds; i++) {
		const int fd = fcntl(event, F_DUPFD, number_of(i, thread));

		pthread_barrier_wait(&at_once);
		noted += fd == number_of(i, thread) && selfmon_fd_table_add(fd);
	}
	return noted == rounds ? NULL : which;
}

static int still_open(void)
{
	int i, thread, n = 0;

	for (i = 0; i < rounds; i++)
		for (thread = 0; thread < THREADS; thread++)
			n += fcntl(number_of(i, thread), F_GETFD) >= 0;
	return n;
}

static int still_open_in_child(void)
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		selfmon_fd_table_begin();
		_exit(still_open() < 200 ? still_open() : 200);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/*
 * In each round, all threads add a descriptor at the same time. The descriptors
 * are in a new page of the table, so any of the threads may have to allocate
 * the page.
 */
Test(held, a_child_closes_what_threads_noted_at_once)
{
	static int number[THREADS];
	pthread_t thread[THREADS];
	void *failed = NULL;
	int i;

	raise_limit();
	event = dummy_event_open();
	selfmon_fd_table_begin();
	pthread_barrier_init(&at_once, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		number[i] = i;
		cr_assert_eq(pthread_create(&thread[i], NULL, note, &number[i]),
			     0);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &failed);
		cr_assert_null(failed);
	}
	cr_assert_eq(still_open(), rounds * THREADS);
	cr_assert_eq(still_open_in_child(), 0);
}

Test(held, a_limit_of_no_descriptors_has_a_remedy)
{
	struct selfmon_failure failure = { .error = 0 };
	struct rlimit before, none;
	bool all;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	all = selfmon_fd_table_all_fds(&failure);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	cr_assert(all);
	cr_assert_str_eq(failure.message,
			 "counters take at most half of the 0 descriptors of "
			 "this process (RLIMIT_NOFILE), and that half is in "
			 "use. Before starting it: ulimit -n 65536");
}

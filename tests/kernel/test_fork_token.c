/* SPDX-License-Identifier: MIT */
/* The number of a process in a line of forks. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/fork.h"

#define THREADS 4
#define ROUNDS 200

static pthread_barrier_t at_once;
static int32_t token[THREADS];

static void *ask(void *mine)
{
	pthread_barrier_wait(&at_once);
	*(int32_t *)mine = selfmon_fork_token();
	return NULL;
}

/* As the first: which all of them would decide. */
static void ask_at_once(void)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, ask, &token[i]),
			     0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

Test(fork_token, is_the_same_for_threads_that_ask_at_once)
{
	int i, k;

	pthread_barrier_init(&at_once, NULL, THREADS);
	for (i = 0; i < ROUNDS; i++) {
		ask_at_once();
		cr_assert_gt(token[0], 0);
		for (k = 0; k < THREADS; k++)
			cr_assert_eq(token[k], token[0]);
		selfmon_fork_release();
	}
}

Test(fork_token, is_another_in_a_child_and_in_its_child)
{
	const int32_t mine = selfmon_fork_token();
	pid_t child = fork();
	int status;

	cr_assert_geq(child, 0);
	if (child == 0) {
		const int32_t second = selfmon_fork_token();

		child = fork();
		if (child == 0)
			_exit(selfmon_fork_token() == mine ||
			      selfmon_fork_token() == second ||
			      second == mine);
		if (waitpid(child, &status, 0) != child || status)
			_exit(1);
		_exit(selfmon_fork_token() != second);
	}
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_eq(selfmon_fork_token(), mine);
}

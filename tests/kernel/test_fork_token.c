/* SPDX-License-Identifier: MIT */
/*
 * Tests selfmon_fork_token(): a process and each forked child have different
 * tokens, and all threads of a process get the same token.
 */
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

/*
 * Called in a new process. All threads request the token at the same time, so
 * each of them may be the one that has to choose it.
 */
static int ask_at_once(void)
{
	pthread_t thread[THREADS];
	int i, different = 0;

	pthread_barrier_init(&at_once, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, ask, &token[i]))
			return 1;
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		different += token[i] != token[0];
	}
	return different || token[0] <= 0;
}

Test(fork_token, is_the_same_for_threads_that_ask_at_once)
{
	int i, status;

	for (i = 0; i < ROUNDS; i++) {
		const pid_t child = fork();

		if (child == 0)
			_exit(ask_at_once());
		cr_assert_eq(waitpid(child, &status, 0), child);
		cr_assert_eq(status, 0);
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

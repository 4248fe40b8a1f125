/* SPDX-License-Identifier: MIT */
/*
 * For tests: threads that do one piece of work each time they are started, and
 * then wait. pool_run() returns when all threads are done.
 */
#ifndef SELFMON_TESTS_POOL_H
#define SELFMON_TESTS_POOL_H

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdbool.h>

#define POOL_MOST 256

struct pool;
struct pool_place {
	struct pool *pool;
	int which;
};

struct pool {
	pthread_t thread[POOL_MOST];
	struct pool_place place[POOL_MOST];
	pthread_barrier_t begin, end;
	int count;
	bool stop;
	/* The argument is the number of the thread: 0 to count - 1. */
	void (*work)(int);
};

static inline void *pool_thread(void *argument)
{
	const struct pool_place *const place = argument;
	struct pool *const pool = place->pool;

	for (;;) {
		pthread_barrier_wait(&pool->begin);
		if (pool->stop)
			return NULL;
		pool->work(place->which);
		pthread_barrier_wait(&pool->end);
	}
}

static inline void pool_start(struct pool *pool, int count, void (*work)(int))
{
	pthread_attr_t small;
	int i;

	pool->count = count;
	pool->stop = false;
	pool->work = work;
	pthread_barrier_init(&pool->begin, NULL, (unsigned int)count + 1);
	pthread_barrier_init(&pool->end, NULL, (unsigned int)count + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 * 1024);
	for (i = 0; i < count; i++) {
		pool->place[i] = (struct pool_place){ pool, i };
		cr_assert_eq(pthread_create(&pool->thread[i], &small,
					    pool_thread, &pool->place[i]),
			     0);
	}
	pthread_attr_destroy(&small);
}

static inline void pool_run(struct pool *pool)
{
	pthread_barrier_wait(&pool->begin);
	pthread_barrier_wait(&pool->end);
}

static inline void pool_end(struct pool *pool)
{
	int i;

	pool->stop = true;
	pthread_barrier_wait(&pool->begin);
	for (i = 0; i < pool->count; i++)
		pthread_join(pool->thread[i], NULL);
	pthread_barrier_destroy(&pool->begin);
	pthread_barrier_destroy(&pool->end);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Regions in threads of a static program with musl, which places the stacks of
 * threads differently than glibc: nested visits, and visits that a jump leaves
 * open, in main and in each thread.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

#include "selfmon_all.h"

#define THREADS 4
#define ROUNDS 1000

/*
 * Keeps threads alive until all have begun: a later thread would reuse the
 * state of an ended one.
 */
static pthread_barrier_t end;

static void leave_by_jump(jmp_buf *back)
{
	SELFMON_SCOPE("jumps");

	longjmp(*back, 1);
}

static void nest(int depth)
{
	SELFMON_SCOPE("nested");

	if (depth > 1)
		nest(depth - 1);
}

static void *work(void *unused)
{
	volatile int round;
	jmp_buf back;

	for (round = 0; round < ROUNDS; round++) {
		SELFMON_SCOPE("round");

		nest(3);
		if (!setjmp(back))
			leave_by_jump(&back);
	}
	pthread_barrier_wait(&end);
	return unused;
}

int main(void)
{
	pthread_t thread[THREADS];
	int i;

	if (pthread_barrier_init(&end, NULL, THREADS + 1))
		return 1;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	work(NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%d rounds\n", ROUNDS * (THREADS + 1));
	return 0;
}

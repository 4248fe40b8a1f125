/* SPDX-License-Identifier: MIT */
/*
 * Regions in threads, without set-up for the process or a thread. The report
 * merges the threads into one tree. The region of each worker has a name made
 * at run time, which identifies the worker.
 *
 *	cc threads.c $(pkg-config --cflags --libs selfmon) -pthread -o threads
 *	./threads
 */
#include <pthread.h>
#include <stdio.h>

#include <selfmon.h>

#define WORKERS 4
#define NUMBERS 50000u

struct worker {
	pthread_t thread;
	unsigned int index;
	unsigned int longest; /* result: length of the longest Collatz chain */
	unsigned int primes;  /* result: number of primes among its numbers */
};

static unsigned int chain_length(unsigned long n)
{
	unsigned int length = 1;

	for (; n != 1; length++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return length;
}

static unsigned int is_prime(unsigned int n)
{
	for (unsigned int d = 2; d * d <= n; d++)
		if (n % d == 0)
			return 0;
	return n > 1;
}

static void work(struct worker *w)
{
	const unsigned int first = w->index * NUMBERS + 1;

	SELFMON_FUNCTION(); /* to the end of the function, named "work" */

	SELFMON_REGION("chains") {
		for (unsigned int n = first; n < first + NUMBERS; n++) {
			const unsigned int length = chain_length(n);

			if (length > w->longest)
				w->longest = length;
		}
	}
	SELFMON_REGION("primes") {
		for (unsigned int n = first; n < first + NUMBERS; n++)
			w->primes += is_prime(n);
	}
}

static void *start(void *argument)
{
	struct worker *const w = argument;
	char name[32];

	snprintf(name, sizeof(name), "worker %u", w->index);
	SELFMON_REGION_OF(selfmon_region(name))
		work(w);
	return NULL;
}

int main(void)
{
	struct worker workers[WORKERS] = { 0 };

	for (unsigned int i = 0; i < WORKERS; i++) {
		workers[i].index = i;
		if (pthread_create(&workers[i].thread, NULL, start,
				   &workers[i]) != 0) {
			fprintf(stderr, "threads: cannot start a thread\n");
			return 1;
		}
	}
	for (unsigned int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		printf("worker %u: longest chain %u, %u primes\n", i,
		       workers[i].longest, workers[i].primes);
	}
	return 0;
}

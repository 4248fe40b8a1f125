/* SPDX-License-Identifier: MIT */
/*
 * The same branch over the same numbers, shuffled and sorted: the sorted
 * numbers take less time, because the CPU can predict the branch. The column
 * branch-misses shows the reason. On a machine without this counter, the report
 * says why the counter is missing, and the times still show the difference.
 *
 *	cc -O2 branches.c $(pkg-config --cflags --libs selfmon) -o branches
 *	./branches
 */
#include <stdio.h>
#include <stdlib.h>

#include <selfmon.h>

#define COUNT 100000
#define ROUNDS 100

static void fill(unsigned char *numbers)
{
	unsigned int seed = 1;

	for (int i = 0; i < COUNT; i++) {
		seed = seed * 1103515245u + 12345u;
		numbers[i] = (unsigned char)(seed >> 16);
	}
}

static int compare(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

/* The empty asm keeps the compiler from replacing the branch by arithmetic. */
static long sum_large(const unsigned char *numbers)
{
	long sum = 0;

	for (int i = 0; i < COUNT; i++) {
		if (numbers[i] >= 128) {
			__asm__ volatile("");
			sum += numbers[i];
		}
	}
	return sum;
}

int main(void)
{
	static unsigned char numbers[COUNT];
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	long shuffled = 0, sorted = 0;

	/* SELFMON_EVENTS in the environment overrides this. */
	options.events = "instructions,branches,branch-misses";
	selfmon_configure(&options);

	SELFMON_REGION("fill") fill(numbers);
	for (int round = 0; round < ROUNDS; round++)
		SELFMON_REGION("shuffled") shuffled += sum_large(numbers);

	SELFMON_REGION("sort") qsort(numbers, COUNT, 1, compare);
	for (int round = 0; round < ROUNDS; round++)
		SELFMON_REGION("sorted") sorted += sum_large(numbers);

	printf("shuffled: %ld\nsorted:   %ld\n", shuffled, sorted);
	return shuffled != sorted;
}

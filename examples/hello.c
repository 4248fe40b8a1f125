/* SPDX-License-Identifier: MIT */
/*
 * The least there is: regions around the parts of a loop. Nothing is set up,
 * and the report is on standard error when the program ends.
 *
 *	cc hello.c $(pkg-config --cflags --libs selfmon) -o hello
 *	./hello
 */
#include <selfmon.h>
#include <stdlib.h>

static int number[10000];

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	for (int round = 0; round < 100; round++) {
		SELFMON_REGION("round") {
			SELFMON_REGION("fill")
				for (int i = 0; i < 10000; i++)
					number[i] = rand();
			SELFMON_REGION("sort")
				qsort(number, 10000, sizeof(int), compare);
		}
	}
	return 0;
}

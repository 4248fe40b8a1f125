/* SPDX-License-Identifier: MIT */
/*
 * The least there is: a region around a loop. Nothing is set up, and the
 * report is on standard error when the program ends.
 *
 *	cc hello.c $(pkg-config --cflags --libs selfmon) -o hello
 *	./hello
 */
#include <stdio.h>

#include <selfmon.h>

int main(void)
{
	double sum = 0;

	SELFMON_REGION("harmonic") {
		for (int i = 1; i <= 1000000; i++)
			sum += 1.0 / i;
	}
	printf("1 + 1/2 + ... + 1/1000000 = %.6f\n", sum);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * The smallest program with regions, as README.md shows it. It needs no set-up
 * and prints its report to standard error at exit.
 *
 *	cc hello.c $(pkg-config --cflags --libs selfmon) -o hello
 *	./hello > sums.txt
 */
#include <selfmon.h>
#include <stdio.h>
int main(void) {
	for (double sum = 0, i = 1; i <= 100; i++) SELFMON_REGION("round") {
		SELFMON_REGION("add") for (int k = 1; k <= 100000; k++) sum += i / k;
		SELFMON_REGION("print") printf("%f\n", sum);
	}
}

/* SPDX-License-Identifier: MIT */
/* A program with two regions, linked statically with musl. */
#include <stdio.h>

#include "selfmon_all.h"

int main(void)
{
	double sum = 0;

	for (int round = 0; round < 100; round++)
		SELFMON_REGION("round") {
			SELFMON_REGION("sum")
				for (int i = 1; i <= 1000; i++)
					sum += 1.0 / i;
		}
	printf("%.1f\n", sum);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* The function that each fuzz target defines, and its assertions. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * libFuzzer calls this function; so does corpus.c, with each file of a corpus.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Aborts, as libFuzzer requires, if the condition does not hold for this input.
 */
#define FUZZ_ASSERT(condition)                                                 \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,       \
				__LINE__, #condition);                         \
			abort();                                               \
		}                                                              \
	} while (0)

#endif

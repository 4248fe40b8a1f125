/* SPDX-License-Identifier: MIT */
/* What each fuzz target has, and how it says that something is wrong. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* libFuzzer calls it; so does corpus.c, with each file of a corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of what must hold whatever the input; aborts, as libFuzzer wants it. */
#define FUZZ_ASSERT(condition)                                                 \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,       \
				__LINE__, #condition);                         \
			abort();                                               \
		}                                                              \
	} while (0)

#endif

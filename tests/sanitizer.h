/* SPDX-License-Identifier: MIT */
/* For tests that fail under a sanitizer because of the sanitizer itself. */
#ifndef SELFMON_TESTS_SANITIZER_H
#define SELFMON_TESTS_SANITIZER_H

#include <criterion/criterion.h>

#include "sanitized.h"

#define SKIP_IF_SANITIZED(why)                                                 \
	do {                                                                   \
		if (SANITIZED)                                                 \
			cr_skip_test("under a sanitizer: " why);               \
	} while (0)

#endif

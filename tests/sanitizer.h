/* SPDX-License-Identifier: MIT */
/* For tests that a sanitizer's own doings would spoil. */
#ifndef SELFMON_TESTS_SANITIZER_H
#define SELFMON_TESTS_SANITIZER_H

#include <criterion/criterion.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define SKIP_IF_SANITIZED(why)                                                 \
	do {                                                                   \
		if (SANITIZED)                                                 \
			cr_skip_test("under a sanitizer: " why);               \
	} while (0)

#endif

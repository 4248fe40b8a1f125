/* SPDX-License-Identifier: MIT */
/*
 * For tests that exist in several forms: `make check` runs a sample of the
 * cases, `make check-full` more of them, `make check-long` all. TEST_FORM is the
 * form; if it is unset, the form is that of `make check`.
 */
#ifndef SELFMON_TESTS_FORM_H
#define SELFMON_TESTS_FORM_H

#include <stdlib.h>
#include <string.h>

static inline int by_form(int quick, int full, int in_long)
{
	const char *const form = getenv("TEST_FORM");

	if (form && strcmp(form, "long") == 0)
		return in_long;
	return form && strcmp(form, "full") == 0 ? full : quick;
}

/*
 * For tests that only `make check` shortens. Sanitizers, whose TEST_FORM is
 * "sanitizer", run `all`, too. by_form() returns `quick` for sanitizers,
 * because each step takes longer.
 */
static inline int quick_or_all(int quick, int all)
{
	const char *const form = getenv("TEST_FORM");

	return form && *form ? all : quick;
}

#endif

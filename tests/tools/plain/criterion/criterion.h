/* SPDX-License-Identifier: MIT */
/*
 * The part of Criterion that these tests use, for ThreadSanitizer and emulated
 * machines, which cannot use Criterion's own runner. tests/tools/plain/run.c
 * runs each test in a forked process.
 */
#ifndef SELFMON_TESTS_PLAIN_CRITERION_H
#define SELFMON_TESTS_PLAIN_CRITERION_H

#include <stdbool.h>
#include <string.h>

struct plain_options {
	void (*init)(void);
	void (*fini)(void);
	double timeout; /* seconds */
};

struct plain_test {
	const char *suite, *name; /* name NULL: a suite's own options */
	void (*run)(void);
	struct plain_options options;
	struct plain_test *next;
};

void plain_register(struct plain_test *test);
void plain_failed(const char *file, int line, bool fatal, const char *what,
		  const char *format, ...)
	__attribute__((format(printf, 5, 6)));
void plain_skip(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
void plain_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define PLAIN_REGISTER(suite_, name_, id, run_, ...)                           \
	__attribute__((constructor)) static void plain_add_##id(void)          \
	{                                                                      \
		static struct plain_test test = {                              \
			suite_, name_, run_, { __VA_ARGS__ }, NULL             \
		};                                                             \
		plain_register(&test);                                         \
	}

#define Test(suite, name, ...)                                                 \
	static void suite##_##name##_impl(void);                               \
	PLAIN_REGISTER(#suite, #name, suite##_##name, suite##_##name##_impl,   \
		       __VA_ARGS__)                                            \
	static void suite##_##name##_impl(void)
#define TestSuite(suite, ...)                                                  \
	PLAIN_REGISTER(#suite, NULL, suite, NULL, __VA_ARGS__)                 \
	struct plain_test

#define PLAIN_CHECK(fatal, ok, what, ...)                                      \
	do {                                                                   \
		if (!(ok))                                                     \
			plain_failed(__FILE__, __LINE__, fatal, what,          \
				     " " __VA_ARGS__);                         \
	} while (0)

#define cr_assert(x, ...) PLAIN_CHECK(true, x, #x, __VA_ARGS__)
#define cr_assert_fail(...) PLAIN_CHECK(true, false, "reached", __VA_ARGS__)
#define cr_assert_not(x, ...) PLAIN_CHECK(true, !(x), "not " #x, __VA_ARGS__)
#define cr_assert_null(x, ...) cr_assert((x) == NULL, __VA_ARGS__)
#define cr_assert_not_null(x, ...) cr_assert((x) != NULL, __VA_ARGS__)
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...) cr_assert((a) != (b), __VA_ARGS__)
#define cr_assert_lt(a, b, ...) cr_assert((a) < (b), __VA_ARGS__)
#define cr_assert_leq(a, b, ...) cr_assert((a) <= (b), __VA_ARGS__)
#define cr_assert_gt(a, b, ...) cr_assert((a) > (b), __VA_ARGS__)
#define cr_assert_geq(a, b, ...) cr_assert((a) >= (b), __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) cr_assert(!strcmp(a, b), __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...) cr_assert(strcmp(a, b), __VA_ARGS__)
#define cr_assert_str_empty(a, ...) cr_assert(!*(a), __VA_ARGS__)
#define cr_expect(x, ...) PLAIN_CHECK(false, x, #x, __VA_ARGS__)
#define cr_expect_not(x, ...) PLAIN_CHECK(false, !(x), "not " #x, __VA_ARGS__)
#define cr_expect_null(x, ...) cr_expect((x) == NULL, __VA_ARGS__)
#define cr_expect_not_null(x, ...) cr_expect((x) != NULL, __VA_ARGS__)
#define cr_expect_eq(a, b, ...) cr_expect((a) == (b), __VA_ARGS__)
#define cr_expect_lt(a, b, ...) cr_expect((a) < (b), __VA_ARGS__)
#define cr_expect_gt(a, b, ...) cr_expect((a) > (b), __VA_ARGS__)
#define cr_expect_leq(a, b, ...) cr_expect((a) <= (b), __VA_ARGS__)
#define cr_expect_geq(a, b, ...) cr_expect((a) >= (b), __VA_ARGS__)
#define cr_expect_float_eq(a, b, epsilon, ...)                                 \
	cr_expect((a) - (b) <= (epsilon) && (b) - (a) <= (epsilon), __VA_ARGS__)
#define cr_assert_float_eq(a, b, epsilon, ...)                                 \
	cr_assert((a) - (b) <= (epsilon) && (b) - (a) <= (epsilon), __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) cr_expect(!strcmp(a, b), __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) cr_expect(strcmp(a, b), __VA_ARGS__)
#define cr_log_info(...) plain_log(__VA_ARGS__)
#define cr_skip_test(...) plain_skip(__VA_ARGS__)

#endif

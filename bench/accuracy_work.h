/* SPDX-License-Identifier: MIT */
/*
 * Nine kinds of work for bench/accuracy.c. Each kind has four loops: the work
 * once or twice per iteration, each without and with regions. If the work runs
 * twice, the first is in a region and the second in a region inside of it.
 *
 * Each visit uses the result of the previous one, so that the iterations of a
 * bare loop do not overlap. If they did, the time of a single visit would be
 * undefined.
 */
#ifndef BENCH_ACCURACY_WORK_H
#define BENCH_ACCURACY_WORK_H

#include <stdint.h>
#include <string.h>

#include <selfmon.h>

#define L1_WORDS 1024u
#define L2_LINES 4096u /* 256 KiB */
#define LINE_WORDS 8u
#define MULTIPLIER UINT64_C(6364136223846793005)

#define NEVER_INLINE __attribute__((noinline))
#define ALWAYS_INLINE inline __attribute__((always_inline))
/* Keeps the compiler from assuming anything about the value. */
#define HIDE(value) __asm__ volatile("" : "+r"(value))

static uint64_t l1_word[L1_WORDS];
static uint64_t l2_word[L2_LINES * LINE_WORDS];
static uint64_t cycle[L2_LINES * LINE_WORDS]; /* through all lines, in random
						 order */

struct work {
	unsigned int units;
	struct selfmon_region *region, *child;
};

/* ---- kinds --------------------------------------------------------------- */

static ALWAYS_INLINE uint64_t multiply(uint64_t x, unsigned int n)
{
	while (n-- > 0) {
		x *= MULTIPLIER;
		HIDE(x);
	}
	return x;
}

static ALWAYS_INLINE uint64_t divide(uint64_t x, unsigned int n)
{
	while (n-- > 0) {
		x = UINT64_MAX / (x | 3);
		HIDE(x);
	}
	return x;
}

static ALWAYS_INLINE uint64_t add(uint64_t x, unsigned int n)
{
	uint64_t a = x, b = x, c = x, d = x;
	unsigned int i;

	while (n-- > 0) {
#pragma GCC unroll 8
		for (i = 0; i < 8; i++) {
			a += 1;
			b ^= 7;
			c -= 5;
			d += 3;
			HIDE(a);
			HIDE(b);
			HIDE(c);
			HIDE(d);
		}
	}
	return a + b + c + d;
}

/*
 * The pattern of conditions is always the same: false, true, true, false, true,
 * true, false, true.
 */
static ALWAYS_INLINE uint64_t branch(uint64_t x, unsigned int n)
{
	unsigned int i;

	while (n-- > 0) {
#pragma GCC unroll 8
		for (i = 0; i < 8; i++) {
			unsigned int odd = i % 3;

			HIDE(odd);
			if (odd) {
				x += 5;
				HIDE(x);
			}
		}
	}
	return x;
}

static ALWAYS_INLINE uint64_t branch_random(uint64_t x, unsigned int n)
{
	while (n-- > 0) {
		x = x * MULTIPLIER + 1442695040888963407u;
		HIDE(x);
		if (x >> 63) {
			x += 5;
			HIDE(x);
		}
	}
	return x;
}

static ALWAYS_INLINE uint64_t load_l1(uint64_t x, unsigned int n)
{
	uint64_t sum = 0, none = 0;
	unsigned int i;

	HIDE(none);
	while (n-- > 0) {
#pragma GCC unroll 8
		for (i = 0; i < 8; i++) {
			sum += l1_word[(x + i) % L1_WORDS];
			HIDE(sum);
		}
		x += 8;
	}
	return x + (sum & none);
}

static ALWAYS_INLINE uint64_t load_l2(uint64_t x, unsigned int n)
{
	uint64_t sum = 0, none = 0;

	HIDE(none);
	while (n-- > 0) {
		sum += l2_word[x % L2_LINES * LINE_WORDS];
		HIDE(sum);
		x += 1031;
	}
	return x + (sum & none);
}

static ALWAYS_INLINE uint64_t chase(uint64_t x, unsigned int n)
{
	while (n-- > 0)
		x = cycle[x % L2_LINES * LINE_WORDS];
	return x;
}

/* A hash: two loads, a multiply, a branch, a store. */
static ALWAYS_INLINE uint64_t mixed(uint64_t x, unsigned int n)
{
	while (n-- > 0) {
		const uint64_t word = l1_word[(x >> 20) % L1_WORDS];

		x = (x ^ word) * MULTIPLIER;
		if ((word & 63) == 0)
			x += n;
		l1_word[n % L1_WORDS] ^= x & 256;
		HIDE(x);
	}
	return x;
}

static void work_fill_memory(void)
{
	uint64_t state = 1;
	unsigned int i;

	memset(l2_word, 1, sizeof(l2_word));
	for (i = 0; i < L1_WORDS; i++)
		l1_word[i] = state = multiply(state, 1) + 1;
	for (i = 0; i < L2_LINES; i++)
		cycle[i * LINE_WORDS] = i;
	for (i = L2_LINES - 1; i > 0; i--) { /* Sattolo's shuffle: one cycle */
		uint64_t *const a = &cycle[i * LINE_WORDS];
		uint64_t *const b = &cycle[(state >> 33) % i * LINE_WORDS];
		const uint64_t old = *a;

		*a = *b;
		*b = old;
		state = multiply(state, 1) + 1;
	}
}

/* ---- loops --------------------------------------------------------------- */

typedef uint64_t loop_fn(const struct work *work, unsigned int visits,
			 uint64_t x);

#define WORK(kind, work, x)                                                    \
	x = kind(x, (work)->units);                                            \
	HIDE(x)

#define LOOPS(kind)                                                            \
	static NEVER_INLINE uint64_t kind##_bare(const struct work *work,      \
						 unsigned int visits,          \
						 uint64_t x)                   \
	{                                                                      \
		while (visits-- > 0) {                                         \
			WORK(kind, work, x);                                   \
		}                                                              \
		return x;                                                      \
	}                                                                      \
	static NEVER_INLINE uint64_t kind##_region(const struct work *work,    \
						   unsigned int visits,        \
						   uint64_t x)                 \
	{                                                                      \
		while (visits-- > 0) {                                         \
			SELFMON_REGION_OF(work->region) {                      \
				WORK(kind, work, x);                           \
			}                                                      \
		}                                                              \
		return x;                                                      \
	}                                                                      \
	static NEVER_INLINE uint64_t kind##_in_bare(const struct work *work,   \
						    uint64_t x)                \
	{                                                                      \
		WORK(kind, work, x);                                           \
		return x;                                                      \
	}                                                                      \
	static NEVER_INLINE uint64_t kind##_in(const struct work *work,        \
					       uint64_t x)                     \
	{                                                                      \
		SELFMON_REGION_OF(work->child) {                               \
			WORK(kind, work, x);                                   \
		}                                                              \
		return x;                                                      \
	}                                                                      \
	static NEVER_INLINE uint64_t kind##_nested_bare(                       \
		const struct work *work, unsigned int visits, uint64_t x)      \
	{                                                                      \
		while (visits-- > 0) {                                         \
			WORK(kind, work, x);                                   \
			x = kind##_in_bare(work, x);                           \
		}                                                              \
		return x;                                                      \
	}                                                                      \
	static NEVER_INLINE uint64_t kind##_nested(const struct work *work,    \
						   unsigned int visits,        \
						   uint64_t x)                 \
	{                                                                      \
		while (visits-- > 0) {                                         \
			SELFMON_REGION_OF(work->region) {                      \
				WORK(kind, work, x);                           \
				x = kind##_in(work, x);                        \
			}                                                      \
		}                                                              \
		return x;                                                      \
	}

LOOPS(multiply)
LOOPS(divide)
LOOPS(add)
LOOPS(branch)
LOOPS(branch_random)
LOOPS(load_l1)
LOOPS(load_l2)
LOOPS(chase)
LOOPS(mixed)

struct kind {
	const char *name;
	loop_fn *bare, *region, *nested_bare, *nested;
};

#define KIND(text, kind)                                                       \
	{ text, kind##_bare, kind##_region, kind##_nested_bare, kind##_nested }

static const struct kind kinds[] = {
	KIND("chain of multiplies", multiply),
	KIND("chain of divisions", divide),
	KIND("independent adds", add),
	KIND("predictable branches", branch),
	KIND("random branches", branch_random),
	KIND("loads from L1", load_l1),
	KIND("loads from L2", load_l2),
	KIND("pointer chase in L2", chase),
	KIND("hash with loads", mixed),
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

#endif

/* SPDX-License-Identifier: MIT */
#include "visit/shadow_work.h"

#include "platform/hide_var.h"
#include "visit/visit.h"

/* A chain of multiplications, each of which depends on the previous one. */
static ALWAYS_INLINE uint64_t work_multiply(uint64_t x, unsigned int n)
{
	while (n-- > 0) {
		x *= UINT64_C(6364136223846793005);
		SELFMON_HIDE_VAR_VOLATILE(x);
	}
	return x;
}

/*
 * Takes about 12 ns (short) or 36 ns (long) if a multiplication takes 3 cycles,
 * at 4 GHz.
 */
static uint64_t work_multiply_short(uint64_t x)
{
	return work_multiply(x, 16);
}

static uint64_t work_multiply_long(uint64_t x)
{
	return work_multiply(x, 48);
}

/* Few instructions, each with a long latency. */
static uint64_t work_divide(uint64_t x)
{
	unsigned int n;

#pragma GCC unroll 12
	for (n = 0; n < 12; n++) {
		x = UINT64_MAX / (x | 3);
		SELFMON_HIDE_VAR_VOLATILE(x);
	}
	return x;
}

/*
 * As many instructions per cycle as the CPU can issue, in a loop whose exit
 * must be predicted.
 */
static uint64_t work_add(uint64_t x)
{
	uint64_t a = x, b = x, c = x, d = x;
	unsigned int n, turns = 10;

	SELFMON_HIDE_VAR_VOLATILE(turns);
	while (turns-- > 0) {
#pragma GCC unroll 8
		for (n = 0; n < 8; n++) {
			a += 1;
			b ^= 7;
			c -= 5;
			d += 3;
			SELFMON_HIDE_VAR_VOLATILE(a);
			SELFMON_HIDE_VAR_VOLATILE(b);
			SELFMON_HIDE_VAR_VOLATILE(c);
			SELFMON_HIDE_VAR_VOLATILE(d);
		}
	}
	return a + b + c + d;
}

/* Branches that the CPU cannot predict. */
static uint64_t work_branch(uint64_t x)
{
	unsigned int n;

	for (n = 0; n < 6; n++) {
		x = work_multiply(x, 1) + 1442695040888963407u;
		SELFMON_HIDE_VAR_VOLATILE(x);
		if (x >> 63) {
			x += 5;
			SELFMON_HIDE_VAR_VOLATILE(x);
		}
	}
	return x;
}

#define WORDS 64
static uint64_t work_load(uint64_t x)
{
	static uint64_t word[WORDS];
	const uint64_t *at = word;
	unsigned int n;

#pragma GCC unroll 64
	for (n = 0; n < WORDS; n++) {
		SELFMON_HIDE_VAR_VOLATILE(at);
		x += at[n];
		SELFMON_HIDE_VAR_VOLATILE(x);
	}
	return x;
}

selfmon_work_fn *const selfmon_shadow_work[SELFMON_SHADOW_KINDS] = {
	work_multiply_short, work_multiply_long, work_divide, work_add,
	work_branch, work_load,
};

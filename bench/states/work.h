/* SPDX-License-Identifier: MIT */
/*
 * Nine kinds of work of 50 to 130 ns, measured on the machine of RESULTS.md.
 * Visits of hash, chase and divide take the previous visit's result, and visits
 * of atomic add to the word that the previous visit changed. So they cannot
 * overlap, and the CPU can execute a region's instructions while it waits for
 * this work. Visits of the other kinds need little or nothing of the previous
 * visit, and overlap unless a region keeps them apart.
 */
#ifndef BENCH_STATES_WORK_H
#define BENCH_STATES_WORK_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))
/* Keeps the compiler from assuming anything about the value. */
#define HIDE(value) __asm__ volatile("" : "+r"(value) : : "memory")

/* Makes the compiler compute a value although it is not used. */
#define USE(value) __asm__ volatile("" : : "r"(value) : "memory")

#define BLOCK 6144u
#define CHASE_WORDS 2048u /* 16 KiB: stays in L1 */
#define FLOATS 128u

static unsigned char block_from[BLOCK], block_to[BLOCK];
static uint32_t chase_next[CHASE_WORDS * 2];
static float left[FLOATS], right[FLOATS];
static char digits[16] = "9182736450123";
static uint64_t shared_word;
static volatile float result;

static ALWAYS_INLINE uint64_t work_hash(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 64; i++) {
		x = (x ^ i) * UINT64_C(1099511628211); /* FNV-1a */
		HIDE(x);
	}
	return x;
}

static ALWAYS_INLINE uint64_t work_copy(uint64_t x)
{
	block_from[x % BLOCK]++;
	memcpy(block_to, block_from, BLOCK);
	USE(block_to[0]);
	return x + 1;
}

static ALWAYS_INLINE uint64_t work_chase(uint64_t x)
{
	uint32_t at = (uint32_t)(x % CHASE_WORDS);
	unsigned int i;

	for (i = 0; i < 48; i++)
		at = chase_next[at * 2];
	return at;
}

/* An insertion sort of 16 numbers, whose branches cannot be predicted. */
static ALWAYS_INLINE uint64_t work_sort(uint64_t x)
{
	uint8_t v[16];
	unsigned int i, k;

	for (i = 0; i < 16; i++) {
		x = x * UINT64_C(6364136223846793005) + 1;
		v[i] = (uint8_t)(x >> 56);
	}
	for (i = 1; i < 16; i++) {
		const uint8_t taken = v[i];

		for (k = i; k > 0 && v[k - 1] > taken; k--)
			v[k] = v[k - 1];
		v[k] = taken;
	}
	USE(v[0]);
	return x;
}

static ALWAYS_INLINE uint64_t work_dot(uint64_t x)
{
	float sum = 0;
	unsigned int i;

	left[x % FLOATS] += 1;
	for (i = 0; i < FLOATS; i++)
		sum += left[i] * right[i];
	result = sum;
	return x + 1;
}

static ALWAYS_INLINE uint64_t work_divide(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		x = UINT64_MAX / (x | 3);
		HIDE(x);
	}
	return x;
}

static ALWAYS_INLINE uint64_t work_parse(uint64_t x)
{
	unsigned int field;
	const char *at;

	digits[0] = (char)('1' + x % 9);
	for (field = 0; field < 6; field++) {
		const char *const end = digits + strlen(digits);
		uint64_t number = 0;

		for (at = digits; at < end; at++)
			number = number * 10 + (uint64_t)(*at - '0');
		USE(number);
	}
	return x + 1;
}

static ALWAYS_INLINE uint64_t work_atomic(uint64_t x)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		__atomic_add_fetch(&shared_word, x & 1, __ATOMIC_SEQ_CST);
	return x + 1;
}

static ALWAYS_INLINE uint64_t work_format(uint64_t x)
{
	char text[32];

	snprintf(text, sizeof(text), "%u:%s=%x", (unsigned int)(x % 1000),
		 "key", (unsigned int)(x % 77));
	USE(text[0]);
	return x + 1;
}

/*
 * Makes one cycle through all words, in the order of a full-period generator.
 */
static void work_fill_memory(void)
{
	uint32_t at = 0, i;

	for (i = 0; i < CHASE_WORDS; i++) {
		const uint32_t next = (at * 1597u + 51749u) % CHASE_WORDS;

		chase_next[at * 2] = next;
		at = next;
	}
	memset(block_from, 1, sizeof(block_from));
	for (i = 0; i < FLOATS; i++)
		left[i] = right[i] = 1.5f;
}

#define WORK_LIST(X)                                                           \
	X(hash)                                                                \
	X(copy) X(chase) X(sort) X(dot) X(divide) X(parse) X(atomic) X(format)

#endif

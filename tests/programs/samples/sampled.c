/* SPDX-License-Identifier: MIT */
/*
 * Prints addresses in functions of known names, in the form of the program's
 * symbol table: the addresses that a sampler would find. tests/tools/samples.py
 * finds the lines by their comments.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct spot {
	uint64_t address, number;
};
extern const struct spot __start_spots[], __stop_spots[];
extern const char __executable_start[];

#define SPOT(number)                                                     \
	__asm__ volatile("1: nop; .pushsection spots, \"aw\"; .balign 8; " \
			 ".quad 1b, %c0; .popsection" : : "i"(number))

#define NOINLINE __attribute__((noinline, noclone, noipa))

static uintptr_t returns[3];
volatile int work;

static uint64_t offset_of(uintptr_t address)
{
#ifdef __PIE__
	address -= (uintptr_t)__executable_start;
#endif
	return address;
}

static void print_spots(void)
{
	const struct spot *spot;
	int i;

	for (spot = __start_spots; spot < __stop_spots; spot++)
		printf("spot%d %llu\n", (int)spot->number,
		       (unsigned long long)offset_of((uintptr_t)spot->address));
	for (i = 0; i < 3; i++)
		printf("return%d %llu\n", i,
		       (unsigned long long)offset_of(returns[i]));
}

static inline __attribute__((always_inline)) void squeeze(int n)
{
	work += n;
	SPOT(1); /* in squeeze */
	work -= n;
}

static NOINLINE void leaf(int n)
{
	returns[0] = (uintptr_t)__builtin_return_address(0);
	squeeze(n); /* leaf inlines squeeze */
	SPOT(2); /* in leaf */
	work++;
}

static NOINLINE void middle(int n)
{
	returns[1] = (uintptr_t)__builtin_return_address(0);
	leaf(n); /* middle calls leaf */
	work++;
}

/* The return address is beyond the end of the caller. */
static NOINLINE __attribute__((noreturn)) void quit(void)
{
	returns[2] = (uintptr_t)__builtin_return_address(0);
	print_spots();
	exit(0);
}

static NOINLINE void last(void)
{
	work++;
	quit(); /* last calls quit */
}

int main(void)
{
	middle(3); /* main calls middle */
	last();
}

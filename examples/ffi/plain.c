/* SPDX-License-Identifier: MIT */
/*
 * Regions without selfmon.h, by the declarations that a program in another
 * language has to make.
 */
#include <stddef.h>
#include <stdint.h>

struct frame {
	uint64_t words[4]; /* 32 bytes, aligned to 8 */
};

void *selfmon_region(const char *name);
void selfmon_enter(void *region, struct frame *frame);
void selfmon_leave(struct frame *frame);
void selfmon_region_bytes(uint64_t n);
void selfmon_region_items(uint64_t n);
uint64_t selfmon_region_ticks(void);
const char *selfmon_region_name(const void *region);

/* Recursive, so that each depth has a different stack address. */
static void visit(void *region, int depth)
{
	struct frame frame;

	selfmon_enter(region, &frame);
	selfmon_region_bytes(8);
	selfmon_region_items(1);
	if (depth > 1)
		visit(region, depth - 1);
	selfmon_leave(&frame);
}

int main(void)
{
	void *const outer = selfmon_region("outer");
	void *const inner = selfmon_region("inner");
	uint64_t ticks = 0;
	struct frame frame;

	for (int i = 0; i < 100; i++) {
		selfmon_enter(outer, &frame);
		visit(inner, 3);
		ticks += selfmon_region_ticks();
		selfmon_leave(&frame);
		selfmon_leave(&frame); /* does nothing */
	}
	selfmon_enter(NULL, &frame); /* measures nothing */
	selfmon_leave(&frame);
	return ticks == 0 || selfmon_region_name(outer)[0] != 'o';
}

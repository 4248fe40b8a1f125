/* SPDX-License-Identifier: MIT */
/* A plugin with a counter set and the clock, and without regions. */
#include <selfmon.h>

int work(void);

/*
 * Returns 1, like tests/programs/unload/plugin.c, or 0 if nothing was counted.
 */
int work(void)
{
	struct selfmon_counters *set;
	struct selfmon_snapshot at;
	int counted;

	if (selfmon_counters_open("task-clock", 0, &set, NULL) != 1)
		return 0;
	selfmon_counters_begin(set, &at);
	counted = at.ticks > 0 && at.value[0] > 0;
	selfmon_counters_close(set);
	return counted;
}

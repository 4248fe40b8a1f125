/* SPDX-License-Identifier: MIT */
/* Counts of a loop whose number of instructions is known. */
#include "hw/hw.h"

Test(hw_exact, a_loop_of_n_turns_counts_2n_and_a_constant)
{
	struct selfmon_counters *set = hw_open("instructions");
	struct selfmon_delta delta;

	hw_visit_loop(set, 1, &delta);
	selfmon_counters_close(set);
}

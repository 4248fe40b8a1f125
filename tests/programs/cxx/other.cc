/* SPDX-License-Identifier: MIT */
/*
 * This file measures even if the rest of the program is compiled with
 * SELFMON_DISABLE.
 */
#undef SELFMON_DISABLE
#include "check.h"

sums reported(const char *name)
{
	return sums_of(selfmon::Report::take(), name);
}

void visit_elsewhere(int times)
{
	static selfmon::Site site("elsewhere");

	for (int i = 0; i < times; i++) {
		const selfmon::Region region(site);
		selfmon::Span span(selfmon::Name("span elsewhere"));
	}
}

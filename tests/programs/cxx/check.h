/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the tests of selfmon.hpp. The tests use no framework, because none
 * supports both compilers.
 */
#ifndef CXX_CHECK_H
#define CXX_CHECK_H

#include <cstdio>
#include <cstring>

#include <selfmon.hpp>

extern int failures;

#define CHECK(condition)                                                       \
	((condition) ? (void)0                                                 \
		     : (failures++,                                            \
			(void)std::printf("cxx: %s:%d: not so: %s\n", __FILE__, \
					  __LINE__, #condition)))

/* Sums over all regions of one name in the report. */
struct sums {
	unsigned long long visits, cut_off, open;

	bool operator==(const sums &other) const
	{
		return visits == other.visits && cut_off == other.cut_off &&
		       open == other.open;
	}
};

inline sums sums_of(const selfmon::Report &report, const char *name)
{
	sums sums = { 0, 0, 0 };

	for (const selfmon_row &row : report) {
		if (std::strcmp(row.name, name) != 0)
			continue;
		sums.visits += row.visits;
		sums.cut_off += row.cut_off;
		sums.open += row.open;
	}
	return sums;
}

void check_regions();
void check_spans();
void check_async_spans();
void check_fibers();
void check_units();
void check_throws();
void check_sets();
void check_reports();

void check_compiled_off();

/*
 * These two functions are in other.cc, which always measures, even if the other
 * files are compiled with SELFMON_DISABLE.
 */
void visit_elsewhere(int times);
sums reported(const char *name);

#endif

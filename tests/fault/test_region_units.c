/* SPDX-License-Identifier: MIT */
/*
 * Tests units if the process is out of memory: visits are recorded, and the
 * report has a note.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include <selfmon.h>

#include "kernel_faults.h"

#define PLACES 2000 /* enough that their records need more than a chunk */

static struct selfmon_report *taken(void)
{
	struct selfmon_report *report;

	cr_assert_eq(selfmon_report_take(&report), 0);
	return report;
}

static uint64_t counted(const struct selfmon_report *report, size_t row,
			size_t i)
{
	struct selfmon_report_unit unit = { .size = sizeof(unit) };

	cr_assert_eq(selfmon_report_unit(report, row, i, &unit), 0);
	return unit.sum;
}

Test(region_units, without_memory_visits_are_measured_and_counts_reported)
{
	struct selfmon_options options = SELFMON_OPTIONS_INIT;
	const struct selfmon_unit *const rows = selfmon_unit("rows");
	struct selfmon_report *report;
	uint64_t sum = 0, visits = 0, lost;
	char name[32], note[64];
	char *text = NULL;
	size_t size, i;
	FILE *stream;

	options.events = "none";
	options.output = NULL;
	cr_assert_eq(selfmon_configure(&options), 0);
	for (i = 0; i < PLACES; i++) { /* there is still memory */
		snprintf(name, sizeof(name), "place %zu", i);
		SELFMON_REGION_OF(selfmon_region(name))
			;
	}
	kernel_faults_from(FAULT_MEMORY, 1, ENOMEM);
	for (i = 0; i < PLACES; i++) {
		snprintf(name, sizeof(name), "place %zu", i);
		SELFMON_REGION_OF(selfmon_region(name))
			selfmon_region_count(rows, 1);
	}
	memset(&kernel_faults, 0, sizeof(kernel_faults));
	report = taken();
	for (i = 0; i < selfmon_report_row_count(report); i++) {
		sum += counted(report, i, 2);
		visits += selfmon_report_row(report, i)->visits;
	}
	cr_assert_eq(visits, 2 * PLACES);
	cr_assert_lt(sum, PLACES);
	lost = PLACES - sum;
	stream = open_memstream(&text, &size);
	selfmon_report_write(report, SELFMON_JSON, stream);
	fclose(stream);
	snprintf(note, sizeof(note), "\"uncounted\": %llu,",
		 (unsigned long long)lost);
	cr_assert(strstr(text, note), "%s", note);
	free(text);
	stream = open_memstream(&text, &size);
	selfmon_report_write(report, SELFMON_TEXT, stream);
	fclose(stream);
	cr_assert(strstr(text, "of a unit left out"), "%.4000s", text);
	free(text);
	selfmon_report_free(report);
}

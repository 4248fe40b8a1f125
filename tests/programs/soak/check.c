/* SPDX-License-Identifier: MIT */
/*
 * Checks which resources the process holds, and that its reports include all
 * visits.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <selfmon.h>

#include "soak.h"

static long count_lines(const char *path)
{
	FILE *const file = fopen(path, "r");
	long lines = 0;
	int c;

	while (file && (c = getc(file)) != EOF)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static long count_descriptors(void)
{
	DIR *const folder = opendir("/proc/self/fd");
	long count = 0;

	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

void soak_hold(struct soak_held *held)
{
	FILE *const file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!file || fscanf(file, "%*d %ld", &pages) != 1)
		soak_fail("no /proc/self/statm");
	fclose(file);
	held->descriptors = count_descriptors();
	held->maps = count_lines("/proc/self/maps");
	held->resident_kib = pages * 4;
}

void soak_check_report(const struct selfmon_report *report)
{
	size_t i;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *const row =
			selfmon_report_row(report, i);
		const struct selfmon_quantity *const time = &row->time;

		if (time->verdict != SELFMON_NOT_COUNTED &&
		    (time->visits * time->min > time->sum ||
		     time->visits * time->max < time->sum))
			soak_fail("%s: a sum beyond its extremes", row->name);
	}
}

static void add_up(const struct selfmon_report *report,
		   uint64_t seen[SOAK_KINDS])
{
	size_t i, k;

	for (i = 0; i < selfmon_report_row_count(report); i++) {
		const struct selfmon_row *const row =
			selfmon_report_row(report, i);

		if (row->open)
			soak_fail("%s is open, and nobody is in it", row->name);
		for (k = 0; k < SOAK_KINDS; k++)
			if (!strncmp(row->name, soak_name[k],
				     strlen(soak_name[k])))
				seen[k] += row->visits + row->cut_off;
	}
}

/*
 * Returns the number of visits that were not measured because their handler
 * interrupted the library itself.
 */
static uint64_t not_measured(const struct selfmon_report *report)
{
	char *text = NULL, *at;
	uint64_t n = 0;
	size_t size;
	FILE *const stream = open_memstream(&text, &size);

	if (!stream || selfmon_report_write(report, SELFMON_JSON, stream))
		soak_fail("no memory");
	fclose(stream);
	at = strstr(text, "\"unready\":");
	if (at)
		n = strtoull(at + strlen("\"unready\":"), NULL, 10);
	free(text);
	return n;
}

/* No worker runs any more, so each visit must be counted somewhere. */
void soak_check_all(const struct selfmon_report *report, const char *of)
{
	uint64_t seen[SOAK_KINDS] = { 0 };
	size_t k;

	soak_check_report(report);
	add_up(report, seen);
	seen[SOAK_SIGNAL] += not_measured(report);
	for (k = 0; k < SOAK_KINDS; k++)
		if (seen[k] != soak_done[k])
			soak_fail("%s: %" PRIu64 " visits of '%s', and %" PRIu64
				  " were made", of, seen[k], soak_name[k],
				  soak_done[k]);
}

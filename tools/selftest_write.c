/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_write.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

#include <selfmon/version.h>

#include "doctor.h"
#include "platform/cpu.h"
#include "platform/escape.h"
#include "selftest_row.h"

static void put_text(FILE *to, const char *key, const char *text)
{
	fprintf(to, "\"%s\": ", key);
	selfmon_output_json(to, text);
}

static void put_number(FILE *to, double value)
{
	if (isfinite(value))
		fprintf(to, "%.15g", value);
	else
		fputs("null", to);
}

/* null: unknown */
static void put_setting(FILE *to, const char *key, int64_t value)
{
	if (value == SELFMON_FACT_UNKNOWN)
		fprintf(to, "\"%s\": null", key);
	else
		fprintf(to, "\"%s\": %" PRId64, key, value);
}

static void put_bool(FILE *to, const char *key, bool value)
{
	fprintf(to, "\"%s\": %s", key, value ? "true" : "false");
}

static void put_machine(FILE *to, const struct selftest_machine *machine)
{
	const struct doctor_machine *doctor = machine->report->machine;
	struct selfmon_cpu cpu;

	selfmon_cpu_identify(&cpu);
	fputs(" \"machine\": {\n  ", to);
	put_text(to, "cpu", cpu.brand);
	fputs(",\n  ", to);
	put_text(to, "vendor", cpu.vendor);
	fprintf(to, ",\n  \"family\": %d, \"model\": %d, \"stepping\": %d,\n  ",
		cpu.family, cpu.model, cpu.stepping);
	put_text(to, "microcode", machine->microcode);
	fputs(",\n  ", to);
	put_text(to, "kernel", doctor->kernel);
	fputs(",\n  ", to);
	put_bool(to, "virtual", doctor->facts.hypervisor);
	fputs(", ", to);
	put_text(to, "hypervisor", cpu.hypervisor_name);
	fputs(", ", to);
	put_bool(to, "container", doctor->facts.container);
	fprintf(to, ",\n  \"cpus\": %" PRId64 ", \"core_types\": %zu\n },\n",
		doctor->cpus, doctor->pmus);
}

static void put_settings(FILE *to, const struct selftest_machine *machine)
{
	const struct doctor_machine *doctor = machine->report->machine;
	const struct selfmon_facts *facts = &doctor->facts;

	fputs(" \"settings\": {\n  ", to);
	put_setting(to, "perf_event_paranoid", facts->paranoid);
	fputs(",\n  ", to);
	put_setting(to, "rdpmc", facts->rdpmc);
	fputs(", ", to);
	put_setting(to, "perf_user_access", facts->user_access);
	fputs(",\n  ", to);
	put_setting(to, "nmi_watchdog", facts->nmi_watchdog);
	fputs(",\n  ", to);
	put_setting(to, "perf_event_mlock_kb", facts->mlock_kb);
	fputs(",\n  ", to);
	put_setting(to, "perf_event_mux_interval_ms", doctor->mux_ms);
	fputs(",\n  ", to);
	put_text(to, "clocksource", machine->clocksource);
	fputs(",\n  ", to);
	put_bool(to, "privileged", facts->capabilities != 0);
	fputs("\n },\n", to);
}

static void put_counters(FILE *to, const struct selftest_case *from)
{
	fputs(" \"counters\": {", to);
	put_bool(to, "pmu", from->pmu);
	fputs(", ", to);
	put_bool(to, "user_reads", from->user_reads);
	fprintf(to, ", \"read_ns\": %" PRIu64, from->read_ns);
	fprintf(to, ", \"offered\": %d, \"counting\": %d},\n", from->offered,
		from->counting);
}

static void put_figures(FILE *to, const struct selftest_row *row)
{
	size_t i;

	fputs("   \"figures\": [", to);
	for (i = 0; i < row->figures; i++) {
		fprintf(to, "%s\n    {", i ? "," : "");
		put_text(to, "name", row->figure[i].name);
		fputs(", \"value\": ", to);
		put_number(to, row->figure[i].value);
		fputs(", ", to);
		put_text(to, "unit", row->figure[i].unit);
		fputc('}', to);
	}
	fputs("],\n", to);
}

static void put_differences(FILE *to, const struct selftest_row *row)
{
	size_t i;

	fputs("   \"differences\": [", to);
	for (i = 0; i < row->differences && i < SELFTEST_DIFFERENCES; i++) {
		const struct selftest_difference *of = &row->difference[i];

		fprintf(to, "%s\n    {", i ? "," : "");
		put_text(to, "what", of->what);
		fputs(", \"least\": ", to);
		put_number(to, of->least);
		fputs(", \"most\": ", to);
		put_number(to, of->most);
		fputs(", \"seen\": ", to);
		put_number(to, of->seen);
		fputc('}', to);
	}
	fputs("]\n", to);
}

static void put_row(FILE *to, const struct selftest_row *row)
{
	fputs("\n  {", to);
	put_text(to, "check", row->name);
	fputs(", ", to);
	put_text(to, "status", selftest_status_name(row->status));
	fputs(",\n   ", to);
	put_text(to, "found", row->found.text);
	fputs(",\n   ", to);
	put_text(to, "reason", row->reason.text);
	fputs(",\n", to);
	put_figures(to, row);
	put_differences(to, row);
	fputs("  }", to);
}

static const char *const modes[] = {
	[SELFTEST_QUICK] = "quick",
	[SELFTEST_NORMAL] = "normal",
	[SELFTEST_FULL] = "full",
};

static void put_date(FILE *to)
{
	const time_t now = time(NULL);
	struct tm utc;
	char date[16];

	strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &utc));
	put_text(to, "date", date);
}

void selftest_write(const struct selftest_result *result, FILE *to)
{
	size_t i;

	fputs("{\n \"schema\": \"selfmon-selftest\",\n \"version\": 1,\n ", to);
	put_text(to, "library", SELFMON_VERSION);
	fputs(",\n ", to);
	put_date(to);
	fputs(",\n ", to);
	put_text(to, "mode", modes[result->from->mode]);
	fputs(",\n ", to);
	put_text(to, "verdict", result->verdict);
	fputs(",\n \"notes\": [", to);
	for (i = 0; i < result->machine->notes; i++) {
		fputs(i ? ", " : "", to);
		selfmon_output_json(to, result->machine->note[i]);
	}
	fprintf(to, "],\n \"status\": %d,\n \"seconds\": ", result->status);
	put_number(to, result->seconds);
	fputs(",\n", to);
	put_machine(to, result->machine);
	put_settings(to, result->machine);
	put_counters(to, result->from);
	fputs(" \"results\": [", to);
	for (i = 0; i < result->rows; i++) {
		fputs(i ? "," : "", to);
		put_row(to, &result->row[i]);
	}
	fputs("\n ]\n}\n", to);
}

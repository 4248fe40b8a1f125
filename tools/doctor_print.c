/* SPDX-License-Identifier: MIT */
#include "doctor_print.h"

#include <inttypes.h>
#include <stdio.h>

#include <selfmon/version.h>

#include "doctor_summary.h"
#include "platform/escape.h"
#include "tool.h"

#define NAME_WIDTH 17

static const char *const status_name[] = {
	[DOCTOR_SKIP] = "skip",
	[DOCTOR_PASS] = "pass",
	[DOCTOR_WARN] = "warn",
	[DOCTOR_FAIL] = "fail",
};

/* Escape sequences for dim, green, yellow and red: SGR of ECMA-48. */
static const char *const status_colour[] = {
	[DOCTOR_SKIP] = "\033[2m",
	[DOCTOR_PASS] = "\033[32m",
	[DOCTOR_WARN] = "\033[33m",
	[DOCTOR_FAIL] = "\033[31m",
};

static const char *const runtime_name[] = {
	[SELFMON_RUNTIME_NONE] = "a container",
	[SELFMON_RUNTIME_DOCKER] = "a Docker container",
	[SELFMON_RUNTIME_PODMAN] = "a Podman container",
	[SELFMON_RUNTIME_KUBERNETES] = "a Kubernetes pod",
	[SELFMON_RUNTIME_NSPAWN] = "a systemd-nspawn container",
	[SELFMON_RUNTIME_LXC] = "an LXC container",
};

static void print_check(const struct doctor_check *check, bool colours,
			FILE *stream)
{
	fprintf(stream, "%s%s%s  %-*s", colours
		? status_colour[check->status] : "",
		status_name[check->status], colours ? "\033[0m" : "",
		NAME_WIDTH, check->name);
	selfmon_output_text(stream, check->found.text);
	if (check->reason.length) {
		fputs(": ", stream);
		selfmon_output_text(stream, check->reason.text);
	}
	fputc('\n', stream);
	if (check->remedy.length) {
		fprintf(stream, "%*s-> ", 6 + NAME_WIDTH, "");
		selfmon_output_text(stream, check->remedy.text);
		fputc('\n', stream);
	}
}

/*
 * Prints in one line which checks failed, or were skipped, because the check
 * `root` failed.
 */
static void print_blocked(const struct doctor_report *report,
			  const struct doctor_check *root, FILE *stream)
{
	const char *before = "also blocked: ";
	size_t i;

	for (i = 0; i < report->checks; i++) {
		if (doctor_root_of(report, &report->check[i]) != root)
			continue;
		if (*before == 'a')
			fprintf(stream, "%*s", 6 + NAME_WIDTH, "");
		fprintf(stream, "%s%s", before, report->check[i].name);
		before = ", ";
	}
	if (*before == ',')
		fputc('\n', stream);
}

/* Prints "EPYC (Rome); L1d 32 KiB, L1i 32 KiB, L2 512 KiB", or nothing. */
static void print_details(const struct doctor_cpu *cpu, FILE *stream)
{
	const char *between = "";
	size_t i;

	if (cpu->microarchitecture[0]) {
		selfmon_output_text(stream, cpu->microarchitecture);
		between = "; ";
	}
	for (i = 0; i < DOCTOR_CACHES; i++) {
		if (!cpu->cache_kib[i])
			continue;
		fprintf(stream, "%s%s %" PRId64 " KiB", between,
			doctor_cpu_cache_name(i), cpu->cache_kib[i]);
		between = ", ";
	}
	if (*between)
		fputc('\n', stream);
}

static void print_machine(const struct doctor_machine *machine, FILE *stream)
{
	fputs("selfmon " SELFMON_VERSION " doctor: ", stream);
	selfmon_output_text(stream, machine->system);
	if (machine->facts.container)
		fprintf(stream, " in %s", runtime_name[machine->facts.runtime]);
	fputs("; ", stream);
	selfmon_output_text(stream, machine->kernel);
	fputs("; ", stream);
	selfmon_output_text(stream, machine->cpu);
	fputc('\n', stream);
	print_details(&machine->details, stream);
	fputc('\n', stream);
}

static void print_answer(const struct doctor_report *report, FILE *stream)
{
	size_t i;

	fprintf(stream, "\nuser reads: %s",
		report->user_reads    ? "yes"
		: report->when_pinned ? "only when pinned to one type of core"
				      : "no");
	for (i = 0; !report->user_reads && i < report->causes; i++)
		fprintf(stream, "%s%s", i ? ", " : ", because of ",
			report->cause[i]->name);
	fputc('\n', stream);
}

void doctor_print(const struct doctor_report *report, bool colours,
		  FILE *stream)
{
	size_t i;

	tool_line(stream, "%s", report->summary.text);
	print_machine(report->machine, stream);
	for (i = 0; i < report->checks; i++) {
		const struct doctor_check *const check = &report->check[i];

		if (doctor_root_of(report, check))
			continue;
		print_check(check, colours, stream);
		print_blocked(report, check, stream);
	}
	print_answer(report, stream);
	for (i = 0; i < 2; i++)
		if (report->note[i].length)
			tool_line(stream, "%s", report->note[i].text);
}

static void json_text(FILE *stream, const char *key, const char *text)
{
	fprintf(stream, "\"%s\": ", key);
	selfmon_output_json(stream, text);
}

static void json_details(FILE *stream, const struct doctor_cpu *cpu)
{
	const char *between = "";
	size_t i;

	json_text(stream, "microarchitecture", cpu->microarchitecture);
	fputs(",\n \"caches\": {", stream);
	for (i = 0; i < DOCTOR_CACHES; i++) {
		if (!cpu->cache_kib[i])
			continue;
		fprintf(stream, "%s\"%s\": %" PRId64, between,
			doctor_cpu_cache_name(i), cpu->cache_kib[i] * 1024);
		between = ", ";
	}
	fputs("},\n ", stream);
	json_text(stream, "features", cpu->features);
	fputs(",\n ", stream);
}

static void json_root(const struct doctor_check *root, FILE *stream)
{
	if (!root) {
		fputs("\"root_cause\": null,\n ", stream);
		return;
	}
	fputs("\"root_cause\": {", stream);
	json_text(stream, "check", root->name);
	fputs(", ", stream);
	json_text(stream, "reason",
		  root->cause ? root->cause : root->reason.text);
	fputs(", ", stream);
	json_text(stream, "remedy", root->remedy.text);
	fputs("},\n ", stream);
}

/*
 * Writes a check. JSON has all checks. If a check failed or was skipped because
 * of another one, `follows` names the other one.
 */
static void json_check(const struct doctor_report *report,
		       const struct doctor_check *check, FILE *stream)
{
	const struct doctor_check *const root = doctor_root_of(report, check);

	fputs("\n  {", stream);
	json_text(stream, "name", check->name);
	fputs(", ", stream);
	json_text(stream, "status", status_name[check->status]);
	fputs(", ", stream);
	json_text(stream, "found", check->found.text);
	fputs(", ", stream);
	json_text(stream, "reason", check->reason.text);
	fputs(", ", stream);
	json_text(stream, "remedy", check->remedy.text);
	fputs(", ", stream);
	json_text(stream, "follows", root ? root->name : "");
	fputc('}', stream);
}

void doctor_print_json(const struct doctor_report *report, FILE *stream)
{
	const struct doctor_machine *machine = report->machine;
	size_t i;

	fputs("{\n \"doctor\": 1,\n ", stream);
	json_text(stream, "summary", report->summary.text);
	fprintf(stream, ",\n \"counted\": %s,\n ",
		report->counted ? "true" : "false");
	json_root(report->root, stream);
	json_text(stream, "library", SELFMON_VERSION);
	fputs(",\n ", stream);
	json_text(stream, "system", machine->system);
	fputs(",\n ", stream);
	json_text(stream, "kernel", machine->kernel);
	fputs(",\n ", stream);
	json_text(stream, "cpu", machine->cpu);
	fputs(",\n ", stream);
	json_details(stream, &machine->details);
	json_text(stream, "container", machine->facts.container
		  ? runtime_name[machine->facts.runtime] : "");
	fprintf(stream, ",\n \"user_reads\": %s,\n \"when_pinned\": %s"
		",\n \"causes\": [", report->user_reads ? "true" : "false",
		report->when_pinned ? "true" : "false");
	for (i = 0; !report->user_reads && i < report->causes; i++) {
		fputs(i ? ", " : "", stream);
		selfmon_output_json(stream, report->cause[i]->name);
	}
	fputs("],\n \"notes\": [", stream);
	for (i = 0; i < 2 && report->note[i].length; i++) {
		fputs(i ? ", " : "", stream);
		selfmon_output_json(stream, report->note[i].text);
	}
	fputs("],\n \"checks\": [", stream);
	for (i = 0; i < report->checks; i++) {
		fputs(i ? "," : "", stream);
		json_check(report, &report->check[i], stream);
	}
	fputs("\n ]\n}\n", stream);
}

int doctor_show(const struct doctor_report *report, bool json, bool colours,
		FILE *stream)
{
	if (json)
		doctor_print_json(report, stream);
	else
		doctor_print(report, colours, stream);
	return report->user_reads ? 0 : 1;
}

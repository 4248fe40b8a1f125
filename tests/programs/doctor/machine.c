/* SPDX-License-Identifier: MIT */
/*
 * Simulates machines for the doctor. A file NAME.machine has the machine's
 * files below /etc, /proc and /sys, and the results of the doctor's probes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor.h"
#include "folder.h"

#define LINE_SIZE 1024
#define PATH_SIZE 768

static void give_up(const char *path, const char *line)
{
	fprintf(stderr, "%s: invalid line: %s", path, line);
	exit(1);
}

static const struct {
	const char *name;
	int error;
} errors[] = {
	{ "0", 0 },	      { "EACCES", EACCES }, { "EPERM", EPERM },
	{ "ENOSYS", ENOSYS }, { "ENOENT", ENOENT }, { "EINVAL", EINVAL },
	{ "ENXIO", ENXIO },   { "EMFILE", EMFILE }, { "untried", -1 },
	{ "ENOSPC", ENOSPC }, { "EBUSY", EBUSY },   { "EOPNOTSUPP", EOPNOTSUPP },
	{ "ENODEV", ENODEV },
};

static int number_of(const char *path, const char *text)
{
	char *end;
	size_t i;
	const long number = strtol(text, &end, 0);

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (!strcmp(text, errors[i].name))
			return errors[i].error;
	if (end == text || *end)
		give_up(path, text);
	return (int)number;
}

/* Results of the probes: success, unless the file says otherwise. */
static void begin_probe(struct doctor_probe *probe)
{
	memset(probe, 0, sizeof(*probe));
	probe->attr_size = 136;
	probe->capabilities = 0x1e;
	probe->index = 1;
	probe->width = 48;
	probe->together = 4;
	probe->user_reads = true;
	probe->read_ns = 10;
	strcpy(probe->clock, "perf page");
	probe->sampled = DOCTOR_SAMPLES_CYCLES;
	probe->sample_ns = 3000;
}

/*
 * Marks this event as dropped, because its group was opened but never ran. The
 * failure is that of counters/group.c.
 */
static void take_busy(const char *event, struct doctor_probe *probe)
{
	struct selfmon_failure *failure = &probe->dropped;

	failure->error = EBUSY;
	failure->step = SELFMON_STEP_POLICY;
	failure->grouped = true;
	snprintf(failure->event, sizeof(failure->event), "%.100s", event);
	strcpy(failure->message, "the group opens but never runs: the PMU's "
				 "counters are in use elsewhere");
}

/*
 * The value is EVENT ERRNO MESSAGE: an event that cannot be sampled, as
 * session/sampling.c reports it. If cycles cannot be sampled, the clock is
 * sampled. If neither can, nothing is sampled.
 */
static void take_unsampled(const char *path, const char *value,
			   struct doctor_probe *probe)
{
	char event[32], error[32];
	int at = 0;
	const bool known = sscanf(value, "%31s %31s %n", event, error, &at) ==
			   2;
	const bool cycles = known && !strcmp(event, "cycles:u");
	struct selfmon_failure *failure =
		cycles ? &probe->no_cycles : &probe->no_task_clock;

	if (!known)
		give_up(path, value);
	probe->sampled = cycles ? DOCTOR_SAMPLES_CLOCK
				: DOCTOR_SAMPLES_NOTHING;
	failure->error = number_of(path, error);
	failure->step = at && value[at] ? SELFMON_STEP_POLICY
					: SELFMON_STEP_OPEN;
	strcpy(failure->event, event);
	snprintf(failure->message, sizeof(failure->message), "%s",
		 at ? value + at : "");
}

static void take_probe(const char *path, const char *line,
		       struct doctor_probe *probe)
{
	static const struct {
		const char *name;
		size_t member;
	} numbers[] = {
#define NUMBER(name) { #name, offsetof(struct doctor_probe, name) }
		NUMBER(software), NUMBER(hardware), NUMBER(kernel_mode),
		NUMBER(tracepoint), NUMBER(breakpoint),
		NUMBER(breakpoint_silent), NUMBER(map),
		NUMBER(wipe), NUMBER(together),
		NUMBER(running), NUMBER(counting),
#undef NUMBER
	};
	char name[32], value[256] = "";
	size_t i;

	if (sscanf(line, "%31[^=]=%255[^\n]", name, value) < 1)
		give_up(path, line);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(name, numbers[i].name)) {
			*(int *)(void *)((char *)probe + numbers[i].member) =
				number_of(path, value);
			return;
		}
	if (!strcmp(name, "user_reads"))
		probe->user_reads = number_of(path, value);
	else if (!strcmp(name, "unsafe"))
		probe->unsafe = number_of(path, value);
	else if (!strcmp(name, "both_modes"))
		probe->both_modes = number_of(path, value);
	else if (!strcmp(name, "attr_size"))
		probe->attr_size = number_of(path, value);
	else if (!strcmp(name, "read_ns"))
		probe->read_ns = strcmp(value, "none") != 0
					 ? number_of(path, value)
					 : SELFMON_FACT_UNKNOWN;
	else if (!strcmp(name, "capabilities"))
		probe->capabilities = (uint64_t)number_of(path, value);
	else if (!strcmp(name, "width"))
		probe->width = (uint32_t)number_of(path, value);
	else if (!strcmp(name, "index"))
		probe->index = (uint32_t)number_of(path, value);
	else if (!strcmp(name, "why_not"))
		strcpy(probe->why_not, value);
	else if (!strcmp(name, "clock"))
		snprintf(probe->clock, sizeof(probe->clock), "%.31s", value);
	else if (!strcmp(name, "unsampled"))
		take_unsampled(path, value, probe);
	else if (!strcmp(name, "busy"))
		take_busy(value, probe);
	else if (!strcmp(name, "core0") || !strcmp(name, "core1"))
		probe->core[name[4] - '0'] = number_of(path, value);
	else
		give_up(path, line);
}

static FILE *create(const char *root, const char *name)
{
	char path[PATH_SIZE], *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s%.*s", root,
		 (int)strcspn(name, "\n"), name);
	for (slash = path + strlen(root) + 1; (slash = strchr(slash, '/'));
	     slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

/*
 * @/path begins a file, and @tried the list of results. %from names another
 * machine, whose files this machine has too. %without names a file or directory
 * that this machine lacks.
 */
static void unpack(const char *folder, const char *name, const char *root,
		   struct doctor_probe *probe)
{
	char path[PATH_SIZE], line[LINE_SIZE];
	FILE *in, *out = NULL;
	bool tried = false;

	snprintf(path, sizeof(path), "%s/%s.machine", folder, name);
	in = fopen(path, "r");
	if (!in) {
		perror(path);
		exit(1);
	}
	while (fgets(line, sizeof(line), in)) {
		if (line[0] == '@' || line[0] == '%') {
			if (out)
				fclose(out);
			out = NULL;
		}
		if (sscanf(line, "%%from %63s", path) == 1) {
			unpack(folder, path, root, probe);
		} else if (!strncmp(line, "%without /", 10)) {
			snprintf(path, sizeof(path), "%s%.*s", root,
				 (int)strcspn(line + 9, "\n"), line + 9);
			machine_remove(path);
		} else if (line[0] == '@') {
			tried = !strcmp(line, "@tried\n");
			if (!tried)
				out = create(root, line + 1);
		} else if (out) {
			fputs(line, out);
		} else if (tried && line[0] != '\n') {
			take_probe(name, line, probe);
		} else if (line[0] != '#' && line[0] != '\n') {
			give_up(name, line);
		}
	}
	if (out)
		fclose(out);
	fclose(in);
}

void machine_unpack(const char *folder, const char *name, char root[256],
		    struct doctor_probe *probe)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(root, 256, "%s/selfmon-doctor.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(root)) {
		perror(root);
		exit(1);
	}
	begin_probe(probe);
	unpack(folder, name, root, probe);
}

void machine_remove(const char *root)
{
	folder_remove(root);
}

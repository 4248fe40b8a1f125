/* SPDX-License-Identifier: MIT */
/*
 * main guest MACHINE STATE...: see guest.h. main FOLDER [NAME...]: compares the
 * doctor's output in each state with the file NAME.expected in FOLDER. Such a
 * file was written from the state, not copied from the doctor. A state is set
 * by live.c, or is a file NAME.machine.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../tools/doctor_check.h"
#include "../../../tools/doctor_machine.h"
#include "../../../tools/doctor_print.h"
#include "../../../tools/doctor_probe.h"
#include "doctor.h"
#include "guest.h"

static char output[1 << 16];
static unsigned int passed, failed, skipped;
static struct doctor_machine machine;
static struct doctor_probe probe;
static struct doctor_report report;

static void read_output(FILE *file)
{
	size_t n;

	rewind(file);
	n = fread(output, 1, sizeof(output) - 1, file);
	output[n] = '\0';
}

/*
 * Returns true if the doctor's exit status fits its output: 0 if user reads
 * work, else 1. Other statuses are those of the test itself.
 */
static bool status_fits(int status)
{
	const bool yes = strstr(output, "\nuser reads: yes") != NULL;

	if (status == !yes)
		return true;
	printf("exit status %d after:\n%s", status, output);
	return false;
}

static void judge(const char *folder, const char *name, int status)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s.expected", folder, name);
	if (expect_matches(path, output) && status_fits(status)) {
		passed++;
	} else {
		failed++;
		printf("doctor: %s: failed\n", name);
	}
}

static int examine(FILE *file)
{
	doctor_examine(&machine, &probe, &report);
	return doctor_show(&report, false, false, file);
}

static void run_live(const char *folder, const struct live *state)
{
	const int memory = memfd_create("doctor", 0);
	FILE *file = fdopen(memory, "w+");
	int status;
	pid_t pid;

	if (!state->possible()) {
		printf("[SKIP] doctor: %s: needs %s\n", state->name,
		       state->needs);
		skipped++;
		fclose(file);
		return;
	}
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		state->set();
		doctor_machine_gather("", &machine);
		doctor_probe_all(&machine, &probe);
		status = examine(file);
		fflush(file);
		_exit(status);
	}
	waitpid(pid, &status, 0);
	read_output(file);
	fclose(file);
	judge(folder, state->name,
	      WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

static void run_recorded(const char *folder, const char *name)
{
	FILE *file = tmpfile();
	char root[256];
	int status;

	machine_unpack(folder, name, root, &probe);
	doctor_machine_gather(root, &machine);
	machine_remove(root);
	status = examine(file);
	read_output(file);
	fclose(file);
	judge(folder, name, status);
}

static bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static int is_machine(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".machine");
}

int main(int argc, char **argv)
{
	struct dirent **entry;
	const struct live *state;
	int i, n;

	if (argc < 2) {
		fprintf(stderr, "usage: %s FOLDER [NAME...]\n", argv[0]);
		return 2;
	}
	if (!strcmp(argv[1], "guest") && argc > 3)
		return guest_run(argv[2], argv + 3);
	for (state = live_state; state->name; state++)
		if (wanted(state->name, argv + 2))
			run_live(argv[1], state);
	n = scandir(argv[1], &entry, is_machine, alphasort);
	for (i = 0; i < n; i++) {
		*strrchr(entry[i]->d_name, '.') = '\0';
		if (wanted(entry[i]->d_name, argv + 2))
			run_recorded(argv[1], entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	if (argc == 2) {
		*(pin_works() ? &passed : &failed) += 1;
		*(cpu_works() ? &passed : &failed) += 1;
	}
	printf("doctor: %u passed, %u failed, %u skipped\n", passed, failed,
	       skipped);
	return failed > 0 || passed == 0;
}

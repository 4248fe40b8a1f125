/* SPDX-License-Identifier: MIT */
#include "doctor_note.h"

#include <string.h>

/*
 * Distributions by ID or ID_LIKE of os-release(5), with the command that
 * installs setcap(8).
 */
static const struct {
	const char *id; /* with spaces, like struct doctor_machine */
	const char *package;
} setcap[] = {
	{ " alpine ", "apk add libcap-setcap" },
	{ " arch ", "pacman -S libcap" },
	{ " debian ", "apt install libcap2-bin" },
	{ " fedora ", "dnf install libcap" },
	{ " rhel ", "dnf install libcap" },
	{ " suse ", "zypper install libcap-progs" },
	{ " opensuse ", "zypper install libcap-progs" },
	{ " gentoo ", "emerge sys-libs/libcap" },
	{ " ubuntu ", "apt install libcap2-bin" },
};

static bool any_remedy(const struct doctor_report *report, const char *word)
{
	size_t i;

	for (i = 0; i < report->checks; i++)
		if (strstr(report->check[i].remedy.text, word))
			return true;
	return false;
}

static void note_sysctl(const struct doctor_machine *machine,
			struct selfmon_sentence *note)
{
	if (strstr(machine->id, " nixos "))
		doctor_say(note, "sysctl -w lasts until the next boot; to keep "
			   "it: boot.kernel.sysctl in configuration.nix");
	else
		doctor_say(note, "sysctl -w lasts until the next boot; to keep "
			   "it: echo NAME=VALUE >> /etc/sysctl.d/99-perf.conf");
}

static void note_setcap(const struct doctor_machine *machine,
			struct selfmon_sentence *note)
{
	size_t i;

	for (i = 0; i < sizeof(setcap) / sizeof(setcap[0]); i++)
		if (strstr(machine->id, setcap[i].id)) {
			doctor_say(note, "to install setcap: %s",
				   setcap[i].package);
			return;
		}
}

/*
 * No notes in a container: a remedy changes the host, whose distribution is
 * unknown.
 */
void doctor_note(struct doctor_report *report)
{
	const struct doctor_machine *machine = report->machine;
	size_t notes = 0;

	if (machine->facts.container || !machine->id[0])
		return;
	if (any_remedy(report, "sysctl -w"))
		note_sysctl(machine, &report->note[notes++]);
	if (any_remedy(report, "setcap cap_"))
		note_setcap(machine, &report->note[notes]);
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "selftest_machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "doctor_check.h"
#include "doctor_cores.h"
#include "doctor_machine.h"
#include "doctor_probe.h"
#include "platform/cpu.h"

#define CLOCKSOURCE                                                            \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"
/* Under a hypervisor, a read that takes longer than this traps to it. */
#define TRAP_NS 200

static void note(struct selftest_machine *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct selftest_machine *to, const char *format, ...)
{
	va_list values;

	if (to->notes == SELFTEST_NOTES)
		return;
	va_start(values, format);
	vsnprintf(to->note[to->notes++], sizeof(to->note[0]), format, values);
	va_end(values);
}

static void note_counters(struct selftest_machine *to,
			  const struct doctor_probe *probe,
			  const struct selfmon_facts *facts)
{
	/*
	 * A result of 1 is ignored, as in the doctor: an emulator may have one
	 * counter for each kind of event.
	 */
	if (probe->counting >= 2 && probe->counting < probe->running)
		note(to, "the hypervisor offers %d counters and grants %d",
		     probe->running, probe->counting);
	/* On riscv64 the watchdog uses no counter. */
	if (facts->nmi_watchdog > 0 && !facts->riscv64)
		note(to, "the NMI watchdog holds a counter");
	if (probe->both_modes)
		note(to, "the kernel's instructions are counted as well");
	if (probe->user_reads && probe->read_ns > TRAP_NS)
		note(to, "each counter read %s %" PRId64 " ns",
		     facts->hypervisor ? "traps to the hypervisor,"
				       : "takes",
		     probe->read_ns);
}

static void take_notes(struct selftest_machine *to,
		       const struct doctor_probe *probe)
{
	const struct doctor_machine *machine = to->report->machine;

	if (!probe->hardware) {
		note_counters(to, probe, &machine->facts);
		if (probe->unsafe && !probe->user_reads)
			note(to, "counters are read by system call: user reads "
			     "are unsafe here without SELFMON_GUARD=1");
		else if (!probe->user_reads)
			note(to, "counters are read by system call");
	}
	if (doctor_cores_roam(machine))
		note(to, "cores are of several types: counters are read by "
		     "system call unless a thread is pinned to one type");
	if (!strcmp(probe->clock, "clock_gettime"))
		note(to, "the timestamp counter is not steady");
}

static void read_microcode(struct selftest_machine *to)
{
	char text[4096] = "";

	selfmon_facts_text("", "/proc/cpuinfo", text, sizeof(text));
	if (!selfmon_cpu_find_field(text, "microcode", to->microcode,
				    sizeof(to->microcode)))
		to->microcode[0] = '\0';
}

/* Sets the reason to the doctor's first cause, such as "paranoid: 3". */
static void find_why(struct selftest_machine *to)
{
	const struct doctor_check *cause;

	if (!to->report->causes)
		return;
	cause = to->report->cause[0];
	snprintf(to->why_no_pmu, sizeof(to->why_no_pmu), "%s: %.200s",
		 cause->name, cause->found.text);
}

void selftest_machine_gather(struct selftest_machine *machine,
			     struct selftest_case *from)
{
	static struct doctor_machine doctor;
	static struct doctor_probe probe;
	static struct doctor_report report;

	memset(machine, 0, sizeof(*machine));
	doctor_machine_gather("", &doctor);
	doctor_probe_all(&doctor, &probe);
	doctor_examine(&doctor, &probe, &report);
	machine->report = &report;
	read_microcode(machine);
	if (selfmon_facts_text("", CLOCKSOURCE, machine->clocksource,
			       sizeof(machine->clocksource)) <= 0)
		machine->clocksource[0] = '\0';
	from->pmu = !probe.hardware;
	/*
	 * All checks that depend on user reads pin their thread, so user reads
	 * of a pinned thread are enough.
	 */
	from->user_reads = report.user_reads || report.when_pinned;
	from->hypervisor = doctor.facts.hypervisor;
	from->read_ns = probe.read_ns > 0 ? (uint64_t)probe.read_ns : 0;
	from->offered = probe.running;
	from->counting = probe.counting;
	if (from->pmu)
		take_notes(machine, &probe);
	else
		find_why(machine);
}

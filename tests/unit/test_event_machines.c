/* SPDX-License-Identifier: MIT */
/*
 * PMU trees of real machines. The comment above each tree lists the published
 * recordings from which it was made. Files that no recording has are from the
 * kernel's source, unless the comment says otherwise.
 */
#include "unit/test_event_tree.h"

#include <stddef.h>

/*
 * Recorded by Namhyung Kim: PMUs, their numbers, CPUs and caps. The machine has
 * 8 large and 12 small cores, like a desktop's Raptor Lake:
 * https://lore.kernel.org/all/20250918063944.16331-2-namhyung@kernel.org/
 * An Alder Lake has the same numbers, and opened general events with them:
 * https://lore.kernel.org/all/20210329070046.8815-9-yao.jin@linux.intel.com/
 *
 * From the kernel's source: fields and events (arch/x86/events/intel/core.c),
 * rdpmc (arch/x86/events/core.c) and cpumask (arch/x86/events/intel/uncore.c).
 */
static const struct tree_file hybrid[] = {
	{ "cpu_core/type", "4\n" },
	{ "cpu_core/cpus", "0-15\n" },
	{ "cpu_core/rdpmc", "1\n" },
	{ "cpu_core/format/event", "config:0-7\n" },
	{ "cpu_core/format/umask", "config:8-15\n" },
	{ "cpu_core/format/ldlat", "config1:0-15\n" },
	{ "cpu_core/events/cpu-cycles", "event=0x3c\n" },
	{ "cpu_core/events/instructions", "event=0xc0\n" },
	{ "cpu_core/events/slots", "event=0x00,umask=0x4\n" },
	{ "cpu_core/events/topdown-retiring", "event=0x00,umask=0x80\n" },
	{ "cpu_core/caps/branches", "32\n" },
	{ "cpu_core/caps/max_precise", "3\n" },
	{ "cpu_core/caps/pmu_name", "alderlake_hybrid\n" },
	{ "cpu_atom/type", "10\n" },
	{ "cpu_atom/cpus", "16-27\n" },
	{ "cpu_atom/rdpmc", "1\n" },
	{ "cpu_atom/format/event", "config:0-7\n" },
	{ "cpu_atom/format/umask", "config:8-15\n" },
	{ "cpu_atom/events/cpu-cycles", "event=0x3c\n" },
	{ "cpu_atom/events/topdown-retiring", "event=0xc2,umask=0x0\n" },
	{ "cpu_atom/caps/branches", "32\n" },
	{ "cpu_atom/caps/max_precise", "3\n" },
	{ "cpu_atom/caps/pmu_name", "alderlake_hybrid\n" },
	{ "uncore_cbox_0/type", "15\n" },
	{ "uncore_cbox_0/cpumask", "0\n" },
	{ "uncore_clock/type", "29\n" },
	{ "uncore_clock/cpumask", "0\n" },
	{ "uncore_imc_0/type", "30\n" },
	{ "uncore_imc_0/cpumask", "0\n" },
	{ "software/type", "1\n" },
	{ NULL, NULL },
};

/*
 * Recorded by Arnaldo Carvalho de Melo on an RK3399: PMUs, their numbers, and
 * the code of cpu_cycles,
 * https://lore.kernel.org/all/ZV4qFtFctJ9emXvd@kernel.org/
 * Recorded on another board with these cores: CPUs, quoted in
 * https://lore.kernel.org/all/86h6rxd3gh.wl-maz@kernel.org/
 *
 * From the kernel's source: fields and the other events
 * (drivers/perf/arm_pmuv3.c: armv8_pmuv3_format_attrs, armv8_pmuv3_event_attrs,
 * caps). Arm's manuals list the events of each core (PMCEID0_EL0).
 */
static const struct tree_file rk3399[] = {
	{ "armv8_cortex_a53/type", "7\n" },
	{ "armv8_cortex_a53/cpus", "0-3\n" },
	{ "armv8_cortex_a53/format/event", "config:0-15\n" },
	{ "armv8_cortex_a53/format/long", "config1:0\n" },
	{ "armv8_cortex_a53/format/rdpmc", "config1:1\n" },
	{ "armv8_cortex_a53/events/cpu_cycles", "event=0x0011\n" },
	{ "armv8_cortex_a53/events/inst_retired", "event=0x0008\n" },
	{ "armv8_cortex_a53/events/l1d_cache_refill", "event=0x0003\n" },
	{ "armv8_cortex_a53/events/pc_write_retired", "event=0x000c\n" },
	{ "armv8_cortex_a53/events/br_mis_pred", "event=0x0010\n" },
	{ "armv8_cortex_a53/caps/slots", "0x00000000\n" },
	{ "armv8_cortex_a72/type", "8\n" },
	{ "armv8_cortex_a72/cpus", "4-5\n" },
	{ "armv8_cortex_a72/format/event", "config:0-15\n" },
	{ "armv8_cortex_a72/events/cpu_cycles", "event=0x0011\n" },
	{ "armv8_cortex_a72/events/inst_retired", "event=0x0008\n" },
	{ "armv8_cortex_a72/events/l1d_cache_refill", "event=0x0003\n" },
	{ "armv8_cortex_a72/events/br_retired", "event=0x0021\n" },
	{ "armv8_cortex_a72/events/pc_write_retired", "event=0x000c\n" },
	{ "software/type", "1\n" },
	{ NULL, NULL },
};

/*
 * Recorded: PMUs and CPUs, in docs/perf/README.md (47cf81ef) of
 * https://github.com/aneryu/zjs ; number 11, in the report P7-70 of that
 * project. Number 8 is assumed. Fields and events are from the kernel's source,
 * as for the RK3399.
 */
static const struct tree_file gb10[] = {
	{ "armv8_pmuv3_0/type", "8\n" },
	{ "armv8_pmuv3_0/cpus", "0-4,10-14\n" },
	{ "armv8_pmuv3_0/format/event", "config:0-15\n" },
	{ "armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n" },
	{ "armv8_pmuv3_1/type", "11\n" },
	{ "armv8_pmuv3_1/cpus", "5-9,15-19\n" },
	{ "armv8_pmuv3_1/format/event", "config:0-15\n" },
	{ "armv8_pmuv3_1/events/cpu_cycles", "event=0x0011\n" },
	{ NULL, NULL },
};

/*
 * Recorded: PMUs, their numbers and CPUs, quoted in
 * https://lore.kernel.org/all/86h6rxd3gh.wl-maz@kernel.org/
 * From the kernel's source: field and events (drivers/perf/apple_m1_cpu_pmu.c).
 */
static const struct tree_file apple_m2[] = {
	{ "apple_blizzard_pmu/type", "8\n" },
	{ "apple_blizzard_pmu/cpus", "0-3\n" },
	{ "apple_blizzard_pmu/format/event", "config:0-7\n" },
	{ "apple_blizzard_pmu/events/cycles", "event=0x0002\n" },
	{ "apple_blizzard_pmu/events/instructions", "event=0x008c\n" },
	{ "apple_avalanche_pmu/type", "9\n" },
	{ "apple_avalanche_pmu/cpus", "4-9\n" },
	{ "apple_avalanche_pmu/format/event", "config:0-7\n" },
	{ "apple_avalanche_pmu/events/cycles", "event=0x0002\n" },
	{ "apple_avalanche_pmu/events/instructions", "event=0x008c\n" },
	{ NULL, NULL },
};

/*
 * Recorded: PMUs, their numbers, caps and 128 CPUs, in the message
 * CAHbLzkpZjrd401DEKnnCNMdra0f6kGRe1Nh_rTovNTmyD8aBpg@mail.gmail.com of
 * https://lore.kernel.org/all/
 * From the kernel's source: that the PMU belongs to all CPUs
 * (drivers/perf/arm_pmu_acpi.c), cpumask (drivers/perf/arm-cmn.c), and field
 * and event, as for the RK3399.
 */
static const struct tree_file ampere_one[] = {
	{ "armv8_pmuv3_0/type", "8\n" },
	{ "armv8_pmuv3_0/cpus", "0-127\n" },
	{ "armv8_pmuv3_0/format/event", "config:0-15\n" },
	{ "armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n" },
	{ "armv8_pmuv3_0/caps/slots", "0x00000004\n" },
	{ "cs_etm/type", "9\n" },
	{ "arm_cmn_0/type", "10\n" },
	{ "arm_cmn_0/cpumask", "0\n" },
	{ "arm_cmn_1/type", "11\n" },
	{ "arm_cmn_1/cpumask", "0\n" },
	{ "software/type", "1\n" },
	{ "tracepoint/type", "2\n" },
	{ "breakpoint/type", "5\n" },
	{ "kprobe/type", "6\n" },
	{ "uprobe/type", "7\n" },
	{ NULL, NULL },
};

void tree_make_hybrid(void)
{
	tree_make(hybrid);
}

void tree_make_rk3399(void)
{
	tree_make(rk3399);
}

void tree_make_gb10(void)
{
	tree_make(gb10);
}

void tree_make_apple_m2(void)
{
	tree_make(apple_m2);
}

void tree_make_ampere_one(void)
{
	tree_make(ampere_one);
}

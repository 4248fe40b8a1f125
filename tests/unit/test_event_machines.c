/* SPDX-License-Identifier: MIT */
/*
 * PMU trees of real machines that were published. For each tree, the comment
 * lists the sources.
 */
#include "unit/test_event_tree.h"

#include <stddef.h>

/*
 * PMUs, numbers, CPUs and caps: one machine of Namhyung Kim's, of 8 large cores
 * and 12 small ones (a desktop's Raptor Lake has as many),
 * https://lore.kernel.org/all/20250918063944.16331-2-namhyung@kernel.org/
 * An Alder Lake of Intel's has the same numbers, and its general events opened
 * with them:
 * https://lore.kernel.org/all/20210329070046.8815-9-yao.jin@linux.intel.com/
 *
 * In neither, and from arch/x86/events/intel/core.c: fields and events; from
 * arch/x86/events/core.c: rdpmc; from arch/x86/events/intel/uncore.c: cpumask.
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
 * PMUs, numbers and that they have cpu_cycles with this code: an RK3399 of
 * Arnaldo Carvalho de Melo's,
 * https://lore.kernel.org/all/ZV4qFtFctJ9emXvd@kernel.org/ ; CPUs: another
 * board with these cores, quoted in
 * https://lore.kernel.org/all/86h6rxd3gh.wl-maz@kernel.org/
 *
 * In neither, and from drivers/perf/arm_pmuv3.c (armv8_pmuv3_format_attrs,
 * armv8_pmuv3_event_attrs, caps): fields and the other events; which a core has
 * is in the manuals of Arm's, PMCEID0_EL0.
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
 * PMUs, CPUs: docs/perf/README.md (47cf81ef) of https://github.com/aneryu/zjs ;
 * number 11: a report of that project headed P7-70. Not recorded: number 8, and
 * as above fields and events.
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
 * PMUs, numbers, CPUs: quoted in
 * https://lore.kernel.org/all/86h6rxd3gh.wl-maz@kernel.org/ ; field and events,
 * not recorded: drivers/perf/apple_m1_cpu_pmu.c.
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
 * PMUs and numbers, caps, 128 CPUs, in https://lore.kernel.org/all/ :
 * CAHbLzkpZjrd401DEKnnCNMdra0f6kGRe1Nh_rTovNTmyD8aBpg@mail.gmail.com/
 * Not recorded: that the PMU is of all CPUs (drivers/perf/arm_pmu_acpi.c),
 * cpumask (drivers/perf/arm-cmn.c), and as above field and event.
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

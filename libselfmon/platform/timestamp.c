/* SPDX-License-Identifier: MIT */
#include "platform/timestamp.h"

#include <string.h>

#include <selfmon/arch.h>

#include "platform/kernel.h"

#define CLOCKSOURCE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E. */
#define LEAF_CRYSTAL UINT32_C(0x15)
#define LEAF_POWER UINT32_C(0x80000007)
#define LEAF_HYPERVISOR UINT32_C(0x40000000)
#define POWER_EDX_INVARIANT_TSC (UINT32_C(1) << 8)

/*
 * Timing leaf of VMware; EAX is the TSC in kHz. KVM and ACRN have the same
 * leaf.
 */
#define LEAF_TIMING UINT32_C(0x40000010)

#define HZ_MIN UINT64_C(100000000)
#define HZ_MAX UINT64_C(20000000000)

static uint64_t plausible(uint64_t hz)
{
	return hz >= HZ_MIN && hz <= HZ_MAX ? hz : 0;
}

/*
 * Returns true for Denverton (Atom), which states a ratio but not the crystal's
 * frequency: arch/x86/kernel/tsc.c.
 */
static bool is_goldmont_d(uint32_t signature)
{
	const uint32_t family = signature >> 8 & 0xf;
	const uint32_t model = (signature >> 4 & 0xf) |
			       (signature >> 12 & 0xf0);

	return family == 6 && model == 0x5f;
}

/*
 * Decodes leaf 15H for Intel, as native_calibrate_tsc() does. If the crystal's
 * frequency is missing (Skylake, Kaby Lake), the result is unknown: the base
 * frequency of leaf 16H, with which the kernel starts before it measures, is
 * rounded to 100 MHz. The nominal crystal of a Skylake server is wrong by a
 * quarter of a percent (kernel commit b511203093489).
 */
static uint64_t decode_crystal(const struct selfmon_timestamp_leaves *leaves)
{
	const struct selfmon_cpuid_leaf *vendor = &leaves->vendor;
	const struct selfmon_cpuid_leaf *crystal = &leaves->crystal;
	uint64_t hz = crystal->ecx;

	if (vendor->ebx != 0x756e6547 || vendor->edx != 0x49656e69 ||
	    vendor->ecx != 0x6c65746e) /* GenuineIntel */
		return 0;
	if (crystal->eax == 0 || crystal->ebx == 0)
		return 0;
	if (hz == 0 && is_goldmont_d(leaves->features.eax))
		hz = 25000000;
	return plausible(hz * crystal->ebx / crystal->eax);
}

/*
 * Checks the hypervisor's name, since this leaf may have another meaning under
 * other hypervisors.
 */
static bool has_timing_leaf(const struct selfmon_cpuid_leaf *hypervisor)
{
	static const char names[][13] = { "VMwareVMware", "KVMKVMKVM\0\0\0",
					  "ACRNACRNACRN" };
	char name[12];
	size_t i;

	if (hypervisor->eax < LEAF_TIMING)
		return false;
	memcpy(name, &hypervisor->ebx, 4);
	memcpy(name + 4, &hypervisor->ecx, 4);
	memcpy(name + 8, &hypervisor->edx, 4);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (memcmp(name, names[i], sizeof(name)) == 0)
			return true;
	return false;
}

static uint64_t decode_timing(const struct selfmon_timestamp_leaves *leaves)
{
	if (!selfmon_cpuid_hypervisor(&leaves->features) ||
	    !has_timing_leaf(&leaves->hypervisor))
		return 0;
	return plausible(UINT64_C(1000) * leaves->timing.eax);
}

void selfmon_timestamp_decode(const struct selfmon_timestamp_leaves *leaves,
			      struct selfmon_timestamp_rates *rates)
{
	rates->cpuid_hz = decode_crystal(leaves);
	rates->hypervisor_hz = decode_timing(leaves);
}

void selfmon_timestamp_read(struct selfmon_timestamp_leaves *leaves)
{
	memset(leaves, 0, sizeof(*leaves));
	selfmon_cpuid(0, &leaves->vendor);
	selfmon_cpuid(1, &leaves->features);
	selfmon_cpuid(LEAF_CRYSTAL, &leaves->crystal);
	if (!selfmon_cpuid_hypervisor(&leaves->features))
		return;
	selfmon_cpuid(LEAF_HYPERVISOR, &leaves->hypervisor);
	selfmon_cpuid(LEAF_TIMING, &leaves->timing);
}

/*
 * Returns true for clock sources that the kernel stops using if the TSCs of two
 * CPUs differ (mark_tsc_unstable() in arch/x86/kernel/tsc.c). kvm-clock and the
 * pages of Xen and Hyper-V are scaled TSCs. With an invariant TSC they also
 * prove that the TSCs agree.
 */
bool selfmon_timestamp_agrees(const char *clocksource)
{
	static const char *const names[] = { "tsc", "kvm-clock", "xen",
					     "hyperv_clocksource_tsc_page" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(clocksource, names[i]) == 0)
			return true;
	return false;
}

bool selfmon_timestamp_steady(void)
{
	struct selfmon_cpuid_leaf power;
	char clocksource[64];

	if (SELFMON_ARCH_TIMESTAMP_STEADY)
		return true;
	selfmon_cpuid(LEAF_POWER, &power);
	if (!(power.edx & POWER_EDX_INVARIANT_TSC))
		return false;
	if (selfmon_kernel_read_file(CLOCKSOURCE, clocksource,
				     sizeof(clocksource)) < 0)
		return false;
	return selfmon_timestamp_agrees(clocksource);
}

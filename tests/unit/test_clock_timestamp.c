/* SPDX-License-Identifier: MIT */
/* Tests the frequency of the timestamp counter from recorded CPUID leaves. */
#include <criterion/criterion.h>

#include "platform/timestamp.h"

#define INTEL { 0x16, 0x756e6547, 0x6c65746e, 0x49656e69 }
#define AMD { 0x1c, 0x68747541, 0x444d4163, 0x69746e65 }
#define KVM(max) { max, 0x4b4d564b, 0x564b4d56, 0x0000004d }
#define VMWARE(max) { max, 0x61774d56, 0x4d566572, 0x65726177 }
#define HYPERV(max) { max, 0x7263694d, 0x666f736f, 0x76482074 }
#define GUEST (UINT32_C(1) << 31)

static struct selfmon_timestamp_rates
decode(struct selfmon_timestamp_leaves leaves)
{
	struct selfmon_timestamp_rates rates = { 1, 1 };

	selfmon_timestamp_decode(&leaves, &rates);
	return rates;
}

Test(clock_timestamp, takes_crystal_times_ratio)
{
	const struct selfmon_timestamp_leaves ice_lake = {
		.vendor = INTEL,
		.features = { 0x706e5, 0, 0, 0 },
		.crystal = { 2, 78, 38400000, 0 },
	};

	cr_assert_eq(decode(ice_lake).cpuid_hz, 1497600000);
	cr_assert_eq(decode(ice_lake).hypervisor_hz, 0);
}

Test(clock_timestamp, states_nothing_for_a_skylake_without_a_crystal)
{
	const struct selfmon_timestamp_leaves skylake = {
		.vendor = INTEL,
		.features = { 0x506e3, 0, 0, 0 },
		.crystal = { 2, 242, 0, 0 },
	};

	cr_assert_eq(decode(skylake).cpuid_hz, 0);
}

Test(clock_timestamp, knows_the_crystal_of_denverton)
{
	const struct selfmon_timestamp_leaves denverton = {
		.vendor = INTEL,
		.features = { 0x506f1, 0, 0, 0 },
		.crystal = { 3, 264, 0, 0 },
	};

	cr_assert_eq(decode(denverton).cpuid_hz, 2200000000);
}

Test(clock_timestamp, states_nothing_for_zeros)
{
	const struct selfmon_timestamp_leaves none = { .vendor = INTEL };

	cr_assert_eq(decode(none).cpuid_hz, 0);
	cr_assert_eq(decode(none).hypervisor_hz, 0);
}

Test(clock_timestamp, believes_the_crystal_leaf_of_intel_only)
{
	const struct selfmon_timestamp_leaves amd = {
		.vendor = AMD,
		.features = { 0xa10f11, 0, 0, 0 },
		.crystal = { 2, 78, 38400000, 0 },
	};

	cr_assert_eq(decode(amd).cpuid_hz, 0);
}

Test(clock_timestamp, takes_the_kilohertz_of_a_hypervisor)
{
	const struct selfmon_timestamp_leaves vmware = {
		.vendor = INTEL,
		.features = { 0x50654, 0, GUEST, 0 },
		.hypervisor = VMWARE(0x40000010),
		.timing = { 2294609, 66000, 0, 0 },
	};

	cr_assert_eq(decode(vmware).hypervisor_hz, 2294609000);
	cr_assert_eq(decode(vmware).cpuid_hz, 0);
}

Test(clock_timestamp, takes_it_from_kvm_too)
{
	const struct selfmon_timestamp_leaves kvm = {
		.vendor = AMD,
		.features = { 0xa10f11, 0, GUEST, 0 },
		.hypervisor = KVM(0x40000010),
		.timing = { 2596130, 1000000, 0, 0 },
	};

	cr_assert_eq(decode(kvm).hypervisor_hz, 2596130000);
}

Test(clock_timestamp, states_nothing_where_the_timing_leaf_is_absent)
{
	const struct selfmon_timestamp_leaves kvm = {
		.vendor = AMD,
		.features = { 0xa10f11, 0, GUEST, 0 },
		.hypervisor = KVM(0x40000001),
		.timing = { 2596130, 0, 0, 0 },
	};

	cr_assert_eq(decode(kvm).hypervisor_hz, 0);
}

Test(clock_timestamp, believes_no_hypervisor_that_may_mean_something_else)
{
	const struct selfmon_timestamp_leaves hyperv = {
		.vendor = INTEL,
		.features = { 0x50654, 0, GUEST, 0 },
		.hypervisor = HYPERV(0x40000082),
		.timing = { 2294609, 0, 0, 0 },
	};

	cr_assert_eq(decode(hyperv).hypervisor_hz, 0);
}

Test(clock_timestamp, believes_no_hypervisor_leaf_on_a_bare_machine)
{
	const struct selfmon_timestamp_leaves bare = {
		.vendor = INTEL,
		.features = { 0x50654, 0, 0, 0 },
		.hypervisor = VMWARE(0x40000010),
		.timing = { 2294609, 0, 0, 0 },
	};

	cr_assert_eq(decode(bare).hypervisor_hz, 0);
}

Test(clock_timestamp, refuses_frequencies_no_machine_has)
{
	struct selfmon_timestamp_leaves leaves = {
		.vendor = INTEL,
		.features = { 0x706e5, 0, GUEST, 0 },
		.crystal = { 2, UINT32_MAX, UINT32_MAX, 0 },
		.hypervisor = KVM(0x40000010),
		.timing = { UINT32_MAX, 0, 0, 0 },
	};

	cr_assert_eq(decode(leaves).cpuid_hz, 0);
	cr_assert_eq(decode(leaves).hypervisor_hz, 0);
	leaves.crystal.ecx = 1;
	leaves.crystal.ebx = 2;
	leaves.timing.eax = 1;
	cr_assert_eq(decode(leaves).cpuid_hz, 0);
	cr_assert_eq(decode(leaves).hypervisor_hz, 0);
}

Test(clock_timestamp, trusts_clock_sources_built_on_the_counter)
{
	cr_assert(selfmon_timestamp_agrees("tsc"));
	cr_assert(selfmon_timestamp_agrees("kvm-clock"));
	cr_assert(selfmon_timestamp_agrees("hyperv_clocksource_tsc_page"));
	cr_assert(selfmon_timestamp_agrees("xen"));
}

Test(clock_timestamp, trusts_no_other_clock_source)
{
	cr_assert_not(selfmon_timestamp_agrees("hpet"));
	cr_assert_not(selfmon_timestamp_agrees("acpi_pm"));
	cr_assert_not(selfmon_timestamp_agrees("hyperv_clocksource_msr"));
	cr_assert_not(selfmon_timestamp_agrees("tsc-early"));
	cr_assert_not(selfmon_timestamp_agrees(""));
}

/* SPDX-License-Identifier: MIT */
#include "platform/cpuid.h"

#if defined(__x86_64__)
#include <cpuid.h>

/*
 * For leaves 0, 40000000H and 80000000H, EAX is the highest leaf of the range.
 */
#define RANGE_MASK UINT32_C(0xc0000000)
#endif

bool selfmon_cpuid(uint32_t number, struct selfmon_cpuid_leaf *leaf)
{
	*leaf = (struct selfmon_cpuid_leaf){ 0 };
#if defined(__x86_64__)
	{
		const uint32_t range = number & RANGE_MASK;

		__cpuid_count(range, 0, leaf->eax, leaf->ebx, leaf->ecx,
			      leaf->edx);
		if (number == range)
			return true;
		if (leaf->eax < number || (leaf->eax & RANGE_MASK) != range) {
			*leaf = (struct selfmon_cpuid_leaf){ 0 };
			return false;
		}
		__cpuid_count(number, 0, leaf->eax, leaf->ebx, leaf->ecx,
			      leaf->edx);
		return true;
	}
#else
	(void)number;
	return false;
#endif
}

bool selfmon_cpuid_hypervisor(const struct selfmon_cpuid_leaf *features)
{
	return features->ecx >> 31;
}

bool selfmon_cpuid_may_be_virtual(void)
{
#if defined(__x86_64__)
	struct selfmon_cpuid_leaf features;

	return selfmon_cpuid(1, &features) &&
	       selfmon_cpuid_hypervisor(&features);
#else
	return true;
#endif
}

/* SPDX-License-Identifier: MIT */
/*
 * The only file that uses libcpuid: finds microarchitecture, caches and
 * features of an x86 CPU. Without libcpuid, and on other machines, these are
 * unknown.
 */
#include "doctor_cpu.h"

#include <stdio.h>
#include <string.h>

#ifdef TOOL_HAVE_LIBCPUID
/*
 * Masks of the extended family and the extended model in CPUID 1H:EAX (Intel
 * SDM volume 2).
 */
#define EXTENDED_FAMILY UINT32_C(0x0ff00000)
#define EXTENDED_MODEL UINT32_C(0x000f0000)

static bool identify(struct cpu_raw_data_t *raw, struct cpu_id_t *id)
{
	memset(id, 0, sizeof(*id));
	return cpu_identify(raw, id) == 0;
}

static bool is_named_by(const struct cpu_raw_data_t *raw,
			const struct cpu_id_t *id, uint32_t bits)
{
	struct cpu_raw_data_t other = *raw;
	struct cpu_id_t other_id;

	other.basic_cpuid[1][0] |= bits;
	other.ext_cpuid[1][0] |= bits;
	return identify(&other, &other_id) &&
	       strcmp(id->cpu_codename, other_id.cpu_codename) != 0;
}

/*
 * Returns true if libcpuid knows the CPU. For an unknown CPU, libcpuid returns
 * the nearest entry of its table, even if this is a very different CPU: version
 * 0.6.2 calls a Zen 5 EPYC an Athlon. A known CPU is one whose name changes if
 * the bits of its family or model are changed.
 */
static bool is_known(const struct cpu_raw_data_t *raw,
		     const struct cpu_id_t *id)
{
	return strncmp(id->cpu_codename, "Unknown", 7) != 0 &&
	       (is_named_by(raw, id, EXTENDED_FAMILY) ||
		is_named_by(raw, id, EXTENDED_MODEL));
}

static void list_features(const struct cpu_id_t *id, char *text, size_t size)
{
	size_t used = 0;
	int i;

	for (i = 0; i < NUM_CPU_FEATURES && used < size; i++)
		if (id->flags[i])
			used += (size_t)snprintf(
				text + used, size - used, "%s%s",
				used ? " " : "",
				cpu_feature_str((cpu_feature_t)i));
}

static int64_t kib_of(int32_t size)
{
	return size > 0 ? size : 0;
}

bool doctor_cpu_decode(struct cpu_raw_data_t *raw, struct doctor_cpu *cpu)
{
	struct cpu_id_t id;

	memset(cpu, 0, sizeof(*cpu));
	if (!identify(raw, &id))
		return false;
	if (is_known(raw, &id))
		snprintf(cpu->microarchitecture, sizeof(cpu->microarchitecture),
			 "%s", id.cpu_codename);
	cpu->cache_kib[DOCTOR_L1D] = kib_of(id.l1_data_cache);
	cpu->cache_kib[DOCTOR_L1I] = kib_of(id.l1_instruction_cache);
	cpu->cache_kib[DOCTOR_L2] = kib_of(id.l2_cache);
	cpu->cache_kib[DOCTOR_L3] = kib_of(id.l3_cache);
	list_features(&id, cpu->features, sizeof(cpu->features));
	return true;
}

void doctor_cpu_gather(struct doctor_cpu *cpu)
{
	struct cpu_raw_data_t raw;

	memset(cpu, 0, sizeof(*cpu));
	/* Disables libcpuid's warnings, which it prints to standard error. */
	cpuid_set_warn_function(NULL);
	if (cpuid_present() && cpuid_get_raw_data(&raw) == 0)
		doctor_cpu_decode(&raw, cpu);
}
#else
void doctor_cpu_gather(struct doctor_cpu *cpu)
{
	memset(cpu, 0, sizeof(*cpu));
}
#endif

const char *doctor_cpu_cache_name(size_t cache)
{
	static const char *const names[DOCTOR_CACHES] = {
		[DOCTOR_L1D] = "L1d",
		[DOCTOR_L1I] = "L1i",
		[DOCTOR_L2] = "L2",
		[DOCTOR_L3] = "L3",
	};

	return names[cache];
}

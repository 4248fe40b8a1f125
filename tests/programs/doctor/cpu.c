/* SPDX-License-Identifier: MIT */
/* Tests the doctor's lines about CPUs with invented CPUID leaves. */
#include <stdio.h>
#include <string.h>

#include "doctor.h"

#ifdef TOOL_HAVE_LIBCPUID
/*
 * Fields of CPUID leaves 8000_0005H and 8000_0006H: AMD APM volume 3, appendix
 * E.
 */
#define L1_KIB(size) ((uint32_t)(size) << 24)
#define L2_KIB(size) ((uint32_t)(size) << 16)
#define L3_KIB(size) ((uint32_t)(size) / 512 << 18)

/* An AMD CPU: CPUID 1H:EAX, its brand, and caches of 32, 32, 512, 16384 KiB. */
static struct cpu_raw_data_t amd(uint32_t signature, const char *brand)
{
	struct cpu_raw_data_t raw;
	char text[48] = "";

	memset(&raw, 0, sizeof(raw));
	raw.basic_cpuid[0][0] = 1;
	memcpy(&raw.basic_cpuid[0][1], "Auth", 4);
	memcpy(&raw.basic_cpuid[0][3], "enti", 4);
	memcpy(&raw.basic_cpuid[0][2], "cAMD", 4);
	raw.basic_cpuid[1][0] = signature;
	raw.basic_cpuid[1][3] = 1; /* EDX[0]: x87 */
	raw.ext_cpuid[0][0] = 0x80000008;
	raw.ext_cpuid[1][0] = signature;
	snprintf(text, sizeof(text), "%s", brand);
	memcpy(raw.ext_cpuid[2], text, sizeof(text));
	raw.ext_cpuid[5][2] = L1_KIB(32);
	raw.ext_cpuid[5][3] = L1_KIB(32);
	raw.ext_cpuid[6][2] = L2_KIB(512);
	raw.ext_cpuid[6][3] = L3_KIB(16384);
	return raw;
}

static bool is_described(uint32_t signature, const char *brand,
			 const char *microarchitecture)
{
	static const int64_t caches[DOCTOR_CACHES] = { 32, 32, 512, 16384 };
	struct cpu_raw_data_t raw = amd(signature, brand);
	struct doctor_cpu cpu;

	if (doctor_cpu_decode(&raw, &cpu) &&
	    !strcmp(cpu.microarchitecture, microarchitecture) &&
	    !memcmp(cpu.cache_kib, caches, sizeof(caches)) &&
	    !strcmp(cpu.features, "fpu"))
		return true;
	printf("doctor: cpu: %s: microarchitecture '%s', not '%s'; L1d %d, L1i "
	       "%d, L2 %d, L3 %d KiB; features '%s'\n", brand,
	       cpu.microarchitecture, microarchitecture,
	       (int)cpu.cache_kib[DOCTOR_L1D], (int)cpu.cache_kib[DOCTOR_L1I],
	       (int)cpu.cache_kib[DOCTOR_L2], (int)cpu.cache_kib[DOCTOR_L3],
	       cpu.features);
	return false;
}

bool cpu_works(void)
{
	/*
	 * No CPU has the second family and model. libcpuid guesses a name,
	 * which the doctor must not show.
	 */
	return is_described(0x00830f10, "AMD EPYC 7742 64-Core Processor",
			    "EPYC (Rome)") &&
	       is_described(0x0fff0f21, "AMD EPYC", "");
}
#else
bool cpu_works(void)
{
	printf("[SKIP] doctor: cpu: built without libcpuid\n");
	return true;
}
#endif

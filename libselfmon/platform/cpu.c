/* SPDX-License-Identifier: MIT */
#include "platform/cpu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <selfmon/arch.h>

#include "platform/cpuid.h"
#include "platform/kernel.h"

/* Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E. */
#define LEAF_HYPERVISOR UINT32_C(0x40000000)
#define LEAF_BRAND UINT32_C(0x80000002)

/* Merges runs of blanks, and drops blanks at both ends. */
static void copy_name(char *to, size_t size, const char *from, size_t length)
{
	size_t used = 0;
	bool blank = false;

	for (; length > 0 && *from != '\0' && used + 1 < size;
	     from++, length--) {
		if (*from == ' ' || *from == '\t') {
			blank = used > 0;
			continue;
		}
		if (blank && used + 2 < size)
			to[used++] = ' ';
		blank = false;
		to[used++] = *from;
	}
	to[used] = '\0';
}

bool selfmon_cpu_find_field(const char *cpuinfo, const char *key, char *value,
			    uint32_t size)
{
	const size_t length = strlen(key);
	const char *line;

	for (line = cpuinfo; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0) {
			const char *from = line + length;

			from += strspn(from, " \t");
			if (*from != ':')
				continue;
			from++;
			copy_name(value, size, from, strcspn(from, "\n"));
			return value[0] != '\0';
		}
	}
	return false;
}

/* The key is "model name" on x86, and different on other architectures. */
static void brand_from_cpuinfo(char *brand, uint32_t size)
{
	static const char *const keys[] = { "model name", "cpu model", "uarch",
					    "Model", "Hardware" };
	char text[4096] = "";
	size_t i;

	/*
	 * -EFBIG means that the buffer is full: it contains the first CPU,
	 * which is enough.
	 */
	if (selfmon_kernel_read_file("/proc/cpuinfo", text, sizeof(text)) ==
	    -EFBIG)
		text[sizeof(text) - 1] = '\0';
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (selfmon_cpu_find_field(text, keys[i], brand, size))
			return;
	snprintf(brand, size, "unknown %s CPU", SELFMON_ARCH_NAME);
}

const char *selfmon_cpu_hypervisor_name(const char *signature)
{
	static const char *const names[][2] = {
		{ "KVMKVMKVM", "KVM" },        { "Microsoft Hv", "Hyper-V" },
		{ "VMwareVMware", "VMware" },  { "XenVMMXenVMM", "Xen" },
		{ "TCGTCGTCGTCG", "QEMU" },    { "VBoxVBoxVBox", "VirtualBox" },
		{ "bhyve bhyve ", "bhyve" },   { "ACRNACRNACRN", "ACRN" },
		{ " lrpepyh  vr", "Parallels" },
		{ "prl hyperv  ", "Parallels" },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(signature, names[i][0]) == 0)
			return names[i][1];
	return "unknown";
}

/* Stores three registers as twelve characters and a NUL. */
static void join(char *text, uint32_t a, uint32_t b, uint32_t c)
{
	memcpy(text, &a, sizeof(a));
	memcpy(text + 4, &b, sizeof(b));
	memcpy(text + 8, &c, sizeof(c));
	text[12] = '\0';
}

static void identify_hypervisor(struct selfmon_cpu *cpu)
{
	struct selfmon_cpuid_leaf leaf;
	char signature[13];

	selfmon_cpuid(LEAF_HYPERVISOR, &leaf);
	join(signature, leaf.ebx, leaf.ecx, leaf.edx);
	snprintf(cpu->hypervisor_name, sizeof(cpu->hypervisor_name), "%s",
		 selfmon_cpu_hypervisor_name(signature));
}

static void identify_brand(struct selfmon_cpu *cpu)
{
	char text[3 * sizeof(struct selfmon_cpuid_leaf)] = "";
	uint32_t i;

	for (i = 0; i < 3; i++) {
		struct selfmon_cpuid_leaf leaf;

		selfmon_cpuid(LEAF_BRAND + i, &leaf);
		memcpy(text + i * sizeof(leaf), &leaf, sizeof(leaf));
	}
	copy_name(cpu->brand, sizeof(cpu->brand), text, sizeof(text));
}

static void identify_signature(struct selfmon_cpu *cpu, uint32_t signature)
{
	cpu->family = (int)(signature >> 8 & 0xf);
	cpu->model = (int)(signature >> 4 & 0xf);
	cpu->stepping = (int)(signature & 0xf);
	if (cpu->family == 0x6 || cpu->family == 0xf)
		cpu->model |= (int)(signature >> 12 & 0xf0);
	if (cpu->family == 0xf)
		cpu->family += (int)(signature >> 20 & 0xff);
}

void selfmon_cpu_identify(struct selfmon_cpu *cpu)
{
	struct selfmon_cpuid_leaf leaf;

	memset(cpu, 0, sizeof(*cpu));
	if (selfmon_cpuid(0, &leaf)) {
		join(cpu->vendor, leaf.ebx, leaf.edx, leaf.ecx);
		identify_brand(cpu);
	}
	if (selfmon_cpuid(1, &leaf)) {
		identify_signature(cpu, leaf.eax);
		cpu->hypervisor = selfmon_cpuid_hypervisor(&leaf);
	}
	if (cpu->hypervisor)
		identify_hypervisor(cpu);
	if (cpu->brand[0] == '\0')
		brand_from_cpuinfo(cpu->brand, sizeof(cpu->brand));
}

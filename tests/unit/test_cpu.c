/* SPDX-License-Identifier: MIT */
/* Tests the identification of the CPU by CPUID or /proc/cpuinfo. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/cpu.h"
#include "platform/cpuid.h"

Test(cpu, has_a_brand_without_blanks_at_its_ends)
{
	struct selfmon_cpu cpu;
	size_t length;

	selfmon_cpu_identify(&cpu);
	length = strlen(cpu.brand);
	cr_assert_gt(length, 0);
	cr_assert_neq(cpu.brand[0], ' ');
	cr_assert_neq(cpu.brand[length - 1], ' ');
}

Test(cpu, names_a_vendor_exactly_where_cpuid_is)
{
	struct selfmon_cpuid_leaf leaf;
	struct selfmon_cpu cpu;

	selfmon_cpu_identify(&cpu);
	cr_assert_eq(cpu.vendor[0] != '\0', selfmon_cpuid(0, &leaf));
}

Test(cpu, names_a_hypervisor_exactly_where_there_is_one)
{
	struct selfmon_cpu cpu;

	selfmon_cpu_identify(&cpu);
	cr_assert_eq(cpu.hypervisor_name[0] != '\0', cpu.hypervisor);
}

Test(cpu, is_identified_without_a_word_on_standard_error)
{
	char path[] = "/tmp/selfmon-test-XXXXXX";
	const int kept = dup(STDERR_FILENO);
	const int file = mkstemp(path);
	struct selfmon_cpu cpu;
	off_t written;

	cr_assert_geq(file, 0);
	unlink(path);
	dup2(file, STDERR_FILENO);
	selfmon_cpu_identify(&cpu);
	dup2(kept, STDERR_FILENO);
	written = lseek(file, 0, SEEK_END);
	cr_assert_eq(written, 0);
}

Test(cpu_hypervisor, has_a_short_name_for_known_signatures)
{
	cr_assert_str_eq(selfmon_cpu_hypervisor_name("KVMKVMKVM"), "KVM");
	cr_assert_str_eq(selfmon_cpu_hypervisor_name("Microsoft Hv"),
			 "Hyper-V");
	cr_assert_str_eq(selfmon_cpu_hypervisor_name("Nobody knows"),
			 "unknown");
}

Test(cpu_field, is_the_first_line_of_its_key)
{
	static const char text[] = "processor\t: 0\nmodel\t\t: 17\n"
				   "model name\t: A  B \nmodel name\t: C\n";
	char value[16];

	cr_assert(selfmon_cpu_find_field(text, "model name", value, 16));
	cr_assert_str_eq(value, "A B");
	cr_assert(selfmon_cpu_find_field(text, "model", value, 16));
	cr_assert_str_eq(value, "17");
	cr_assert(selfmon_cpu_find_field(text, "processor", value, 16));
	cr_assert_str_eq(value, "0");
}

Test(cpu_field, is_absent_where_its_key_or_value_is)
{
	char value[16];

	cr_assert_not(selfmon_cpu_find_field("a : b\n", "uarch", value, 16));
	cr_assert_not(selfmon_cpu_find_field("", "uarch", value, 16));
	cr_assert_not(selfmon_cpu_find_field("uarch", "uarch", value, 16));
	cr_assert_not(selfmon_cpu_find_field("uarch : \n", "uarch", value, 16));
}

Test(cpu_field, is_cut_where_the_room_ends)
{
	char value[5];

	cr_assert(selfmon_cpu_find_field("a : bcdefgh\n", "a", value, 5));
	cr_assert_str_eq(value, "bcde");
}

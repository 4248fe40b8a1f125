/* SPDX-License-Identifier: MIT */
/*
 * Tests the messages about errors in the terms of PMUs, with trees of several
 * machines.
 */
#include <criterion/criterion.h>
#include <errno.h>

#include <selfmon/event.h>

#include "event/sysfs.h"
#include "unit/test_event_tree.h"

TestSuite(event_sysfs_faults, .init = tree_make_all, .fini = tree_remove);

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct fault {
	const char *spec;
	int error;
	size_t position;
	const char *message;
};

static void expect_faults(const struct fault *faults, size_t count)
{
	struct selfmon_events events;
	struct selfmon_failure failure;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct fault *fault = &faults[i];
		const int ret =
			selfmon_events_parse(fault->spec, &events, &failure);

		cr_assert_eq(ret, -fault->error, "'%s' gives %d", fault->spec,
			     ret);
		cr_expect_eq(failure.error, fault->error);
		cr_expect_eq(failure.position, fault->position, "'%s': at %zu",
			     fault->spec, failure.position);
		cr_expect_str_eq(failure.message, fault->message);
		cr_expect_str_eq(failure.event, fault->spec);
	}
}

Test(event_sysfs_faults, refuses_pmus_that_count_the_package)
{
	static const struct fault faults[] = {
		{"uncore_imc_0/cas_count_read/", EOPNOTSUPP, 0,
		 "uncore_imc_0/cas_count_read/ counts the package, not your "
		 "thread"},
		{"power/energy-pkg/", EOPNOTSUPP, 0,
		 "power/energy-pkg/ counts the package, not your thread"},
	};
	struct selfmon_events events;
	struct selfmon_failure failure;

	expect_faults(faults, COUNT(faults));
	selfmon_events_parse(faults[0].spec, &events, &failure);
	cr_expect_eq(failure.step, SELFMON_STEP_POLICY);
}

Test(event_sysfs_faults, names_the_nearest_pmu_term_or_event)
{
	static const struct fault faults[] = {
		{"cpuu/event=1/", ENOENT, 0,
		 "unknown PMU 'cpuu' (did you mean 'cpu'?)"},
		{"cpu/umaks=1/", ENOENT, 4,
		 "unknown term 'umaks' of cpu (did you mean 'umask'?)"},
		{"cpu/event=1,invv/", ENOENT, 12,
		 "unknown term 'invv' of cpu (did you mean 'inv'?)"},
		{"cpu/cache-mises/", ENOENT, 4,
		 "unknown term 'cache-mises' of cpu (did you mean "
		 "'cache-misses'?)"},
		{"msr/confg=1/", ENOENT, 4,
		 "unknown term 'confg' of msr (did you mean 'config'?)"},
	};

	expect_faults(faults, COUNT(faults));
}

#define CPU_TERMS \
	"it has any, cmask, edge, event, frontend, in_tx, inv, ldlat, " \
	"offcore_rsp, pc, umask, config and its events"

Test(event_sysfs_faults, does_not_take_an_events_scale_for_an_event)
{
	static const struct fault faults[] = {
		{"cpu/topdown-slots-issued.scale/", ENOENT, 4,
		 "unknown term 'topdown-slots-issued.scale' of cpu (did you "
		 "mean 'topdown-slots-issued'?)"},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, lists_the_terms_where_none_is_near)
{
	static const struct fault faults[] = {
		{"cpu/zzz=1/", ENOENT, 4,
		 "unknown term 'zzz' of cpu: " CPU_TERMS},
		{"cpu/../type/", ENOENT, 4,
		 "unknown term '..' of cpu: " CPU_TERMS},
		{"software/zzz=1/", ENOENT, 9,
		 "unknown term 'zzz' of software: it has none, config and its "
		 "events"},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, lists_the_pmus_where_none_is_near)
{
#define PMUS \
	"this machine has amd, armv8_pmuv3_0, cpu, cpu_atom, cpu_core, huge, " \
	"kprobe, msr, odd, power, software, tracepoint, typeless, " \
	"uncore_imc_0, ..."
	static const struct fault faults[] = {
		{"quux/event=1/", ENOENT, 0, "unknown PMU 'quux': " PMUS},
		{"/event=1/", ENOENT, 0, "unknown PMU '': " PMUS},
		{"../event=1/", ENOENT, 0, "unknown PMU '..': " PMUS},
		{"./event=1/", ENOENT, 0, "unknown PMU '.': " PMUS},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, refuses_a_value_too_large_for_its_field)
{
	static const struct fault faults[] = {
		{"cpu/event=0x100/", EINVAL, 10,
		 "event=0x100 is too large: its field takes at most 0xff"},
		{"amd/event=4096/", EINVAL, 10,
		 "event=4096 is too large: its field takes at most 0xfff"},
		{"cpu/event=1,inv=2/", EINVAL, 16,
		 "inv=2 is too large: its field takes at most 0x1"},
		{"cpu/offcore_rsp=0x10000000000000000/", EINVAL, 16,
		 "offcore_rsp=0x10000000000000000 is too large: a value has "
		 "at most 64 bits"},
		{"cpu/config=18446744073709551616/", EINVAL, 11,
		 "config=18446744073709551616 is too large: a value has at "
		 "most 64 bits"},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, refuses_what_is_not_a_number)
{
#define NUMBERS " is not a number: decimal and 0x hexadecimal are allowed"
	static const struct fault faults[] = {
		{"cpu/event=3c/", EINVAL, 10, "event='3c'" NUMBERS},
		{"cpu/event=/", EINVAL, 10, "event=''" NUMBERS},
		{"cpu/event=0x/", EINVAL, 10, "event='0x'" NUMBERS},
		{"cpu/event=-1/", EINVAL, 10, "event='-1'" NUMBERS},
		{"cpu/event=1=2/", EINVAL, 10, "event='1=2'" NUMBERS},
		{"cpu/event=1 2/", EINVAL, 10, "event='1 2'" NUMBERS},
		{"cpu/event={1}/", EINVAL, 10, "event='{1}'" NUMBERS},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, says_where_a_term_is_missing)
{
#define MISSING "a term of cpu is missing: cpu/term=value,.../ is allowed"
	static const struct fault faults[] = {
		{"cpu//", EINVAL, 4, MISSING},
		{"cpu/event=1,/", EINVAL, 12, MISSING},
		{"cpu/,event=1/", EINVAL, 4, MISSING},
		{"cpu/=1/", EINVAL, 4, MISSING},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, says_that_the_second_slash_is_missing)
{
	static const struct fault faults[] = {
		{"cpu/event=1,umask=2", EINVAL, 3,
		 "a '/' is missing after 'cpu/event=1,umask=2'"},
		{"cycles/u", EINVAL, 6, "a '/' is missing after 'cycles/u'"},
		{"/", EINVAL, 0, "a '/' is missing after '/'"},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, refuses_other_modifiers_after_the_slash)
{
#define MODIFIERS "u, k, p, pp and ppp are allowed"
	static const struct fault faults[] = {
		{"cpu/event=1/x", ENOENT, 12,
		 "unknown modifier 'x': " MODIFIERS},
		{"cpu/event=1/:x", ENOENT, 13,
		 "unknown modifier 'x': " MODIFIERS},
		{"cpu/event=1/:", EINVAL, 13,
		 "a modifier is missing after ':': " MODIFIERS},
		{"cpu/event=1/u/", ENOENT, 13,
		 "unknown modifier '/': " MODIFIERS},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, refuses_formats_it_cannot_understand)
{
#define TROUBLE " of odd cannot be parsed: its sysfs file gives error 22"
	static const struct fault faults[] = {
		{"odd/words=1/", EINVAL, 4, "'words'" TROUBLE},
		{"odd/nothing=1/", EINVAL, 4, "'nothing'" TROUBLE},
		{"odd/backward=1/", EINVAL, 4, "'backward'" TROUBLE},
		{"odd/beyond=1/", EINVAL, 4, "'beyond'" TROUBLE},
		{"odd/endless=1/", EINVAL, 4, "'endless'" TROUBLE},
		{"odd/hanging=1/", EINVAL, 4, "'hanging'" TROUBLE},
		{"odd/fourth=1/", EINVAL, 4,
		 "'fourth' of odd is beyond config3, the last supported word"},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, tells_faults_of_an_events_file_at_the_name)
{
	static const struct fault faults[] = {
		{"odd/parameter/", EINVAL, 4, "second='?'" NUMBERS},
		{"odd/foreign/", ENOENT, 4,
		 "unknown term 'elsewhere' of odd: it has backward, beyond, "
		 "endless, fourth, hanging, nothing, second, third, words, config and "
		 "its events"},
		{"cpu/cycles-ct/", ENOENT, 4,
		 "unknown term 'in_tx_cp' of cpu: " CPU_TERMS},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, does_not_expand_names_within_an_events_file)
{
	struct selfmon_events events;

	cr_expect_eq(selfmon_events_parse("odd/itself/", &events, NULL),
		     -ENOENT);
}

Test(event_sysfs_faults, refuses_a_pmu_without_a_proper_type)
{
	static const struct fault faults[] = {
		{"wordy/config=1/", EINVAL, 0,
		 "PMU 'wordy' cannot be used: its type in sysfs gives error "
		 "22"},
		{"huge/config=1/", EINVAL, 0,
		 "PMU 'huge' cannot be used: its type in sysfs gives error 22"},
	};
	struct selfmon_events events;

	expect_faults(faults, COUNT(faults));
	cr_expect_eq(selfmon_events_parse("typeless/event=1/", &events, NULL),
		     -ENOENT);
}

static const struct tree_file guest[] = {
	{"msr/type", "12\n"},
	{"power/type", "14\n"},
	{"power/cpumask", "0\n"},
	{NULL, NULL},
};

static void make_guest(void)
{
	tree_make(guest);
}

Test(event_sysfs_faults, says_that_no_pmu_is_the_cpus, .init = make_guest)
{
	static const struct fault faults[] = {
		{"cpu/event=0xc0/", ENOENT, 0,
		 "unknown PMU 'cpu': this machine has msr, power, but no CPU "
		 "PMU"},
	};

	expect_faults(faults, COUNT(faults));
}

Test(event_sysfs_faults, says_none_where_there_is_no_sysfs)
{
	static const struct fault faults[] = {
		{"cpu/event=1/", ENOENT, 0,
		 "unknown PMU 'cpu': this machine has none"},
	};
	const char *root = selfmon_sysfs_root;

	selfmon_sysfs_root = "/nowhere";
	expect_faults(faults, COUNT(faults));
	selfmon_sysfs_root = root;
}

/* SPDX-License-Identifier: MIT */
/* Compares the facts about this machine with other sources. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "event/sysfs.h"
#include "platform/facts.h"
#include "unit/test_event_tree.h"

Test(facts, gives_the_paranoid_level_of_the_file_or_unknown)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	int64_t level = SELFMON_FACT_UNKNOWN;
	struct selfmon_facts facts;

	if (file) {
		cr_assert_eq(fscanf(file, "%" SCNd64, &level), 1);
		fclose(file);
	}
	selfmon_facts_gather(&facts);
	cr_assert_eq(facts.paranoid, level);
}

Test(facts, gives_the_limits_of_this_process)
{
	const struct rlimit files = { .rlim_cur = 77, .rlim_max = 99 };
	const struct rlimit memory = { .rlim_cur = 4096, .rlim_max = 8192 };
	struct selfmon_facts facts;

	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	cr_assert_eq(setrlimit(RLIMIT_MEMLOCK, &memory), 0);
	selfmon_facts_gather(&facts);
	cr_assert_eq(facts.nofile, 77);
	cr_assert_eq(facts.nofile_hard, 99);
	cr_assert_eq(facts.memlock, 4096);
}

Test(facts, tells_an_unlimited_limit_from_a_number)
{
	const struct rlimit none = { .rlim_cur = RLIM_INFINITY,
				     .rlim_max = RLIM_INFINITY };
	struct selfmon_facts facts;

	if (setrlimit(RLIMIT_MEMLOCK, &none))
		cr_skip_test("this user may not lift RLIMIT_MEMLOCK");
	selfmon_facts_gather(&facts);
	cr_assert_eq(facts.memlock, SELFMON_FACT_UNLIMITED);
}

Test(facts, sees_a_seccomp_filter)
{
	struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K,
						SECCOMP_RET_ALLOW) };
	const struct sock_fprog program = { .len = 1, .filter = allow };
	struct selfmon_facts facts;

	cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		cr_skip_test("this kernel has no seccomp filters");
	selfmon_facts_gather(&facts);
	cr_assert(facts.seccomp);
}

Test(facts, tell_whether_the_status_could_be_read)
{
	struct selfmon_facts facts;

	selfmon_facts_gather(&facts);
	cr_expect_not(facts.no_status);
	selfmon_facts_gather_at("/nonexistent", &facts);
	cr_expect(facts.no_status);
}

Test(facts, sees_capabilities_go_with_the_user_id)
{
	struct selfmon_facts facts;

	if (geteuid() != 0)
		cr_skip_test("needs root, to become another user");
	selfmon_facts_gather(&facts);
	cr_assert_neq(facts.capabilities, 0);
	cr_assert_eq(setuid(65534), 0);
	selfmon_facts_gather(&facts);
	cr_assert_eq(facts.capabilities, 0);
}

#define DEVICES "sys/bus/event_source/devices/"

static void make_hybrid(void)
{
	static const struct tree_file files[] = {
		{ DEVICES "cpu_core/rdpmc", "0\n" },
		{ DEVICES "cpu_atom/rdpmc", "0\n" },
		{ NULL, NULL }
	};

	tree_make(files);
}

Test(facts, read_rdpmc_of_a_hybrid_cpu, .init = make_hybrid,
     .fini = tree_remove)
{
	struct selfmon_facts facts;

	selfmon_facts_gather_at(selfmon_sysfs_root, &facts);
	cr_expect_eq(facts.rdpmc, 0);
	cr_expect(facts.rdpmc_of_cores);
}

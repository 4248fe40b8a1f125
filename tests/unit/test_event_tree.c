/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "unit/test_event_tree.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "event/sysfs.h"
#include "folder.h"

static char root[64];

/*
 * This tree belongs to no real machine. It has the formats and events of a
 * Skylake, of its memory controller and its power meter, and the PMUs below.
 * Published trees are in test_event_machines.c.
 */
static const struct tree_file all_files[] = {
	{"cpu/type", "4\n"},
	{"cpu/format/event", "config:0-7\n"},
	{"cpu/format/umask", "config:8-15\n"},
	{"cpu/format/edge", "config:18\n"},
	{"cpu/format/pc", "config:19\n"},
	{"cpu/format/any", "config:21\n"},
	{"cpu/format/inv", "config:23\n"},
	{"cpu/format/cmask", "config:24-31\n"},
	{"cpu/format/in_tx", "config:32\n"},
	{"cpu/format/offcore_rsp", "config1:0-63\n"},
	{"cpu/format/ldlat", "config1:0-15\n"},
	{"cpu/format/frontend", "config1:0-23\n"},
	{"cpu/events/cpu-cycles", "event=0x3c\n"},
	{"cpu/events/instructions", "event=0xc0\n"},
	{"cpu/events/cache-misses", "event=0x2e,umask=0x41\n"},
	{"cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
	{"cpu/events/cycles-ct", "event=0x3c,in_tx,in_tx_cp\n"},
	{"cpu/events/topdown-slots-issued", "event=0xe,umask=0x1\n"},
	{"cpu/events/topdown-slots-issued.scale", "2\n"},
	/* from Ice Lake on */
	{"cpu/events/slots", "event=0x00,umask=0x4\n"},
	{"cpu/events/topdown-retiring", "event=0x00,umask=0x80\n"},
	{"cpu/events/topdown-mem-bound", "event=0x00,umask=0x87\n"},
	{"cpu/caps/max_precise", "3\n"},
	{"uncore_imc_0/type", "13\n"},
	{"uncore_imc_0/cpumask", "0\n"},
	{"uncore_imc_0/format/event", "config:0-7\n"},
	{"uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n"},
	{"power/type", "14\n"},
	{"power/cpumask", "0\n"},
	{"power/format/event", "config:0-7\n"},
	{"power/events/energy-pkg", "event=0x02\n"},
	/* AMD: the number of an event has two parts */
	{"amd/type", "40\n"},
	{"amd/cpus", "0-15\n"},
	{"amd/format/event", "config:0-7,32-35\n"},
	{"amd/format/umask", "config:8-15\n"},
	{"amd/format/both", "config:4-11\n"},
	/* an ARM board, Linux 5.17 and later */
	{"armv8_pmuv3_0/type", "8\n"},
	{"armv8_pmuv3_0/cpus", "0-3\n"},
	{"armv8_pmuv3_0/format/event", "config:0-15\n"},
	{"armv8_pmuv3_0/format/long", "config1:0\n"},
	{"armv8_pmuv3_0/format/rdpmc", "config1:1\n"},
	{"armv8_pmuv3_0/events/cpu_cycles", "event=0x0011\n"},
	{"armv8_pmuv3_0/events/inst_retired", "event=0x0008\n"},
	/* A hybrid machine: two core PMUs. */
	{"cpu_core/type", "4\n"},
	{"cpu_core/cpus", "0-7\n"},
	{"cpu_core/format/event", "config:0-7\n"},
	{"cpu_core/events/cpu-cycles", "event=0x3c\n"},
	{"cpu_atom/type", "10\n"},
	{"cpu_atom/cpus", "8-15\n"},
	{"cpu_atom/format/event", "config:0-7\n"},
	{"cpu_atom/events/cpu-cycles", "event=0x3c\n"},
	/* PMUs that are no CPU counters */
	{"msr/type", "9\n"},
	{"msr/format/event", "config:0-63\n"},
	{"msr/events/tsc", "event=0x00\n"},
	{"software/type", "1\n"},
	{"tracepoint/type", "2\n"},
	{"kprobe/type", "6\n"},
	{"kprobe/format/retprobe", "config:0\n"},
	{"uprobe/type", "7\n"},
	{"uprobe/format/retprobe", "config:0\n"},
	{"uprobe/format/ref_ctr_offset", "config:32-63\n"},
	/*
	 * Formats that no kernel should write, and some that a later kernel may
	 * write
	 */
	{"odd/type", "99\n"},
	{"odd/format/second", "config2:0-31\n"},
	{"odd/format/third", "config3:0-63\n"},
	{"odd/format/fourth", "config4:0-63\n"},
	{"odd/format/words", "some words\n"},
	{"odd/format/nothing", ""},
	{"odd/format/backward", "config:7-0\n"},
	{"odd/format/beyond", "config:60-64\n"},
	{"odd/format/endless", "config:0-63,0-63\n"},
	{"odd/format/hanging", "config:0-7,\n"},
	{"odd/events/parameter", "second=?\n"},
	{"odd/events/foreign", "second=1,elsewhere=2\n"},
	{"odd/events/itself", "itself\n"},
	{"typeless/format/event", "config:0-7\n"},
	{"wordy/type", "nine\n"},
	{"huge/type", "4294967296\n"},
	{NULL, NULL},
};

static void make_folders(char *path)
{
	char *slash = path + strlen(root);

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

static void make_file(const struct tree_file *file)
{
	char path[256];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", root, file->path);
	make_folders(path);
	out = fopen(path, "w");
	cr_assert_not_null(out, "%s cannot be made", path);
	fputs(file->text, out);
	fclose(out);
}

void tree_make(const struct tree_file *files)
{
	const char *base = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%s/selfmon-tree-XXXXXX",
		 base && strlen(base) < 32 ? base : "/tmp");
	cr_assert_not_null(mkdtemp(root), "no directory for a tree");
	for (; files->path; files++)
		make_file(files);
	selfmon_sysfs_root = root;
}

void tree_make_all(void)
{
	tree_make(all_files);
}

void tree_remove(void)
{
	folder_remove(root);
}

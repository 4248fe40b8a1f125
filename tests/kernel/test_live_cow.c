/* SPDX-License-Identifier: MIT */
/* A live file where what is written again is written elsewhere: on btrfs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "kernel/lives.h"
#include "platform/kernel.h"

#define VISITS 1000
/* mkfs.btrfs makes none that is smaller; a hole, but for what is written. */
#define DISK (128L << 20)
/* From here on it writes through maps of such files in place. */
#define SINCE 6017u

TestSuite(live_cow, .init = setup, .fini = teardown);

static char mounted[80], image[80];

static void visit_often(void)
{
	int i;

	for (i = 0; i < VISITS; i++) {
		SELFMON_REGION("often")
		{
		}
	}
}

/* To the last block, and what is mapped is to be written anew. */
static void fill_disk(void)
{
	static char block[1 << 20];
	size_t size = sizeof(block);
	char name[96];
	int fd;

	snprintf(name, sizeof(name), "%s/fill", mounted);
	fd = open(name, O_WRONLY | O_CREAT, 0600);
	if (fd < 0)
		_exit(91);
	syncfs(fd);
	while (size >= 4096)
		if (write(fd, block, size) < 0)
			size /= 256;
	syncfs(fd);
	close(fd);
}

static void visit_on_a_full_disk(void)
{
	struct selfmon_report *report;

	visit_often();
	if (selfmon_report_take(&report))
		_exit(90);
	told->noted = says(report, "copies on write");
	selfmon_report_free(report);
	if (told->noted)
		return;
	fill_disk();
	visit_often();
}

static void unmount(void)
{
	umount2(mounted, MNT_DETACH);
	rmdir(mounted);
	unlink(image);
}

/* In a namespace of its own: nobody else is to see it. Why there is none. */
static const char *mount_btrfs(void)
{
	char command[256];
	int fd;

	snprintf(mounted, sizeof(mounted), "%s.d", path);
	snprintf(image, sizeof(image), "%s.image", path);
	fd = open(image, O_RDWR | O_CREAT, 0600);
	cr_assert(fd >= 0 && !ftruncate(fd, DISK) && !mkdir(mounted, 0700));
	close(fd);
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return "nothing can be mounted";
	snprintf(command, sizeof(command), "mkfs.btrfs -q %s >/dev/null 2>&1",
		 image);
	if (system(command))
		return "no mkfs.btrfs";
	snprintf(command, sizeof(command), "mount -o loop %s %s 2>/dev/null",
		 image, mounted);
	return system(command) ? "no btrfs, or no loop device" : NULL;
}

Test(live_cow, a_full_disk_ends_no_process_on_btrfs)
{
	struct selfmon_report *report;
	char live[96];
	const char *const without = mount_btrfs();
	int status;

	if (without) {
		unmount();
		cr_skip_test("%s", without);
	}
	snprintf(live, sizeof(live), "%s/live", mounted);
	setenv("SELFMON_LIVE", live, 1);
	status = run(visit_on_a_full_disk);
	cr_expect_eq(status, 0, "%x", (unsigned int)status);
	report = read_back(live);
	cr_expect_eq(told->noted, selfmon_kernel_version() < SINCE);
	cr_expect_eq(visits_in(report), told->noted ? VISITS : 2 * VISITS);
	selfmon_report_free(report);
	unmount();
}

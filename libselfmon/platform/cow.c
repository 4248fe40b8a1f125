/* SPDX-License-Identifier: MIT */
/*
 * File systems that copy on write. To reserve a file's blocks, as fallocate(2)
 * does, is of no use there: a block that is written again is written elsewhere,
 * and where the disk is full by then, whoever writes through a map is ended by
 * SIGBUS.
 */
#define _GNU_SOURCE
#include "platform/cow.h"

#include <linux/fs.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#include "platform/kernel.h"

/* Of <linux/magic.h>; and those which are in no header that all have. */
#define BTRFS_MAGIC 0x9123683eu
#define BCACHEFS_MAGIC 0xca451a4eu
#define NILFS_MAGIC 0x3434u

/*
 * Below it btrfs reserves a block for each write through a map, also where none
 * is needed (btrfs_page_mkwrite of fs/btrfs/file.c; commit 6599716de2d6).
 */
#define BTRFS_SINCE 6017u

/* Only of a file that is empty. */
static bool write_in_place(int fd)
{
	int flags = 0;

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags))
		return false;
	flags |= FS_NOCOW_FL;
	return !ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

bool selfmon_cow_avoid(int fd)
{
	const bool off = write_in_place(fd);
	struct statfs system;

	if (fstatfs(fd, &system))
		return true;
	switch ((uint32_t)system.f_type) {
	case BTRFS_MAGIC:
		return off && selfmon_kernel_version() >= BTRFS_SINCE;
	case BCACHEFS_MAGIC: /* bch2_page_mkwrite: it may, flag or not */
	case NILFS_MAGIC:    /* nilfs_page_mkwrite, near a full disk */
		return false;
	default:
		return true;
	}
}

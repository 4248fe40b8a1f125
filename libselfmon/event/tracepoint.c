/* SPDX-License-Identifier: MIT */
#include "event/tracepoint.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "event/generic.h"
#include "event/names.h"
#include "event/sysfs.h"
#include "platform/directory.h"
#include "platform/kernel.h"

#define PATH_SIZE 512

/* The path since Linux 4.1, and the path before 4.1. */
static const char *const usual_roots[] = {
	"/sys/kernel/tracing",
	"/sys/kernel/debug/tracing",
	NULL,
};

const char *const *selfmon_tracefs_roots = usual_roots;

/*
 * Splits "system:event". Returns false unless both parts can be names of
 * directories.
 */
static bool cut(struct selfmon_piece name, struct selfmon_piece *system,
		struct selfmon_piece *event)
{
	const bool two = selfmon_piece_cut(&name, ':', system);

	*event = name;
	return two && selfmon_pmu_is_file_name(*system) &&
	       selfmon_pmu_is_file_name(*event) &&
	       selfmon_piece_find(*event, ':') == event->length;
}

/*
 * Checks whether the folder of a system under events/ can be opened; without a
 * name, the folder events/ itself. Returns 0 or -errno.
 */
static int try_folder(const char *root, struct selfmon_piece system)
{
	struct selfmon_directory directory;
	char path[PATH_SIZE];
	int ret;

	snprintf(path, sizeof(path), "%s/events/%.*s", root,
		 (int)system.length, system.text);
	ret = selfmon_directory_open(path, &directory);
	if (ret == 0)
		selfmon_directory_close(&directory);
	return ret;
}

/*
 * Returns true if the directory `root` can be opened. The caller could not open
 * root/events, so tracefs is not mounted at `root`.
 */
static bool is_bare(const char *root)
{
	struct selfmon_directory directory;

	if (selfmon_directory_open(root, &directory))
		return false;
	selfmon_directory_close(&directory);
	return true;
}

/*
 * Returns the path of tracefs. If no path can be used, returns NULL and sets
 * *error to -EACCES if a directory is readable only by root, otherwise to
 * -ENODEV.
 *
 * If an earlier path exists without tracefs, -EACCES of a later path is
 * ignored: only root may enter debugfs, whether or not tracefs is in debugfs.
 */
static const char *find_root(int *error)
{
	const struct selfmon_piece all = {.text = "", .length = 0};
	bool bare = false;
	size_t i;

	*error = -ENODEV;
	for (i = 0; selfmon_tracefs_roots[i]; i++) {
		const char *const root = selfmon_tracefs_roots[i];
		const int ret = try_folder(root, all);

		if (ret == 0)
			return root;
		if ((ret == -EACCES || ret == -EPERM) && !bare)
			*error = -EACCES;
		bare = bare || is_bare(root);
	}
	return NULL;
}

static int read_id(const char *root, struct selfmon_piece system,
		   struct selfmon_piece name, uint64_t *id)
{
	struct selfmon_piece piece;
	char path[PATH_SIZE];
	char text[32];
	ssize_t length;

	snprintf(path, sizeof(path), "%s/events/%.*s/%.*s/id", root,
		 (int)system.length, system.text, (int)name.length, name.text);
	length = selfmon_kernel_read_file(path, text, sizeof(text));
	if (length == -EACCES || length == -EPERM)
		return -EACCES;
	if (length < 0)
		return -ENOENT;
	piece = (struct selfmon_piece){.text = text, .length = (size_t)length};
	return selfmon_piece_number(piece, id) ? -ENOENT : 0;
}

int selfmon_tracepoint_find(struct selfmon_piece name,
			    struct selfmon_event *event)
{
	struct selfmon_piece system, point;
	const char *root;
	int error;

	if (!cut(name, &system, &point))
		return -ENOENT;
	root = find_root(&error);
	if (!root)
		return error;
	error = read_id(root, system, point, &event->config);
	if (error)
		return error;
	event->type = PERF_TYPE_TRACEPOINT;
	event->flags |= selfmon_generic_flags(event->type, event->config);
	return 0;
}

bool selfmon_tracepoint_has_system(struct selfmon_piece name)
{
	struct selfmon_piece system, point;
	const char *root;
	int error;

	if (!cut(name, &system, &point))
		return false;
	root = find_root(&error);
	return root && try_folder(root, system) == 0;
}

/* ---- messages ------------------------------------------------------------ */

static const char *suggest(const char *root, struct selfmon_piece folder,
			   struct selfmon_piece word,
			   char nearest[SELFMON_WORD_SIZE])
{
	struct selfmon_directory directory;
	struct selfmon_words words = selfmon_pmu_words(&directory);
	char path[PATH_SIZE];
	const char *found;

	snprintf(path, sizeof(path), "%s/events/%.*s", root,
		 (int)folder.length, folder.text);
	selfmon_directory_open(path, &directory);
	found = selfmon_suggest(word.text, word.length, &words, nearest);
	selfmon_directory_close(&directory);
	return found;
}

static int unknown(const struct selfmon_spec *spec, struct selfmon_piece name,
		   const char *root)
{
	const struct selfmon_piece all = {.text = "", .length = 0};
	struct selfmon_piece system, point;
	char nearest[SELFMON_WORD_SIZE];

	cut(name, &system, &point);
	if (try_folder(root, system) == 0) {
		if (suggest(root, system, point, nearest))
			return selfmon_spec_fail(
				spec, ENOENT, point.position,
				"unknown tracepoint '%.*s' (did you mean "
				"'%.*s:%s'?)", SELFMON_QUOTE(name),
				SELFMON_QUOTE(system), nearest);
		return selfmon_spec_fail(spec, ENOENT, point.position,
					 "unknown tracepoint '%.*s': see "
					 "%s/events/%.*s", SELFMON_QUOTE(name),
					 root, SELFMON_QUOTE(system));
	}
	if (suggest(root, all, system, nearest))
		return selfmon_spec_fail(spec, ENOENT, system.position,
					 "unknown event '%.*s' (did you mean "
					 "the tracepoint '%s:%.*s'?)",
					 SELFMON_QUOTE(name), nearest,
					 SELFMON_QUOTE(point));
	return 1;
}

int selfmon_tracepoint_fail(const struct selfmon_spec *spec,
			    struct selfmon_piece name, int error,
			    const char *other)
{
	struct selfmon_piece system, point;
	const char *root;
	int ret;

	if (!cut(name, &system, &point))
		return 1;
	root = find_root(&ret);
	if (error == -ENODEV)
		return selfmon_spec_fail(
			spec, ENODEV, name.position,
			"unknown event '%.*s': %s; if it is a tracepoint, "
			"tracefs is not mounted. As root: mount -t tracefs "
			"tracefs /sys/kernel/tracing", SELFMON_QUOTE(name),
			other);
	if (error == -EACCES)
		return selfmon_spec_fail(
			spec, EACCES, name.position,
			"unknown event '%.*s': %s; if it is a tracepoint, only "
			"root may read tracefs. As root: mount -o "
			"remount,mode=750,gid=GROUP /sys/kernel/tracing",
			SELFMON_QUOTE(name), other);
	return root ? unknown(spec, name, root) : 1;
}

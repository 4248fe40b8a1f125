/* SPDX-License-Identifier: MIT */
/*
 * The only file that uses libpfm4.
 *
 * The structures of libpfm4 that are needed are declared in pfm_abi.h. They
 * contain their own sizes, so newer versions of libpfm4 accept them too.
 * tests/unit/test_event_vendor.c compares them with the header, if it is
 * installed.
 */
#define _GNU_SOURCE
#include "platform/pfm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/pfm_abi.h"

#ifndef SELFMON_NO_PFM

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <pthread.h>

#include "platform/critical.h"
#include "platform/kernel.h"

const char *selfmon_pfm_library = "libpfm.so.4";

/*
 * dlsym is weak, and dlopen is looked up by name. In a static program the
 * lookup fails, which is intended: a library loaded there would load a second C
 * library. Linking dlopen directly would also print a warning for each static
 * program.
 */
#pragma weak dlsym

static struct {
	int (*initialize)(void);
	int (*encode)(const char *name, int modes, int os, void *argument);
	int (*event_info)(int handle, int os, struct selfmon_pfm_event *out);
	int (*event_next)(int handle);
	int (*pmu_info)(int pmu, struct selfmon_pfm_pmu *out);
	int (*find_event)(const char *name);
	int (*attribute_info)(int handle, int i, int os,
			      struct selfmon_pfm_attribute *out);
} pfm;

static const char *why_not = "libpfm was not used";
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool load_all(void *library)
{
	static const struct {
		const char *name;
		void *place;
	} needed[] = {
		{ "pfm_initialize", &pfm.initialize },
		{ "pfm_get_os_event_encoding", &pfm.encode },
		{ "pfm_get_event_info", &pfm.event_info },
		{ "pfm_get_event_next", &pfm.event_next },
		{ "pfm_get_pmu_info", &pfm.pmu_info },
		{ "pfm_find_event", &pfm.find_event },
		{ "pfm_get_event_attr_info", &pfm.attribute_info },
	};
	size_t i;

	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		void *const found = dlsym(library, needed[i].name);

		if (!found)
			return false;
		memcpy(needed[i].place, &found, sizeof(found));
	}
	return true;
}

static bool is_present(int pmu, struct selfmon_pfm_pmu *out)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	return pfm.pmu_info(pmu, out) == PFM_SUCCESS &&
	       out->flags & PFM_PMU_PRESENT;
}

static bool has_core_pmu(void)
{
	struct selfmon_pfm_pmu pmu;
	int i;

	for (i = 0; i < PFM_PMUS; i++)
		if (is_present(i, &pmu) && pmu.type == PFM_PMU_TYPE_CORE)
			return true;
	return false;
}

/*
 * Loads libpfm. Refuses in a setuid program, since libpfm obeys environment
 * variables (LIBPFM_FORCE_PMU, LIBPFM_DEBUG).
 */
static const char *load(void)
{
	void *(*opener)(const char *name, int flags) = NULL;
	void *library, *found = NULL;

	if (selfmon_kernel_is_secure())
		return "libpfm is not used in a program with more privileges "
		       "than its caller";
	if (dlsym)
		found = dlsym(RTLD_DEFAULT, "dlopen");
	if (!found)
		return "this program is static and cannot load libpfm";
	memcpy(&opener, &found, sizeof(found));
	library = selfmon_pfm_library ? opener(selfmon_pfm_library,
					       RTLD_NOW | RTLD_LOCAL)
				      : NULL;
	if (!library)
		return "event names from the CPU's manual need libpfm (Debian: "
		       "libpfm4)";
	if (!load_all(library))
		return "libpfm is too old";
	if (pfm.initialize() != PFM_SUCCESS || !has_core_pmu())
		return "libpfm knows no PMU of this machine";
	return NULL;
}

static void load_once(void)
{
	why_not = load();
}

/*
 * libpfm allocates memory and reads files, so cancellation and signals are
 * blocked: a handler that called this function would wait for the thread that
 * it interrupted. Uses pthread_once() instead of selfmon_once_begin(), because
 * a forked child also has the library that its parent loaded.
 */
const char *selfmon_pfm_why_not(void)
{
	struct selfmon_critical aside;

	selfmon_critical_begin(&aside);
	pthread_once(&once, load_once);
	selfmon_critical_end(&aside);
	return why_not;
}

/* ---- looking up ---------------------------------------------------------- */

/* Has room for later, larger versions of struct perf_event_attr. */
union attr {
	struct perf_event_attr attr;
	char room[1024];
};

static int encode(const char *name, union attr *attr,
		  struct selfmon_pfm_encoding *encoding)
{
	struct selfmon_critical aside;
	int ret;

	memset(attr, 0, sizeof(*attr));
	memset(encoding, 0, sizeof(*encoding));
	encoding->size = sizeof(*encoding);
	encoding->attr = attr;
	selfmon_critical_begin(&aside);
	ret = pfm.encode(name, PFM_PLM_USER, PFM_OS_PERF_EVENT_EXT, encoding);
	selfmon_critical_end(&aside);
	return ret;
}

/*
 * Returns the position of the first part of the name that libpfm refuses. Each
 * attempt passes one more part of the name. Two of libpfm's errors may only
 * mean that later parts are missing. After these errors the next part is added
 * too.
 */
static size_t fault_at(const char *name)
{
	struct selfmon_pfm_encoding encoding;
	const char *const pmu = strstr(name, "::");
	size_t from = pmu ? (size_t)(pmu - name) + 2 : 0, at = 0;
	char head[PFM_NAME_SIZE];
	union attr attr;
	int ret = PFM_SUCCESS;

	while (name[from] && (ret == PFM_SUCCESS || ret == PFM_ERR_UMASK ||
			      ret == PFM_ERR_FEATCOMB)) {
		const size_t end = from + strcspn(name + from, ":.");

		snprintf(head, sizeof(head), "%.*s", (int)end, name);
		ret = encode(head, &attr, &encoding);
		at = from;
		from = name[end] ? end + 1 : end;
	}
	return at;
}

static int error_of(int pfm_error)
{
	switch (pfm_error) {
	case PFM_ERR_NOTFOUND:
	case PFM_ERR_INVAL:
		return -ENOENT;
	case PFM_ERR_NOTSUPP:
		return -ENODEV;
	default:
		return -EINVAL;
	}
}

static void describe(int handle, struct selfmon_pfm_code *code)
{
	struct selfmon_pfm_event event = { .size = sizeof(event) };
	struct selfmon_pfm_pmu pmu;

	code->core = code->package = false;
	if (pfm.event_info(handle, PFM_OS_PERF_EVENT_EXT, &event) ||
	    !is_present(event.pmu, &pmu))
		return;
	code->core = pmu.type == PFM_PMU_TYPE_CORE;
	code->package = pmu.type == PFM_PMU_TYPE_UNCORE;
}

int selfmon_pfm_find(const char *name, struct selfmon_pfm_code *code,
		     size_t *at)
{
	struct selfmon_pfm_encoding encoding;
	const struct perf_event_attr *attr;
	union attr room;
	int ret;

	*at = 0;
	if (selfmon_pfm_why_not() || strlen(name) >= PFM_NAME_SIZE)
		return -ENOSYS;
	ret = encode(name, &room, &encoding);
	if (ret != PFM_SUCCESS) {
		ret = error_of(ret);
		*at = ret == -EINVAL ? fault_at(name) : 0;
		return ret;
	}
	attr = &room.attr;
	if (attr->pinned || attr->exclusive || attr->sample_period ||
	    encoding.cpu >= 0)
		return -EOPNOTSUPP;
	code->type = attr->type;
	code->config = attr->config;
	code->config1 = attr->config1;
	code->config2 = attr->config2;
	code->precise = (uint8_t)attr->precise_ip;
	code->kernel = !attr->exclude_kernel;
	code->user = code->kernel && !attr->exclude_user;
	describe(encoding.handle, code);
	/* Ignores libpfm's names for the kernel's generic events. */
	return code->core || code->package ? 0 : -ENOENT;
}

/* ---- iteration over events ----------------------------------------------- */

bool selfmon_pfm_next(struct selfmon_pfm_cursor *cursor, char *name,
		      size_t size, const char **description)
{
	struct selfmon_pfm_event event = { .size = sizeof(event) };
	struct selfmon_pfm_pmu pmu;

	if (selfmon_pfm_why_not())
		return false;
	while (cursor->handle_plus_1 <= 0) {
		if (cursor->pmu == PFM_PMUS)
			return false;
		if (is_present(cursor->pmu++, &pmu) &&
		    pmu.type == PFM_PMU_TYPE_CORE && pmu.events > 0)
			cursor->handle_plus_1 = pmu.first_event + 1;
	}
	if (pfm.event_info(cursor->handle_plus_1 - 1, PFM_OS_PERF_EVENT_EXT,
			   &event))
		return false;
	snprintf(name, size, "%s", event.name);
	if (description)
		*description = event.description;
	cursor->handle_plus_1 = pfm.event_next(cursor->handle_plus_1 - 1) + 1;
	return true;
}

bool selfmon_pfm_attribute(const char *event, size_t i, char *name,
			   size_t size)
{
	struct selfmon_pfm_attribute attribute = { .size = sizeof(attribute) };
	int handle;

	if (selfmon_pfm_why_not())
		return false;
	handle = pfm.find_event(event);
	if (handle < 0 || pfm.attribute_info(handle, (int)i,
					     PFM_OS_PERF_EVENT_EXT, &attribute))
		return false;
	snprintf(name, size, "%s", attribute.name);
	return true;
}

#else /* built with PFM=0 */

const char *selfmon_pfm_library;

const char *selfmon_pfm_why_not(void)
{
	return "this library was built without libpfm (PFM=0)";
}

int selfmon_pfm_find(const char *name, struct selfmon_pfm_code *code,
		     size_t *at)
{
	(void)name;
	(void)code;
	*at = 0;
	return -ENOSYS;
}

bool selfmon_pfm_next(struct selfmon_pfm_cursor *cursor, char *name,
		      size_t size, const char **description)
{
	(void)cursor;
	(void)name;
	(void)size;
	(void)description;
	return false;
}

bool selfmon_pfm_attribute(const char *event, size_t i, char *name,
			   size_t size)
{
	(void)event;
	(void)i;
	(void)name;
	(void)size;
	return false;
}

#endif

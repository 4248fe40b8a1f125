/* SPDX-License-Identifier: MIT */
/*
 * The units of the process by name. The list is append-only, in memory that
 * fork() copies, so that handles stay valid in a forked child.
 */
#include "store/unit.h"

#include <string.h>

#include "store/config.h"
#include "store/lock.h"
#include "store/process.h"

static struct selfmon_unit units[SELFMON_MAX_UNITS] = {
	[SELFMON_IMPL_BYTES] = { SELFMON_IMPL_BYTES, "bytes" },
	[SELFMON_IMPL_ITEMS] = { SELFMON_IMPL_ITEMS, "items" },
};
static uint32_t named_units = 2;
/*
 * True once a refusal of this kind is reported: a program may request a refused
 * unit repeatedly. Indexed by enum refusal.
 */
static bool refused_unit[2];
enum refusal { REFUSED_NAME, REFUSED_NUMBER };

const struct selfmon_unit *selfmon_unit_at(uint32_t i)
{
	return i < __atomic_load_n(&named_units, __ATOMIC_ACQUIRE) ? &units[i]
								   : NULL;
}

/*
 * Other characters are not allowed, because output formats would escape them
 * differently.
 */
bool selfmon_unit_is_name(const char *name)
{
	const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789_-.");

	return length > 0 && length < SELFMON_UNIT_NAME_SIZE && !name[length];
}

static const struct selfmon_unit *find_unit(const char *name)
{
	uint32_t i;

	for (i = 0; i < named_units; i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

static const struct selfmon_unit *append_unit(const char *name)
{
	struct selfmon_unit *const unit = &units[named_units];

	if (named_units == SELFMON_MAX_UNITS)
		return NULL;
	unit->number = named_units;
	memcpy(unit->name, name, strlen(name) + 1);
	__atomic_store_n(&named_units, named_units + 1, __ATOMIC_RELEASE);
	return unit;
}

static bool is_first(enum refusal refusal)
{
	const bool first = !refused_unit[refusal];

	refused_unit[refusal] = true;
	return first;
}

static const struct selfmon_unit *refuse_name(const char *name)
{
	if (is_first(REFUSED_NAME))
		selfmon_config_note("unit \"%.64s\" is not counted: its name "
				    "must be 1 to %d letters, digits, '_', '-' "
				    "and '.'",
				    name, SELFMON_UNIT_NAME_SIZE - 1);
	return NULL;
}

static const struct selfmon_unit *refuse_number(const char *name)
{
	if (is_first(REFUSED_NUMBER))
		selfmon_config_note("unit \"%s\" is not counted: a process has "
				    "at most %d units, bytes and items "
				    "included",
				    name, SELFMON_MAX_UNITS);
	return NULL;
}

/* Finds or adds a unit. The caller holds the process lock. */
static const struct selfmon_unit *make_unit(const char *name)
{
	const struct selfmon_unit *unit;

	if (!name || !selfmon_unit_is_name(name))
		return refuse_name(name ? name : "");
	unit = find_unit(name);
	if (!unit)
		unit = append_unit(name);
	return unit ? unit : refuse_number(name);
}

const struct selfmon_unit *selfmon_unit(const char *name)
{
	struct selfmon_process *const process = selfmon_process();
	const struct selfmon_unit *unit;

	if (!process)
		return NULL;
	selfmon_process_lock(process);
	unit = make_unit(name);
	selfmon_process_unlock(process);
	return unit;
}

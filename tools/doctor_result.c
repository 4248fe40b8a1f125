/* SPDX-License-Identifier: MIT */
#include "doctor_result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "doctor/explain.h"

void doctor_explain(const struct doctor_case *from,
		    const struct selfmon_failure *failure,
		    struct doctor_check *check)
{
	selfmon_explain_parts(failure, from->facts, &check->reason,
			      &check->remedy);
}

void doctor_explain_open(const struct doctor_case *from, const char *event,
			 int error, bool kernel, struct doctor_check *check)
{
	struct selfmon_failure failure = { .error = error,
					   .step = SELFMON_STEP_OPEN,
					   .kernel_asked = kernel };

	snprintf(failure.event, sizeof(failure.event), "%s", event);
	doctor_explain(from, &failure, check);
}

const char *doctor_errno(int error)
{
	static const struct {
		int error;
		const char *name;
	} known[] = {
#define KNOWN(error) { error, #error }
		KNOWN(EACCES), KNOWN(EPERM),	  KNOWN(ENOSYS), KNOWN(ENOENT),
		KNOWN(EINVAL), KNOWN(EOPNOTSUPP), KNOWN(E2BIG),	 KNOWN(ENODEV),
		KNOWN(EBUSY),  KNOWN(EMFILE),	  KNOWN(ENFILE), KNOWN(ENOMEM),
		KNOWN(ENOSPC), KNOWN(EAGAIN),
#undef KNOWN
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].error == error)
			return known[i].name;
	return strerror(error);
}

void doctor_skip(struct doctor_check *check, const char *other)
{
	check->status = DOCTOR_SKIP;
	check->follows = other;
	doctor_say(&check->found, "not known: see %s", other);
}

void doctor_follow(struct doctor_check *check, const char *other)
{
	check->follows = other;
	doctor_say(&check->reason, "see %s", other);
}

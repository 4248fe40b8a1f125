/* SPDX-License-Identifier: MIT */
/* Failures into words; the machine's facts come in from outside. */
#ifndef SELFMON_DOCTOR_EXPLAIN_H
#define SELFMON_DOCTOR_EXPLAIN_H

#include <selfmon/doctor.h>

#include "platform/facts.h"

/* selfmon_explain() on a machine of which facts are true. */
size_t selfmon_explain_with(const struct selfmon_failure *failure,
			    const struct selfmon_facts *facts, char *text,
			    size_t size);

#endif

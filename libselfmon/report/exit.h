/* SPDX-License-Identifier: MIT */
/* The report at exit. */
#ifndef SELFMON_REPORT_EXIT_H
#define SELFMON_REPORT_EXIT_H

/*
 * Writes the report at exit. The destructor in exit.c calls this function.
 * visit/visit.c refers to it only to make the linker include exit.c from the
 * static archive, and so the destructor.
 */
void selfmon_report_exit(void);

#endif

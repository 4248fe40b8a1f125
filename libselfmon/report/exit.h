/* SPDX-License-Identifier: MIT */
/* The report at exit. */
#ifndef SELFMON_REPORT_EXIT_H
#define SELFMON_REPORT_EXIT_H

/*
 * Writes the report at exit. The library's destructor, in the same file, calls
 * this function. visit/visit.c refers to the function, so that linking with the
 * static archive pulls in the destructor.
 */
void selfmon_report_exit(void);

#endif

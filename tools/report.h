/* SPDX-License-Identifier: MIT */
/* selfmon report: prints report files, separately or merged, in any format. */
#ifndef SELFMON_TOOLS_REPORT_H
#define SELFMON_TOOLS_REPORT_H

int tool_report(int argc, char **argv);

#endif

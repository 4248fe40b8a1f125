/* SPDX-License-Identifier: MIT */
/*
 * selfmon run: runs a program with the library's environment variables set, and
 * prints where its report is.
 */
#ifndef SELFMON_TOOLS_RUN_H
#define SELFMON_TOOLS_RUN_H

int tool_run(int argc, char **argv);

#endif

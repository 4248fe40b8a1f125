/* SPDX-License-Identifier: MIT */
#ifndef SELFMON_TOOLS_TRACE_H
#define SELFMON_TOOLS_TRACE_H

/* selfmon trace */
int tool_trace(int argc, char **argv);

#endif

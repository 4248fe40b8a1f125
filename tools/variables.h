/* SPDX-License-Identifier: MIT */
/*
 * The library's environment variables, which users set for the programs that
 * they measure. The selfmon program is linked with the library, whose
 * constructors would otherwise begin a trace or sampling of this program.
 */
#ifndef SELFMON_TOOLS_VARIABLES_H
#define SELFMON_TOOLS_VARIABLES_H

/*
 * Puts back the variables that were hidden from the library's constructors, for
 * programs that a command runs.
 */
void tool_variables_restore(void);
/* Removes all of the library's variables, except SELFMON_GUARD. */
void tool_variables_forget(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Hides the library's environment variables from the library's constructors.
 * Users set the variables for the programs that they measure. But the selfmon
 * program is linked with the library too, and the constructors would begin a
 * trace or sampling of the selfmon program itself.
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

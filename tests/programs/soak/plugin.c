/* SPDX-License-Identifier: MIT */
/* Loaded and unloaded again and again. */
#include <selfmon.h>

void plugin_visit(unsigned int visits);

void plugin_visit(unsigned int visits)
{
	while (visits-- > 0) {
		SELFMON_REGION("plugin")
		{
		}
	}
}

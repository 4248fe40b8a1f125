/* SPDX-License-Identifier: MIT */
/* A plugin that is loaded and unloaded repeatedly. */
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

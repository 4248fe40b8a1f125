/* SPDX-License-Identifier: MIT */
/*
 * The second half of the control-flow test: compares with the expected report.
 */
#ifndef FLOW_CHECK_H
#define FLOW_CHECK_H

/*
 * Returns 0 if the report has exactly the visits that were made, at the right
 * nodes, and none is open.
 */
int flow_check(void);

#endif

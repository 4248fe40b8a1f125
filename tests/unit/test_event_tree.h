/* SPDX-License-Identifier: MIT */
/* Makes PMU trees in a directory, like those in sysfs on several machines. */
#ifndef SELFMON_TEST_EVENT_TREE_H
#define SELFMON_TEST_EVENT_TREE_H

struct tree_file {
	const char *path; /* path below the root; its directories are made */
	const char *text;
};

/*
 * Makes the files (up to a NULL path) in a new directory, and makes the parser
 * use it. For .init of a test, with tree_remove as .fini.
 */
void tree_make(const struct tree_file *files);
void tree_remove(void);

/* Makes one tree with the PMUs of an x86 desktop, an ARM board and a hybrid. */
void tree_make_all(void);

/*
 * Each makes the tree of a recorded machine; test_event_machines.c has the
 * sources.
 */
void tree_make_hybrid(void);
void tree_make_rk3399(void);
void tree_make_gb10(void);
void tree_make_apple_m2(void);
void tree_make_ampere_one(void);

#endif

/* SPDX-License-Identifier: MIT */
/* Makes PMU trees in a directory, like those in sysfs on several machines. */
#ifndef SELFMON_TEST_EVENT_TREE_H
#define SELFMON_TEST_EVENT_TREE_H

struct tree_file {
	/* Path below the root; missing directories are made. */
	const char *path;
	const char *text;
};

/*
 * Makes the files (up to a NULL path) in a new directory, and makes the parser
 * use this directory. For .init of a test, with tree_remove as .fini.
 */
void tree_make(const struct tree_file *files);
void tree_remove(void);

/*
 * Makes one tree with the PMUs of an x86 desktop, an AMD machine, an ARM board
 * and a hybrid, and with broken PMUs.
 */
void tree_make_all(void);

/*
 * Each function makes the tree of a real machine; the sources are in
 * test_event_machines.c.
 */
void tree_make_hybrid(void);
void tree_make_rk3399(void);
void tree_make_gb10(void);
void tree_make_apple_m2(void);
void tree_make_ampere_one(void);

#endif

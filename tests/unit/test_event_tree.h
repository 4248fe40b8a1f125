/* SPDX-License-Identifier: MIT */
/* PMU trees as sysfs has them on several machines, made in a directory. */
#ifndef SELFMON_TEST_EVENT_TREE_H
#define SELFMON_TEST_EVENT_TREE_H

struct tree_file {
	const char *path; /* below the root; its folders are made */
	const char *text;
};

/*
 * Makes the files (until a NULL path) in a new directory and points the
 * parser at it. Test's .init; tree_remove is its .fini.
 */
void tree_make(const struct tree_file *files);
void tree_remove(void);

/* One tree with the PMUs of an x86 desktop, an ARM board and a hybrid. */
void tree_make_all(void);

/* Recorded machines, one each; test_event_machines.c says by whom. */
void tree_make_hybrid(void);
void tree_make_rk3399(void);
void tree_make_gb10(void);
void tree_make_apple_m2(void);
void tree_make_ampere_one(void);

#endif

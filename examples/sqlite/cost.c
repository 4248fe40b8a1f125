/* SPDX-License-Identifier: MIT */
/*
 * Measures the extension's cost: look-ups by key and passes over rows,
 * alternating between a connection with the extension and one without:
 *
 *	cost EXTENSION
 *
 * Uses the thread's CPU time, since other programs may be running.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 201
#define ROWS "1000000"

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void check(int result, sqlite3 *database, const char *message)
{
	if (result == SQLITE_OK)
		return;
	fprintf(stderr, "cost: %s\n",
		message ? message : sqlite3_errmsg(database));
	exit(1);
}

static sqlite3 *filled(const char *extension)
{
	sqlite3 *database;
	char *message = NULL;

	check(sqlite3_open(":memory:", &database), database, NULL);
	sqlite3_enable_load_extension(database, 1);
	if (extension)
		check(sqlite3_load_extension(database, extension, NULL,
					     &message), database, message);
	check(sqlite3_exec(database,
			   "CREATE TABLE numbers(i INTEGER PRIMARY KEY, n INT);"
			   "INSERT INTO numbers WITH RECURSIVE c(i) AS (SELECT "
			   "0 UNION ALL SELECT i + 1 FROM c WHERE i < " ROWS
			   " - 1) SELECT i, i * 7919 % 1000003 FROM c",
			   NULL, NULL, &message), database, message);
	return database;
}

/* Returns the ns per run of a statement; each run reads its rows. */
static double timed(sqlite3 *database, const char *sql, int runs)
{
	sqlite3_stmt *statement;
	double start;
	int i;

	check(sqlite3_prepare_v2(database, sql, -1, &statement, NULL),
	      database, NULL);
	start = now_ns();
	for (i = 0; i < runs; i++) {
		sqlite3_bind_int(statement, 1, i);
		while (sqlite3_step(statement) == SQLITE_ROW)
			;
		sqlite3_reset(statement);
	}
	start = now_ns() - start;
	sqlite3_finalize(statement);
	return start / runs;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *of, int count)
{
	qsort(of, (size_t)count, sizeof(*of), ascending);
	return of[count / 2];
}

static void compare(sqlite3 *plain, sqlite3 *measured, const char *sql,
		    int runs)
{
	double without[ROUNDS], with[ROUNDS], more[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		without[i] = timed(plain, sql, runs);
		with[i] = timed(measured, sql, runs);
		more[i] = with[i] - without[i];
	}
	printf("%-46s %12.0f %12.0f %10.0f\n", sql, median(without, ROUNDS),
	       median(with, ROUNDS), median(more, ROUNDS));
}

int main(int argc, char **argv)
{
	sqlite3 *plain, *measured;

	if (argc != 2) {
		fprintf(stderr, "usage: cost EXTENSION\n");
		return 2;
	}
	plain = filled(NULL);
	measured = filled(argv[1]);
	printf("%-46s %12s %12s %10s\n", "ns a run, median", "without", "with",
	       "more");
	compare(plain, measured, "SELECT n FROM numbers WHERE i = ?", 2000);
	compare(plain, measured, "SELECT ?", 2000);
	compare(plain, measured,
		"SELECT n FROM numbers WHERE i > ? LIMIT 10000", 1);
	sqlite3_close(plain);
	sqlite3_close(measured);
	return 0;
}

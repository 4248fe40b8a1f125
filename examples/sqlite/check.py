#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests the extension in a program that keeps several statements open at once,
which the shell does not: check.py EXTENSION"""
import os
import sqlite3
import sys
import threading

EXTENSION = sys.argv[1]


def connect(**options):
    database = sqlite3.connect(":memory:", **options)
    database.enable_load_extension(True)
    database.load_extension(EXTENSION)
    return database


def seen(database, name, column="visits"):
    """Returns the sum of a column over all rows of the region."""
    return database.execute(
        f"SELECT coalesce(sum({column}), 0) FROM selfmon_regions "
        "WHERE name = ?", (name,)).fetchone()[0]


def spans(database, name):
    """Returns how many statements ended, how many are open, and how many ended
    on another thread."""
    return database.execute(
        "SELECT ended, open, elsewhere FROM selfmon_spans WHERE name = ?",
        (name,)).fetchone()


def filled(table, **options):
    database = connect(**options)
    database.execute(f"CREATE TABLE {table}(a INT)")
    database.executemany(f"INSERT INTO {table} VALUES (?)",
                         [(i,) for i in range(100)])
    return database


def interleaved():
    """Two statements run alternately, and the older one ends first: neither is
    below the other."""
    database = filled("inter")
    one, two = "SELECT a FROM inter", "SELECT a + ? FROM inter"
    for _ in range(10):
        first, second = database.execute(one), database.execute(
            "SELECT a + 1 FROM inter")
        for _ in range(100):
            assert first.fetchone() and second.fetchone()
        assert not first.fetchone() and not second.fetchone()
    assert seen(database, one) == 10, seen(database, one)
    assert seen(database, two) == 10, seen(database, two)
    assert seen(database, two, "depth") == 0
    assert seen(database, one, "open + cut_off") == 0
    assert spans(database, one) == (10, 0, 0), spans(database, one)
    assert database.execute(
        "SELECT total_ns >= max_ns AND max_ns >= p50_ns FROM selfmon_spans "
        "WHERE name = ?", (one,)).fetchone()[0] == 1


def rows():
    """Each statement has as many rows as the program fetched from it."""
    database = filled("counted")
    name = "SELECT a FROM counted WHERE a < ?"
    fetched = []
    for limit in (0, 1, 7, 100, 31):
        fetched.append(len(database.execute(
            f"SELECT a FROM counted WHERE a < {limit}").fetchall()))
    assert seen(database, name, "rows") == sum(fetched) == 139
    assert seen(database, name, "rows_max") == max(fetched)
    assert seen(database, "INSERT INTO counted VALUES (?)", "rows") == 0
    assert seen(database, "INSERT INTO counted VALUES (?)", "vm_steps") > 100
    # If two statements run alternately, the newer one has the rows of both.
    older, newer = "SELECT a FROM counted", "SELECT a + ? FROM counted"
    first, second = database.execute(older), database.execute(
        "SELECT a + 1 FROM counted")
    plain = [0, 0]
    for _ in range(30):
        plain[0] += first.fetchone() is not None
        plain[1] += second.fetchone() is not None
    plain[1] += len(second.fetchall())
    plain[0] += len(first.fetchall())
    assert plain == [100, 100], plain
    assert seen(database, older, "rows") + seen(
        database, newer, "rows") == sum(plain)
    for name, wanted in ((older, plain[0]), (newer, plain[1])):
        assert database.execute(
            "SELECT rows FROM selfmon_spans WHERE name = ?",
            (name,)).fetchone()[0] == wanted, name


def reset_halfway():
    database = filled("halfway")
    name = "SELECT a FROM halfway"
    for _ in range(5):
        cursor = database.execute(name)
        cursor.fetchmany(3)
        assert seen(database, name, "open") == 1
        cursor.close()
    assert seen(database, name) == 5
    assert seen(database, name, "open + cut_off") == 0


def of_one_text():
    """Two statements of the same text are open at once: the inner one is below
    the outer one."""
    database = filled("both")
    name = "SELECT a FROM both"
    outer, inner = database.execute(name), database.execute(name)
    assert outer.fetchone() and inner.fetchone()
    inner.close()
    outer.close()
    assert seen(database, name) == 2
    assert seen(database, name, "depth") == 1


def errors():
    database = connect()
    database.execute("CREATE TABLE err(a INT UNIQUE)")
    for _ in range(3):
        try:
            database.execute("INSERT INTO err VALUES (1)")
        except sqlite3.IntegrityError:
            pass
        try:
            database.execute("SELECT nothing FROM err")
        except sqlite3.OperationalError:
            pass
    assert seen(database, "INSERT INTO err VALUES (?)") == 3
    assert seen(database, "SELECT nothing FROM err") == 0


def triggers():
    """The work of a trigger belongs to the statement that fired it."""
    database = connect()
    database.executescript(
        "CREATE TABLE fired(a); CREATE TABLE log(a);"
        "CREATE TRIGGER fire AFTER INSERT ON fired BEGIN"
        " INSERT INTO log VALUES (new.a); END;")
    database.execute("INSERT INTO fired VALUES (1), (2)")
    assert seen(database, "INSERT INTO fired VALUES (?)") == 1
    assert seen(database, "INSERT INTO log VALUES (new.a)") == 0


def schema_changes():
    """A run that SQLite prepared again is counted, and reported as a run
    without a time."""
    database = filled("changing")
    again = "(prepared again: not measured)"
    name = "SELECT * FROM changing"
    before = seen(database, again)
    database.execute(name).fetchall()
    database.execute("ALTER TABLE changing ADD COLUMN b")
    assert database.execute(name).fetchone() == (0, None)
    assert seen(database, name) == 2, seen(database, name)
    assert seen(database, again) >= before + 1


def threads():
    """A statement that begins on one thread and ends on another is a span, not
    a visit."""
    database = filled("apart", check_same_thread=False)
    name = "SELECT a FROM apart"
    cursor = database.execute(name)
    thread = threading.Thread(target=cursor.fetchall)
    thread.start()
    thread.join()
    assert seen(database, name) == 0
    assert spans(database, name) == (1, 0, 1), spans(database, name)
    database.execute("SELECT a FROM apart WHERE a = 3").fetchall()
    assert seen(database, "SELECT a FROM apart WHERE a = ?") == 1


def many_at_once():
    """More statements are open than can be nested: each of them has its span.
    """
    database = filled("many")
    name = "SELECT a FROM many"
    cursors = [database.execute(name) for _ in range(300)]
    for cursor in cursors:
        cursor.fetchone()
    assert spans(database, name) == (0, 300, 0), spans(database, name)
    for cursor in cursors:
        cursor.close()
    assert spans(database, name) == (300, 0, 0), spans(database, name)
    assert seen(database, name, "open") == 0
    # At most 256 visits can be open. If there are more, the oldest ones are cut
    # off. One stays open for good, see threads().
    visits, cut_off = seen(database, name), seen(database, name, "cut_off")
    assert visits + cut_off == 300, (visits, cut_off)
    assert 0 < cut_off < 64, cut_off
    database.execute("SELECT a FROM many WHERE a = 3").fetchall()
    assert seen(database, "SELECT a FROM many WHERE a = ?") == 1


def closing():
    """The connection is closed while a statement is half executed."""
    name = "SELECT a FROM closing"
    database = filled("closing")
    cursor = database.execute(name)
    cursor.fetchone()
    database.close()
    del cursor, database
    database = connect()
    assert seen(database, name) + seen(database, name, "cut_off") == 1
    assert seen(database, name, "open") == 0


def names():
    database = connect()
    for text, name in (
            ("SELECT 'it''s', 1.5e-3, x'00ff', 0x1f -- end", "SELECT ?"),
            ("SELECT  /* twice */ \n 1 + 2 ;", "SELECT ? + ?"),
            ('SELECT 1 AS "a ""1"" b", 2 AS [c 3], 3 AS `d 4`',
             'SELECT ? AS "a ""1"" b", ? AS [c 3], ? AS `d 4`'),
            ("SELECT 1 IN (1, 2,3 , 4)", "SELECT ? IN (?)"),
            ("SELECT * FROM (VALUES (1, 2), (3, 4),(5, 6))",
             "SELECT * FROM (VALUES (?))"),
            ("SELECT 'ä' AS é1", "SELECT ? AS é1")):
        before = seen(database, name)
        database.execute(text).fetchall()
        assert seen(database, name) == before + 1, (text, [
            row for row in database.execute(
                "SELECT name FROM selfmon_regions")])


def no_end_of_names():
    """The number of rows is limited, however many texts statements have. The
    limit also holds over a second connection, after the first one was
    closed."""
    for start in (0, 750):
        database = connect()
        for i in range(start, start + 750):
            database.execute(f"SELECT 1 AS a{i}").fetchall()
        if start == 0:
            database.close()
    other = seen(database, "(other statements)")
    assert 500 <= other < 1500, other
    assert database.execute("SELECT count(*) FROM selfmon_regions"
                            ).fetchone()[0] < 1500


TESTS = (interleaved, rows, reset_halfway, of_one_text, errors, triggers,
         schema_changes, threads, many_at_once, closing, names)

# This test uses up the names that a process may have, so it runs in a process of
# its own.
child = os.fork()
if child == 0:
    try:
        no_end_of_names()
    except BaseException as error:
        sys.stderr.write(f"no_end_of_names: {error!r}\n")
        os._exit(1)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
for test in TESTS:
    test()
print(f"sqlite: the sqlite3 shell over a million rows, {len(TESTS) + 1} tests in Python")

#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests the extension in the sqlite3 shell, over a database of a million rows,
# and in Python: check.sh EXTENSION SCRATCH-DIRECTORY
set -eu
cd "$(dirname "$0")"
extension=$1
scratch=$2/check
rm -rf "$scratch"
mkdir -p "$scratch"
unset SELFMON_OUTPUT SELFMON_ENABLE SELFMON_EVERY SELFMON_LIVE
SELFMON_EVENTS=page-faults,cycles
export SELFMON_EVENTS

fail()
{
	printf 'sqlite: %s\n' "$1" >&2
	exit 1
}

# shell FILE: runs the shell with the extension, and writes errors of statements
# to FILE.err
shell()
{
	{
		printf '.load %s\n' "$extension"
		cat "$1"
	} | sqlite3 "$scratch/numbers.db" > "$1.out" 2> "$1.err" || true
}

# is WHAT WANTED SEEN
is()
{
	[ "$2" = "$3" ] || fail "$1: $2 wanted, $3 seen"
}

sqlite3 "$scratch/numbers.db" << END
CREATE TABLE numbers(i INTEGER PRIMARY KEY, n INT UNIQUE);
INSERT INTO numbers WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL
	SELECT i + 1 FROM c WHERE i < 999999) SELECT i, i * 7919 % 1000003 FROM c;
END

# 200 look-ups, two passes over the table, one failing run, and one text that is
# not a statement.
{
	i=0
	while [ "$i" -lt 200 ]; do
		i=$((i + 1))
		echo "SELECT n FROM numbers WHERE i = $i;"
	done
	echo 'SELECT count(*), sum(n) FROM numbers WHERE n % 3 = 1;'
	echo 'SELECT count(*), sum(n) FROM numbers WHERE n % 5 = 2;'
	echo 'INSERT INTO numbers VALUES (1, 1);'
	echo 'SELEC 1;'
} > "$scratch/work"
cp "$scratch/work" "$scratch/measured"
cat >> "$scratch/measured" << END
SELECT 'of', name, sum(visits), sum(open) FROM selfmon_regions
	WHERE name LIKE '%numbers%' GROUP BY name ORDER BY 3 DESC, name;
SELECT 'bad', count(*) FROM selfmon_regions WHERE name LIKE 'SELEC ?%'
	OR ("page-faults" IS NULL) <> ("page-faults verdict" = 'not counted')
	OR (cycles IS NULL) <> ("cycles verdict" = 'not counted')
	OR (total_ns IS NULL) <> (verdict = 'not counted');
SELECT 'slow', min_ns > 1000000 FROM selfmon_regions
	WHERE name LIKE '%n % ? = ?';
END
shell "$scratch/measured"
sqlite3 "$scratch/numbers.db" < "$scratch/work" > "$scratch/plain.out" \
	2> "$scratch/plain.err" || true
cat > "$scratch/wanted" << END
of|SELECT n FROM numbers WHERE i = ?|200|0
of|SELECT count(*), sum(n) FROM numbers WHERE n % ? = ?|2|0
of|INSERT INTO numbers VALUES (?)|1|0
bad|0
slow|1
END
grep -e '^of|' -e '^bad|' -e '^slow|' "$scratch/measured.out" |
	diff "$scratch/wanted" - >&2 || fail 'other visits than statements'
grep -v -e '^of|' -e '^bad|' -e '^slow|' "$scratch/measured.out" |
	cmp -s - "$scratch/plain.out" || fail 'the shell prints something else'
is 'errors' "$(grep -c . "$scratch/plain.err")" \
	"$(grep -c . "$scratch/measured.err")"

# The extension prints nothing unless requested.
printf 'SELECT 1;\n' > "$scratch/quiet"
shell "$scratch/quiet"
is 'said' '' "$(cat "$scratch/quiet.err")"
SELFMON_OUTPUT=text:$scratch/report shell "$scratch/quiet"
grep -q '^SELECT ?  *1 ' "$scratch/report" || fail 'no report'

# If the extension is loaded twice, each statement is still counted once.
printf '.load %s\nSELECT 7;\nSELECT visits FROM selfmon_regions
	WHERE name = %s;\n' "$extension" "'SELECT ?'" > "$scratch/twice"
shell "$scratch/twice"
is 'loaded twice' '7 1' "$(xargs < "$scratch/twice.out")"

# The shell itself counts the same rows and steps.
{
	echo '.stats vmstep'
	echo 'SELECT i FROM numbers WHERE i < 1234;'
	echo 'SELECT i FROM numbers WHERE i < 5;'
	echo 'DELETE FROM numbers WHERE i < 0;'
	echo '.stats off'
	echo "SELECT 'of', name, rows, rows_max, vm_steps FROM selfmon_regions
		WHERE name LIKE '%i < ?' ORDER BY name DESC;"
} > "$scratch/counted"
shell "$scratch/counted"
awk '/^VM-steps: / { steps[++n] = $2 }
/^[0-9]+$/ { rows[n + 1]++ }
END {
	printf "of|SELECT i FROM numbers WHERE i < ?|%d|%d|%d\n",
		rows[1] + rows[2], rows[1], steps[1] + steps[2]
	printf "of|DELETE FROM numbers WHERE i < ?|0|0|%d\n", steps[3]
}' "$scratch/counted.out" > "$scratch/wanted"
grep -q '|1239|1234|[1-9]' "$scratch/wanted" || fail 'the shell counts no steps'
grep '^of|' "$scratch/counted.out" | diff "$scratch/wanted" - >&2 ||
	fail 'other rows or steps than the shell counts'

# If the extension cannot be loaded, the shell reports why, and still works.
printf 'SELECT 5 + 6;\n' > "$scratch/refused"
SELFMON_ENABLE=0 shell "$scratch/refused"
is 'refused' 11 "$(cat "$scratch/refused.out")"
grep -q 'switched off by SELFMON_ENABLE' "$scratch/refused.err" ||
	fail 'refused without a reason'

# Only Debian's Python: others may be built without support of extensions.
/usr/bin/python3 check.py "$extension"

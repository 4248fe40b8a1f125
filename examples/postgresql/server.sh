# SPDX-License-Identifier: MIT
# Sourced by check.sh and cost.sh, which get PG_CONFIG and the build folder.
#
# Runs servers on private sockets, in a folder under /tmp, since a socket's path
# has at most 107 bytes. The servers run as a user other than root, because
# initdb refuses root. When the script ends, the servers are stopped and the
# folder is removed. The extension is found by extension_destdir, which Debian
# adds to PostgreSQL.

pg_config=$1
umask 022
if [ -z "$SELFMON_PG_HOME" ]; then
	# Copied, since the other user may not reach the original folder.
	home=$(mktemp -d /tmp/selfmon-pg.XXXXXX) || exit 1
	mkdir "$home/source"
	cp -R "$(dirname "$0")"/*.sh "$(dirname "$0")/sql" \
		"$(dirname "$0")/expected" "$home/source" &&
		cp -R "$2/root" "$home/root" || exit 1
	export SELFMON_PG_HOME="$home"
	script=$home/source/$(basename "$0")
	[ "$(id -u)" = 0 ] || exec "$script" "$@"
	user=postgres
	id -u "$user" >/dev/null 2>&1 || user=nobody
	group=$(id -gn "$user")
	chown -R "$user:$group" "$home"
	exec setpriv --reuid="$user" --regid="$group" --clear-groups "$script" \
		"$@"
fi

home=$SELFMON_PG_HOME
source=$home/source
cd "$home" || exit 1

stop_all() {
	for file in "$home"/*/postmaster.pid; do
		[ -e "$file" ] || continue
		pg_ctl -D "${file%/*}" -m immediate stop >/dev/null 2>&1
	done
	cd / && rm -rf "$home"
}
trap stop_all EXIT
trap 'exit 1' INT TERM HUP

bin=$("$pg_config" --bindir)
preload=$home/root$("$pg_config" --pkglibdir)/selfmon.so
PATH=$bin:$PATH
unset PGDATA PGOPTIONS PGSERVICE PGSSLMODE
export PATH LC_ALL=C HOME="$home" PSQLRC=/dev/null
export PGHOST="$home" PGUSER=tester PGDATABASE=postgres

# server_start NAME [LINE ...]: a server with these lines in postgresql.conf.
# $port, part of its socket's name, identifies it.
port=5400
server_start() {
	data=$home/$1
	shift
	port=$((port + 1))
	initdb -D "$data" -U tester -A trust -N --locale=C >"$data.log" 2>&1 ||
		return 1
	{
		echo "listen_addresses = ''"
		echo "unix_socket_directories = '$home'"
		echo "port = $port"
		echo "extension_destdir = '$home/root'"
		echo "shared_buffers = 64MB"
		echo "fsync = off"
		echo "autovacuum = off"
		printf '%s\n' "$@"
	} >>"$data/postgresql.conf"
	pg_ctl -D "$data" -w -l "$data.log" start >/dev/null 2>&1
}

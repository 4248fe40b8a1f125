# SPDX-License-Identifier: MIT
# Makes one file out of many: awk -f amalgamate.awk -v what=c -- FILE...
#
# what: h    the FILEs, and each file of include/ that they include, once
#       c    the FILEs, and each file of libselfmon/ that they include, once;
#            selfmon_all.h replaces the files of include/
#       more the FILEs, and each bench_*.h that they include, once;
#            selfmon_all.h replaces the other files of include/
#
# If one FILE includes another FILE under a condition, name the included FILE
# first. Nothing is renamed, because no two files of the library define the same
# static name. Macros of a .c file are undefined at its end.

# The path of the file that the line `text` in file `from` includes, or "" for a
# header of the system.
function resolve(text, from, name, path)
{
	name = text
	sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", name)
	sub(/[>"].*/, "", name)
	if (text ~ /"/) {
		path = from
		sub(/[^\/]*$/, "", path)
		path = path name
		while (sub(/[^\/]+\/\.\.\//, "", path))
			;
		if (path in exists || readable(path))
			return path
		return "libselfmon/" name
	}
	if (name ~ /^selfmon[.\/]/)
		return "include/" name
	return ""
}

function readable(path, line, result)
{
	result = (getline line < path) >= 0
	close(path)
	if (result)
		exists[path] = 1
	return result
}

# Lines are kept in an array: appending to a string would copy the whole string
# for each line.
function put(text)
{
	body[++lines] = text
}

function print_body(i)
{
	for (i = 1; i <= lines; i++)
		print body[i]
}

# An extern declaration in a .c file names a symbol that is defined outside of
# the library, so it must not get hidden visibility.
function put_foreign(text)
{
	put("#pragma GCC visibility push(default)\n" text \
		"\n#pragma GCC visibility pop")
}

function system_include(text, conditional)
{
	if (conditional && what == "c") {
		put_foreign(text)
	} else if (conditional || what != "c") {
		put(text)
	} else if (!(text in hoisted)) {
		hoisted[text] = 1
		top = top text "\n"
	}
}

function fail(message)
{
	printf "amalgamate: %s\n", message > "/dev/stderr"
	exit 1
}

function include(text, from, conditional, path)
{
	path = resolve(text, from)
	if (path == "")
		system_include(text, conditional)
	else if (what == "more" && path !~ /\/bench_/) {
		if (!all++)
			put("#include \"selfmon_all.h\"")
	} else if (what != "c" || path !~ /^include\//)
		add(path, conditional)
}

# Fails if a file is first included under a condition and then without one: if
# the condition is false, its text would be missing.
function add(path, conditional, line, depth, defined, names, i, name)
{
	if (path in seen) {
		if (seen[path] && !conditional)
			fail(path " is first included under a condition")
		return
	}
	seen[path] = conditional
	exists[path] = 1
	depth = path ~ /\.c$/ ? 0 : -1 # the include guard does not count
	if (files++ || what != "more")
		put("\n/* ---- " path " ---- */\n")
	while ((status = (getline line < path)) > 0) {
		if (line ~ /SPDX-License-Identifier/ ||
		    line ~ /^#define _GNU_SOURCE$/)
			continue
		if (line ~ /^#[ \t]*include/) {
			include(line, path, conditional || depth > 0)
			continue
		}
		if (path ~ /\.c$/ && line ~ /^extern .*;$/) {
			put_foreign(line)
			continue
		}
		if (line ~ /^#[ \t]*if/)
			depth++
		if (line ~ /^#[ \t]*endif/)
			depth--
		if (path ~ /\.c$/ && line ~ /^#[ \t]*define/) {
			name = line
			sub(/^#[ \t]*define[ \t]*/, "", name)
			sub(/[^A-Za-z0-9_].*/, "", name)
			if (!(name in defined)) {
				defined[name] = 1
				names[++defined[""]] = name
			}
		}
		put(line)
	}
	if (status < 0)
		fail(path " cannot be read")
	close(path)
	for (i = 1; i <= defined[""]; i++)
		put("#undef " names[i])
}

function head(line)
{
	print "/* SPDX-License-Identifier: MIT */"
	print "/*"
	printf " * libselfmon %s in one file, made by `make amalgamation`.\n *\n",
		version
	while ((getline line < "LICENSE") > 0)
		print " *" (line == "" ? "" : " " line)
	print " */"
}

BEGIN {
	for (i = 1; i < ARGC; i++)
		add(ARGV[i], 0)
	head()
	if (what == "c") {
		print "\n#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n"
		print "/* The library is there, also where its regions are compiled off. */"
		print "#undef SELFMON_DISABLE\n"
		print "/* What links it into itself uses that copy. */"
		print "#ifndef SELFMON_API"
		print "#define SELFMON_API __attribute__((visibility(\"protected\")))"
		print "#endif\n"
		print "#include \"selfmon_all.h\"\n"
		print top
		print "/* A variable of one file may be called as a local one of another. */"
		print "#pragma GCC diagnostic push"
		print "#pragma GCC diagnostic ignored \"-Wshadow\""
		print "#pragma GCC visibility push(hidden)"
		print_body()
		print ""
		print "#pragma GCC visibility pop"
		print "#pragma GCC diagnostic pop"
	} else {
		if (what == "h") {
			print "\n/* The library is of this version: visits are inlined. */"
			print "#ifndef SELFMON_STATIC"
			print "#define SELFMON_STATIC"
			print "#endif"
		}
		print_body()
	}
}

# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # sourced: the caller has set them
# Functions that run.sh and native.sh share. These scripts set: here, the folder
# of patches; source, the project; work, a scratch folder.

die()
{
	printf 'mutants: %s\n' "$*" >&2
	exit 1
}

# head_of FIELD NAME: prints a field of the patch's head
head_of()
{
	sed -n "/^---/q; s/^$1: *//p" "$here/$2.patch"
}

# Copies the project to a separate tree, so that no patch changes the project.
make_tree()
{
	rm -rf "$work"
	mkdir -p "$work/tree"
	(cd "$source" && tar cf - Makefile include libselfmon tests bench \
		docs examples man third_party tools amalgamation) |
		tar xf - -C "$work/tree"
}

# apply NAME: returns false, with a message, if the patch no longer applies
apply()
{
	if patch -s -p1 -d "$work/tree" --dry-run < "$here/$1.patch" \
		> /dev/null 2>&1; then
		patch -s -p1 -d "$work/tree" < "$here/$1.patch"
		return
	fi
	result stale "$1" "the patch no longer applies"
	return 1
}

take_back()
{
	patch -s -R -p1 -d "$work/tree" < "$here/$1.patch"
}

# no_longer_builds NAME
no_longer_builds()
{
	result stale "$1" "it no longer builds: $(grep -m 1 error \
		"$work/build.log" || tail -n 1 "$work/build.log")"
}

# result WORD NAME TEXT
result()
{
	printf '%-8s %-28s %s\n' "$1" "$2" "$3"
	echo "$1" >> "$work/results"
}

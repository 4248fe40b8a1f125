# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Sourced: functions that fetch Debian's packages of any suite and architecture,
# with an apt configuration of their own in the cache. The machine's own apt
# configuration does not change.
#
# Mirrors and proxies are those of the machine, in either format of apt's
# sources (apt-get indextargets reads both). Signatures are only checked against
# Debian's archive keys, whatever other keys the machine trusts.

apt_keyring=/usr/share/keyrings/debian-archive-keyring.gpg
apt_fallback=http://deb.debian.org/debian

# apt_mirrors: prints "URI SUITE" for each of the machine's sources that is
# Debian's. A source is recognised by its package lists or, if there are none
# yet, by its address. The $(...) are placeholders of apt, not of the shell.
# shellcheck disable=SC2016
apt_mirrors()
{
	known=$(apt-get indextargets --format \
		'$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)' \
		'Created-By: Packages' |
		sed -n 's/ main Debian$//p')
	[ -n "$known" ] || known=$(apt-get indextargets --no-release-info \
		--format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' |
		sed -n 's/ main$//p' |
		sed -E -n '/\/debian(-security)?(\.list)?\/? /p')
	printf '%s\n' "$known"
}

# apt_source_of TYPE URI SUITE...: prints one entry of a sources file
apt_source_of()
{
	type=$1
	uri=$2
	shift 2
	printf 'Types: %s\nURIs: %s\nSuites: %s\n' "$type" "$uri" "$*"
	printf 'Components: main\nSigned-By: %s\n\n' "$apt_keyring"
}

# apt_sources TYPE SUITE: prints the sources of the release, its updates and its
# security updates. If there is no mirror of the security updates, they are left
# out.
apt_sources()
{
	mirrors=$(apt_mirrors)
	main=$(printf '%s\n' "$mirrors" |
		awk '$2 !~ /-security|\/updates/ { print $1; exit }')
	security=$(printf '%s\n' "$mirrors" |
		awk '$2 ~ /-security|\/updates/ { print $1; exit }')
	if [ -z "$main" ]; then
		main=$apt_fallback security=$apt_fallback-security
	fi
	apt_source_of "$1" "$main" "$2" "$2-updates"
	[ -z "$security" ] || apt_source_of "$1" "$security" "$2-security"
}

# apt_configure DIR SUITE ARCHITECTURE TYPE
apt_configure()
{
	mkdir -p "$1/lists/partial" "$1/archives/partial" "$1/parts"
	: > "$1/status"
	apt_sources "$4" "$2" > "$1/parts/debian.sources"
	cat > "$1/apt.conf" << END
APT::Architecture "$3";
#clear APT::Architectures;
APT::Architectures { "$3"; };
APT::Default-Release "";
APT::Install-Recommends "0";
APT::Sandbox::User "$(id -un)";
APT::Get::AllowUnauthenticated "0";
Acquire::AllowInsecureRepositories "0";
Acquire::AllowWeakRepositories "0";
Acquire::AllowDowngradeToInsecureRepositories "0";
Acquire::Languages { "none"; };
Acquire::Retries "3";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "0";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "0";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Pre-Invoke;
#clear DPkg::Post-Invoke;
pkgCacheGen::ForceEssential "none";
Debug::NoLocking "1";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$1/parts";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$1";
Dir::State::status "$1/status";
Dir::State::lists "$1/lists";
Dir::State::extended_states "$1/extended_states";
Dir::Cache "$1";
Dir::Cache::archives "$1/archives";
END
}

# apt_use SUITE ARCHITECTURE [deb-src]: selects the package lists for the
# functions below. Lists that are more than an hour old are fetched again.
apt_use()
{
	[ -r "$apt_keyring" ] ||
		die "$apt_keyring is missing: install debian-archive-keyring"
	apt_dir=$cache/apt/$1-$2-${3:-deb}
	mkdir -p "$apt_dir"
	exec 8> "$apt_dir/lock"
	flock 8
	if [ -z "$(find "$apt_dir/updated" -mmin -60 2> /dev/null)" ]; then
		step "reading Debian's package lists: $1, $2"
		apt_update "$1" "$2" "${3:-deb}"
		: > "$apt_dir/updated"
	fi
	exec 8>&-
}

# apt_alias SUITE: prints the release's other name. A mirror may be more up to
# date under one of the two names.
apt_alias()
{
	case $1 in
	bookworm) echo oldstable ;;
	trixie) echo stable ;;
	esac
}

# apt_lists SUITE ARCHITECTURE TYPE: fetches the lists; fails if the release's
# own list is missing. apt refuses a list that does not match its signature.
apt_lists()
{
	log=$apt_dir/update.log
	case $3 in
	deb) list="*_dists_$1_main_binary-$2_Packages*" ;;
	*) list="*_dists_$1_main_source_Sources*" ;;
	esac
	apt_configure "$apt_dir" "$1" "$2" "$3"
	apt-get -c "$apt_dir/apt.conf" -q update > "$log" 2>&1 ||
		apt-get -c "$apt_dir/apt.conf" -q update > "$log" 2>&1 ||
		[ -n "$(find "$apt_dir/lists" -maxdepth 1 -name "$list")" ]
}

# apt_update SUITE ARCHITECTURE TYPE: fetches the lists under either name of the
# release. While a mirror is being updated, the release may be complete only
# under one of its names. The lists of updates may be missing.
apt_update()
{
	for release in "$1" $(apt_alias "$1"); do
		if apt_lists "$release" "$2" "$3"; then
			sed -n 's/^E: Failed to fetch /done without: /p' \
				"$log" >&2
			return
		fi
		cat "$log" >&2
	done
	die "no package lists of Debian $1 for $2: see above"
}

# apt_run COMMAND ARGUMENT...: runs a command. If the command fails, prints its
# output on stderr, including what apt-get prints to stdout.
apt_run()
{
	command=$1
	shift
	"$command" -c "$apt_dir/apt.conf" "$@" > "$apt_dir/log.$$" 2>&1 || {
		cat "$apt_dir/log.$$" >&2
		rm -f "$apt_dir/log.$$"
		return 1
	}
	rm -f "$apt_dir/log.$$"
}

# apt_version PACKAGE: prints the newest version
apt_version()
{
	apt-cache -c "$apt_dir/apt.conf" show --no-all-versions "$1" |
		sed -n 's/^Version: //p'
}

# apt_kernel PACKAGE: prints the name of the versioned package on which a
# kernel's general package depends
apt_kernel()
{
	apt-cache -c "$apt_dir/apt.conf" depends --important \
		--no-recommends "$1" |
		sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p' | head -n 1
}

# apt_download DIR PACKAGE...: downloads the packages without their dependencies
apt_download()
{
	dir=$1
	shift
	(cd "$dir" && apt_run apt-get -q download "$@") ||
		die "cannot download $*: see above"
}

# apt_unpack DIR PACKAGE...: downloads the packages and unpacks them into DIR
apt_unpack()
{
	into=$1
	shift
	mkdir -p "$into/deb"
	apt_download "$into/deb" "$@"
	for deb in "$into"/deb/*.deb; do
		dpkg-deb -x "$deb" "$into"
	done
	rm -r "$into/deb"
}

# apt_unpack_whole DIR PACKAGE...: downloads and unpacks the packages with all
# dependencies
apt_unpack_whole()
{
	into=$1
	shift
	mkdir -p "$into/deb/partial"
	apt_run apt-get -q -y -o Dir::Cache::archives="$into/deb" \
		--download-only --no-install-recommends install "$@" ||
		die "cannot download $* and what they depend on: see above"
	for deb in "$into"/deb/*.deb; do
		dpkg-deb -x "$deb" "$into"
	done
	rm -r "$into/deb"
}

# apt_unpack_source DIR PACKAGE: unpacks and patches the source, as DIR/source.
# dpkg-source need not check the signature of the .dsc, since the signed list of
# packages has its hash.
apt_unpack_source()
{
	(cd "$1" && apt_run apt-get -q --download-only source "$2") ||
		die "cannot download the source of $2: see above"
	dpkg-source --no-check -q -x "$1"/*.dsc "$1/source" ||
		die "cannot unpack the source of $2"
	rm "$1"/*.dsc "$1"/*.tar.*
}

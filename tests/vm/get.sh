#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the folder of one part of a rig. The part is made first if it is not in
# the cache.
#
#   get.sh linux ARCHITECTURE 6.1|6.12   a kernel, as FOLDER/vmlinux
#   get.sh busybox ARCHITECTURE          FOLDER/busybox, static
#   get.sh perf ARCHITECTURE 6.1|6.12    perf and its libraries, as FOLDER/root
#   get.sh qemu                          stock QEMU, as FOLDER/qemu-MACHINE
#   get.sh qemu-x86                      QEMU with a PMU: FOLDER/qemu-x86_64
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"
. "$here/apt.sh"

# A part is made in a temporary folder. When the part is complete, the folder is
# renamed; the new name ends in the version. So an incomplete part is never
# used.

# find_thing NAME: prints the folder of the newest version, if there is one
find_thing()
{
	for folder in "$cache/$1"_*; do
		[ ! -d "$folder" ] || printf '%s\n' "$folder"
	done | sort -V | tail -n 1
}

# make_thing NAME MAKER ARGUMENT...: calls MAKER, which fills the folder of its
# first argument and sets version
make_thing()
{
	name=$1
	maker=$2
	shift 2
	mkdir -p "$cache/lock"
	exec 9> "$cache/lock/$name"
	if ! flock -n 9; then
		step "waiting for another run that makes $name"
		flock 9
	fi
	[ -z "$(find_thing "$name")" ] || return 0
	work=$cache/making/$name
	rm -rf "$work"
	mkdir -p "$work"
	"$maker" "$work" "$@"
	mv "$work" "$cache/${name}_$(printf '%s' "$version" | tr '/: ' '---')"
}

thing()
{
	[ -n "$(find_thing "$1")" ] || make_thing "$@"
	find_thing "$1"
}

# ---- kernels ---------------------------------------------------------------

suite_of()
{
	case $1 in
	6.1) echo bookworm ;;
	6.12) echo trixie ;;
	*) die "no release of Debian has kernel $1: 6.1 or 6.12" ;;
	esac
}

# make_linux DIR ARCHITECTURE RELEASE
make_linux()
{
	case $2 in
	arm64) package=linux-image-cloud-arm64 ;;
	*) package=linux-image-$2 ;;
	esac
	suite=$(suite_of "$3")
	apt_use "$suite" "$2"
	package=$(apt_kernel "$package")
	[ -n "$package" ] || die "Debian $suite has no kernel for $2"
	version=$(apt_version "$package")
	case $version in
	"$3".*) ;;
	*) die "Debian $suite has kernel $version, not $3" ;;
	esac
	step "fetching kernel $version for $2"
	apt_unpack "$1/package" "$package"
	for image in "$1"/package/boot/vmlinu[xz]-*; do
		unpack_kernel "$image" "$1/vmlinux"
	done
	rm -r "$1/package"
}

# number BYTES OFFSET FILE: prints one little-endian number
number()
{
	od -An -v --endian=little -t "u$1" -N "$1" -j "$2" "$3" | tr -d ' '
}

# unpack_kernel IMAGE VMLINUX: unpacks the payload of a bzImage. The header
# states where the payload is (setup_sects, payload_offset and payload_length of
# the boot protocol). Unpacking it here saves seconds in each boot. Kernels of
# other machines stay as they are, and QEMU boots them directly.
unpack_kernel()
{
	if [ "$(dd if="$1" bs=1 skip=514 count=4 2> /dev/null)" != HdrS ]; then
		mv "$1" "$2"
		return
	fi
	start=$((($(number 1 497 "$1") + 1) * 512 + $(number 4 584 "$1")))
	length=$(number 4 588 "$1")
	tail -c +$((start + 1)) "$1" | head -c $((length - 4)) > "$2.packed"
	case $(od -An -v -t x1 -N 4 "$2.packed" | tr -d ' ') in
	fd377a58) unpacker=xz ;;
	28b52ffd) unpacker=zstd ;;
	1f8b*) unpacker=gzip ;;
	*) die "the kernel $1 is packed in a way not known here" ;;
	esac
	need "$unpacker" "$unpacker"
	"$unpacker" -dc < "$2.packed" > "$2" || die "$1 does not unpack"
	rm "$2.packed"
}

# ---- programs --------------------------------------------------------------

# make_busybox DIR ARCHITECTURE
make_busybox()
{
	apt_use trixie "$2"
	version=$(apt_version busybox-static)
	step "fetching busybox $version for $2"
	apt_unpack "$1/package" busybox-static
	find "$1/package" -type f -name busybox -exec mv '{}' "$1/busybox" ';'
	[ -x "$1/busybox" ] || die "busybox-static of $2 holds no busybox"
	rm -r "$1/package"
}

# make_perf DIR ARCHITECTURE RELEASE: takes perf from the Debian release of the
# kernel. Of the dependencies, takes only the libraries that perf is linked
# with.
make_perf()
{
	need readelf binutils
	suite=$(suite_of "$3")
	apt_use "$suite" "$2"
	version=$(apt_version linux-perf)
	step "fetching perf $version for $2 and its libraries"
	apt_unpack_whole "$1/package" linux-perf
	mkdir -p "$1/root/bin" "$1/root/usr/lib"
	mv "$1/package/usr/bin/perf" "$1/root/bin/perf"
	loader=$(readelf -l "$1/root/bin/perf" |
		sed -n 's/.*program interpreter: \(.*\)\]/\1/p')
	[ -n "$loader" ] || die "linux-perf of $2 holds no program"
	mkdir -p "$1/root${loader%/*}"
	take_libraries "$1" "$1/root/bin/perf"
	mv "$1/root/usr/lib/${loader##*/}" "$1/root$loader"
	rm -r "$1/package"
}

# take_libraries DIR FILE: copies the libraries that FILE needs, and those that
# these need, from DIR/package to DIR/root/usr/lib
take_libraries()
{
	for library in $(readelf -d "$2" |
		sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		[ ! -e "$1/root/usr/lib/$library" ] || continue
		from=$(find "$1/package" -name "$library" -print -quit)
		[ -n "$from" ] || die "no package holds $library"
		cp -L "$from" "$1/root/usr/lib/$library" ||
			die "cannot copy $library"
		take_libraries "$1" "$1/root/usr/lib/$library"
	done
}

# make_qemu DIR: takes Debian 13's QEMU, with its libraries and their loader, so
# that QEMU runs on other releases, too
make_qemu()
{
	apt_use trixie "$(dpkg --print-architecture)"
	version=$(apt_version qemu-system-arm)
	step "fetching QEMU $version and its libraries (45 MB)"
	apt_unpack_whole "$1/root" qemu-system-arm qemu-system-riscv
	rm -rf "$1/root/usr/share/doc" "$1/root/usr/share/man"
	for machine in aarch64 riscv64; do
		launcher "$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
			"qemu-system-$machine" > "$1/qemu-$machine"
		chmod +x "$1/qemu-$machine"
		"$1/qemu-$machine" --version > /dev/null ||
			die "QEMU $version for $machine does not start"
	done
}

# launcher MULTIARCH PROGRAM: prints a script that runs the program with its own
# libraries
launcher()
{
	cat << END
#!/bin/sh
root=\$(cd "\$(dirname "\$0")" && pwd)/root
libraries=\$root/usr/lib/$1
for loader in "\$libraries"/ld-linux*.so.* "\$root"/usr/lib/ld-linux*.so.*; do
	[ ! -e "\$loader" ] || break
done
export QEMU_MODULE_DIR="\$libraries/qemu"
exec "\$loader" --library-path "\$libraries" "\$root/usr/bin/$2" \\
	-L "\$root/usr/share/qemu" "\$@"
END
}

# ---- QEMU with a PMU -------------------------------------------------------

overlay=$here/qemu

overlay_key()
{
	cat "$overlay"/* | sha256sum | cut -c 1-12
}

# make_qemu_x86 DIR: builds Debian 12's source, with the overlay
make_qemu_x86()
{
	need_build_tools
	apt_use bookworm "$(dpkg --print-architecture)"
	version=$(apt_version qemu-system-data)
	step "fetching the source and the firmware of QEMU $version (25 MB)"
	apt_unpack "$1/package" qemu-system-data seabios
	mkdir "$1/firmware"
	find "$1/package" -type f \( -name bios-256k.bin -o -name pvh.bin -o \
		-name linuxboot_dma.bin -o -name kvmvapic.bin \) \
		-exec mv '{}' "$1/firmware/" ';'
	apt_use bookworm "$(dpkg --print-architecture)" deb-src
	apt_unpack_source "$1" qemu
	for change in "$overlay"/*.patch; do
		patch -s -p1 -d "$1/source" < "$change" ||
			die "$change does not fit QEMU $version"
	done
	cp "$overlay/arch_perfmon.h" "$1/source/target/i386/"
	cp "$overlay/arch_perfmon.c" "$1/source/target/i386/tcg/sysemu/"
	build_qemu "$1"
	mv "$1/build/qemu-system-x86_64" "$1/qemu"
	launcher_x86 > "$1/qemu-x86_64"
	chmod +x "$1/qemu-x86_64"
	rm -r "$1/package" "$1/source" "$1/build"
}

need_build_tools()
{
	need dpkg-source dpkg-dev
	need gcc "gcc libc6-dev"
	need patch patch
	need ninja ninja-build
	need meson meson
	need python3 python3
	need pkg-config pkg-config
	for pair in glib-2.0:libglib2.0-dev pixman-1:libpixman-1-dev \
		zlib:zlib1g-dev; do
		pkg-config --exists "${pair%:*}" ||
			die "${pair#*:} is missing: ./setup check-vm installs it"
	done
	echo '#include <libfdt.h>' | gcc -E - > /dev/null 2>&1 ||
		die "libfdt-dev is missing: ./setup check-vm installs it"
}

# build_qemu DIR: builds QEMU for one machine, without parts that no test needs
build_qemu()
{
	jobs=$(nproc)
	step "building QEMU $version with a PMU ($((6 / jobs)) minutes, once)"
	echo CONFIG_I440FX=y > \
		"$1/source/configs/devices/x86_64-softmmu/perfmon.mak"
	mkdir "$1/build"
	(
		cd "$1/build"
		../source/configure --target-list=x86_64-softmmu \
			--without-default-features --without-default-devices \
			--with-devices-x86_64=perfmon --enable-tcg \
			--enable-trace-backends=nop --disable-debug-info \
			--disable-werror --disable-install-blobs \
			--meson="$(command -v meson)" &&
			ninja -j "$jobs" qemu-system-x86_64
	) > "$1/build.log" 2>&1 || {
		tail -n 30 "$1/build.log" >&2
		die "QEMU does not build: all of it is in $1/build.log"
	}
}

launcher_x86()
{
	cat << 'END'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/qemu" -L "$here/firmware" "$@"
END
}

# ---- arguments -------------------------------------------------------------

for command in apt-get dpkg-deb flock xz; do
	need "$command" "apt, dpkg, util-linux and xz-utils of Debian"
done
# If apt or ninja is interrupted, this script stops too.
trap 'exit 130' INT TERM

case ${1:-}:$# in
linux:3) thing "linux-$2-$3" make_linux "$2" "$3" ;;
busybox:2) thing "busybox-$2" make_busybox "$2" ;;
perf:3) thing "perf-$2-$3" make_perf "$2" "$3" ;;
qemu:1) thing qemu make_qemu ;;
qemu-x86:1) thing "qemu-x86-$(overlay_key)" make_qemu_x86 ;;
*) die "usage: get.sh linux ARCH 6.1|6.12 | busybox ARCH | perf ARCH 6.1|6.12 |
	qemu | qemu-x86" ;;
esac

# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced after cache.sh: an apt with lists of its own, for packages of another suite or another
# architecture.
#
# It is in the cache; of the system's apt only the mirror and the way through the network are asked
# for. The archive's signature is checked with the keys of debian-archive-keyring.

# shellcheck shell=sh
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The mirror of Debian itself in the machine's own configuration, whichever format that has.
mirror() {
	# shellcheck disable=SC2016 # apt expands it
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		sed -n '\,/debian/*$,{p;q;}'
}

# private_apt TOOL ARGUMENT... - run one of apt's tools on the lists in $apt.
private_apt() {
	tool=$1
	shift
	"$tool" -q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::Etc::trusted=/dev/null -o Dir::Etc::trustedparts=/dev/null \
		-o Dir::State="$apt" -o Dir::State::status="$apt/status" \
		-o Dir::Cache="$apt/cache" -o APT::Architecture="$apt_arch" \
		-o APT::Architectures="$apt_arch" -o APT::Sandbox::User="$(id -un)" \
		-o Acquire::Languages=none -o Debug::NoLocking=true "$@" </dev/null
}

# use_suite SUITE ARCHITECTURE - have private_apt know what SUITE holds for ARCHITECTURE.
use_suite() {
	apt=$cache/apt/$1-$2
	apt_arch=$2
	uri=$(mirror)
	[ -n "$uri" ] || die 'apt knows no mirror of Debian'
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/status"
	printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$uri" "$1" >"$apt/sources.list"
	private_apt apt-get update >&2
}

# packages HOW NAME ARCHITECTURE PACKAGE... - set $packages to a folder of the cache in which the
# packages of this machine's suite for another architecture are unpacked. HOW is "whole", with all
# that they depend on, or "alone". NAME tells the folders apart.
packages() {
	how=$1
	packages=$cache/packages/$2
	arch_of_packages=$3
	shift 3
	! packages_are_there "$how $*" || return 0
	cache_lock "packages-${packages##*/}"
	! packages_are_there "$how $*" || return 0
	unpack_packages "$@"
}

packages_are_there() { grep -qsFx "$1" "$packages/.packages"; }

unpack_packages() {
	scratch
	use_suite "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$arch_of_packages"
	mkdir "$scratch/deb" "$scratch/unpacked"
	case $how in
	whole)
		private_apt apt-get -y --no-install-recommends --download-only \
			-o Dir::Cache::archives="$scratch/deb" install "$@" >&2
		;;
	alone) (cd "$scratch/deb" && private_apt apt-get download "$@" >&2) ;;
	esac
	for package in "$scratch/deb/"*.deb; do
		dpkg-deb -x "$package" "$scratch/unpacked"
	done
	echo "$how $*" >"$scratch/unpacked/.packages"
	mkdir -p "${packages%/*}"
	rm -rf "$packages"
	mv "$scratch/unpacked" "$packages"
}

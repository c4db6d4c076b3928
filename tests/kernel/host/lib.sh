# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the host's part of a guest test, which begins with
#
#	. "$KERNEL_TESTS/host/lib.sh"
#
# and runs in the folder that the guest had at /mnt. In its environment:
#
#	KERNEL_TESTS		tests/kernel
#	IMAGE			the folder of the kernel: vmlinux, System.map, config
#	BASE, VARIANT		which kernel
#	BUILD			the Meson build, empty where there is none
#	TRACE_CMD_STACKMAP	our command
#	TRACEEVENT_PLUGIN_DIR	our plugin, for trace-cmd report and any program of libtraceevent
set -eu

ok() { echo "ok: $*"; }
fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "skip: $*"; exit 77; }

# same WHAT WANTED GOT
same() {
	[ "$2" = "$3" ] || fail "$1: wanted '$2', got '$3'"
	ok "$1"
}

# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the programs of tests/kernel on the host: where things are, and the cache.

# shellcheck shell=sh
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
top=$(CDPATH='' cd -- "$here/../.." && pwd)
. "$top/scripts/cache.sh"

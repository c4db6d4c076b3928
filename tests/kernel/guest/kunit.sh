#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The KUnit tests of the map, which run as the kernel boots: each of the source has to have passed.
#
# boot: cpus=2 mem=1024 timeout=600 append=kunit.enable=1
. ./lib.sh

# The console, which the host looks at, may have lost a line; the log of the kernel says.
dmesg >dmesg
grep -q 'KTAP version' dmesg || fail 'KUnit did not run'
ok 'KUnit ran'

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The series' own tests of ftrace, by the kernel's ftracetest. The host compares what passed with
# what there is.
#
# boot: cpus=2 timeout=1200
. ./lib.sh

tests=/image/ftrace/test.d/stackmap
[ -d $tests ] || fail 'the kernel has no tests of the stack map'
# Its own folder of logs is where it is, which cannot be written to.
mkdir logs
status=0
sh /image/ftrace/ftracetest -v -v -l "$PWD/logs" $tests >results 2>&1 || status=$?
cat results
[ $status -eq 0 ] || fail 'not all passed'

# SPDX-License-Identifier: GPL-2.0-or-later
# The shapes of text that expand knows, each a file.
m=data/text/map.stack_map
for shape in trace no-flags android report kernel-log expanded other-text graph bare clock crlf \
	no-last-newline control no-cookies; do
	run expand -m $m data/text/$shape.txt
	note end of $shape
done

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CMD_NOTIFY_H
#define CMD_NOTIFY_H

/*
 * Tell the service manager (sd_notify(3)): "READY=1", "STOPPING=1", lines joined by newlines. Where
 * there is none ($NOTIFY_SOCKET) or it cannot be told, nothing happens.
 */
void notify_manager(const char *state);

#endif /* CMD_NOTIFY_H */

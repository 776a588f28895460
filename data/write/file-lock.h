/* Locks on files of our own, never on a scan. */
#pragma once

#include <glib.h>

/**
 * tl_file_is_locked:
 * @fd: open for writing
 * @command: F_OFD_SETLK to lock the file if it is free, F_OFD_GETLK to look
 *   only
 *
 * Locks of this kind belong to a descriptor, so that two threads exclude each
 * other as two programs do, and a lock ends with a program that crashes. Where
 * the file system has no locks, nobody is excluded. Any thread.
 *
 * Returns: whether another descriptor has the lock
 */
gboolean tl_file_is_locked (int fd, int command);

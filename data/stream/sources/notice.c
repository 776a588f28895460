#include "data/stream/sources/notice-private.h"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

struct TlNotice
{
  int fd;
};

/* Returns: whether all changes in the folder are made by this machine. A file
 * system that is not in the list may be shared. */
static gboolean
is_local (const char *folder)
{
  static const guint32 local[] = {
    0xef53,     /* ext2 to ext4 */
    0x58465342, /* XFS */
    0x9123683e, /* Btrfs */
    0x2fc12fc1, /* ZFS */
    0xf2f52010, /* F2FS */
    0x01021994, /* tmpfs */
    0x794c7630, /* overlayfs */
  };
  struct statfs status;
  if (statfs (folder, &status) != 0)
    return FALSE;
  for (size_t k = 0; k < G_N_ELEMENTS (local); k++)
    if ((guint32)status.f_type == local[k])
      return TRUE;
  return FALSE;
}

TlNotice *
tl_notice_new (const char *folder)
{
  const int fd =
      is_local (folder) ? inotify_init1 (IN_NONBLOCK | IN_CLOEXEC) : -1;
  if (fd < 0)
    return NULL;
  if (inotify_add_watch (fd, folder,
                         IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO
                             | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
      < 0)
    {
      close (fd);
      return NULL;
    }
  TlNotice *notice = g_new (TlNotice, 1);
  notice->fd = fd;
  return notice;
}

void
tl_notice_free (TlNotice *notice)
{
  if (notice == NULL)
    return;
  close (notice->fd);
  g_free (notice);
}

gboolean
tl_notice_wait (TlNotice *notice, gint64 timeout_us)
{
  struct pollfd poll_fd = { .fd = notice->fd, .events = POLLIN };
  return poll (&poll_fd, 1, (int)((timeout_us + 999) / 1000)) > 0;
}

gboolean
tl_notice_take (TlNotice *notice, TlNoticeFunc func, gpointer data)
{
  _Alignas(struct inotify_event) char events[16384];
  gboolean is_whole = TRUE;
  ssize_t n;
  while ((n = read (notice->fd, events, sizeof events)) > 0)
    for (const char *at = events; at < events + n;)
      {
        const struct inotify_event *event = (gconstpointer)at;
        if ((event->mask
             & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))
            != 0)
          is_whole = FALSE;
        else if (event->len > 0)
          func (event->name,
                (event->mask & IN_CREATE) != 0 ? TL_NOTICE_MADE
                                               : TL_NOTICE_CLOSED,
                data);
        at += sizeof *event + event->len;
      }
  return is_whole;
}

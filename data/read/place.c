#include "data/read/place-private.h"

#include <errno.h>
#include <unistd.h>

const char *
tl_place_read (int fd, guint64 offset, size_t bytes, void *dest,
               const char *at_end)
{
  for (size_t done = 0; done < bytes;)
    {
      const ssize_t got =
          pread (fd, (char *)dest + done, bytes - done, (off_t)(offset + done));
      if (got > 0)
        done += (size_t)got;
      else if (got == 0)
        return at_end;
      else if (errno != EINTR)
        return g_strerror (errno);
    }
  return NULL;
}

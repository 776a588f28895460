#include "data/read/format/place.h"

#include "data/read/format/rows.h"

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

const char *
tl_place_read_rows (int fd, guint64 offset, size_t row_bytes,
                    const size_t *rows, size_t n_rows, void *dest,
                    const char *at_end)
{
  const char *reason = NULL;
  for (size_t k = 0, n; k < n_rows && reason == NULL; k += n)
    {
      n = tl_rows_count_run (rows, n_rows, k);
      reason =
          tl_place_read (fd, offset + (guint64)rows[k] * row_bytes,
                         n * row_bytes, (char *)dest + k * row_bytes, at_end);
    }
  return reason;
}

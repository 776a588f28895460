#include "data/write/file-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

gboolean
tl_file_is_locked (int fd, int command)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

  if (fcntl (fd, command, &lock) != 0)
    return errno == EAGAIN || errno == EACCES;
  return command == F_OFD_GETLK && lock.l_type != F_UNLCK;
}

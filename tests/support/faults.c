/* A library that is loaded before a program (LD_PRELOAD) and lets one of its
 * calls fail:
 *
 *   TL_FAULT=KIND:NUMBER   the call of that number, from 1 on
 *   TL_FAULT_COUNTS=FILE   writes at the end how many calls of each kind were
 *                          made, a line each
 *
 * KIND is alloc (memory that may be missing: g_try_malloc() and
 * aligned_alloc()), read and write (EIO and ENOSPC), or short-read, short-write
 * and eintr-read: a part of the bytes, or none yet, as a system may do at any
 * time; stop-read stops the process (SIGSTOP). Files alone are concerned, no
 * pipes and terminals. */
#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum
{
  ALLOC,
  READ,
  WRITE,
  N_CALLS
} Call;

enum
{
  STOP = -1 /* the process stops before the call */
};

static const char *const call_names[] = { "alloc", "read", "write" };
static atomic_ulong counts[N_CALLS];

static const struct
{
  const char *name;
  Call call;
  int error; /* 0: a part of the bytes */
} faults[] = {
  { "alloc", ALLOC, ENOMEM },      { "read", READ, EIO },
  { "write", WRITE, ENOSPC },      { "short-read", READ, 0 },
  { "short-write", WRITE, 0 },     { "eintr-read", READ, EINTR },
  { "eintr-write", WRITE, EINTR }, { "stop-read", READ, STOP },
};

/* Counts a call. Returns: the fault that it has, or NULL */
static const int *
count (Call call)
{
  const unsigned long n = atomic_fetch_add (&counts[call], 1) + 1;
  const char *wanted = getenv ("TL_FAULT");
  const char *colon = wanted != NULL ? strchr (wanted, ':') : NULL;
  if (colon == NULL || strtoul (colon + 1, NULL, 10) != n)
    return NULL;
  for (size_t i = 0; i < G_N_ELEMENTS (faults); i++)
    if (faults[i].call == call
        && strlen (faults[i].name) == (size_t)(colon - wanted)
        && strncmp (faults[i].name, wanted, (size_t)(colon - wanted)) == 0)
      return &faults[i].error;
  return NULL;
}

/* A process that the program starts has no faults, and writes no counts. */
__attribute__ ((constructor)) static void
end_with_this_process (void)
{
  unsetenv ("LD_PRELOAD");
}

__attribute__ ((destructor)) static void
write_counts (void)
{
  const char *path = getenv ("TL_FAULT_COUNTS");
  FILE *file = path != NULL ? fopen (path, "w") : NULL;
  for (int call = 0; call < N_CALLS && file != NULL; call++)
    fprintf (file, "%s %lu\n", call_names[call], counts[call]);
  if (file != NULL)
    fclose (file);
}

static gboolean
is_file (int fd)
{
  struct stat st;
  const int error = errno;
  const gboolean good =
      fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_nlink > 0;
  errno = error;
  return good;
}

/* Prints the name of the file. */
static void
say_file (Call call, int fd)
{
  char link[64], path[4096];
  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink (link, path, sizeof path);
  fprintf (stderr, "fault: %s of %.*s\n", call_names[call], (int)MAX (n, 0),
           path);
}

/* Takes the fault of a call that moves *@size bytes. Returns: whether it fails
 */
static gboolean
fails (Call call, int fd, size_t *size)
{
  const int *error = is_file (fd) ? count (call) : NULL;
  if (error == NULL)
    return FALSE;
  say_file (call, fd);
  if (*error == STOP)
    raise (SIGSTOP);
  if (*error == 0 && *size > 1)
    *size /= 2;
  else if (*error > 0)
    errno = *error;
  return *error > 0;
}

#define REAL(name) ((__typeof__ (&name))dlsym (RTLD_NEXT, #name))

ssize_t
read (int fd, void *bytes, size_t size)
{
  return fails (READ, fd, &size) ? -1 : REAL (read) (fd, bytes, size);
}

ssize_t
pread (int fd, void *bytes, size_t size, off_t at)
{
  return fails (READ, fd, &size) ? -1 : REAL (pread) (fd, bytes, size, at);
}

ssize_t
pread64 (int fd, void *bytes, size_t size, off64_t at)
{
  return fails (READ, fd, &size) ? -1 : REAL (pread64) (fd, bytes, size, at);
}

ssize_t
write (int fd, const void *bytes, size_t size)
{
  return fails (WRITE, fd, &size) ? -1 : REAL (write) (fd, bytes, size);
}

ssize_t
pwrite (int fd, const void *bytes, size_t size, off_t at)
{
  return fails (WRITE, fd, &size) ? -1 : REAL (pwrite) (fd, bytes, size, at);
}

ssize_t
pwrite64 (int fd, const void *bytes, size_t size, off64_t at)
{
  return fails (WRITE, fd, &size) ? -1 : REAL (pwrite64) (fd, bytes, size, at);
}

gpointer
g_try_malloc (gsize size)
{
  return count (ALLOC) != NULL ? NULL : REAL (g_try_malloc) (size);
}

gpointer
g_try_malloc0 (gsize size)
{
  return count (ALLOC) != NULL ? NULL : REAL (g_try_malloc0) (size);
}

void *
aligned_alloc (size_t unit, size_t size)
{
  return count (ALLOC) != NULL ? NULL : REAL (aligned_alloc) (unit, size);
}

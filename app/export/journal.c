#include "app/export/journal.h"

#include "data/error.h"
#include "data/write/part-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* The journal is a text: the checksum of the identity, then a line for each
 * slice: its number and the checksum of its file. A checksum that a crash has
 * cut fits no file. */
#define NAME "journal"

struct TlJournal
{
  char *path;
  int fd;
  GHashTable *sums; /* of the slices, by their number; nobody changes it */
};

/* Returns: (transfer full) (nullable): length and checksum of a file. The
 * checksum has to find what a crash leaves, and to cost less than writing. */
static char *
sum_up (const char *path)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, NULL);

  if (file == NULL)
    return NULL;
  const gsize n_bytes = g_mapped_file_get_length (file);
  const char *bytes = g_mapped_file_get_contents (file);
  return g_strdup_printf (
      "%" G_GSIZE_FORMAT "-%08lx", n_bytes,
      adler32_z (1, (const unsigned char *)bytes, bytes != NULL ? n_bytes : 0));
}

static gboolean
append (TlJournal *journal, const char *line, GError **error)
{
  const size_t n = strlen (line);
  const ssize_t done = write (journal->fd, line, n);

  return done == (ssize_t)n
         || tl_set_write_error (error, journal->path, done < 0 ? errno : ENOSPC,
                                NULL);
}

/* Returns: whether @text begins with @identity */
static gboolean
read_lines (TlJournal *journal, const char *text, const char *identity)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  if (!g_str_equal (lines[0], identity))
    return FALSE;
  for (guint k = 1; lines[k] != NULL; k++)
    {
      char *sum = NULL;
      const guint64 slice = g_ascii_strtoull (lines[k], &sum, 10);

      if (*sum == ' ')
        g_hash_table_insert (journal->sums, GSIZE_TO_POINTER (slice),
                             g_strdup (sum + 1));
    }
  return TRUE;
}

TlJournal *
tl_journal_open (const char *folder, const char *identity, GError **error)
{
  g_return_val_if_fail (folder != NULL && identity != NULL, NULL);

  g_autoptr (TlJournal) journal = g_new0 (TlJournal, 1);
  g_autofree char *text = NULL;
  g_autofree char *sum =
      g_compute_checksum_for_string (G_CHECKSUM_SHA256, identity, -1);
  journal->path = g_build_filename (folder, NAME, NULL);
  journal->sums = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  journal->fd =
      g_open (journal->path,
              O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (journal->fd < 0)
    {
      tl_set_write_error (error, journal->path, errno, NULL);
      return NULL;
    }
  g_file_get_contents (journal->path, &text, NULL, NULL);
  if (text != NULL && *text != '\0' && !read_lines (journal, text, sum))
    return tl_fail_null (error, TL_ERROR_VALUE,
                         _ ("the unfinished volume was made from another scan "
                            "or with another recipe"));
  /* The first line, or the end of a line that was cut. */
  const gboolean is_new = text == NULL || *text == '\0';
  g_autofree char *line = g_strconcat (is_new ? sum : "", "\n", NULL);
  return append (journal, line, error) ? g_steal_pointer (&journal) : NULL;
}

void
tl_journal_close (TlJournal *journal)
{
  if (journal == NULL)
    return;
  if (journal->fd >= 0)
    close (journal->fd);
  g_hash_table_unref (journal->sums);
  g_free (journal->path);
  g_free (journal);
}

gboolean
tl_journal_has (TlJournal *journal, size_t slice, const char *path)
{
  const char *want =
      g_hash_table_lookup (journal->sums, GSIZE_TO_POINTER (slice));
  g_autofree char *got = want != NULL ? sum_up (path) : NULL;

  return got != NULL && g_str_equal (got, want);
}

gboolean
tl_journal_add (TlJournal *journal, size_t slice, const char *path,
                GError **error)
{
  g_autofree char *sum = sum_up (path);

  if (sum == NULL)
    return tl_set_write_error (error, path, EIO, NULL);
  g_autofree char *line =
      g_strdup_printf ("%" G_GSIZE_FORMAT " %s\n", slice, sum);
  return append (journal, line, error);
}

/* Opens a scan: as it is, or in bins. If the caller can cancel the opening, a
 * thread of its own does it, because a system call that waits for a network
 * folder cannot be interrupted. */
#include "data/read/binned-private.h"
#include "data/read/reader-private.h"

#include <glib/gi18n.h>

enum
{
  GRACE_MS = 250, /* an opening that was cancelled ends by itself in this time
                     where the files answer */
  MAX_LEFT = 16   /* openings that nobody waits for any more */
};

/* Shared by the caller and the thread. */
typedef struct
{
  gatomicrefcount ref_count;
  char *path;
  TlReaderOptions options; /* a copy */

  GMutex mutex; /* for what follows */
  GCond changed;
  gboolean is_done, is_left;
  TlReader *reader; /* (nullable) */
  GError *failure;  /* (nullable) */
} Opening;

static int n_left; /* atomic */

static TlReader *
open_here (const char *path, const TlReaderOptions *options, GError **error)
{
  TlReader *reader = tl_reader_open_path (path, options, error);
  return reader != NULL && options->bin > 1
             ? tl_binned_open (reader, options, error)
             : reader;
}

/* Calls @func for the address of each text in @options. */
static void
for_each_text (TlReaderOptions *options, void (*func) (const char **text))
{
  const char **const texts[] = {
    &options->projections, &options->flats,      &options->darks,
    &options->data_path,   &options->keys_path,  &options->angles_path,
    &options->flats_path,  &options->darks_path, &options->raw,
    &options->angles_file, &options->leave_out,
  };
  for (size_t k = 0; k < G_N_ELEMENTS (texts); k++)
    func (texts[k]);
}

static void
copy_text (const char **text)
{
  *text = g_strdup (*text);
}

static void
free_text (const char **text)
{
  g_free ((char *)*text);
}

static Opening *
opening_new (const char *path, const TlReaderOptions *options)
{
  Opening *opening = g_new0 (Opening, 1);
  g_atomic_ref_count_init (&opening->ref_count);
  opening->path = g_strdup (path);
  opening->options = *options;
  for_each_text (&opening->options, copy_text);
  g_object_ref (opening->options.cancellable);
  g_mutex_init (&opening->mutex);
  g_cond_init (&opening->changed);
  return opening;
}

static void
opening_unref (Opening *opening)
{
  if (!g_atomic_ref_count_dec (&opening->ref_count))
    return;
  tl_reader_close (opening->reader);
  g_clear_error (&opening->failure);
  for_each_text (&opening->options, free_text);
  g_object_unref (opening->options.cancellable);
  g_mutex_clear (&opening->mutex);
  g_cond_clear (&opening->changed);
  g_free (opening->path);
  g_free (opening);
}

static gpointer
run_opening (gpointer data)
{
  Opening *opening = data;
  GError *failure = NULL;
  TlReader *reader = open_here (opening->path, &opening->options, &failure);
  g_mutex_lock (&opening->mutex);
  const gboolean is_left = opening->is_left;
  opening->reader = reader;
  opening->failure = failure;
  opening->is_done = TRUE;
  g_cond_signal (&opening->changed);
  g_mutex_unlock (&opening->mutex);
  opening_unref (opening);
  if (is_left)
    g_atomic_int_add (&n_left, -1);
  return NULL;
}

static void
on_cancelled (GCancellable *cancellable, gpointer data)
{
  Opening *opening = data;
  g_mutex_lock (&opening->mutex);
  g_cond_signal (&opening->changed);
  g_mutex_unlock (&opening->mutex);
}

/* Waits until the scan is open, or until it should have noticed that it is not
 * wanted any more. */
static void
wait_for (Opening *opening)
{
  GCancellable *cancellable = opening->options.cancellable;
  const gulong id = g_cancellable_connect (
      cancellable, G_CALLBACK (on_cancelled), opening, NULL);
  g_mutex_lock (&opening->mutex);
  while (!opening->is_done && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait (&opening->changed, &opening->mutex);
  const gint64 end_us =
      g_get_monotonic_time () + GRACE_MS * G_TIME_SPAN_MILLISECOND;
  gboolean is_in_time = TRUE;
  while (!opening->is_done && is_in_time)
    is_in_time = g_cond_wait_until (&opening->changed, &opening->mutex, end_us);
  opening->is_left = !opening->is_done;
  if (opening->is_left)
    g_atomic_int_inc (&n_left);
  g_mutex_unlock (&opening->mutex);
  g_cancellable_disconnect (cancellable, id);
}

static TlReader *
open_aside (const char *path, const TlReaderOptions *options, GError **error)
{
  g_autofree char *name = tl_path_dup_name (path);
  const int n = g_atomic_int_get (&n_left);
  if (n >= MAX_LEFT)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_BUSY,
                   _ ("%s: not opened, because %d scans that were given up "
                      "still wait for a folder that does not answer; try again "
                      "when it does"),
                   name, n);
      return NULL;
    }
  Opening *opening = opening_new (path, options);
  g_atomic_ref_count_inc (&opening->ref_count);
  g_thread_unref (g_thread_new ("open", run_opening, opening));
  wait_for (opening);
  TlReader *reader = NULL;
  if (opening->is_left)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT,
                 _ ("%s does not answer; it was not opened"), name);
  else if (opening->failure != NULL)
    g_propagate_error (error, g_steal_pointer (&opening->failure));
  else
    reader = g_steal_pointer (&opening->reader);
  opening_unref (opening);
  return reader;
}

TlReader *
tl_reader_open (const char *path, const TlReaderOptions *options,
                GError **error)
{
  static const TlReaderOptions nothing = { 0 };
  g_return_val_if_fail (path != NULL, NULL);
  const TlReaderOptions *said = options != NULL ? options : &nothing;
  return said->cancellable != NULL ? open_aside (path, said, error)
                                   : open_here (path, said, error);
}

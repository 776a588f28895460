/* A folder that is filled: how soon its images come, and what that costs; with
 * a system that tells of changes, and without. */
#include "data/stream/stream.h"
#include "tests/data/read/scan-files.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

enum
{
  N_IMAGES = 300
};

static gboolean is_mute; /* the system does not tell of changes */
static size_t n_asked;   /* how often it was asked what became of a file */

int __real_inotify_init1 (int flags);
int __wrap_inotify_init1 (int flags);
int __real_stat64 (const char *path, GStatBuf *status);
int __wrap_stat64 (const char *path, GStatBuf *status);

int
__wrap_inotify_init1 (int flags)
{
  if (!is_mute)
    return __real_inotify_init1 (flags);
  errno = EMFILE;
  return -1;
}

/* This is g_stat(). */
int
__wrap_stat64 (const char *path, GStatBuf *status)
{
  n_asked++;
  return __real_stat64 (path, status);
}

static void
write_image (Folder *folder, const char *name, size_t base)
{
  const TiffShape shape = { .dims = { 1, 3, 5 },
                            .type = TL_SAMPLE_U16,
                            .base = base };
  g_autofree char *from = folder_path (folder, "made");
  g_autofree char *to = folder_path (folder, name);
  folder_write_tiff (folder, "made", &shape);
  g_assert_cmpint (g_rename (from, to), ==, 0);
}

static TlStream *
open_folder (Folder *folder)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *inside = folder_path (folder, "live/none");
  g_autofree char *path = g_path_get_dirname (inside);
  TlStream *stream = tl_stream_open (path, NULL, &error);
  g_assert_no_error (error);
  return stream;
}

/* Waits for what comes next; the user may be told that there are no angles. */
static void
wait_for_next (TlStream *stream, TlStreamEvent *event)
{
  g_autoptr (GError) error = NULL;
  do
    {
      tl_stream_next (stream, 5000, NULL, event, &error);
      g_assert_no_error (error);
    }
  while (event->type == TL_STREAM_SCAN || event->type == TL_STREAM_TROUBLE);
}

/* @number, @scan: of the next frame */
static void
assert_frame (TlStream *stream, size_t number, guint scan)
{
  TlStreamEvent event;
  wait_for_next (stream, &event);
  g_assert_cmpint (event.type, ==, TL_STREAM_FRAME);
  g_assert_cmpuint (event.number, ==, number);
  g_assert_cmpuint (tl_stream_get_scan (stream)->serial, ==, scan);
}

static void
assert_quiet (TlStream *stream, guint wait_ms)
{
  TlStreamEvent event;
  g_assert_true (tl_stream_next (stream, wait_ms, NULL, &event, NULL));
  g_assert_cmpint (event.type, ==, TL_STREAM_QUIET);
}

/* Images 0, 1, 4 and 5 have come. A list of as many angles has one for each of
 * them; a longer one has those of the missing images, too. */
static void
test_angles (void)
{
  static const struct
  {
    const char *list;
    double angles_deg[4];
  } cases[] = {
    { "10\n11\n12\n13\n", { 10, 11, 12, 13 } },
    { "10\n11\n12\n13\n14\n15\n16\n17\n", { 10, 11, 14, 15 } },
  };
  static const size_t numbers[] = { 0, 1, 4, 5 };
  is_mute = FALSE;
  for (size_t c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_autoptr (Folder) folder = folder_new ();
      g_autoptr (GError) error = NULL;
      TlStreamEvent event = { .type = TL_STREAM_QUIET };
      g_autoptr (TlStream) stream = open_folder (folder);
      g_autofree char *list = folder_path (folder, "live/angles.txt");
      g_file_set_contents (list, cases[c].list, -1, &error);
      for (size_t k = 0; k < G_N_ELEMENTS (numbers); k++)
        {
          g_autofree char *name =
              g_strdup_printf ("live/proj_%zu.tif", numbers[k]);
          write_image (folder, name, 0);
        }
      for (size_t k = 0; k < G_N_ELEMENTS (numbers);)
        {
          g_assert_true (tl_stream_next (stream, 5000, NULL, &event, &error));
          g_assert_cmpint (event.type, !=, TL_STREAM_TROUBLE);
          if (event.type != TL_STREAM_FRAME)
            continue;
          g_assert_cmpuint (event.number, ==, numbers[k]);
          g_assert_cmpfloat (event.angle_deg, ==, cases[c].angles_deg[k++]);
        }
    }
}

/* Images that were taken are looked at once a second, not each time. */
static void
test_calls (gconstpointer data)
{
  enum
  {
    WAIT_MS = 1300,
    MOST_LOOKS = 2
  };
  g_autoptr (Folder) folder = folder_new ();
  is_mute = data != NULL;
  g_autoptr (TlStream) stream = open_folder (folder);
  folder_write_numbered (folder, "live/proj_", N_IMAGES, 0, TL_SAMPLE_U16);
  for (size_t k = 0; k < N_IMAGES; k++)
    assert_frame (stream, k, 1);
  n_asked = 0;
  assert_quiet (stream, WAIT_MS);
  g_assert_cmpuint (n_asked, >=, N_IMAGES);
  g_assert_cmpuint (n_asked, <=, MOST_LOOKS * N_IMAGES);
}

/* New images do not make it look at the others. */
static void
test_growth (gconstpointer data)
{
  enum
  {
    N_NEW = 10
  };
  g_autoptr (Folder) folder = folder_new ();
  is_mute = data != NULL;
  g_autoptr (TlStream) stream = open_folder (folder);
  folder_write_numbered (folder, "live/proj_", N_IMAGES, 0, TL_SAMPLE_U16);
  for (size_t k = 0; k < N_IMAGES; k++)
    assert_frame (stream, k, 1);
  n_asked = 0;
  const gint64 start_us = g_get_monotonic_time ();
  for (size_t k = N_IMAGES; k < N_IMAGES + N_NEW; k++)
    {
      g_autofree char *name = g_strdup_printf ("live/proj_%zu.tif", k);
      write_image (folder, name, 0);
      assert_frame (stream, k, 1);
    }
  const size_t seconds =
      (size_t)((g_get_monotonic_time () - start_us) / G_USEC_PER_SEC);
  g_assert_cmpuint (n_asked, <=, (seconds + 1) * (N_IMAGES + N_NEW));
}

/* An image that was closed does not have to rest. */
static void
test_delay (void)
{
  enum
  {
    N_NEW = 20,
    REST_US = 100000
  };
  g_autoptr (Folder) folder = folder_new ();
  gint64 least_us = G_MAXINT64;
  is_mute = FALSE;
  g_autoptr (TlStream) stream = open_folder (folder);
  for (size_t k = 0; k < N_NEW; k++)
    {
      g_autofree char *name = g_strdup_printf ("live/proj_%zu.tif", k);
      write_image (folder, name, 0);
      const gint64 start_us = g_get_monotonic_time ();
      assert_frame (stream, k, 1);
      least_us = MIN (least_us, g_get_monotonic_time () - start_us);
    }
  g_assert_cmpint (least_us, <, REST_US / 2);
}

/* Images that are written again are another scan, and so are those in another
 * folder under the same name. */
static void
test_replaced (gconstpointer data)
{
  g_autoptr (Folder) folder = folder_new ();
  g_autofree char *live = folder_path (folder, "live");
  g_autofree char *old = folder_path (folder, "old");
  is_mute = data != NULL;
  folder_write_numbered (folder, "live/proj_", 3, 0, TL_SAMPLE_U16);
  g_autoptr (TlStream) stream = open_folder (folder);
  for (guint scan = 1; scan <= 3; scan++)
    {
      for (size_t k = 0; k < 3; k++)
        assert_frame (stream, k, scan);
      assert_quiet (stream, 150);
      if (scan == 2)
        g_assert_cmpint (g_rename (live, old), ==, 0);
      if (scan < 3)
        folder_write_numbered (folder, scan == 1 ? "live/proj_" : "next/proj_",
                               3, scan, TL_SAMPLE_U16);
      if (scan == 2)
        {
          g_autofree char *next = folder_path (folder, "next");
          g_assert_cmpint (g_rename (next, live), ==, 0);
        }
    }
}

/* Images that are replaced one after the other, as a detector does it, are one
 * other scan; flats that are not replaced belong to it, too. */
static void
test_overwritten (gconstpointer data)
{
  enum
  {
    N = 4,
    N_FLATS = 2
  };
  g_autoptr (Folder) folder = folder_new ();
  size_t n_flats = 0;
  is_mute = data != NULL;
  folder_write_numbered (folder, "live/flat_", N_FLATS, 9, TL_SAMPLE_U16);
  folder_write_numbered (folder, "live/proj_", N, 0, TL_SAMPLE_U16);
  g_autoptr (TlStream) stream = open_folder (folder);
  for (size_t k = 0; k < N_FLATS + N; k++)
    {
      TlStreamEvent event;
      wait_for_next (stream, &event);
      g_assert_cmpint (event.type, ==, TL_STREAM_FRAME);
    }
  assert_quiet (stream, 1200); /* so that they are not of the next scan */
  for (size_t k = 0; k < N; k++)
    {
      g_autofree char *name = g_strdup_printf ("live/proj_%zu.tif", k);
      TlStreamEvent event;
      write_image (folder, name, 1);
      do
        {
          wait_for_next (stream, &event);
          if (event.type == TL_STREAM_FRAME && event.kind == TL_FRAMES_FLATS)
            n_flats++;
        }
      while (event.type == TL_STREAM_FRAME && event.kind == TL_FRAMES_FLATS);
      g_assert_cmpint (event.type, ==, TL_STREAM_FRAME);
      g_assert_cmpuint (event.number, ==, k);
      g_assert_cmpuint (*(const guint16 *)event.pixels, ==,
                        (guint)sample_value (1, 0, 0, 0));
      g_assert_cmpuint (tl_stream_get_scan (stream)->serial, ==, 2);
    }
  g_assert_cmpuint (n_flats, ==, N_FLATS);
  assert_quiet (stream, 300);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/folder/calls/told", NULL, test_calls);
  g_test_add_data_func ("/folder/calls/mute", "", test_calls);
  g_test_add_data_func ("/folder/growth/told", NULL, test_growth);
  g_test_add_data_func ("/folder/growth/mute", "", test_growth);
  g_test_add_func ("/folder/angles", test_angles);
  g_test_add_func ("/folder/delay", test_delay);
  g_test_add_data_func ("/folder/replaced/mute", "", test_replaced);
  g_test_add_data_func ("/folder/replaced/told", NULL, test_replaced);
  g_test_add_data_func ("/folder/overwritten/told", NULL, test_overwritten);
  g_test_add_data_func ("/folder/overwritten/mute", "", test_overwritten);
  return g_test_run ();
}

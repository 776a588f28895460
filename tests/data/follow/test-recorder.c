/* Scans of a stream are kept as files, whatever the disk does. */
#include "data/follow/recorder.h"

#include "data/write/exchange-file.h"
#include "tests/data/write/full-disk.h"

#include <hdf5.h>
#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 2,
  N_COLS = 3,
  N_PIXELS = N_ROWS * N_COLS,
  FRAME_BYTES = N_PIXELS * sizeof (guint16),
  PATIENCE_US = 20 * G_USEC_PER_SEC
};

/* --- a disk that stands still --- */

static GMutex disk;

gboolean __real_tl_exchange_file_append (TlExchangeFile *file, TlImageKey key,
                                         const void *pixels, double angle_deg,
                                         GError **error);
gboolean __wrap_tl_exchange_file_append (TlExchangeFile *file, TlImageKey key,
                                         const void *pixels, double angle_deg,
                                         GError **error);

gboolean
__wrap_tl_exchange_file_append (TlExchangeFile *file, TlImageKey key,
                                const void *pixels, double angle_deg,
                                GError **error)
{
  g_mutex_lock (&disk);
  const gboolean good =
      __real_tl_exchange_file_append (file, key, pixels, angle_deg, error);
  g_mutex_unlock (&disk);
  return good;
}

/* --- the stream --- */

typedef struct
{
  char *folder;
  TlRecorder *recorder;
  TlStreamScan scan;
  size_t number; /* of the next frame */
  size_t n_lost; /* before it */
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer max_frames)
{
  g_autoptr (GError) error = NULL;
  fixture->folder = make_folder ();
  const TlRecorderOptions options = {
    .folder = fixture->folder,
    .max_bytes = (guint64)GPOINTER_TO_INT (max_frames) * FRAME_BYTES,
  };
  fixture->recorder = tl_recorder_new ("stream", &options, &error);
  g_assert_no_error (error);
  fixture->scan = (TlStreamScan){
    .serial = 1, .n_rows = N_ROWS, .n_cols = N_COLS, .type = TL_SAMPLE_U16
  };
}

static void
tear_down (Fixture *fixture, gconstpointer max_frames)
{
  tl_recorder_unref (fixture->recorder);
  remove_folder (fixture->folder);
  g_free (fixture->folder);
}

static void
send_frames (Fixture *fixture, size_t n)
{
  guint16 pixels[N_PIXELS] = { 0 };
  for (size_t k = 0; k < n; k++)
    {
      const TlStreamEvent event = {
        .type = TL_STREAM_FRAME,
        .kind = TL_FRAMES_PROJECTIONS,
        .number = fixture->number,
        .angle_deg = (double)fixture->number,
        .pixels = pixels,
      };
      pixels[0] = (guint16)fixture->number++;
      tl_recorder_take (fixture->recorder, &fixture->scan, &event);
    }
}

static void
send_end (Fixture *fixture)
{
  const TlStreamEvent event = { .type = TL_STREAM_END, .angle_deg = NAN };
  tl_recorder_take (fixture->recorder, &fixture->scan, &event);
}

static void
begin_next (Fixture *fixture)
{
  fixture->scan.serial++;
  fixture->number = 0;
}

/* @n_missing: frames */
static void
assert_recording (Fixture *fixture, size_t n_frames, size_t n_missing,
                  gboolean is_complete)
{
  const gint64 end_us = g_get_monotonic_time () + PATIENCE_US;
  g_autoptr (TlRecording) recording = NULL;
  while ((recording = tl_recorder_take_recording (fixture->recorder)) == NULL)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end_us);
      g_usleep (1000);
    }
  g_assert_cmpuint (recording->n_frames[TL_FRAMES_PROJECTIONS], ==, n_frames);
  g_assert_cmpuint (recording->n_missing, ==, n_missing);
  g_assert_cmpuint (recording->n_lost, ==, fixture->n_lost);
  g_assert_cmpint (recording->is_complete, ==, is_complete);
  g_assert_true (g_file_test (recording->path, G_FILE_TEST_EXISTS));
  g_assert_cmpint (g_str_has_suffix (recording->path, ".unfinished.h5"), !=,
                   is_complete);

  guint64 n_noted = 0;
  hid_t file = H5Fopen (recording->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t data =
      H5Dopen2 (file, "/process/acquisition/frames_not_recorded", H5P_DEFAULT);
  g_assert_cmpint (H5Dread (data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL,
                            H5P_DEFAULT, &n_noted),
                   >=, 0);
  g_assert_cmpuint (n_noted, ==, n_missing);
  H5Dclose (data);
  H5Fclose (file);
}

/* @part: of the only trouble that there is; %NULL: there is none */
static void
assert_trouble (Fixture *fixture, const char *part)
{
  g_autofree char *text = tl_recorder_take_trouble (fixture->recorder);
  if (part == NULL)
    {
      g_assert_null (text);
      return;
    }
  g_assert_nonnull (text);
  g_assert_nonnull (strstr (text, part));
  g_assert_null (tl_recorder_take_trouble (fixture->recorder));
}

/* --- tests --- */

/* The stream does not wait for the disk: what has no room is counted, told
 * once, and noted in the file. */
static void
test_slow_disk (Fixture *fixture, gconstpointer max_frames)
{
  const size_t n_most = (size_t)GPOINTER_TO_INT (max_frames);
  const size_t n_kept = MAX (n_most, 1); /* one may always wait */
  g_mutex_lock (&disk);
  send_frames (fixture, n_kept + 7);
  send_end (fixture);
  assert_trouble (fixture, "the disk is too slow");
  g_mutex_unlock (&disk);
  assert_recording (fixture, n_kept, 7, TRUE);
  assert_trouble (fixture, "7 frames are missing in it");
  begin_next (fixture);
  send_frames (fixture, 1);
  send_end (fixture);
  assert_recording (fixture, 1, 0, TRUE);
  assert_trouble (fixture, NULL);
}

/* A scan of which nothing had room has no file, and counts as one that failed.
 */
static void
test_all_missing (Fixture *fixture, gconstpointer max_frames)
{
  const size_t n_most = (size_t)GPOINTER_TO_INT (max_frames);
  g_mutex_lock (&disk);
  send_frames (fixture, n_most);
  begin_next (fixture);
  send_frames (fixture, 5);
  send_end (fixture);
  g_mutex_unlock (&disk);
  assert_recording (fixture, n_most, 0, TRUE);
  begin_next (fixture);
  send_frames (fixture, 1);
  send_end (fixture);
  assert_recording (fixture, 1, 0, TRUE);
  g_autofree char *first = tl_recorder_take_trouble (fixture->recorder);
  g_assert_nonnull (strstr (first, "the disk is too slow"));
  assert_trouble (fixture, "nothing of the scan is recorded");
  g_assert_cmpuint (tl_recorder_count_failed (fixture->recorder), ==, 1);
}

/* The next scan ends the one before, which is complete if nobody knew how many
 * projections it has. */
static void
test_next_scan (Fixture *fixture, gconstpointer max_frames)
{
  send_frames (fixture, 3);
  begin_next (fixture);
  fixture->scan.n_projections = 10;
  send_frames (fixture, 4);
  assert_recording (fixture, 3, 0, TRUE);
  begin_next (fixture);
  send_frames (fixture, 5);
  fixture->n_lost = 6;
  assert_recording (fixture, 4, 0, FALSE);
  tl_recorder_end (fixture->recorder);
  fixture->n_lost = 5;
  assert_recording (fixture, 5, 0, TRUE);
  begin_next (fixture);
  send_frames (fixture, 2);
  tl_recorder_stop (fixture->recorder);
  fixture->n_lost = 8;
  assert_recording (fixture, 2, 0, FALSE);
  assert_trouble (fixture, NULL);
}

static void
send_flat (Fixture *fixture, size_t n_borrowed)
{
  const guint16 pixels[N_PIXELS] = { 0 };
  const TlStreamEvent event = {
    .type = TL_STREAM_FRAME,
    .kind = TL_FRAMES_FLATS,
    .angle_deg = NAN,
    .pixels = pixels,
    .n_borrowed = n_borrowed,
  };
  tl_recorder_take (fixture->recorder, &fixture->scan, &event);
}

/* Flats of an earlier scan are in the file only if there are no own ones. */
static void
test_borrowed (Fixture *fixture, gconstpointer max_frames)
{
  for (size_t n_own = 0; n_own <= 2; n_own++)
    {
      g_autoptr (TlRecording) recording = NULL;
      begin_next (fixture);
      send_flat (fixture, 5);
      send_frames (fixture, 2);
      for (size_t k = 0; k < n_own; k++)
        send_flat (fixture, 0);
      send_end (fixture);
      while ((recording = tl_recorder_take_recording (fixture->recorder))
             == NULL)
        g_usleep (1000);
      g_assert_cmpuint (recording->n_frames[TL_FRAMES_FLATS], ==,
                        MAX (n_own, 1));
      g_assert_cmpuint (recording->n_frames[TL_FRAMES_PROJECTIONS], ==, 2);
    }
}

/* What is wrong with the file of an older scan is no problem of the present
 * one. */
static void
test_problem (Fixture *fixture, gconstpointer max_frames)
{
  g_autofree char *problem = NULL;
  g_mutex_lock (&disk);
  /* half a frame, two whole ones, one without room, and another half */
  for (size_t k = 0; k < 3; k++)
    {
      fixture->scan.n_rows = k == 1 ? N_ROWS : N_ROWS / 2;
      send_frames (fixture, k == 1 ? 3 : 1);
      begin_next (fixture);
    }
  g_mutex_unlock (&disk);
  tl_recorder_stop (fixture->recorder);
  g_assert_cmpuint (tl_recorder_count_failed (fixture->recorder), ==, 1);
  problem = tl_recorder_dup_problem (fixture->recorder);
  g_assert_cmpstr (problem, ==, NULL);
}

/* Projections that have not come, by their numbers or by the number of all. */
static void
test_lost (Fixture *fixture, gconstpointer max_frames)
{
  send_frames (fixture, 2);
  fixture->number += fixture->n_lost = 3;
  send_frames (fixture, 1);
  send_end (fixture);
  assert_recording (fixture, 3, 0, TRUE);
  begin_next (fixture);
  fixture->scan.n_projections = 9;
  send_frames (fixture, 5);
  fixture->n_lost = 4;
  send_end (fixture);
  assert_recording (fixture, 5, 0, TRUE);
}

/* A scan that has begun stays recorded, or not. */
static void
test_folder (Fixture *fixture, gconstpointer max_frames)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *inner = g_build_filename (fixture->folder, "file", NULL);
  send_frames (fixture, 1);
  g_assert_true (tl_recorder_set_folder (fixture->recorder, NULL, NULL));
  send_frames (fixture, 2);
  send_end (fixture);
  assert_recording (fixture, 3, 0, TRUE);
  begin_next (fixture);
  send_frames (fixture, 1);
  g_assert_true (
      tl_recorder_set_folder (fixture->recorder, fixture->folder, NULL));
  send_frames (fixture, 1);
  send_end (fixture);
  begin_next (fixture);
  g_assert_true (g_file_set_contents (inner, "", 0, NULL));
  g_assert_false (tl_recorder_set_folder (fixture->recorder, inner, &error));
  g_assert_nonnull (strstr (error->message, inner));
  send_frames (fixture, 2);
  send_end (fixture);
  assert_recording (fixture, 2, 0, TRUE);
  g_assert_null (tl_recorder_take_recording (fixture->recorder));
  assert_trouble (fixture, NULL);
}

/* Frames after the end are not in the file, which is told once. */
static void
test_late (Fixture *fixture, gconstpointer max_frames)
{
  send_frames (fixture, 2);
  send_end (fixture);
  assert_trouble (fixture, NULL);
  send_frames (fixture, 2);
  assert_trouble (fixture, "after the end");
  assert_recording (fixture, 2, 0, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/recorder/slow-disk", Fixture, GINT_TO_POINTER (3), set_up,
              test_slow_disk, tear_down);
  g_test_add ("/recorder/slow-disk/one-frame", Fixture, GINT_TO_POINTER (0),
              set_up, test_slow_disk, tear_down);
  g_test_add ("/recorder/all-missing", Fixture, GINT_TO_POINTER (3), set_up,
              test_all_missing, tear_down);
  g_test_add ("/recorder/next-scan", Fixture, GINT_TO_POINTER (100), set_up,
              test_next_scan, tear_down);
  g_test_add ("/recorder/borrowed", Fixture, GINT_TO_POINTER (100), set_up,
              test_borrowed, tear_down);
  g_test_add ("/recorder/lost", Fixture, GINT_TO_POINTER (100), set_up,
              test_lost, tear_down);
  g_test_add ("/recorder/problem", Fixture, GINT_TO_POINTER (3), set_up,
              test_problem, tear_down);
  g_test_add ("/recorder/folder", Fixture, GINT_TO_POINTER (100), set_up,
              test_folder, tear_down);
  g_test_add ("/recorder/late", Fixture, GINT_TO_POINTER (100), set_up,
              test_late, tear_down);
  return g_test_run ();
}

/* A user in a hurry: opens, tunes, compares, exports, cancels and closes at
 * random, without waiting for anything. A session that begins afterwards shows
 * the right slice. TL_HURRY_S: seconds that this takes at least. */
#include "app/session/session.h"

#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <glib/gstdio.h>
#include <stdlib.h>

enum
{
  N_ACTS = 60, /* of a session */
  N_SCANS = 5
};

typedef struct
{
  TlSession *session;
  char *scans[N_SCANS]; /* whole ones, one that is damaged, and no file */
  char *exports[3];
} Hurry;

static int
pick (int n)
{
  return g_test_rand_int_range (0, n);
}

/* --- what a user does --- */

static void
open (Hurry *hurry)
{
  tl_session_open (hurry->session, hurry->scans[pick (N_SCANS)]);
}

static void
stop_opening (Hurry *hurry)
{
  tl_session_stop_opening (hurry->session);
}

/* Also values that the scan or the engine refuses. */
static void
tune (Hurry *hurry)
{
  static const struct
  {
    const char *key, *value;
  } changes[] = { { "filter", "hann" },
                  { "filter", "ramp" },
                  { "method", "back-projection" },
                  { "method", "fourier" },
                  { "interpolation", "cubic" },
                  { "precision", "fast" },
                  { "precision", "full" },
                  { "rings", "sorting" },
                  { "rings", "off" },
                  { "zingers", "on" },
                  { "half", "on" },
                  { "half", "auto" },
                  { "kernel", "tensor" },
                  { "leave-out", "3:5" },
                  { "leave-out", "" },
                  { "bin", "2" },
                  { "bin", "1" } };
  const guint k = (guint)pick (G_N_ELEMENTS (changes));
  tl_parameters_set (hurry->session->parameters, changes[k].key,
                     changes[k].value, NULL);
}

static void
drag (Hurry *hurry)
{
  TlParameters *parameters = hurry->session->parameters;
  for (int k = pick (5); k >= 0; k--)
    tl_parameters_set_centre (parameters, g_test_rand_double_range (0, 70));
  tl_parameters_set_slice (parameters, (guint)pick (N_ROWS + 3));
}

static void
undo (Hurry *hurry)
{
  if (pick (3) == 0)
    tl_parameters_redo (hurry->session->parameters);
  else
    tl_parameters_undo (hurry->session->parameters);
}

static void
look (Hurry *hurry)
{
  static const TlPicture pictures[] = { TL_PICTURE_SLICE, TL_PICTURE_SLICE,
                                        TL_PICTURE_SINOGRAM,
                                        TL_PICTURE_PROJECTION };
  tl_display_set_picture (hurry->session->display,
                          pictures[pick (G_N_ELEMENTS (pictures))]);
}

static void
compare (Hurry *hurry)
{
  TlSession *session = hurry->session;
  if (pick (4) == 0)
    tl_slice_comparison_release (session->comparison);
  else
    tl_display_hold_slice (session->display);
  tl_slice_comparison_set_mode (session->comparison,
                                (TlCompareMode)pick (TL_N_COMPARE_MODES));
}

static void export(Hurry *hurry)
{
  const size_t first = (size_t)pick (N_ROWS);
  tl_session_export (hurry->session->exporter, hurry->exports[pick (3)], first,
                     first + (size_t)pick (6));
}

static void
answer (Hurry *hurry)
{
  TlExporter *exporter = hurry->session->exporter;
  GListModel *runs = tl_exporter_get_runs (exporter);
  const guint n = g_list_model_get_n_items (runs);
  if (n == 0)
    return;
  g_autoptr (TlExportRun) run =
      g_list_model_get_item (runs, (guint)pick ((int)n));
  switch (pick (5))
    {
    case 0:
      tl_export_run_cancel (run);
      break;
    case 1:
      tl_exporter_cancel (exporter);
      break;
    case 2:
      tl_exporter_run_again (exporter, run);
      break;
    case 3:
      tl_exporter_remove (exporter, run);
      break;
    default:
      tl_exporter_answer (exporter, run, TL_EXPORT_REPLACE);
    }
}

static void
reload (Hurry *hurry)
{
  tl_session_reload (hurry->session);
}

static void
act (Hurry *hurry)
{
  static void (*const acts[]) (
      Hurry *) = { open, stop_opening, tune,    tune,   drag,   drag,
                   undo, look,         compare, export, answer, reload };
  acts[pick (G_N_ELEMENTS (acts))](hurry);
  for (int k = pick (20); k > 0; k--)
    {
      g_main_context_iteration (NULL, FALSE);
      if (k % 4 == 0)
        g_usleep (1000);
    }
}

/* --- sessions --- */

static void
hurry_through (Hurry *hurry)
{
  hurry->session = tl_session_new ();
  tl_parameters_set (hurry->session->parameters, "engine", "host", NULL);
  for (int k = 0; k < N_ACTS; k++)
    act (hurry);
  /* whatever it is doing */
  g_assert_finalize_object (hurry->session);
}

static void
test_hurry (TlFixture *fixture, gconstpointer data)
{
  const char *seconds = g_getenv ("TL_HURRY_S");
  const gint64 end_us =
      g_get_monotonic_time ()
      + (seconds != NULL ? atoi (seconds) : 2) * G_USEC_PER_SEC;
  g_autofree char *images = tl_scratch_path (fixture->folder, "images");
  Hurry hurry = { .scans = { fixture->scan, images } };
  guint n = 0;
  g_assert_cmpint (g_mkdir (images, 0777), ==, 0);
  tl_scratch_images (images, "p", 7, 4, 9, 0.5f);
  hurry.scans[2] = tl_scratch_phantom (fixture->folder, "other.h5", 20, 9, 40);
  hurry.scans[3] = tl_scratch_path (fixture->folder, "damaged.h5");
  hurry.scans[4] = tl_scratch_path (fixture->folder, "nothing.h5");
  g_assert_true (g_file_set_contents (
      hurry.scans[3], "\x89HDF\r\n\x1a\n and no more", -1, NULL));
  for (guint k = 0; k < G_N_ELEMENTS (hurry.exports); k++)
    {
      g_autofree char *name = g_strdup_printf ("volume-%u", k);
      hurry.exports[k] = tl_scratch_path (fixture->folder, name);
    }
  for (; n == 0 || g_get_monotonic_time () < end_us; n++)
    hurry_through (&hurry);
  g_test_message ("%u sessions of %d acts", n, N_ACTS);
  tl_scan_memory_forget (); /* of projections that were left out */
  tl_fixture_open_scan (fixture);
  tl_session_change (fixture->session, "centre", "28.25");
  tl_session_change (fixture->session, "slice", "4");
  tl_session_assert_shown (fixture->session, fixture->scan, "4", "28.25");
  for (guint k = 2; k < N_SCANS; k++)
    g_free (hurry.scans[k]);
  for (guint k = 0; k < G_N_ELEMENTS (hurry.exports); k++)
    g_free (hurry.exports[k]);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = { { "/hurry/sessions", test_hurry } };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}

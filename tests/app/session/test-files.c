/* Saying which images of a folder are what. The folder is that of
 * tests/support/decoys.py, whose darks cannot be found by their names. */
#include "app/session/session.h"

#include "data/error.h"
#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

enum
{
  N_GROUPS = 6
};

/* Returns: %FALSE, and the case is skipped, without h5py */
static gboolean
open_decoys (TlFixture *fixture)
{
  g_autofree char *folder = tl_scratch_decoys (fixture->folder, fixture->scan);
  if (folder == NULL)
    return FALSE;
  tl_session_open (fixture->session, folder);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  tl_session_assert_message (fixture->session, NULL);
  return TRUE;
}

static TlScanOffer *
get_offer (TlSession *session, guint index)
{
  TlScanOffer *offer =
      g_list_model_get_item (tl_scan_files_get_offers (session->files), index);
  g_object_unref (offer); /* the list keeps it */
  return offer;
}

static guint
find_group (TlSession *session, const char *pattern)
{
  guint i = 0;
  while (strcmp (tl_scan_offer_get_path (get_offer (session, i)), pattern) != 0)
    i++;
  return i;
}

static void
set_kind (TlSession *session, const char *pattern, TlFrameKind kind)
{
  tl_scan_files_set_kind (session->files, find_group (session, pattern), kind);
}

static gboolean
has_glances (TlSession *session)
{
  for (guint i = 0; i < N_GROUPS; i++)
    if (tl_scan_offer_get_glance (get_offer (session, i)) == NULL)
      return FALSE;
  return TRUE;
}

static void
assign (TlSession *session)
{
  g_autoptr (GError) error = NULL;
  tl_session_assign_files (session, &error);
  g_assert_no_error (error);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, NULL);
}

static void
assert_recipe (TlSession *session, const char *projections, const char *flats,
               const char *darks)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  g_assert_cmpstr (recipe->projections, ==, projections);
  g_assert_cmpstr (recipe->flats, ==, flats);
  g_assert_cmpstr (recipe->darks, ==, darks);
}

/* Each group has a picture of one of its images. */
static void
test_list (TlFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *pattern, *text;
    TlFrameKind kind;
  } groups[N_GROUPS] = {
    { "proj_#.tif", "37 images of 61 × 19 pixels", TL_FRAMES_PROJECTIONS },
    { "flat_#.tif", "20 images of 61 × 19 pixels", TL_FRAMES_FLATS },
    { "align_#.tif", "3 images of 61 × 19 pixels", TL_FRAMES_LEFT_OUT },
    { "closed/#.tif", "10 images of 61 × 19 pixels", TL_FRAMES_LEFT_OUT },
    { "overview_#.tif", "4 images of 31 × 10 pixels", TL_FRAMES_LEFT_OUT },
    { "proj_#_bb.tif", "8 images of 61 × 19 pixels", TL_FRAMES_LEFT_OUT },
  };
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  g_assert_false (tl_session_can_list_files (session));
  if (!open_decoys (fixture))
    return;
  g_assert_true (tl_session_can_list_files (session));
  tl_session_list_files (session);
  g_assert_cmpuint (
      g_list_model_get_n_items (tl_scan_files_get_offers (session->files)), ==,
      N_GROUPS);
  tl_session_wait_until (session, has_glances);
  for (guint i = 0; i < N_GROUPS; i++)
    {
      TlScanOffer *offer = get_offer (session, i);
      const TlGlance *glance = tl_scan_offer_get_glance (offer);
      g_assert_cmpstr (tl_scan_offer_get_path (offer), ==, groups[i].pattern);
      g_assert_cmpstr (tl_scan_offer_get_text (offer), ==, groups[i].text);
      g_assert_cmpint (tl_scan_files_get_kind (session->files, i), ==,
                       groups[i].kind);
      g_assert_nonnull (glance->pixels);
      g_assert_cmpuint (glance->n_rows, ==, i == 4 ? 10 : 19);
      g_assert_cmpuint (glance->n_cols, ==, i == 4 ? 31 : 61);
    }
  g_autofree char *angles = tl_scan_files_dup_present_angles (session->files);
  g_assert_nonnull (
      strstr (angles, "At present: 0 … 175.135 degrees (assumed"));
  g_assert_cmpstr (tl_scan_files_get_angles (session->files), ==, "");
  /* the same angles, which are given for all projections, if some are left out
   * at the ends */
  tl_session_change (session, "leave-out", "0:2,36");
  tl_session_list_files (session);
  g_autofree char *again = tl_scan_files_dup_present_angles (session->files);
  g_autofree char *example = tl_scan_files_dup_example (session->files);
  g_assert_cmpstr (again, ==, angles);
  g_assert_cmpstr (example, ==, "0:175.135");
}

/* The size of images that cannot be read is not known. */
static void
test_unreadable (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  if (!open_decoys (fixture))
    return;
  g_autofree char *broken = g_build_filename (
      tl_scan_source_get_summary (session->source)->path, "broken.tif", NULL);
  g_assert_true (g_file_set_contents (broken, "no image", -1, NULL));
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_list_files (session);
  TlScanOffer *offer = get_offer (session, find_group (session, "broken.tif"));
  g_assert_cmpstr (tl_scan_offer_get_text (offer), ==,
                   "1 image that cannot be read");
}

static gboolean
is_asked_about_files (TlSession *session)
{
  const GPtrArray *notes = tl_scan_source_get_summary (session->source)->notes;
  gboolean is_asked = FALSE;
  for (guint i = 0; i < notes->len; i++)
    {
      const TlNote *note = notes->pdata[i];
      is_asked |= note->asks && strstr (note->text, "left out") != NULL;
    }
  return is_asked;
}

static void
rename_in (const char *folder, const char *from, const char *to)
{
  g_autofree char *old = g_build_filename (folder, from, NULL);
  g_autofree char *new = g_build_filename (folder, to, NULL);
  g_assert_cmpint (g_rename (old, new), ==, 0);
}

/* What is left as it is, is confirmed: the scan stays as it is read, and the
 * notes do not ask about it again, unless other images are left out. */
static void
test_confirm (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  if (!open_decoys (fixture))
    return;
  const guint64 serial = tl_scan_source_get_serial (session->source);
  g_assert_true (is_asked_about_files (session));
  tl_session_list_files (session);
  assign (session);
  g_assert_cmpuint (tl_scan_source_get_serial (session->source), ==, serial);
  g_assert_false (is_asked_about_files (session));
  tl_session_change (session, "angles", "0:170");
  g_assert_cmpuint (tl_scan_source_get_serial (session->source), !=, serial);
  g_assert_false (is_asked_about_files (session));
  rename_in (tl_scan_source_get_summary (session->source)->path,
             "align_000.tif", "added_000.tif");
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (is_asked_about_files (session));
}

/* The folder that is listed is opened again if another scan is open now. */
static void
test_other_scan (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  if (!open_decoys (fixture))
    return;
  g_autofree char *folder =
      g_strdup (tl_scan_source_get_summary (session->source)->path);
  tl_session_list_files (session);
  tl_fixture_open_scan (fixture);
  assign (session);
  g_assert_cmpstr (tl_scan_source_get_summary (session->source)->path, ==,
                   folder);
  assert_recipe (session, NULL, NULL, NULL);
}

/* With the darks and the angles the slice is that of the scan from which the
 * folder was made. */
static void
test_assign (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  if (!open_decoys (fixture))
    return;
  tl_session_change (session, "centre", "30");
  tl_session_list_files (session);
  set_kind (session, "closed/#.tif", TL_FRAMES_DARKS);
  tl_scan_files_set_angles (session->files, "0:175.13513513513513");
  assign (session);
  assert_recipe (session, NULL, NULL, "closed/#.tif");
  g_assert_false (is_asked_about_files (session));
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_assert_cmpuint (scan->n_darks, ==, 10);
  g_assert_cmpuint (scan->n_projections, ==, 37);
  /* the list of recent scans keeps it */
  g_autoptr (GVariant) places =
      g_variant_ref_sink (tl_session_get_places (session));
  g_autofree char *text = g_variant_print (places, FALSE);
  g_assert_cmpstr (text, ==, "{'darks': 'closed/#.tif'}");
  /* in its place, though darks come before images left out */
  tl_session_list_files (session);
  g_assert_cmpuint (find_group (session, "closed/#.tif"), ==, 3);
  g_assert_cmpint (tl_scan_files_get_kind (session->files, 3), ==,
                   TL_FRAMES_DARKS);
  g_assert_cmpstr (tl_scan_files_get_angles (session->files), ==,
                   "0:175.13513513513513");
}

/* Several groups for one kind, none for another, and other projections; what
 * was said before stays until it changes. */
static void
test_other_projections (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  if (!open_decoys (fixture))
    return;
  tl_session_list_files (session);
  set_kind (session, "proj_#.tif", TL_FRAMES_LEFT_OUT);
  set_kind (session, "proj_#_bb.tif", TL_FRAMES_PROJECTIONS);
  set_kind (session, "align_#.tif", TL_FRAMES_PROJECTIONS);
  set_kind (session, "flat_#.tif", TL_FRAMES_LEFT_OUT);
  assign (session);
  assert_recipe (session, "align_#.tif;proj_#_bb.tif", "none", NULL);
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_assert_cmpuint (scan->n_projections, ==, 11);
  g_assert_cmpuint (scan->n_flats, ==, 0);
  g_assert_true (scan->is_attenuation);
  g_assert_false (
      tl_parameters_get_recipe (session->parameters)->params.minus_log);
  tl_session_list_files (session);
  g_assert_cmpuint (find_group (session, "proj_#.tif"), ==, 0);
  g_assert_cmpuint (find_group (session, "align_#.tif"), ==, 2);
  g_assert_cmpuint (find_group (session, "proj_#_bb.tif"), ==, 5);
  g_assert_cmpint (tl_scan_files_get_kind (session->files, 5), ==,
                   TL_FRAMES_PROJECTIONS);
  set_kind (session, "flat_#.tif", TL_FRAMES_FLATS);
  assign (session);
  assert_recipe (session, "align_#.tif;proj_#_bb.tif", "flat_#.tif", NULL);
  g_assert_true (
      tl_parameters_get_recipe (session->parameters)->params.minus_log);
  /* undone, the folder is open as before */
  tl_parameters_undo (session->parameters);
  tl_session_wait_for (session, "busy", FALSE);
  assert_recipe (session, "align_#.tif;proj_#_bb.tif", "none", NULL);
}

static void
open_again (TlFixture *fixture, const char *folder)
{
  tl_fixture_open_scan (fixture);
  tl_session_open (fixture->session, folder);
  tl_session_wait_for (fixture->session, "busy", FALSE);
}

static void
assert_notice (TlSession *session, const char *part)
{
  g_autofree char *notice = NULL;
  g_object_get (session->messages, "notice", &notice, NULL);
  g_assert_nonnull (notice);
  g_assert_nonnull (strstr (notice, part));
}

/* A folder that is opened again has the groups and the angles that were said,
 * as long as its files are there. */
static void
test_remembered (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  if (!open_decoys (fixture))
    return;
  g_autofree char *folder =
      g_strdup (tl_scan_source_get_summary (session->source)->path);
  g_autofree char *closed = g_build_filename (folder, "closed", NULL);
  g_autofree char *elsewhere = tl_scratch_path (fixture->folder, "elsewhere");
  tl_session_list_files (session);
  set_kind (session, "closed/#.tif", TL_FRAMES_DARKS);
  assign (session);
  open_again (fixture, folder);
  assert_recipe (session, NULL, NULL, "closed/#.tif");
  assert_notice (session, "taken over from last time: its files");
  tl_session_list_files (session);
  tl_scan_files_set_angles (session->files, "0:90");
  assign (session);
  open_again (fixture, folder);
  assert_recipe (session, NULL, NULL, "closed/#.tif");
  assert_notice (session, "taken over from last time: its angles, its files");
  g_assert_cmpfloat (
      tl_scan_source_get_summary (session->source)->last_angle_deg, ==, 90);
  g_assert_cmpint (g_rename (closed, elsewhere), ==, 0);
  open_again (fixture, folder);
  tl_session_assert_message (session, "closed/#.tif");
  open_again (fixture, folder);
  tl_session_assert_message (session, NULL);
  assert_recipe (session, NULL, NULL, NULL);
}

static void
test_refused (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autoptr (GError) error = NULL;
  if (!open_decoys (fixture))
    return;
  tl_session_list_files (session);
  set_kind (session, "proj_#.tif", TL_FRAMES_FLATS);
  g_assert_false (tl_session_assign_files (session, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "No group is the projections"));
  g_clear_error (&error);
  set_kind (session, "proj_#.tif", TL_FRAMES_PROJECTIONS);
  tl_scan_files_set_angles (session->files, "7");
  g_assert_false (tl_session_assign_files (session, &error));
  g_assert_error (error, TL_ERROR, TL_ERROR_VALUE);
  g_assert_false (tl_scan_source_is_opening (session->source));
  assert_recipe (session, NULL, NULL, NULL);
  /* images of another size cannot be flats: the scan stays as it is */
  tl_scan_files_set_angles (session->files, "");
  set_kind (session, "flat_#.tif", TL_FRAMES_LEFT_OUT);
  set_kind (session, "overview_#.tif", TL_FRAMES_FLATS);
  g_assert_true (tl_session_assign_files (session, NULL));
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "flats are 10 x 31 pixels");
  tl_session_assert_message (session, "press “Files…”");
  assert_recipe (session, NULL, NULL, NULL);
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  g_assert_true (is_asked_about_files (session));
  /* other groups are of no help */
  g_autofree char *message = NULL;
  tl_session_change (session, "leave-out", "200");
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, "projection 200 cannot be left out");
  g_object_get (session->messages, "message", &message, NULL);
  g_assert_null (strstr (message, "Files"));
}

/* A group that is new comes last, as long as the folder is the same. */
static void
test_new_group (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  if (!open_decoys (fixture))
    return;
  g_autofree char *folder =
      g_strdup (tl_scan_source_get_summary (session->source)->path);
  tl_session_list_files (session);
  rename_in (folder, "align_000.tif", "added_000.tif");
  tl_session_reload (session);
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_list_files (session);
  g_assert_cmpuint (find_group (session, "align_#.tif"), ==, 2);
  g_assert_cmpuint (find_group (session, "proj_#_bb.tif"), ==, N_GROUPS - 1);
  g_assert_cmpuint (find_group (session, "added_000.tif"), ==, N_GROUPS);
}

/* A folder to which nothing was added for long is not being written. */
static void
make_old (const char *folder)
{
  struct utimbuf times = { 0, 0 };
  g_assert_cmpint (g_utime (folder, &times), ==, 0);
}

static void
assert_asks_files (TlSession *session, const char *part)
{
  guint asks;
  tl_session_wait_for (session, "busy", FALSE);
  tl_session_assert_message (session, part);
  tl_session_assert_message (session, "press “Files…”");
  g_object_get (session->messages, "asks", &asks, NULL);
  g_assert_cmpuint (asks, ==, TL_ASKS_FILES);
  g_assert_true (tl_session_can_list_files (session));
}

/* All names have a word of the flats: the user says which are which, and the
 * slice is that of the scan from which the folder was made. */
static void
test_only_flats (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *folder = tl_scratch_decoys (fixture->folder, fixture->scan);
  if (folder == NULL)
    return;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    g_ptr_array_add (names, g_strdup (name));
  for (guint k = 0; k < names->len; k++)
    {
      g_autofree char *to = g_strconcat ("flat_", names->pdata[k], NULL);
      rename_in (folder, names->pdata[k], to);
    }
  make_old (folder);
  tl_fixture_open_scan (fixture);
  tl_session_open (session, folder);
  g_assert_true (tl_session_set_opening (session, "centre", "30", NULL));
  assert_asks_files (session, "are flats or darks");
  tl_session_list_files (session);
  tl_session_wait_until (session, has_glances);
  g_assert_cmpstr (tl_scan_files_get_path (session->files), ==, folder);
  for (guint i = 0; i < N_GROUPS; i++)
    {
      g_assert_cmpint (tl_scan_files_get_kind (session->files, i), ==,
                       TL_FRAMES_FLATS);
      tl_scan_files_set_kind (session->files, i, TL_FRAMES_LEFT_OUT);
    }
  set_kind (session, "flat_proj_#.tif", TL_FRAMES_PROJECTIONS);
  set_kind (session, "flat_flat_#.tif", TL_FRAMES_FLATS);
  set_kind (session, "flat_closed/#.tif", TL_FRAMES_DARKS);
  tl_scan_files_set_angles (session->files, "0:175.13513513513513");
  assign (session);
  assert_recipe (session, "flat_proj_#.tif", "flat_flat_#.tif",
                 "flat_closed/#.tif");
  tl_session_assert_shown (session, fixture->scan, "9", "30");
}

/* The flats have another size than the projections, or a pattern of a recipe
 * fits nothing any more. What the user sees in the list is taken then. */
static void
test_other_size (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *folder = tl_scratch_decoys (fixture->folder, fixture->scan);
  if (folder == NULL)
    return;
  g_autofree char *fields = g_build_filename (folder, "fields", NULL);
  g_assert_cmpint (g_mkdir (fields, 0700), ==, 0);
  for (int k = 0; k < 20; k++)
    {
      g_autofree char *from = g_strdup_printf ("flat_%02d.tif", k);
      g_autofree char *to = g_strdup_printf ("fields/%02d.tif", k);
      rename_in (folder, from, to);
    }
  for (int k = 0; k < 4; k++)
    {
      g_autofree char *from = g_strdup_printf ("overview_%03d.tif", k);
      g_autofree char *to = g_strdup_printf ("flat_%03d.tif", k);
      rename_in (folder, from, to);
    }
  make_old (folder);
  tl_session_open (session, folder);
  assert_asks_files (session, "flats are 10 x 31 pixels");
  tl_session_list_files (session);
  set_kind (session, "flat_#.tif", TL_FRAMES_LEFT_OUT);
  assign (session);
  assert_recipe (session, "proj_#.tif", "none", "none");
  tl_session_open_places (
      session, folder,
      g_variant_new_parsed ("{'projections': 'proj_#.tif', 'flats': 'ob_#'}"));
  assert_asks_files (session, "ob_#");
  tl_session_list_files (session);
  set_kind (session, "flat_#.tif", TL_FRAMES_LEFT_OUT);
  set_kind (session, "fields/#.tif", TL_FRAMES_FLATS);
  assign (session);
  assert_recipe (session, "proj_#.tif", "fields/#.tif", "none");
  g_assert_cmpuint (tl_scan_source_get_summary (session->source)->n_flats, ==,
                    20);
  /* the list of the open folder again */
  tl_session_list_files (session);
  g_assert_false (tl_scan_files_is_refused (session->files));
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/files/list", test_list },
    { "/files/unreadable", test_unreadable },
    { "/files/confirm", test_confirm },
    { "/files/other-scan", test_other_scan },
    { "/files/assign", test_assign },
    { "/files/other-projections", test_other_projections },
    { "/files/remembered", test_remembered },
    { "/files/new-group", test_new_group },
    { "/files/refused", test_refused },
    { "/files/only-flats", test_only_flats },
    { "/files/other-size", test_other_size },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}

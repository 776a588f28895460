/* Choosing what of an HDF5 file is the scan. The files are those of
 * tests/support/relayout.py. */
#include "app/session/session.h"

#include "tests/app/scratch.h"
#include "tests/app/session/session-fixture.h"
#include "tests/support/formats.h"

#include <string.h>

static char *
get_path (TlFixture *fixture, const char *name)
{
  return tl_scratch_path (fixture->folder, name);
}

/* Returns: %FALSE, and the case is skipped, without h5py */
static gboolean
write_files (TlFixture *fixture)
{
  g_autofree char *script =
      g_test_build_filename (G_TEST_DIST, "support", "relayout.py", NULL);
  const char *const line[] = { "/usr/bin/python3", "-B", script, fixture->scan,
                               fixture->folder,    NULL };
  return tl_run_or_skip (line);
}

static gboolean was_asked;

static void
on_asked (void)
{
  was_asked = TRUE;
}

static gboolean
is_asked (TlSession *session)
{
  return was_asked;
}

static gboolean
has_glances (TlSession *session)
{
  GListModel *offers = tl_scan_chooser_get_offers (session->chooser);
  for (guint i = 0; i < g_list_model_get_n_items (offers); i++)
    {
      g_autoptr (TlScanOffer) offer = g_list_model_get_item (offers, i);
      if (tl_scan_offer_get_glance (offer) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Waits until the user is asked, and then for all small pictures. */
static void
wait_for_question (TlSession *session)
{
  tl_session_wait_until (session, is_asked);
  tl_session_wait_until (session, has_glances);
  was_asked = FALSE;
}

static void
set_up (TlFixture *fixture, gconstpointer data)
{
  tl_fixture_set_up (fixture, data);
  was_asked = FALSE;
  g_signal_connect (fixture->session->chooser, "asked", G_CALLBACK (on_asked),
                    NULL);
}

static void
open (TlFixture *fixture, const char *name)
{
  g_autofree char *path = get_path (fixture, name);
  tl_session_open (fixture->session, path);
  tl_session_wait_for (fixture->session, "busy", FALSE);
}

/* @places: pairs of a key and a value; %NULL-terminated */
static void
open_places (TlFixture *fixture, const char *name, const char *const *places)
{
  g_autofree char *path = get_path (fixture, name);
  GVariantBuilder builder;
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  for (; places[0] != NULL; places += 2)
    g_variant_builder_add (&builder, "{ss}", places[0], places[1]);
  tl_session_open_places (fixture->session, path,
                          g_variant_builder_end (&builder));
  tl_session_wait_for (fixture->session, "busy", FALSE);
}

static void
assert_offer (TlSession *session, guint index, gboolean is_scan,
              const char *path, const char *text)
{
  GListModel *offers = tl_scan_chooser_get_offers (session->chooser);
  g_autoptr (TlScanOffer) offer = g_list_model_get_item (offers, index);
  g_assert_nonnull (offer);
  g_assert_cmpint (tl_scan_offer_is_scan (offer), ==, is_scan);
  g_assert_cmpstr (tl_scan_offer_get_path (offer), ==, path);
  g_assert_cmpstr (tl_scan_offer_get_text (offer), ==, text);
}

static void
assert_data_path (TlSession *session, const char *path)
{
  g_assert_cmpstr (tl_parameters_get_recipe (session->parameters)->data_path,
                   ==, path);
}

static const char *const whole[] = { "data-path",   "/run/camera/frames",
                                     "keys-path",   "/run/camera/kind",
                                     "angles-path", "/run/stage/omega",
                                     NULL };

/* No layout fits: the datasets are offered. What was chosen gives the same
 * slice as the scan it was written from, and opens again by a recipe. */
static void
test_unknown (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *recipe = get_path (fixture, "recipe.ini");
  g_autofree char *unknown = get_path (fixture, "unknown.h5");
  g_autoptr (GError) error = NULL;
  if (!write_files (fixture))
    return;
  open (fixture, "unknown.h5");
  tl_session_assert_message (session, NULL);
  wait_for_question (session);
  g_assert_cmpstr (tl_scan_chooser_get_file (session->chooser), ==, unknown);
  g_assert_nonnull (
      strstr (tl_scan_chooser_get_reason (session->chooser), "unknown.h5: "));
  g_assert_cmpuint (
      g_list_model_get_n_items (tl_scan_chooser_get_offers (session->chooser)),
      ==, 2);
  assert_offer (session, 0, FALSE, "/run/camera/frames",
                "67 × 19 × 61, uint16");
  assert_offer (session, 1, FALSE, "/run/preview", "3 × 10 × 31, uint16");
  g_autofree const char **lists =
      tl_scan_chooser_list_places (session->chooser, "keys-path");
  g_autofree const char **images =
      tl_scan_chooser_list_places (session->chooser, "flats-path");
  g_assert_true (g_strv_contains (lists, "/run/stage/omega"));
  g_assert_false (g_strv_contains (lists, "/run/preview"));
  g_assert_true (g_strv_contains (images, "/run/preview"));
  open_places (fixture, "unknown.h5", whole);
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  g_assert_true (tl_parameters_save (session->parameters, recipe, &error));
  open (fixture, "scan.h5");
  assert_data_path (session, NULL);
  open (fixture, "recipe.ini");
  assert_data_path (session, "/run/camera/frames");
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  g_autoptr (GVariant) places =
      g_variant_ref_sink (tl_session_get_places (session));
  g_assert_cmpuint (g_variant_n_children (places), ==, 3);
  g_assert_false (was_asked);
}

static const char *const arrays[] = {
  "data-path", "/run/camera", "flats-path", "/run/open", "darks-path",
  "/run/shut", "angles-path", "/run/omega", NULL
};

/* The arrays of a Zarr group are offered just so. */
static void
test_unknown_zarr (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  if (tl_lacks_format ("Zarr") || !write_files (fixture))
    return;
  open (fixture, "unknown.zarr");
  tl_session_assert_message (session, NULL);
  wait_for_question (session);
  g_assert_false (tl_scan_chooser_takes_files (session->chooser));
  g_assert_cmpuint (
      g_list_model_get_n_items (tl_scan_chooser_get_offers (session->chooser)),
      ==, 3);
  assert_offer (session, 0, FALSE, "/run/camera", "37 × 19 × 61, uint16");
  open_places (fixture, "unknown.zarr", arrays);
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  g_assert_true (tl_session_can_choose (session));
  tl_session_choose (session);
  wait_for_question (session);
  g_assert_cmpuint (tl_scan_chooser_get_present (session->chooser), ==, 0);
  open (fixture, "lines.zarr");
  tl_session_assert_message (session, "has three dimensions (images, rows");
  g_assert_false (was_asked);
}

/* The picture is a projection from dark to bright, of one size at most. */
static void
test_glance (TlFixture *fixture, gconstpointer data)
{
  g_autofree char *large =
      tl_scratch_phantom (fixture->folder, "large.h5", 3, 40, 250);
  g_autofree char *missing = get_path (fixture, "missing.h5");
  g_autoptr (TlGlance) seen = tl_glance_take (large, "/exchange/data", NULL);
  g_autoptr (TlGlance) none = tl_glance_take (missing, "/", NULL);
  g_assert_cmpuint (seen->n_rows, ==, 15);
  g_assert_cmpuint (seen->n_cols, ==, 96);
  gsize size;
  const guint8 *pixels = g_bytes_get_data (seen->pixels, &size);
  g_assert_cmpuint (size, ==, (gsize)15 * 96 * 3);
  guint8 low = 255, high = 0;
  for (gsize i = 0; i < size; i++)
    {
      low = MIN (low, pixels[i]);
      high = MAX (high, pixels[i]);
      g_assert_cmpuint (pixels[i], ==, pixels[i / 3 * 3]);
    }
  g_assert_cmpuint (low, ==, 0);
  g_assert_cmpuint (high, ==, 255);
  /* the object in the middle absorbs, the air at the edge does not */
  const gsize middle = 3 * (7 * 96 + 48), edge = 3 * (gsize)(7 * 96 + 1);
  g_assert_cmpuint (pixels[middle] + 30, <, pixels[edge]);
  g_assert_null (none->pixels);
  g_assert_nonnull (strstr (none->text, "missing.h5"));
}

/* The first of two scans is opened, and the user asked; the other one is
 * another scan, for which the parameters of the first are forgotten. */
static void
test_two_scans (TlFixture *fixture, gconstpointer data)
{
  static const char *const second[] = { "data-path", "/entry2", NULL };
  TlSession *session = fixture->session;
  if (!write_files (fixture))
    return;
  open (fixture, "two.nxs");
  wait_for_question (session);
  g_assert_null (tl_scan_chooser_get_reason (session->chooser));
  assert_offer (session, 0, TRUE, "/entry1",
                "NXtomo HDF5: 37 × 19 × 61, uint16; flats: 20, darks: 10");
  assert_offer (session, 1, TRUE, "/entry2",
                "NXtomo HDF5: 37 × 19 × 61, uint16; flats: 20, darks: 10");
  assert_offer (session, 2, FALSE, "/entry1/instrument/camera/data",
                "67 × 19 × 61, uint16");
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  tl_session_change (session, "centre", "28");
  tl_session_change (session, "slice", "3");
  open_places (fixture, "two.nxs", second);
  tl_session_assert_message (session, NULL);
  g_assert_cmpfloat (tl_parameters_get_centre (session->parameters), ==, 30);
  tl_session_change (session, "slice", "15");
  tl_session_assert_shown (session, fixture->scan, "3", "30"); /* upside down */
  g_assert_false (was_asked);
  /* opened again, it is still the second one */
  open (fixture, "two.nxs");
  assert_data_path (session, "/entry2");
  g_assert_true (tl_session_can_choose (session));
  tl_session_choose (session);
  wait_for_question (session);
  g_assert_cmpuint (tl_scan_chooser_get_present (session->chooser), ==, 1);
}

static void
assert_asks_places (TlSession *session, const char *part)
{
  guint asks;
  tl_session_assert_message (session, part);
  g_object_get (session->messages, "asks", &asks, NULL);
  g_assert_cmpuint (asks, ==, TL_ASKS_PLACES);
  g_assert_true (tl_session_can_choose (session));
}

/* The flats of a known layout have another size: others can be chosen. */
static void
test_misfit (TlFixture *fixture, gconstpointer data)
{
  static const char *const other[] = { "data-path", "/exchange", "flats-path",
                                       "/open", NULL };
  TlSession *session = fixture->session;
  if (!write_files (fixture))
    return;
  g_assert_false (tl_session_can_choose (session));
  open (fixture, "misfit.h5");
  assert_asks_places (session, "flats are 10 x 61 pixels");
  g_assert_false (was_asked);
  tl_session_choose (session);
  wait_for_question (session);
  g_autofree char *question = tl_scan_chooser_dup_question (session->chooser);
  g_assert_nonnull (strstr (question, "flats are 10 x 61 pixels"));
  open_places (fixture, "misfit.h5", other);
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
}

/* Angles that do not fit may also be typed, which a user who chooses nothing is
 * told. */
static void
test_declined (TlFixture *fixture, gconstpointer data)
{
  static const char *const wrong[] = { "data-path", "/run/camera/frames",
                                       "angles-path", "fields.h5:/run/angles",
                                       NULL };
  TlSession *session = fixture->session;
  if (!write_files (fixture))
    return;
  open_places (fixture, "unknown.h5", wrong);
  for (int k = 0; k < 2; k++)
    {
      guint asks;
      wait_for_question (session);
      tl_scan_chooser_decline (session->chooser);
      tl_session_assert_message (session, "angles");
      g_object_get (session->messages, "asks", &asks, NULL);
      g_assert_cmpuint (asks, ==, TL_ASKS_PLACES | TL_ASKS_ANGLES);
      tl_session_choose (session);
    }
  wait_for_question (session);
}

/* A choice that does not fit is asked for again, and says why; the picture
 * stays. */
static void
test_wrong (TlFixture *fixture, gconstpointer data)
{
  static const char *const wrong[] = { "data-path", "/run/preview", "keys-path",
                                       "/run/camera/kind", NULL };
  TlSession *session = fixture->session;
  if (!write_files (fixture))
    return;
  tl_fixture_open_scan (fixture);
  open_places (fixture, "unknown.h5", wrong);
  wait_for_question (session);
  g_assert_nonnull (strstr (tl_scan_chooser_get_reason (session->chooser),
                            "67 image keys but 3 frames"));
  g_assert_cmpuint (tl_scan_chooser_get_present (session->chooser), ==, 1);
  g_autofree char *keys =
      tl_scan_chooser_dup_place (session->chooser, "keys-path");
  g_assert_cmpstr (keys, ==, "/run/camera/kind");
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  assert_data_path (session, NULL);
  /* declined: the message is there, and asks again */
  open (fixture, "unknown.h5");
  wait_for_question (session);
  tl_scan_chooser_decline (session->chooser);
  assert_asks_places (session, "no scan in a layout that is known");
  tl_session_choose (session);
  wait_for_question (session);
  g_autofree char *question = tl_scan_chooser_dup_question (session->chooser);
  g_assert_true (g_str_has_prefix (question, "The layout of this file is not"));
  tl_scan_chooser_cancel (session->chooser);
  /* nothing to choose from */
  open (fixture, "deep.h5");
  tl_session_assert_message (session, "/data has more");
  g_assert_false (was_asked);
}

static gboolean
has_other_file (TlSession *session)
{
  g_autofree const char **images =
      tl_scan_chooser_list_places (session->chooser, "flats-path");
  for (const char **place = images; *place != NULL; place++)
    if (strstr (*place, "fields.h5:/run/flats") != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
has_message (TlSession *session)
{
  g_autofree char *message = NULL;
  g_object_get (session->messages, "message", &message, NULL);
  return message != NULL;
}

static void
test_other_file (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *fields = get_path (fixture, "fields.h5");
  g_autofree char *flats = g_strconcat (fields, ":/run/flats", NULL);
  g_autofree char *darks = g_strconcat (fields, ":/run/darks", NULL);
  g_autofree char *angles = g_strconcat (fields, ":/run/angles", NULL);
  g_autofree char *missing = get_path (fixture, "missing.h5");
  const char *const places[] = { "data-path",   "/frames",    "flats-path",
                                 flats,         "darks-path", darks,
                                 "angles-path", angles,       NULL };
  static const char *const beside[] = { "data-path",   "/frames",
                                        "flats-path",  "fields.h5:/run/flats",
                                        "darks-path",  "fields.h5:/run/darks",
                                        "angles-path", "fields.h5:/run/angles",
                                        NULL };
  if (!write_files (fixture))
    return;
  open (fixture, "parts.h5");
  wait_for_question (session);
  tl_scan_chooser_add_file (session->chooser, fields);
  tl_session_wait_until (session, has_other_file);
  open_places (fixture, "parts.h5", places);
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  open_places (fixture, "parts.h5", beside);
  tl_session_assert_message (session, NULL);
  tl_session_assert_shown (session, fixture->scan, "9", "30");
  tl_scan_chooser_add_file (session->chooser, missing);
  tl_session_wait_until (session, has_message);
  tl_session_assert_message (session, "missing.h5");
}

/* A recipe that comes with FILE:/path is for that scan. */
static void
test_recipe_for_path (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  g_autofree char *recipe = get_path (fixture, "recipe.ini");
  static const char *const first[] = { "data-path", "/entry1", NULL };
  g_autofree char *second = get_path (fixture, "two.nxs:/entry2");
  if (!write_files (fixture))
    return;
  g_assert_true (
      g_file_set_contents (recipe, "[recipe]\nslice=15\n", -1, NULL));
  for (int i = 0; i < 2; i++)
    {
      tl_session_open_recipe (session, recipe, second);
      tl_session_wait_for (session, "busy", FALSE);
      assert_data_path (session, "/entry2");
      tl_session_assert_shown (session, fixture->scan, "3", "30");
      /* now with the first scan of the file open */
      open_places (fixture, "two.nxs", first);
      tl_session_assert_shown (session, fixture->scan, "9", "30");
    }
}

/* What was said of a scan is not said of the others in its file. */
static void
test_remembered (TlFixture *fixture, gconstpointer data)
{
  g_autofree char *first = get_path (fixture, "two.nxs:/entry1");
  g_autofree char *second = get_path (fixture, "two.nxs:/entry2");
  const struct
  {
    const char *path, *angles;
  } scans[] = { { first, "" }, { second, "0:170" }, { first, "" } };
  if (!write_files (fixture))
    return;
  tl_session_open (fixture->session, second);
  tl_session_wait_for (fixture->session, "busy", FALSE);
  tl_session_change (fixture->session, "angles", "0:170");
  g_autoptr (TlSession) next = tl_session_new ();
  for (size_t k = 0; k < G_N_ELEMENTS (scans); k++)
    {
      tl_session_open (next, scans[k].path);
      tl_session_wait_for (next, "busy", FALSE);
      g_autofree char *angles =
          tl_recipe_get (tl_parameters_get_recipe (next->parameters), "angles");
      g_assert_cmpstr (angles, ==, scans[k].angles);
    }
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/chooser/unknown", test_unknown },
    { "/chooser/unknown-zarr", test_unknown_zarr },
    { "/chooser/glance", test_glance },
    { "/chooser/two-scans", test_two_scans },
    { "/chooser/misfit", test_misfit },
    { "/chooser/declined", test_declined },
    { "/chooser/wrong", test_wrong },
    { "/chooser/other-file", test_other_file },
    { "/chooser/recipe-for-path", test_recipe_for_path },
    { "/chooser/remembered", test_remembered },
  };
  return tl_fixture_run (argc, argv, set_up, cases, G_N_ELEMENTS (cases));
}

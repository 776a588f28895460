/* What is told at once of the frames of a scan. */
#include "data/follow/check.h"

#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 20,
  N_COLS = 60,
  N_SAMPLES = N_ROWS * N_COLS,
  DARK = 100
};

/* Returns: (transfer full) (nullable): what is told of a frame whose samples
 * lie between 90 % of @bright and @bright, and stop at @most */
static char *
take (TlFollowCheck *check, TlFrameKind kind, size_t number, double bright,
      double most)
{
  guint16 pixels[N_SAMPLES];
  for (size_t k = 0; k < N_SAMPLES; k++)
    pixels[k] =
        (guint16)MIN (bright * (0.9 + 0.1 * (double)(k * 7 % 101) / 100), most);
  const TlStreamEvent event = {
    .type = TL_STREAM_FRAME, .kind = kind, .number = number, .pixels = pixels
  };
  return tl_follow_check_take (check, &event, FALSE);
}

static void
assert_told (TlFollowCheck *check, TlFrameKind kind, size_t number,
             double bright, double most, const char *want)
{
  g_autofree char *text = take (check, kind, number, bright, most);
  g_assert_cmpstr (text, ==, want);
}

static TlFollowCheck *
make_check (TlSampleType type, gboolean is_attenuation)
{
  const TlStreamScan scan = { .n_rows = N_ROWS,
                              .n_cols = N_COLS,
                              .type = type,
                              .is_attenuation = is_attenuation };
  return tl_follow_check_new (&scan);
}

/* A sample that turns into the beam takes it little by little. */
static void
test_beam (void)
{
  g_autoptr (TlFollowCheck) check = make_check (TL_SAMPLE_U16, FALSE);
  double bright = 20000;
  size_t number = 0;

  assert_told (check, TL_FRAMES_DARKS, 0, DARK, 65535, NULL);
  assert_told (check, TL_FRAMES_FLATS, 0, 30000, 65535, NULL);
  for (; number < 60; number++, bright *= 0.95)
    assert_told (check, TL_FRAMES_PROJECTIONS, number, bright, 65535, NULL);
  assert_told (check, TL_FRAMES_PROJECTIONS, 60, DARK, 65535,
               "projection 60 is as dark as without a beam");
  assert_told (check, TL_FRAMES_PROJECTIONS, 61, DARK + 2, 65535, NULL);
  assert_told (check, TL_FRAMES_PROJECTIONS, 62, bright, 65535,
               "the beam is back at projection 62; 2 projections before it "
               "have none");
  assert_told (check, TL_FRAMES_PROJECTIONS, 63, bright, 65535, NULL);
  assert_told (check, TL_FRAMES_PROJECTIONS, 64, DARK, 65535,
               "projection 64 is as dark as without a beam");
  assert_told (check, TL_FRAMES_PROJECTIONS, 65, bright, 65535,
               "the beam is back at projection 65; 1 projection before it has "
               "none");
  g_assert_cmpstr (tl_follow_check_get_beamless (check), ==, "60:61,64");
}

/* One projection that is far too bright, the first one, too, does not make
 * those after it dark. */
static void
test_too_bright (void)
{
  for (size_t bad = 0; bad < 12; bad++)
    {
      g_autoptr (TlFollowCheck) check = make_check (TL_SAMPLE_U16, FALSE);
      assert_told (check, TL_FRAMES_DARKS, 0, 1, 65535, NULL);
      for (size_t k = 0; k < 20; k++)
        assert_told (check, TL_FRAMES_PROJECTIONS, k, k == bad ? 60000 : 100,
                     65534, NULL);
      assert_told (check, TL_FRAMES_PROJECTIONS, 20, 1, 65534,
                   "projection 20 is as dark as without a beam");
    }
}

static void
assert_refused (TlFollowCheck *check, TlFrameKind kind, size_t number,
                guint16 value, const char *want)
{
  guint16 pixels[N_SAMPLES];
  for (size_t k = 0; k < N_SAMPLES; k++)
    pixels[k] = value;
  const TlStreamEvent event = {
    .type = TL_STREAM_FRAME, .kind = kind, .number = number, .pixels = pixels
  };
  g_autofree char *text = tl_follow_check_refuse (check, &event);
  g_assert_cmpstr (text, ==, want);
}

/* A flat with a closed shutter and a dark with an open one, once it is known
 * how bright both are. */
static void
test_fields (void)
{
  g_autoptr (TlFollowCheck) check = make_check (TL_SAMPLE_U16, FALSE);

  assert_refused (check, TL_FRAMES_FLATS, 0, DARK, NULL);
  assert_told (check, TL_FRAMES_DARKS, 0, DARK, 65535, NULL);
  assert_refused (check, TL_FRAMES_FLATS, 0, DARK, NULL);
  assert_told (check, TL_FRAMES_FLATS, 0, 3000, 65535, NULL);
  assert_refused (check, TL_FRAMES_FLATS, 1, 1000, NULL);
  assert_refused (check, TL_FRAMES_FLATS, 1, DARK + 5,
                  "flat field 1 is as dark as without a beam, and is left out "
                  "of the mean");
  assert_refused (check, TL_FRAMES_DARKS, 1, 500, NULL);
  assert_refused (check, TL_FRAMES_DARKS, 2, 3000,
                  "dark field 2 is as bright as with a beam, and is left out "
                  "of the mean");
}

/* The shutter is closed from the beginning. */
static void
test_closed (void)
{
  g_autoptr (TlFollowCheck) check = make_check (TL_SAMPLE_U16, FALSE);

  assert_told (check, TL_FRAMES_DARKS, 0, DARK, 65535, NULL);
  for (size_t k = 0; k < 20; k++)
    assert_told (check, TL_FRAMES_PROJECTIONS, k, DARK + (double)(k % 5), 65535,
                 NULL);
}

/* 12 bits in 16, and all 16; each kind is told of once. */
static void
test_saturation (void)
{
  g_autoptr (TlFollowCheck) check = make_check (TL_SAMPLE_U16, FALSE);

  assert_told (check, TL_FRAMES_DARKS, 0, 300, 4095, NULL);
  assert_told (
      check, TL_FRAMES_FLATS, 0, 4100, 4095,
      "2 % of the pixels of flat field 0 are at the highest count, 4095: "
      "the slices need flat fields with a shorter exposure");
  assert_told (check, TL_FRAMES_FLATS, 1, 4200, 4095, NULL);
  assert_told (check, TL_FRAMES_PROJECTIONS, 0, 4000, 4095, NULL);
  assert_told (check, TL_FRAMES_PROJECTIONS, 1, 80000, 65535,
               "100 % of the pixels of projection 1 are at the highest count, "
               "65535: with a "
               "shorter exposure they would show the sample");
  assert_told (check, TL_FRAMES_PROJECTIONS, 2, 72000, 65535, NULL);
}

/* The counts of a detector that come as floats, and parts of the beam. */
static void
test_floats (void)
{
  g_autoptr (TlFollowCheck) check = make_check (TL_SAMPLE_F32, FALSE);
  float pixels[N_SAMPLES];
  const TlStreamEvent event = { .type = TL_STREAM_FRAME,
                                .kind = TL_FRAMES_PROJECTIONS,
                                .pixels = pixels };

  for (size_t k = 0; k < N_SAMPLES; k++)
    pixels[k] = 1;
  g_assert_null (tl_follow_check_take (check, &event, FALSE));
  for (size_t k = 0; k < N_SAMPLES; k++)
    pixels[k] = 4095;
  g_autofree char *text = tl_follow_check_take (check, &event, FALSE);
  g_assert_nonnull (text);
  g_assert_true (g_str_has_prefix (text, "100 % of the pixels of projection"));
}

static void
take_floats (TlFollowCheck *check, TlFrameKind kind, size_t number, float value,
             gboolean is_lost)
{
  float pixels[N_SAMPLES];
  for (size_t k = 0; k < N_SAMPLES; k++)
    pixels[k] = value;
  const TlStreamEvent event = {
    .type = TL_STREAM_FRAME, .kind = kind, .number = number, .pixels = pixels
  };
  g_autofree char *text = tl_follow_check_take (check, &event, FALSE);
  g_assert_cmpint (text != NULL, ==, is_lost);
}

/* Floats may be attenuations, which are low in the beam, unless flats have
 * come. */
static void
test_float_beam (void)
{
  g_autoptr (TlFollowCheck) check = make_check (TL_SAMPLE_F32, FALSE);
  for (size_t k = 0; k < 20; k++)
    take_floats (check, TL_FRAMES_PROJECTIONS, k, k < 10 ? 2.5F : 0.01F, FALSE);
  g_assert_cmpstr (tl_follow_check_get_beamless (check), ==, "");

  take_floats (check, TL_FRAMES_FLATS, 0, 2.5F, FALSE);
  for (size_t k = 20; k < 30; k++)
    take_floats (check, TL_FRAMES_PROJECTIONS, k, 2, FALSE);
  take_floats (check, TL_FRAMES_PROJECTIONS, 30, 0.01F, TRUE);
  g_assert_cmpstr (tl_follow_check_get_beamless (check), ==, "30");
}

/* The part is that of all pixels, and not of those that are looked at. */
static void
test_saturated_part (void)
{
  enum
  {
    N = 100
  };
  const TlStreamScan scan = { .n_rows = N, .n_cols = N, .type = TL_SAMPLE_U16 };
  g_autoptr (TlFollowCheck) check = tl_follow_check_new (&scan);
  guint16 pixels[N * N] = { 0 };
  for (size_t k = 0; k < N * N; k++)
    pixels[k] = k % N < 31 && k / N < 47 ? 65535 : 20000;
  const TlStreamEvent event = { .type = TL_STREAM_FRAME,
                                .kind = TL_FRAMES_PROJECTIONS,
                                .pixels = pixels };
  g_autofree char *text = tl_follow_check_take (check, &event, FALSE);
  g_assert_nonnull (text);
  g_test_message ("%s", text);
  g_assert_true (g_str_has_prefix (text, "14.6 % of the pixels"));
}

/* Not at the highest count of any detector, and no counts. */
static void
test_nothing (void)
{
  g_autoptr (TlFollowCheck) check = make_check (TL_SAMPLE_U16, FALSE);
  g_autoptr (TlFollowCheck) attenuation = make_check (TL_SAMPLE_U16, TRUE);

  assert_told (check, TL_FRAMES_PROJECTIONS, 0, 5200, 5000, NULL);
  for (size_t k = 0; k < 9; k++)
    assert_told (attenuation, TL_FRAMES_PROJECTIONS, k, k < 5 ? 9000 : 1, 65535,
                 NULL);
}

static void
assert_blank (TlFollowCheck *check, size_t number, float value,
              const char *want)
{
  float pixels[N_SAMPLES];
  for (size_t k = 0; k < N_SAMPLES; k++)
    pixels[k] = value;
  const TlStreamEvent event = { .type = TL_STREAM_FRAME,
                                .kind = TL_FRAMES_PROJECTIONS,
                                .number = number,
                                .pixels = pixels };
  g_autofree char *text =
      tl_follow_check_take (check, &event, isnan (value) || isinf (value));
  g_assert_cmpstr (text, ==, want);
}

static void
test_blank (void)
{
  for (int is_attenuation = 0; is_attenuation < 2; is_attenuation++)
    {
      g_autoptr (TlFollowCheck) check =
          make_check (TL_SAMPLE_F32, is_attenuation);
      assert_blank (check, 3, 1, NULL);
      assert_blank (check, 4, NAN,
                    "projection 4 has no sample that is a number, and is left "
                    "out");
      assert_blank (check, 5, INFINITY, NULL);
      assert_blank (check, 6, 1, NULL);
      assert_blank (check, 7, NAN,
                    "projection 7 has no sample that is a number, and is left "
                    "out");
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/check/beam", test_beam);
  g_test_add_func ("/check/too-bright", test_too_bright);
  g_test_add_func ("/check/float-beam", test_float_beam);
  g_test_add_func ("/check/saturated-part", test_saturated_part);
  g_test_add_func ("/check/fields", test_fields);
  g_test_add_func ("/check/closed", test_closed);
  g_test_add_func ("/check/saturation", test_saturation);
  g_test_add_func ("/check/floats", test_floats);
  g_test_add_func ("/check/nothing", test_nothing);
  g_test_add_func ("/check/blank", test_blank);
  return g_test_run ();
}

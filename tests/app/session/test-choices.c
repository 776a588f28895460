/* The choices that an engine supports, and the reasons for the others. */
#include "tests/app/session/session-fixture.h"

#include "app/recon/recon.h"

/* Replaces the engine's function (see meson.build): the list has more variants
 * than host. */
const TlVariant *const *__wrap_tl_engine_list_variants (TlEngine *engine,
                                                        size_t *n);

static gint is_other_engine; /* atomic: the engine has only the first variant */

const TlVariant *const *
__wrap_tl_engine_list_variants (TlEngine *engine, size_t *n)
{
#define VARIANT(kernel, interpolation, precision)                              \
  {                                                                            \
    "a variant", TL_KERNEL_##kernel, TL_INTERPOLATION_##interpolation,         \
        TL_PRECISION_##precision, 1                                            \
  }
  static const TlVariant variants[] = {
    VARIANT (STANDARD, LINEAR, FULL),
    VARIANT (STANDARD, NEAREST, FULL),
    VARIANT (TEXTURE, LINEAR, FAST),
    VARIANT (TEXTURE, CUBIC, FAST),
    VARIANT (HYBRID, LINEAR, FAST),
    VARIANT (HYBRID, NEAREST, FAST),
    { .name = "of Fourier", .n_slices = 1, .is_fourier = TRUE },
  };
#undef VARIANT
  static const TlVariant *const list[] = { &variants[0], &variants[1],
                                           &variants[2], &variants[3],
                                           &variants[4], &variants[5],
                                           &variants[6] };
  static const TlVariant *const other[] = { &variants[0] };
  if (g_atomic_int_get (&is_other_engine))
    {
      *n = G_N_ELEMENTS (other);
      return other;
    }
  *n = G_N_ELEMENTS (list);
  return list;
}

static void
assert_explained (TlSession *session, const char *key, const char *value,
                  const char *why)
{
  TlDisplay *display = session->display;
  g_autofree char *got = tl_display_explain_choice (display, key, value);
  g_assert_cmpstr (got, ==, why);
  g_assert_true (
      g_strv_contains (tl_display_list_choices (display, key), value));
}

static void
test_explained (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  /* No engine is known yet. */
  assert_explained (session, "kernel", "alu", NULL);
  assert_explained (session, "precision", "fast", NULL);
  tl_fixture_open_scan (fixture);
  assert_explained (session, "kernel", "auto", NULL);
  assert_explained (session, "kernel", "standard", NULL);
  assert_explained (session, "kernel", "hybrid", "needs fast precision");
  assert_explained (session, "kernel", "alu", "not in this engine");
  assert_explained (session, "interpolation", "nearest", NULL);
  assert_explained (session, "interpolation", "cubic", "needs fast precision");
  assert_explained (session, "interpolation", "oversampled",
                    "not in this engine");
  /* On host, fast precision is never faster. */
  assert_explained (session, "precision", "fast", "no faster on this engine");
  assert_explained (session, "precision", "full", NULL);
  assert_explained (session, "filter", "hann", NULL);
  assert_explained (session, "engine", "cuda", NULL);
}

/* The reasons take the other parameters into account. */
static void
test_beside (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  g_assert_true (
      tl_parameters_set (session->parameters, "kernel", "standard", NULL));
  assert_explained (session, "precision", "fast",
                    "needs texture or hybrid kernel");
  assert_explained (session, "interpolation", "cubic",
                    "needs fast precision and texture kernel");
  g_assert_true (tl_parameters_set (session->parameters, "interpolation",
                                    "nearest", NULL));
  assert_explained (session, "precision", "fast", "needs hybrid kernel");
  assert_explained (session, "kernel", "texture",
                    "needs fast precision and linear interpolation");
}

/* The Fourier method has neither kernels nor interpolations. */
static void
test_method (TlFixture *fixture, gconstpointer data)
{
  static const char *const no_effect = "no effect with method fourier";
  TlSession *session = fixture->session;
  assert_explained (session, "method", "fourier", NULL);
  tl_fixture_open_scan (fixture);
  assert_explained (session, "method", "auto", NULL);
  assert_explained (session, "method", "back-projection", NULL);
  assert_explained (session, "method", "fourier", NULL);
  g_assert_true (
      tl_parameters_set (session->parameters, "method", "fourier", NULL));
  assert_explained (session, "method", "back-projection", NULL);
  assert_explained (session, "kernel", "standard", no_effect);
  assert_explained (session, "interpolation", "cubic", no_effect);
  assert_explained (session, "precision", "full", NULL);
  assert_explained (session, "precision", "fast", "no faster on this engine");
}

/* If the requested engine fails, the choices are those of the engine that made
 * the picture. */
static void
test_of_picture (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  tl_fixture_open_scan (fixture);
  g_atomic_int_set (&is_other_engine, TRUE);
  tl_session_change (session, "kernel", "alu");
  tl_session_assert_message (session, "alu");
  assert_explained (session, "kernel", "hybrid", "needs fast precision");
  tl_parameters_set_slice (session->parameters, 3);
  tl_session_wait_for (session, "busy", FALSE);
  assert_explained (session, "kernel", "hybrid", "not in this engine");
  assert_explained (session, "method", "fourier", "not in this engine");
  g_atomic_int_set (&is_other_engine, FALSE);
}

/* One of several GPUs is listed while it is requested. */
static void
test_device (TlFixture *fixture, gconstpointer data)
{
  TlSession *session = fixture->session;
  TlDisplay *display = session->display;
  TlParameters *parameters = session->parameters;
  const guint n =
      g_strv_length ((char **)tl_display_list_choices (display, "engine"));
  g_assert_true (tl_parameters_set (parameters, "engine", "cuda:1", NULL));
  assert_explained (session, "engine", "cuda:1", NULL);
  assert_explained (session, "engine", "host", NULL);
  g_assert_true (tl_parameters_set (parameters, "engine", "host", NULL));
  g_assert_cmpuint (
      g_strv_length ((char **)tl_display_list_choices (display, "engine")), ==,
      n);
}

int
main (int argc, char **argv)
{
  static const TlFixtureCase cases[] = {
    { "/choices/explained", test_explained },
    { "/choices/beside", test_beside },
    { "/choices/method", test_method },
    { "/choices/of-picture", test_of_picture },
    { "/choices/device", test_device },
  };
  return tl_fixture_run (argc, argv, tl_fixture_set_up, cases,
                         G_N_ELEMENTS (cases));
}

/* The centre in the conventions of other programs, by their manuals. */
#include "app/axis/centre-copy.h"

#include <locale.h>

typedef struct
{
  const char *path;
  TlCentreProgram program;
  double centre_col;
  size_t n_cols;
  double number;
  const char *text;
} Case;

/* The default of each program is the middle, except for tomopy, whose default
 * is half a column higher. */
static const Case cases[] = {
  { "/centre-copy/tomopy/middle", TL_CENTRE_PROGRAM_TOMOPY, 1023.5, 2048,
    1023.5, "center=1023.500" },
  { "/centre-copy/tomopy/thirds", TL_CENTRE_PROGRAM_TOMOPY, 1000.0 / 3, 2048,
    1000.0 / 3, "center=333.333" },
  { "/centre-copy/tofu/middle", TL_CENTRE_PROGRAM_TOFU, 1023.5, 2048, 1024,
    "--center-position-x 1024.000" },
  /* "1.5 means: take the second" */
  { "/centre-copy/tofu/second", TL_CENTRE_PROGRAM_TOFU, 1, 2048, 1.5,
    "--center-position-x 1.500" },
  { "/centre-copy/nabu/middle", TL_CENTRE_PROGRAM_NABU, 1023.5, 2048,
    (2048 - 1) / 2.0, "rotation_axis_position = 1023.500" },
  { "/centre-copy/nabu/odd", TL_CENTRE_PROGRAM_NABU, 255.5, 511, 255.5,
    "rotation_axis_position = 255.500" },
  { "/centre-copy/astra/middle", TL_CENTRE_PROGRAM_ASTRA, 1023.5, 2048, 0,
    "proj_geom = astra.geom_postalignment(proj_geom, 0.000)" },
  /* The values of nabu's own comparison with ASTRA. */
  { "/centre-copy/astra/odd", TL_CENTRE_PROGRAM_ASTRA, 255.5, 511, -0.5,
    "proj_geom = astra.geom_postalignment(proj_geom, -0.500)" },
  { "/centre-copy/astra/left", TL_CENTRE_PROGRAM_ASTRA, 10.25, 101, 39.75,
    "proj_geom = astra.geom_postalignment(proj_geom, 39.750)" },
  { "/centre-copy/astra/nearly-middle", TL_CENTRE_PROGRAM_ASTRA, 50.0001, 101,
    -0.0001, "proj_geom = astra.geom_postalignment(proj_geom, 0.000)" },
  { "/centre-copy/tomolens/left", TL_CENTRE_PROGRAM_TOMOLENS, -0.5, 100, -0.5,
    "--centre -0.500" },
};

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  const double number =
      tl_centre_program_get_number (c->program, c->centre_col, c->n_cols);
  g_autofree char *text =
      tl_centre_copy_as (c->program, c->centre_col, c->n_cols);
  g_assert_cmpfloat_with_epsilon (number, c->number, 1e-9);
  g_assert_cmpstr (text, ==, c->text);
}

/* Each program has its own name and text. */
static void
test_names (void)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_assert_cmpuint (g_strv_length ((char **)tl_centre_program_names), ==,
                    TL_N_CENTRE_PROGRAMS);
  for (guint program = 0; program < TL_N_CENTRE_PROGRAMS; program++)
    g_assert_true (
        g_hash_table_add (seen, tl_centre_copy_as (program, 20.25, 64)));
}

/* The text has a decimal point even in a locale with a decimal comma. */
static void
test_locale (void)
{
  static const char *const commas[] = { "de_DE.UTF-8", "fr_FR.UTF-8" };
  const char *set = NULL;
  for (size_t k = 0; k < G_N_ELEMENTS (commas) && set == NULL; k++)
    set = setlocale (LC_NUMERIC, commas[k]);
  if (set == NULL)
    {
      g_test_skip ("no locale with a comma is installed");
      return;
    }
  g_autofree char *text = tl_centre_copy_as (TL_CENTRE_PROGRAM_TOFU, 20.25, 64);
  setlocale (LC_NUMERIC, "C");
  g_assert_cmpstr (text, ==, "--center-position-x 20.750");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    g_test_add_data_func (cases[k].path, &cases[k], test_case);
  g_test_add_func ("/centre-copy/names", test_names);
  g_test_add_func ("/centre-copy/locale", test_locale);
  return g_test_run ();
}

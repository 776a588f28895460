/* The recipe's values and their words: one table serves the recipe file, the
 * command line and the session. */
#include "app/recipe/recipe.h"

#include "app/recipe/number.h"
#include "app/recipe/preset.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <string.h>

typedef struct Key Key;

struct Key
{
  TlRecipeKey public;
  gboolean (*set) (TlRecipe *recipe, const Key *key, const char *value,
                   GError **error);
  char *(*get) (const TlRecipe *recipe, const Key *key);
  size_t offset;            /* of the value in TlRecipe */
  size_t known_offset;      /* of its "known" flag, for switches */
  const char *const *names; /* of a choice */
  double above, up_to;      /* of a number; of a quantity up_to 0: no end */
  gboolean takes_above;     /* of a number: that one too */
  guint min, max, step;     /* of a count */
};

#define FIELD(type, recipe, offset) (*(type *)((char *)(recipe) + (offset)))
#define CONST_FIELD(type, recipe, offset)                                      \
  (*(const type *)((const char *)(recipe) + (offset)))

static gboolean
refuse (const Key *key, const char *value, GError **error)
{
  g_set_error (error, TL_ERROR, TL_ERROR_VALUE, _ ("%s takes %s, not \"%s\""),
               key->public.key, _ (key->public.takes), value);
  return FALSE;
}

static gboolean
set_slice (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  guint64 slice = 0;
  const gboolean middle = strcmp (value, "middle") == 0;
  if (!middle
      && !g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT32, &slice, NULL))
    return refuse (key, value, error);
  recipe->slice = slice;
  recipe->slice_known = !middle;
  return TRUE;
}

static char *
get_slice (const TlRecipe *recipe, const Key *key)
{
  return recipe->slice_known ? g_strdup_printf ("%zu", recipe->slice)
                             : g_strdup ("middle");
}

static gboolean
set_centre (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  double centre_col = 0;
  const gboolean middle = strcmp (value, "middle") == 0;
  if (!middle && !tl_number_parse (value, &centre_col))
    return refuse (key, value, error);
  recipe->params.centre_col = centre_col;
  recipe->centre_known = !middle;
  return TRUE;
}

static char *
get_centre (const TlRecipe *recipe, const Key *key)
{
  return recipe->centre_known ? tl_number_format (recipe->params.centre_col)
                              : g_strdup ("middle");
}

static gboolean
set_boundary (TlRecipe *recipe, const Key *key, const char *value,
              GError **error)
{
  if (!set_centre (recipe, key, value, error))
    return FALSE;
  if (recipe->centre_known)
    recipe->params.centre_col =
        tl_centre_from_boundary (recipe->params.centre_col);
  return TRUE;
}

static char *
get_boundary (const TlRecipe *recipe, const Key *key)
{
  return recipe->centre_known ? tl_number_format (
             tl_centre_to_boundary (recipe->params.centre_col))
                              : g_strdup ("middle");
}

static gboolean
set_choice (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  int choice;
  if (!tl_name_find (key->names, key->public.key, value, &choice, error))
    return FALSE;
  FIELD (unsigned, recipe, key->offset) = (unsigned)choice;
  return TRUE;
}

static char *
get_choice (const TlRecipe *recipe, const Key *key)
{
  return g_strdup (key->names[CONST_FIELD (unsigned, recipe, key->offset)]);
}

static gboolean
set_number (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  double number;
  if (!tl_number_parse (value, &number) || number < key->above
      || (number == key->above && !key->takes_above) || number > key->up_to)
    return refuse (key, value, error);
  FIELD (double, recipe, key->offset) = number;
  return TRUE;
}

static char *
get_number (const TlRecipe *recipe, const Key *key)
{
  return tl_number_format (CONST_FIELD (double, recipe, key->offset));
}

static gboolean
set_count (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  guint64 count;
  if (!g_ascii_string_to_unsigned (value, 10, key->min, key->max, &count, NULL)
      || (count - key->min) % key->step != 0)
    return refuse (key, value, error);
  FIELD (guint, recipe, key->offset) = (guint)count;
  return TRUE;
}

static char *
get_count (const TlRecipe *recipe, const Key *key)
{
  return g_strdup_printf ("%u", CONST_FIELD (guint, recipe, key->offset));
}

/* "on", "off", or "auto": the scan decides. */
static gboolean
set_switch (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  const gboolean on = strcmp (value, "on") == 0;
  const gboolean automatic = strcmp (value, "auto") == 0;
  if (!on && !automatic && strcmp (value, "off") != 0)
    return refuse (key, value, error);
  FIELD (gboolean, recipe, key->offset) = on || automatic;
  FIELD (gboolean, recipe, key->known_offset) = !automatic;
  return TRUE;
}

static char *
get_switch (const TlRecipe *recipe, const Key *key)
{
  if (!CONST_FIELD (gboolean, recipe, key->known_offset))
    return g_strdup ("auto");
  const gboolean on = CONST_FIELD (gboolean, recipe, key->offset);
  return g_strdup (on ? "on" : "off");
}

/* A property of the beam, the material or the scan; 0 and an empty string stand
 * for "not said". */
static gboolean
set_quantity (TlRecipe *recipe, const Key *key, const char *value,
              GError **error)
{
  double number = 0;
  if (*value != '\0'
      && (!tl_number_parse (value, &number) || number <= key->above
          || (key->up_to > 0 && number > key->up_to)))
    return refuse (key, value, error);
  FIELD (double, recipe, key->offset) = number;
  return TRUE;
}

/* Where nobody says it, the scan does. */
static gboolean
set_pixel_size (TlRecipe *recipe, const Key *key, const char *value,
                GError **error)
{
  if (!set_quantity (recipe, key, value, error))
    return FALSE;
  recipe->pixel_known = *value != '\0';
  return TRUE;
}

static char *
get_quantity (const TlRecipe *recipe, const Key *key)
{
  const double number = CONST_FIELD (double, recipe, key->offset);
  return number > 0 ? tl_number_format (number) : g_strdup ("");
}

static gboolean
set_engine (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  static const char *const names[] = { "auto", "cuda", "host", NULL };
  static const char device[] = "cuda:";
  const gboolean is_device =
      g_str_has_prefix (value, device)
      && g_ascii_string_to_unsigned (value + strlen (device), 10, 0,
                                     G_MAXUINT16, NULL, NULL);
  if (!is_device && !g_strv_contains (names, value))
    return refuse (key, value, error);
  g_free (recipe->engine);
  recipe->engine = g_strdup (value);
  return TRUE;
}

/* An empty string stands for "not said". */
static gboolean
set_string (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  char **string = &FIELD (char *, recipe, key->offset);
  g_free (*string);
  *string = *value != '\0' ? g_strdup (value) : NULL;
  return TRUE;
}

static char *
get_string (const TlRecipe *recipe, const Key *key)
{
  const char *string = CONST_FIELD (char *, recipe, key->offset);
  return g_strdup (string != NULL ? string : "");
}

static gboolean
set_angles (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  double angles_deg[2] = { 0, 0 };
  if (*value != '\0')
    {
      g_auto (GStrv) words = g_strsplit (value, ":", -1);
      if (g_strv_length (words) != 2
          || !tl_number_parse (words[0], &angles_deg[0])
          || !tl_number_parse (words[1], &angles_deg[1])
          || angles_deg[0] == angles_deg[1])
        return refuse (key, value, error);
    }
  recipe->has_angles = *value != '\0';
  recipe->angles_deg[0] = angles_deg[0];
  recipe->angles_deg[1] = angles_deg[1];
  return TRUE;
}

static char *
get_angles (const TlRecipe *recipe, const Key *key)
{
  if (!recipe->has_angles)
    return g_strdup ("");
  g_autofree char *first = tl_number_format (recipe->angles_deg[0]);
  g_autofree char *last = tl_number_format (recipe->angles_deg[1]);
  return g_strconcat (first, ":", last, NULL);
}

static gboolean
set_nan (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  const gboolean replace = strcmp (value, "replace") == 0;
  if (!replace && strcmp (value, "refuse") != 0)
    return refuse (key, value, error);
  recipe->replace_nan = replace;
  return TRUE;
}

static char *
get_nan (const TlRecipe *recipe, const Key *key)
{
  return g_strdup (recipe->replace_nan ? "replace" : "refuse");
}

/* An empty string stands for values that are no preset, and leaves them. */
static gboolean
set_preset (TlRecipe *recipe, const Key *key, const char *value, GError **error)
{
  return *value == '\0' || tl_preset_apply (value, &recipe->params, error);
}

static char *
get_preset (const TlRecipe *recipe, const Key *key)
{
  const char *name = tl_preset_find (&recipe->params);
  return g_strdup (name != NULL ? name : "");
}

#define KEY(first, word, name, what, text)                                     \
  .public.key = word, .public.arg = name, .public.takes = what,                \
  .public.help = text, .public.stage = TL_STAGE_##first
#define AT(member) .offset = offsetof (TlRecipe, member)
#define CHOICE(member, list)                                                   \
  .set = set_choice, .get = get_choice, AT (params.member), .names = list
#define NUMBER(member, low, high)                                              \
  .set = set_number, .get = get_number, AT (params.member), .above = low,      \
  .up_to = high
#define COUNT(member, first, last, by)                                         \
  .set = set_count, .get = get_count, AT (params.member), .min = first,        \
  .max = last, .step = by
#define SWITCH(member)                                                         \
  .set = set_switch, .get = get_switch, AT (params.member),                    \
  .known_offset = offsetof (TlRecipe, member##_known)
#define QUANTITY(member)                                                       \
  .set = set_quantity, .get = get_quantity, AT (params.member)
#define STRING(member) .set = set_string, .get = get_string, AT (member)

static const char *const off_on_names[] = { "off", "on", NULL };

static const Key keys[] = {
  { KEY (UPLOAD, "slice", "ROW", N_ ("a row number or \"middle\""),
         "detector row to reconstruct, from 0"),
    .public.is_of_scan = TRUE, .set = set_slice, .get = get_slice },
  { KEY (FILTER, "centre", "COLUMN", N_ ("a column coordinate or \"middle\""),
         "rotation centre, counted from the centre of column 0"),
    .public.is_of_axis = TRUE, .public.is_of_scan = TRUE, .set = set_centre,
    .get = get_centre },
  { KEY (FILTER, "boundary", "COLUMN", N_ ("a column coordinate or \"middle\""),
         "the centre counted from the first column's edge: centre + 0.5"),
    .public.is_alias = TRUE, .public.is_of_axis = TRUE,
    .public.is_of_scan = TRUE, .set = set_boundary, .get = get_boundary },
  { KEY (FILTER, "tilt", "DEGREES", N_ ("degrees from -10 to 10"),
         "roll of the axis, counter-clockwise; about the middle row"),
    .public.is_of_axis = TRUE, .public.is_of_scan = TRUE,
    NUMBER (tilt_deg, -TL_TILT_MAX_DEG, TL_TILT_MAX_DEG), .takes_above = TRUE },
  { KEY (TRANSFORM, "half", "WHEN", "on|off|auto",
         "half acquisition: a full turn, and the axis near an edge"),
    .public.is_of_scan = TRUE, SWITCH (half) },
  { KEY (TRANSFORM, "feather", "COLUMNS", N_ ("a number of columns above 0"),
         "over how many its two halves run into each other, not over all"),
    .public.is_of_scan = TRUE, QUANTITY (feather_cols) },
  { KEY (FILTER, "preset", "NAME", "plain|sharp|standard|smooth|quick",
         "filter, cut-off and interpolation that go together"),
    .public.is_alias = TRUE, .set = set_preset, .get = get_preset },
  { KEY (FILTER, "filter", "NAME",
         "ramp|shepp-logan|cosine|hann|hamming|parzen|butterworth",
         "window on the ramp"),
    CHOICE (filter, tl_filter_names) },
  { KEY (FILTER, "cutoff", "FRACTION",
         N_ ("a fraction of the Nyquist frequency above 0 and up to 1"),
         "where the filter ends"),
    NUMBER (cutoff, 0, 1) },
  { KEY (FILTER, "butterworth-order", "N", N_ ("a whole number from 1 to 64"),
         "steepness of the Butterworth filter"),
    COUNT (butterworth_order, 1, 64, 1) },
  { KEY (FILTER, "interpolation", "NAME", "nearest|linear|oversampled|cubic",
         "between two columns"),
    CHOICE (interpolation, tl_interpolation_names) },
  { KEY (FILTER, "kernel", "NAME",
         "auto|standard|texture|texture-quarters|alu|hybrid",
         "way to back-project"),
    CHOICE (kernel, tl_kernel_names) },
  { KEY (FILTER, "precision", "NAME", "full|fast",
         "full: single precision throughout; fast: half precision allowed"),
    CHOICE (precision, tl_precision_names) },
  { KEY (TRANSFORM, "padding", "NAME", "edge|zero",
         "what the rows are continued with"),
    CHOICE (padding, tl_padding_names) },
  { KEY (CORRECT, "flat-field", "WHEN", "on|off|auto",
         "divide by the flat field"),
    .public.is_of_scan = TRUE, SWITCH (flat_field) },
  { KEY (CORRECT, "minus-log", "WHEN", "on|off|auto",
         "turn transmission into attenuation"),
    .public.is_of_scan = TRUE, SWITCH (minus_log) },
  { KEY (ZINGERS, "zingers", "WHEN", "on|off",
         "remove samples that one or two projections have too bright"),
    CHOICE (zingers, off_on_names) },
  { KEY (ZINGERS, "zinger-threshold", "PART",
         N_ ("a number above 0 and up to 100"),
         "a zinger is so much brighter than its neighbours: 0.5 is by half"),
    .public.of = "zingers", NUMBER (zinger_threshold, 0, 100) },
  { KEY (CORRECT, "phase", "WHEN", "on|off", /* the -log is then later */
         "phase retrieval (Paganin), by the four values that follow"),
    .public.is_of_scan = TRUE, CHOICE (phase.on, off_on_names) },
  /* from the water window of soft X-rays to beyond any X-ray tube */
  { KEY (PHASE, "energy", "KEV",
         N_ ("a number of keV above 0.1 and up to 1000 (20000 eV are 20 keV)"),
         "energy of the photons"),
    .public.of = "phase", QUANTITY (phase.energy_kev), .above = 0.1,
    .up_to = 1000 },
  { KEY (PHASE, "distance", "MM", N_ ("a number of mm above 0"),
         "distance from the object to the detector"),
    .public.of = "phase", QUANTITY (phase.distance_mm) },
  { KEY (PHASE, "pixel-size", "UM", N_ ("a number of µm above 0"),
         "size of a pixel, in place of what the scan says"),
    .public.is_of_scan = TRUE, AT (params.phase.pixel_um),
    .set = set_pixel_size, .get = get_quantity },
  { KEY (PHASE, "delta-beta", "RATIO", N_ ("a number above 0"),
         "delta over beta of the object's refractive index"),
    .public.of = "phase", QUANTITY (phase.delta_beta) },
  { KEY (RINGS, "rings", "HOW", "off|sorting|wavelet", "way to remove rings"),
    CHOICE (rings, tl_rings_names) },
  { KEY (RINGS, "ring-size", "COLUMNS", N_ ("an odd number from 3 to 301"),
         "sorting: twice as wide as the widest ring, or wider"),
    .public.of = "rings", COUNT (ring_size, 3, 301, 2) },
  { KEY (RINGS, "ring-levels", "N", N_ ("a whole number from 1 to 10"),
         "wavelet: the widest ring has some 2^N columns"),
    .public.of = "rings", COUNT (ring_levels, 1, 10, 1) },
  { KEY (RINGS, "ring-sigma", "N", N_ ("a number above 0 and up to 20"),
         "wavelet: strength; more also takes parts of rings"),
    .public.of = "rings", NUMBER (ring_sigma, 0, 20) },
  { KEY (UPLOAD, "engine", "NAME", N_ ("auto, cuda, cuda:N or host"),
         "what computes; cuda:1 and so on where there are several GPUs"),
    .set = set_engine, .get = get_string, AT (engine) },
  { KEY (UPLOAD, "angles", "FIRST:LAST",
         N_ ("FIRST:LAST, two different angles in degrees"),
         "replaces the scan's angles; both ends included"),
    .public.is_of_scan = TRUE, .public.reopens = TRUE, .set = set_angles,
    .get = get_angles },
  { KEY (UPLOAD, "projections", "PATTERN", N_ ("a file name pattern"),
         "which files of a folder are projections"),
    .public.is_of_scan = TRUE, .public.reopens = TRUE,
    .public.picks_files = TRUE, STRING (projections) },
  { KEY (UPLOAD, "flats", "PATTERN", N_ ("a file name pattern"),
         "which files of a folder are flat fields"),
    .public.is_of_scan = TRUE, .public.reopens = TRUE,
    .public.picks_files = TRUE, STRING (flats) },
  { KEY (UPLOAD, "darks", "PATTERN", N_ ("a file name pattern"),
         "which files of a folder are dark fields"),
    .public.is_of_scan = TRUE, .public.reopens = TRUE,
    .public.picks_files = TRUE, STRING (darks) },
  { KEY (UPLOAD, "angles-file", "FILE", N_ ("a file"),
         "text file with one angle in degrees a line"),
    .public.is_of_scan = TRUE, .public.reopens = TRUE, STRING (angles_file) },
  { KEY (UPLOAD, "nan", "HOW", "refuse|replace",
         "samples that are not numbers"),
    .public.reopens = TRUE, .set = set_nan, .get = get_nan },
};

const TlRecipeKey *
tl_recipe_list_keys (size_t *n)
{
  static TlRecipeKey list[G_N_ELEMENTS (keys)];
  static gsize done;
  if (g_once_init_enter (&done))
    {
      for (size_t k = 0; k < G_N_ELEMENTS (keys); k++)
        list[k] = keys[k].public;
      g_once_init_leave (&done, 1);
    }
  *n = G_N_ELEMENTS (keys);
  return list;
}

static const Key *
find_key (const char *word, GError **error)
{
  for (size_t k = 0; k < G_N_ELEMENTS (keys); k++)
    if (strcmp (keys[k].public.key, word) == 0)
      return &keys[k];
  g_set_error (error, TL_ERROR, TL_ERROR_VALUE,
               _ ("there is no parameter \"%s\""), word);
  return NULL;
}

const TlRecipeKey *
tl_recipe_find_key (const char *key, GError **error)
{
  const Key *found = find_key (key, error);
  return found != NULL ? &found->public : NULL;
}

gboolean
tl_recipe_set (TlRecipe *recipe, const char *key, const char *value,
               GError **error)
{
  g_return_val_if_fail (recipe != NULL && value != NULL, FALSE);
  const Key *found = find_key (key, error);
  return found != NULL && found->set (recipe, found, value, error);
}

char *
tl_recipe_get (const TlRecipe *recipe, const char *key)
{
  const Key *found = find_key (key, NULL);
  g_return_val_if_fail (found != NULL, NULL);
  return found->get (recipe, found);
}

void
tl_recipe_forget_scan (TlRecipe *recipe)
{
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  for (size_t k = 0; k < G_N_ELEMENTS (keys); k++)
    if (keys[k].public.is_of_scan && !keys[k].public.is_alias)
      {
        g_autofree char *value = keys[k].get (defaults, &keys[k]);
        keys[k].set (recipe, &keys[k], value, NULL);
      }
}

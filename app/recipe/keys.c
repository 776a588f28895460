/* The recipe's values and their words: the engine's parameters with those of
 * the scan and of the program, for files, the command line and the session. */
#include "app/recipe/recipe.h"

#include "app/recipe/look.h"
#include "app/recipe/number.h"
#include "app/recipe/preset.h"
#include "data/error.h"
#include "data/read/scan/frame-ranges.h"

#include <glib/gi18n.h>
#include <string.h>

/* Offsets in TlParams count in a recipe, too. */
G_STATIC_ASSERT (offsetof (TlRecipe, params) == 0);

#define FIELD(type, recipe, offset) (*(type *)((char *)(recipe) + (offset)))
#define CONST_FIELD(type, recipe, offset)                                      \
  (*(const type *)((const char *)(recipe) + (offset)))
#define AT(member) .offset = offsetof (TlRecipe, member)

static const char *const nan_names[] = { "refuse", "replace", NULL };

/* Beside tl_params_list(); each stands before the key @before, or at the end.
 */
static const struct
{
  const char *before; /* (nullable) */
  TlParamSpec parameter;
} own[] = {
  { "centre",
    { .key = "slice",
      .type = TL_PARAMETER_ROW,
      AT (slice),
      .automatic = "middle",
      .max = G_MAXUINT32,
      .step = 1,
      .page = 10,
      .arg = "ROW",
      .takes = N_ ("a row number or \"middle\""),
      .help = "detector row to reconstruct, from 0",
      .label = N_ ("Slice"),
      .title = N_ ("Detector row of the slice"),
      .explanation = N_ ("Detector row of the slice"),
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE } },
  { "tilt",
    { .key = "boundary",
      .type = TL_PARAMETER_BOUNDARY,
      .arg = "COLUMN",
      .takes = N_ ("a column coordinate or \"middle\""),
      .help = "the centre counted from the first column's edge: centre + 0.5",
      .stage = TL_STAGE_FILTER,
      .is_of_axis = TRUE,
      .is_alias = TRUE,
      .is_of_scan = TRUE } },
  { "filter",
    { .key = "preset",
      .type = TL_PARAMETER_PRESET,
      .names = tl_preset_names,
      .arg = "NAME",
      .help = "filter, cut-off and interpolation that go together",
      .stage = TL_STAGE_FILTER,
      .is_alias = TRUE } },
  { NULL,
    { .key = "engine",
      .type = TL_PARAMETER_ENGINE,
      AT (engine),
      .arg = "NAME",
      .takes = N_ ("auto, cuda, cuda:N or host"),
      .help = "engine that computes; with several GPUs cuda:1 and so on",
      .label = N_ ("Engine"),
      .title = N_ ("Engine"),
      .stage = TL_STAGE_UPLOAD } },
  { NULL,
    { .key = "angles",
      .type = TL_PARAMETER_ANGLES,
      .arg = "FIRST:LAST",
      .takes = N_ ("FIRST:LAST, two different angles in degrees"),
      .help = "replaces the scan's angles; both ends included",
      .label = N_ ("Angles"),
      .title = N_ ("First and last angle"),
      .explanation = N_ ("First and last angle in degrees, as 0:180, both "
                         "included; empty: the angles of the scan"),
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE } },
  { NULL,
    { .key = "leave-out",
      .type = TL_PARAMETER_FRAMES,
      AT (leave_out),
      .arg = "RANGES",
      .takes = N_ ("numbers and ranges of projections, as 120:135,400"),
      .help = "projections that are not used, counted from 0: 120:135,400",
      .label = N_ ("Leave out"),
      .title = N_ ("Projections that are left out"),
      .explanation = N_ ("Projections that are not used, as 120:135,400, "
                         "counted from 0, both ends included; empty: all are "
                         "used"),
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE } },
  { NULL,
    { .key = "projections",
      .type = TL_PARAMETER_TEXT,
      AT (projections),
      .arg = "PATTERN",
      .takes = N_ ("a file name pattern"),
      .help = "which files of a folder are projections",
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE,
      .picks_files = TRUE } },
  { NULL,
    { .key = "flats",
      .type = TL_PARAMETER_TEXT,
      AT (flats),
      .arg = "PATTERN",
      .takes = N_ ("a file name pattern"),
      .help = "which files of a folder are flat fields",
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE,
      .picks_files = TRUE } },
  { NULL,
    { .key = "darks",
      .type = TL_PARAMETER_TEXT,
      AT (darks),
      .arg = "PATTERN",
      .takes = N_ ("a file name pattern"),
      .help = "which files of a folder are dark fields",
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE,
      .picks_files = TRUE } },
  { NULL,
    { .key = "angles-file",
      .type = TL_PARAMETER_TEXT,
      AT (angles_file),
      .arg = "FILE",
      .takes = N_ ("a file"),
      .help = "text file with one angle in degrees in each line",
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE } },
  { NULL,
    { .key = "data-path",
      .type = TL_PARAMETER_TEXT,
      AT (data_path),
      .arg = "PATH",
      .takes = N_ ("a path in the file"),
      .help =
          "HDF5, Zarr: the dataset of the projections, or the group of a scan",
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE,
      .picks_files = TRUE } },
  { NULL,
    { .key = "keys-path",
      .type = TL_PARAMETER_TEXT,
      AT (keys_path),
      .arg = "[FILE:]PATH",
      .takes = N_ ("a path in the file, or FILE:/path"),
      .help = "HDF5: for each frame 0 projection, 1 flat, 2 dark",
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE,
      .picks_files = TRUE } },
  { NULL,
    { .key = "angles-path",
      .type = TL_PARAMETER_TEXT,
      AT (angles_path),
      .arg = "[FILE:]PATH",
      .takes = N_ ("a path in the file, or FILE:/path"),
      .help = "HDF5, Zarr: the dataset of the angles",
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE,
      .picks_files = TRUE } },
  { NULL,
    { .key = "flats-path",
      .type = TL_PARAMETER_TEXT,
      AT (flats_path),
      .arg = "[FILE:]PATH",
      .takes = N_ ("a path in the file, or FILE:/path"),
      .help = "HDF5, Zarr: the dataset of the flat fields",
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE,
      .picks_files = TRUE } },
  { NULL,
    { .key = "darks-path",
      .type = TL_PARAMETER_TEXT,
      AT (darks_path),
      .arg = "[FILE:]PATH",
      .takes = N_ ("a path in the file, or FILE:/path"),
      .help = "HDF5, Zarr: the dataset of the dark fields",
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE,
      .picks_files = TRUE } },
  { NULL,
    { .key = "raw",
      .type = TL_PARAMETER_TEXT,
      AT (raw),
      .arg = "LAYOUT",
      .takes = N_ ("COLUMNSxROWSxPROJECTIONS:TYPE, and :header=BYTES and "
                   ":gap=BYTES if there are any"),
      .help = "raw samples: shape and type, as 2048x2048x1800:uint16le",
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE,
      .picks_files = TRUE } },
  { NULL,
    { .key = "bin",
      .type = TL_PARAMETER_COUNT,
      AT (bin),
      .min = 1,
      .max = TL_MAX_BIN,
      .step = 1,
      .arg = "N",
      .help = "read means of N x N pixels of N projections; slices, the centre "
              "and all that counts pixels then count these",
      .title = N_ ("Pixels and projections read as one"),
      .stage = TL_STAGE_UPLOAD,
      .is_of_scan = TRUE,
      .reopens = TRUE } },
  { NULL,
    { .key = "nan",
      .type = TL_PARAMETER_SWITCH,
      AT (replace_nan),
      .names = nan_names,
      .arg = "HOW",
      .takes = "refuse|replace",
      .help = "what to do with samples that are not numbers (NaN)",
      .label = N_ ("Replace NaN pixels"),
      .title = N_ ("Replace NaN pixels"),
      .explanation =
          N_ ("Samples that are not numbers (NaN) are filled in from their "
              "neighbours; otherwise a row with one is refused"),
      .stage = TL_STAGE_UPLOAD,
      .reopens = TRUE } },
/* The volume view. */
#define OF_VOLUME .stage = TL_N_STAGES, .is_of_volume = TRUE
  { NULL,
    { .key = "way",
      .type = TL_PARAMETER_CHOICE,
      AT (look.way),
      .names = tl_volume_way_names,
      .arg = "NAME",
      .help = "coloured fog that emits and absorbs, the maximum along each "
              "ray, or a surface at the threshold",
      OF_VOLUME } },
  { NULL,
    { .key = "azimuth",
      .type = TL_PARAMETER_NUMBER,
      AT (camera.azimuth_deg),
      .min = -360,
      .max = 360,
      .unit = N_ ("°"),
      .noun = N_ ("degrees"),
      .arg = "DEGREES",
      .help = "walk around the volume, seen from above counter-clockwise; 0: "
              "in front of the last row of the slices",
      OF_VOLUME } },
  { NULL,
    { .key = "elevation",
      .type = TL_PARAMETER_NUMBER,
      AT (camera.elevation_deg),
      .min = -90,
      .max = 90,
      .unit = N_ ("°"),
      .noun = N_ ("degrees"),
      .arg = "DEGREES",
      .help = "look down on the volume; 90: from above, as slices are seen",
      OF_VOLUME } },
  { NULL,
    { .key = "zoom",
      .type = TL_PARAMETER_NUMBER,
      AT (camera.zoom),
      .min = TL_MIN_VOLUME_ZOOM,
      .max = TL_MAX_VOLUME_ZOOM,
      .arg = "FACTOR",
      .help = "enlarge; at 1 the whole volume fits, however it is turned",
      OF_VOLUME } },
  { NULL,
    { .key = "perspective",
      .type = TL_PARAMETER_NUMBER,
      AT (camera.perspective_deg),
      .max = TL_MAX_PERSPECTIVE,
      .unit = N_ ("°"),
      .noun = N_ ("degrees"),
      .arg = "DEGREES",
      .help = "angle of view; 0: parallel rays",
      OF_VOLUME } },
  { NULL,
    { .key = "look-at",
      .type = TL_PARAMETER_NUMBERS,
      .arg = "X,Y,Z",
      .takes = N_ ("three numbers X,Y,Z from 0 to 1"),
      .help = "middle of the picture: columns, rows and slices, from 0 to 1",
      OF_VOLUME } },
  { NULL,
    { .key = "colormap",
      .type = TL_PARAMETER_CHOICE,
      AT (look.colormap),
      .names = tl_colormap_names,
      .arg = "NAME",
      .help = "colours of the values",
      OF_VOLUME } },
  { NULL,
    { .key = "window",
      .type = TL_PARAMETER_NUMBERS,
      .arg = "LOW:HIGH",
      .takes = N_ ("LOW:HIGH, two ascending values"),
      .help = "values of the first and the last colour, in attenuation per "
              "pixel of the detector; by itself from the volume",
      OF_VOLUME } },
  { NULL,
    { .key = "transfer",
      .type = TL_PARAMETER_NUMBERS,
      .arg = "VALUE:OPACITY,…",
      .takes = N_ ("up to 16 pairs VALUE:OPACITY with commas between them, of "
                   "ascending values and opacities from 0 to 1"),
      .help = "opacity of fog along a hundredth of the longest side; by itself "
              "from the volume",
      OF_VOLUME } },
  { NULL,
    { .key = "threshold",
      .type = TL_PARAMETER_QUANTITY,
      AT (look.threshold),
      .arg = "VALUE",
      .help = "value of the surface; by itself from the volume",
      OF_VOLUME } },
  { NULL,
    { .key = "clip-box",
      .type = TL_PARAMETER_NUMBERS,
      .arg = "X0:X1,Y0:Y1,Z0:Z1",
      .takes = N_ ("X0:X1,Y0:Y1,Z0:Z1, six numbers from 0 to 1, of which the "
                   "first of two is the smaller one"),
      .help = "show this part of columns, rows and slices, from 0 to 1",
      OF_VOLUME } },
  { NULL,
    { .key = "clip-planes",
      .type = TL_PARAMETER_NUMBERS,
      .arg = "X,Y,Z:DX,DY,DZ/…",
      .takes = N_ ("up to 4 planes X,Y,Z:DX,DY,DZ with / between them: a point "
                   "of numbers from 0 to 1, and a direction"),
      .help = "cut off what lies from a point on in a direction, both along "
              "columns, rows and slices",
      OF_VOLUME } },
};

/* Whether a value was given or is left to the scan. */
static gboolean *
find_known (const TlRecipe *recipe, const TlParamSpec *parameter)
{
  static const struct
  {
    const char *key;
    size_t offset;
  } known[] = {
    { "slice", offsetof (TlRecipe, slice_known) },
    { "centre", offsetof (TlRecipe, centre_known) },
    { "half", offsetof (TlRecipe, half_known) },
    { "flat-field", offsetof (TlRecipe, flat_field_known) },
    { "minus-log", offsetof (TlRecipe, minus_log_known) },
    { "pixel-size", offsetof (TlRecipe, pixel_known) },
  };
  for (size_t k = 0; k < G_N_ELEMENTS (known); k++)
    if (strcmp (known[k].key, parameter->key) == 0)
      return &FIELD (gboolean, recipe, known[k].offset);
  g_return_val_if_reached (NULL);
}

static void
set_known (TlRecipe *recipe, const TlParamSpec *parameter, gboolean is_known)
{
  if (parameter->automatic != NULL)
    *find_known (recipe, parameter) = is_known;
}

/* --- the list --- */

const TlParamSpec *
tl_recipe_list_keys (size_t *n)
{
  static TlParamSpec list[80];
  static size_t n_listed;
  static gsize done;
  if (g_once_init_enter (&done))
    {
      size_t n_params;
      const TlParamSpec *params = tl_params_list (&n_params);
      g_assert (n_params + G_N_ELEMENTS (own) <= G_N_ELEMENTS (list));
      for (size_t i = 0; i <= n_params; i++)
        {
          const char *next = i < n_params ? params[i].key : NULL;
          for (size_t k = 0; k < G_N_ELEMENTS (own); k++)
            if (g_strcmp0 (own[k].before, next) == 0)
              list[n_listed++] = own[k].parameter;
          if (i < n_params)
            list[n_listed++] = params[i];
        }
      g_once_init_leave (&done, 1);
    }
  *n = n_listed;
  return list;
}

const TlParamSpec *
tl_recipe_find_key (const char *key, GError **error)
{
  size_t n;
  const TlParamSpec *list = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    if (strcmp (list[k].key, key) == 0)
      return &list[k];
  return tl_fail_null (error, TL_ERROR_VALUE,
                       _ ("there is no parameter \"%s\""), key);
}

/* --- typed values --- */

static gboolean
is_number (const TlParamSpec *parameter)
{
  return parameter->type <= TL_PARAMETER_ROW;
}

gboolean
tl_recipe_set_number (TlRecipe *recipe, const TlParamSpec *parameter,
                      double number, GError **error)
{
  g_return_val_if_fail (is_number (parameter), FALSE);
  if (parameter->names == NULL
      && !tl_param_spec_check (parameter, number, error))
    return FALSE;
  tl_param_spec_set_number (parameter, recipe, number);
  set_known (recipe, parameter,
             parameter->type != TL_PARAMETER_QUANTITY || number != 0);
  return TRUE;
}

const GVariantType *
tl_recipe_get_value_type (const TlParamSpec *parameter)
{
  switch (parameter->type)
    {
    case TL_PARAMETER_SWITCH:
      return parameter->says_automatic ? G_VARIANT_TYPE_STRING
                                       : G_VARIANT_TYPE_BOOLEAN;
    case TL_PARAMETER_COUNT:
    case TL_PARAMETER_ROW:
      return G_VARIANT_TYPE_UINT32;
    case TL_PARAMETER_NUMBER:
    case TL_PARAMETER_QUANTITY:
      return G_VARIANT_TYPE_DOUBLE;
    default:
      return G_VARIANT_TYPE_STRING;
    }
}

gboolean
tl_recipe_set_value (TlRecipe *recipe, const TlParamSpec *parameter,
                     GVariant *value, GError **error)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return tl_recipe_set (recipe, parameter->key,
                          g_variant_get_string (value, NULL), error);
  const double number = g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN)
                            ? g_variant_get_boolean (value)
                        : g_variant_is_of_type (value, G_VARIANT_TYPE_UINT32)
                            ? g_variant_get_uint32 (value)
                            : g_variant_get_double (value);
  /* 0 stands for a quantity that is not given; nobody can enter it */
  if (parameter->type == TL_PARAMETER_QUANTITY && number == 0.0)
    return tl_param_spec_refuse (parameter, "0", error);
  return tl_recipe_set_number (recipe, parameter, number, error);
}

GVariant *
tl_recipe_get_value (const TlRecipe *recipe, const TlParamSpec *parameter)
{
  const GVariantType *type = tl_recipe_get_value_type (parameter);
  if (g_variant_type_equal (type, G_VARIANT_TYPE_STRING))
    return g_variant_new_take_string (tl_recipe_get (recipe, parameter->key));
  const double number = tl_param_spec_get_number (parameter, recipe);
  if (g_variant_type_equal (type, G_VARIANT_TYPE_BOOLEAN))
    return g_variant_new_boolean (number != 0);
  if (g_variant_type_equal (type, G_VARIANT_TYPE_UINT32))
    return g_variant_new_uint32 ((guint32)number);
  return g_variant_new_double (number);
}

gboolean
tl_recipe_is_equal (const TlRecipe *a, const TlRecipe *b,
                    const TlParamSpec *parameter)
{
  if (is_number (parameter) && parameter->automatic == NULL)
    return tl_param_spec_get_number (parameter, a)
           == tl_param_spec_get_number (parameter, b);
  g_autofree char *word_a = tl_recipe_get (a, parameter->key);
  g_autofree char *word_b = tl_recipe_get (b, parameter->key);
  return strcmp (word_a, word_b) == 0;
}

gboolean
tl_recipe_is_relevant (const TlRecipe *recipe, const TlParamSpec *parameter)
{
  return tl_params_is_relevant (&recipe->params, parameter);
}

/* --- words --- */

static gboolean
set_name (TlRecipe *recipe, const TlParamSpec *p, const char *value,
          GError **error)
{
  int choice;
  if (p->type == TL_PARAMETER_CHOICE)
    {
      if (!tl_name_find (p->names, p->key, value, &choice, error))
        return FALSE;
    }
  else if (strcmp (value, p->names[0]) == 0 || strcmp (value, p->names[1]) == 0)
    choice = strcmp (value, p->names[1]) == 0;
  else
    return tl_param_spec_refuse (p, value, error);
  return tl_recipe_set_number (recipe, p, choice, error);
}

/* "on", "hann", "12", "0.5", "": not given. */
static gboolean
set_word (TlRecipe *recipe, const TlParamSpec *p, const char *value,
          GError **error)
{
  guint64 count;
  double number = 0;
  if (p->names != NULL)
    return set_name (recipe, p, value, error);
  if (p->type == TL_PARAMETER_COUNT || p->type == TL_PARAMETER_ROW)
    {
      if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT32, &count, NULL))
        return tl_param_spec_refuse (p, value, error);
      return tl_recipe_set_number (recipe, p, (double)count, error);
    }
  if (p->type == TL_PARAMETER_QUANTITY && *value == '\0')
    return tl_recipe_set_number (recipe, p, 0, error);
  if (!tl_number_parse (value, &number)
      || (p->type == TL_PARAMETER_QUANTITY && number == 0))
    return tl_param_spec_refuse (p, value, error);
  return tl_recipe_set_number (recipe, p, number, error);
}

/* The value is the scan's to decide; until it is known, the default stands. */
static void
set_automatic (TlRecipe *recipe, const TlParamSpec *p)
{
  tl_param_spec_set_number (p, recipe, p->type == TL_PARAMETER_SWITCH);
  set_known (recipe, p, FALSE);
}

static gboolean
set_boundary (TlRecipe *recipe, const TlParamSpec *p, const char *value,
              GError **error)
{
  const TlParamSpec *centre = tl_params_find ("centre");
  double boundary_col;
  if (strcmp (value, centre->automatic) == 0)
    set_automatic (recipe, centre);
  else if (!tl_number_parse (value, &boundary_col))
    return tl_param_spec_refuse (p, value, error);
  else
    tl_recipe_set_number (recipe, centre,
                          tl_centre_from_boundary (boundary_col), NULL);
  return TRUE;
}

static gboolean
set_engine (TlRecipe *recipe, const TlParamSpec *p, const char *value,
            GError **error)
{
  static const char *const names[] = { "auto", "cuda", "host", NULL };
  static const char device[] = "cuda:";
  const gboolean is_device =
      g_str_has_prefix (value, device)
      && g_ascii_string_to_unsigned (value + strlen (device), 10, 0,
                                     G_MAXUINT16, NULL, NULL);
  if (!is_device && !g_strv_contains (names, value))
    return tl_param_spec_refuse (p, value, error);
  g_free (recipe->engine);
  recipe->engine = g_strdup (value);
  return TRUE;
}

static gboolean
set_text (TlRecipe *recipe, const TlParamSpec *p, const char *value)
{
  char **string = &FIELD (char *, recipe, p->offset);
  g_free (*string);
  *string = *value != '\0' ? g_strdup (value) : NULL;
  return TRUE;
}

static gboolean
set_angles (TlRecipe *recipe, const TlParamSpec *p, const char *value,
            GError **error)
{
  double angles_deg[2] = { 0, 0 };
  if (*value != '\0')
    {
      g_auto (GStrv) words = g_strsplit (value, ":", -1);
      if (g_strv_length (words) != 2
          || !tl_number_parse (words[0], &angles_deg[0])
          || !tl_number_parse (words[1], &angles_deg[1])
          || angles_deg[0] == angles_deg[1])
        return tl_param_spec_refuse (p, value, error);
    }
  recipe->has_angles = *value != '\0';
  recipe->angles_deg[0] = angles_deg[0];
  recipe->angles_deg[1] = angles_deg[1];
  return TRUE;
}

/* The shortest form is stored, so that equal lists are equal words. */
static gboolean
set_frames (TlRecipe *recipe, const TlParamSpec *p, const char *value,
            GError **error)
{
  g_autoptr (GArray) ranges =
      *value != '\0' ? tl_frame_ranges_parse (value) : NULL;
  if (*value != '\0' && ranges == NULL)
    return tl_param_spec_refuse (p, value, error);
  g_autofree char *text =
      ranges != NULL ? tl_frame_ranges_format (ranges) : g_strdup ("");
  return set_text (recipe, p, text);
}

gboolean
tl_recipe_set (TlRecipe *recipe, const char *key, const char *value,
               GError **error)
{
  g_return_val_if_fail (recipe != NULL && value != NULL, FALSE);
  const TlParamSpec *p = tl_recipe_find_key (key, error);
  if (p == NULL)
    return FALSE;
  if (is_number (p) && p->type != TL_PARAMETER_QUANTITY
      && g_strcmp0 (value, p->automatic) == 0)
    {
      set_automatic (recipe, p);
      return TRUE;
    }
  switch (p->type)
    {
    case TL_PARAMETER_BOUNDARY:
      return set_boundary (recipe, p, value, error);
    case TL_PARAMETER_ENGINE:
      return set_engine (recipe, p, value, error);
    case TL_PARAMETER_TEXT:
      return set_text (recipe, p, value);
    case TL_PARAMETER_ANGLES:
      return set_angles (recipe, p, value, error);
    case TL_PARAMETER_FRAMES:
      return set_frames (recipe, p, value, error);
    case TL_PARAMETER_NUMBERS:
      return tl_look_set (recipe, key, value)
             || tl_param_spec_refuse (p, value, error);
    case TL_PARAMETER_PRESET: /* "" stands for no preset: nothing changes */
      return *value == '\0' || tl_preset_apply (value, &recipe->params, error);
    default:
      return set_word (recipe, p, value, error);
    }
}

static char *
get_angles (const TlRecipe *recipe)
{
  if (!recipe->has_angles)
    return g_strdup ("");
  g_autofree char *first = tl_number_format (recipe->angles_deg[0]);
  g_autofree char *last = tl_number_format (recipe->angles_deg[1]);
  return g_strconcat (first, ":", last, NULL);
}

static char *
get_number (const TlRecipe *recipe, const TlParamSpec *p)
{
  const double number = tl_param_spec_get_number (p, recipe);
  if (p->names != NULL)
    return g_strdup (p->names[(guint)number]);
  if (p->type == TL_PARAMETER_QUANTITY && !(number > 0))
    return g_strdup ("");
  return tl_number_format (number);
}

char *
tl_recipe_get (const TlRecipe *recipe, const char *key)
{
  const TlParamSpec *p = tl_recipe_find_key (key, NULL);
  g_return_val_if_fail (p != NULL, NULL);
  if (is_number (p) && p->type != TL_PARAMETER_QUANTITY && p->automatic != NULL
      && !*find_known (recipe, p))
    return g_strdup (p->automatic);
  switch (p->type)
    {
    case TL_PARAMETER_BOUNDARY:
      return recipe->centre_known ? tl_number_format (
                 tl_centre_to_boundary (recipe->params.centre_col))
                                  : g_strdup ("middle");
    case TL_PARAMETER_ENGINE:
    case TL_PARAMETER_FRAMES:
    case TL_PARAMETER_TEXT:
      {
        const char *text = CONST_FIELD (char *, recipe, p->offset);
        return g_strdup (text != NULL ? text : "");
      }
    case TL_PARAMETER_ANGLES:
      return get_angles (recipe);
    case TL_PARAMETER_NUMBERS:
      return tl_look_get (recipe, key);
    case TL_PARAMETER_PRESET:
      {
        const char *name = tl_preset_find (&recipe->params);
        return g_strdup (name != NULL ? name : "");
      }
    default:
      return get_number (recipe, p);
    }
}

void
tl_recipe_forget_scan (TlRecipe *recipe)
{
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  size_t n;
  const TlParamSpec *list = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    if (list[k].is_of_scan && !list[k].is_alias)
      {
        g_autofree char *value = tl_recipe_get (defaults, list[k].key);
        tl_recipe_set (recipe, list[k].key, value, NULL);
      }
}

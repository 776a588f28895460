#include "app/cli/cli-private.h"
#include "app/recipe/number.h"
#include "data/error.h"
#include "data/stream/stream.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

gboolean
tl_cli_usage_error (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, message);
  return FALSE;
}

GQuark
tl_cli_incomplete_quark (void)
{
  return g_quark_from_static_string ("tl-cli-incomplete");
}

/* Returns: (transfer full) (nullable): @value with a colon in place of what may
 * have been meant for one, if @key takes that */
static char *
dup_range (const char *key, const char *value)
{
  static const char *const marks[] = { ",", ";", "..", " ", "-" };
  g_autoptr (TlRecipe) recipe = tl_recipe_new ();
  for (guint k = 0; k < G_N_ELEMENTS (marks); k++)
    {
      g_auto (GStrv) ends = g_strsplit (value, marks[k], 2);
      g_autofree char *range = g_strjoinv (":", ends);
      if (strcmp (range, value) != 0
          && tl_recipe_set (recipe, key, range, NULL))
        return g_steal_pointer (&range);
    }
  return NULL;
}

/* Returns: (transfer full): a hint if @value has a wrong mark between the ends
 * of a range, or a decimal comma; otherwise "" */
static char *
dup_hint (const char *key, const char *value)
{
  g_autofree char *range = dup_range (key, value);
  if (range != NULL)
    return g_strdup_printf ("; use a colon: %s", range);
  g_autofree char *pointed = g_strdelimit (g_strdup (value), ",", '.');
  double number;
  return strchr (value, ',') != NULL && tl_number_parse (pointed, &number)
             ? g_strdup_printf ("; use a point: %s", pointed)
             : g_strdup ("");
}

/* Returns: (transfer none) (nullable): where the value is that was given for
 * @key before */
static gpointer *
find_given (const TlCliLine *line, const char *key)
{
  for (guint k = 0; k < line->given->len; k += 2)
    if (strcmp (line->given->pdata[k], key) == 0)
      return &line->given->pdata[k + 1];
  return NULL;
}

/* Takes an option that was given before, with @value at @place. */
static gboolean
take_again (TlCliLine *line, const char *key, const char *value,
            gpointer *place, GError **error)
{
  if (tl_recipe_find_key (key, NULL)->type != TL_PARAMETER_FRAMES)
    return tl_cli_usage_error (error, "--%s is given twice: give it once", key);
  g_autofree char *before = *place; /* lists of projections are joined */
  const char *comma = *before != '\0' && *value != '\0' ? "," : "";
  *place = g_strconcat (before, comma, value, NULL);
  return tl_recipe_set (line->recipe, key, *place, error);
}

/* Callback of all keys of the recipe, such as "--filter", "hann". */
static gboolean
take_key (const char *option, const char *value, gpointer data, GError **error)
{
  TlCliLine *line = data;
  const char *key = option + strlen ("--");
  g_autoptr (GError) reason = NULL;
  if (strcmp (key, "centre") == 0 && line->takes_auto)
    line->wants_auto = strcmp (value, "auto") == 0;
  if (strcmp (key, "centre") == 0 && line->wants_auto)
    value = "middle"; /* placeholder until the centre is found */
  if (!tl_recipe_set (line->recipe, key, value, &reason))
    {
      g_autofree char *hint = dup_hint (key, value);
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                   "--%s: %s%s", key, reason->message, hint);
      return FALSE;
    }
  gpointer *place = find_given (line, key);
  if (place != NULL)
    return take_again (line, key, value, place, error);
  g_ptr_array_add (line->given, g_strdup (key));
  g_ptr_array_add (line->given, g_strdup (value));
  return TRUE;
}

/* Callback of the options in line->sizes. */
static gboolean
take_size (const char *option, const char *value, gpointer data, GError **error)
{
  const TlCliSize *size = ((TlCliLine *)data)->sizes;
  while (strcmp (size->name, option + strlen ("--")) != 0)
    size++;
  return tl_cli_parse_size (option, value, 1, size->value, error);
}

void
tl_cli_line_init (TlCliLine *line, const char *usage, const char *summary,
                  const TlCliSize *sizes, const GOptionEntry *own)
{
  const GOptionEntry json[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &line->wants_json, "print JSON", NULL },
    { 0 },
  };
  *line = (TlCliLine){
    .context = g_option_context_new (usage),
    .recipe = tl_recipe_new (),
    .given = g_ptr_array_new_with_free_func (g_free),
    .texts = g_ptr_array_new_with_free_func (g_free),
    .strings = g_ptr_array_new (),
    .sizes = sizes,
  };
  GOptionGroup *group = g_option_group_new ("main", "", "", line, NULL);
  g_option_context_set_summary (line->context, summary);
  g_option_context_set_main_group (line->context, group);
  for (const TlCliSize *size = sizes; size != NULL && size->name != NULL;
       size++)
    {
      const GOptionEntry entry[] = {
        { size->name, 0, 0, G_OPTION_ARG_CALLBACK, (gpointer)take_size,
          size->help, "N" },
        { 0 },
      };
      g_option_context_add_main_entries (line->context, entry, NULL);
    }
  if (own != NULL)
    tl_cli_line_add_own (line, own);
  tl_cli_line_add_own (line, json);
}

void
tl_cli_line_add_own (TlCliLine *line, const GOptionEntry *own)
{
  g_option_context_add_main_entries (line->context, own, NULL);
  for (; own->long_name != NULL; own++)
    if (own->arg == G_OPTION_ARG_STRING || own->arg == G_OPTION_ARG_FILENAME)
      g_ptr_array_add (line->strings, own->arg_data);
}

void
tl_cli_line_add_keys (TlCliLine *line,
                      gboolean (*wants) (const TlParamSpec *key))
{
  size_t n, n_entries = 0;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  g_autofree GOptionEntry *entries = g_new0 (GOptionEntry, n + 2);
  for (size_t k = 0; k < n; k++)
    {
      if ((wants != NULL && !wants (&keys[k]))
          || (keys[k].is_of_volume && !line->takes_volume))
        continue;
      const gboolean is_auto =
          line->takes_auto && strcmp (keys[k].key, "centre") == 0;
      const gboolean is_refused =
          line->chooses_bin && strcmp (keys[k].key, "bin") == 0;
      g_autofree char *takes = tl_param_spec_describe_values (&keys[k], FALSE);
      char *help = g_strdup_printf ("%s (%s%s)", keys[k].help, takes,
                                    is_auto ? ", or \"auto\" to find it" : "");
      g_ptr_array_add (line->texts, help);
      entries[n_entries++] = (GOptionEntry){
        .long_name = keys[k].key,
        /* File names have no particular encoding. */
        .flags = (keys[k].reopens ? G_OPTION_FLAG_FILENAME : 0)
                 | (is_refused ? G_OPTION_FLAG_HIDDEN : 0),
        .arg = G_OPTION_ARG_CALLBACK,
        .arg_data = (gpointer)take_key,
        .description = help,
        .arg_description = keys[k].arg,
      };
    }
  entries[n_entries] = (GOptionEntry){
    .long_name = "recipe",
    .arg = G_OPTION_ARG_FILENAME,
    .arg_data = &line->recipe_path,
    .description = "take these parameters from a recipe, which has no "
                   "format, sample type, range or part of an export",
    .arg_description = "FILE",
  };
  g_option_context_add_main_entries (line->context, entries, NULL);
}

void
tl_cli_line_clear (TlCliLine *line)
{
  g_clear_pointer (&line->context, g_option_context_free);
  g_clear_pointer (&line->recipe_path, g_free);
  g_clear_pointer (&line->recipe, tl_recipe_free);
  g_clear_pointer (&line->given, g_ptr_array_unref);
  g_clear_pointer (&line->json, tl_json_free);
  g_clear_pointer (&line->texts, g_ptr_array_unref);
  for (guint k = 0; line->strings != NULL && k < line->strings->len; k++)
    g_clear_pointer ((char **)line->strings->pdata[k], g_free);
  g_clear_pointer (&line->strings, g_ptr_array_unref);
}

gboolean
tl_cli_line_parse (TlCliLine *line, char ***args, GError **error)
{
  GError *failure = NULL;
  if (!g_option_context_parse_strv (line->context, args, &failure))
    {
      if (g_error_matches (failure, G_OPTION_ERROR,
                           G_OPTION_ERROR_UNKNOWN_OPTION))
        {
          g_autofree char *says = g_steal_pointer (&failure->message);
          const gboolean is_centre = g_str_has_suffix (says, "--center");
          failure->message = g_strdup_printf (
              "%s; %ssee %s --help", says,
              is_centre ? "it is spelt --centre; " : "", g_get_prgname ());
        }
      g_propagate_error (error, failure);
      return FALSE;
    }
  line->json = line->wants_json ? tl_json_new () : NULL;
  if (tl_cli_line_has (line, "centre") && tl_cli_line_has (line, "boundary"))
    return tl_cli_usage_error (error,
                               "--centre and --boundary say the same thing: "
                               "one of them, not both");
  if (line->chooses_bin && tl_cli_line_has (line, "bin"))
    return tl_cli_usage_error (error,
                               "--bin: this command chooses the bins itself: "
                               "give --size, the most columns of a slice");
  if (tl_cli_line_has (line, "angles") && tl_cli_line_has (line, "angles-file"))
    return tl_cli_usage_error (error,
                               "--angles and --angles-file say the same thing: "
                               "one of them, not both");
  return TRUE;
}

gboolean
tl_cli_line_has (const TlCliLine *line, const char *key)
{
  return find_given (line, key) != NULL;
}

char *
tl_cli_dup_count (size_t n, const char *noun)
{
  return g_strdup_printf ("%zu %s%s", n, noun, n == 1 ? "" : "s");
}

gboolean
tl_cli_check_files (char **args, guint min, guint max, GError **error)
{
  const guint n_args = g_strv_length (args) - 1;
  for (char **arg = args; *arg != NULL; arg++)
    if (g_str_has_prefix (*arg, "file:"))
      {
        g_autoptr (GFile) file = g_file_new_for_uri (*arg);
        g_autofree char *path = g_file_get_path (file);
        if (path != NULL)
          {
            g_free (*arg);
            *arg = g_steal_pointer (&path);
          }
      }
  if (n_args < min)
    tl_cli_usage_error (error, "%s needs a file name", args[0]);
  else if (n_args > max)
    tl_cli_usage_error (error, "%s does not take the argument \"%s\"", args[0],
                        args[max + 1]);
  return n_args >= min && n_args <= max;
}

gboolean
tl_cli_line_check_scan (const TlCliLine *line, char **args, GError **error)
{
  if (!tl_cli_check_files (args, line->recipe_path == NULL, 1, error))
    return FALSE;
  if (line->recipe_path != NULL && args[1] != NULL
      && tl_recipe_has_name (args[1]))
    return tl_cli_usage_error (
        error,
        "%s and --recipe %s are both recipes: one of them, "
        "not both",
        args[1], line->recipe_path);
  return TRUE;
}

/* The options count pixels of the scan, and @recipe, which has them already,
 * bins. What was not given is not touched, because there and back it would be
 * rounded. */
static void
convert_given (const TlCliLine *line, TlRecipe *recipe)
{
  g_autoptr (TlRecipe) given = tl_recipe_dup (line->recipe);
  given->bin = recipe->bin;
  tl_recipe_convert_bin (given, 1);
  if (tl_cli_line_has (line, "centre") || tl_cli_line_has (line, "boundary"))
    recipe->params.centre_col = given->params.centre_col;
  if (tl_cli_line_has (line, "feather"))
    recipe->params.feather_cols = given->params.feather_cols;
  if (tl_cli_line_has (line, "pixel-size"))
    recipe->params.phase.pixel_um = given->params.phase.pixel_um;
}

/* @recipe_path: (nullable) */
static TlRecipe *
load_recipe (const TlCliLine *line, const char *recipe_path, char **scan_path,
             GError **error)
{
  if (recipe_path == NULL)
    return tl_recipe_dup (line->recipe);
  g_autoptr (TlRecipe) recipe = tl_recipe_load (recipe_path, scan_path, error);
  if (recipe == NULL)
    return NULL;
  for (guint k = 0; k < line->given->len; k += 2)
    if (!tl_recipe_set (recipe, line->given->pdata[k],
                        line->given->pdata[k + 1], error))
      return NULL;
  if (line->chooses_bin)
    convert_given (line, recipe);
  return g_steal_pointer (&recipe);
}

TlRecipe *
tl_cli_line_make_recipe (const TlCliLine *line, const char *file,
                         char **scan_path, GError **error)
{
  const gboolean is_scan = file != NULL && !tl_recipe_has_name (file);
  const char *recipe_path = file == NULL || is_scan ? line->recipe_path : file;
  g_autofree char *noted = NULL;
  g_autoptr (TlRecipe) recipe = load_recipe (line, recipe_path, &noted, error);
  if (recipe == NULL || scan_path == NULL)
    return g_steal_pointer (&recipe);
  *scan_path =
      is_scan ? tl_recipe_take_scan (recipe, file) : g_steal_pointer (&noted);
  if (is_scan && strcmp (*scan_path, file) != 0
      && tl_cli_line_has (line, "data-path"))
    {
      g_clear_pointer (scan_path, g_free);
      tl_cli_usage_error (error,
                          "%s and --data-path say the same thing: one of them, "
                          "not both",
                          file);
      return NULL;
    }
  if (*scan_path != NULL && tl_stream_is_address (*scan_path))
    {
      tl_cli_usage_error (error,
                          "%s: this is the address of a sender, which is not "
                          "read as a file: follow it with recon --follow, or "
                          "look at it with watch",
                          *scan_path);
      return NULL;
    }
  if (*scan_path != NULL)
    return g_steal_pointer (&recipe);
  return tl_fail_null (
      error, TL_ERROR_VALUE,
      "%s: the recipe does not name its scan; name it before --recipe",
      recipe_path);
}

gboolean
tl_cli_has_suffix (const char *path, const char *suffix)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  return g_str_has_suffix (lower, suffix);
}

char *
tl_cli_swap_suffix (const char *path, const char *suffix)
{
  g_autofree char *stem =
      g_strndup (path, (size_t)(strrchr (path, '.') - path));
  return g_strconcat (stem, suffix, NULL);
}

gboolean
tl_cli_parse_range (const char *text, TlCliRange *range, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ":", -1);
  const guint n = g_strv_length (words);
  guint64 numbers[3] = { 0, 0, 1 };
  gboolean good = n >= 1 && n <= 3;
  for (guint k = 0; good && k < n; k++)
    good = g_ascii_string_to_unsigned (words[k], 10, k == 2 ? 1 : 0,
                                       G_MAXUINT32, &numbers[k], NULL);
  if (n == 1)
    numbers[1] = numbers[0];
  if (good && numbers[1] < numbers[0])
    return tl_cli_usage_error (
        error, "--slices %s: the first row is after the last", text);
  if (!good)
    return tl_cli_usage_error (
        error,
        "--slices takes ROW, FIRST:LAST or FIRST:LAST:STEP, "
        "both ends included, not \"%s\"",
        text);
  *range = (TlCliRange){ numbers[0], numbers[1], numbers[2] };
  return TRUE;
}

gboolean
tl_cli_parse_bytes (const char *option, const char *text, guint64 *bytes,
                    GError **error)
{
  static const char units[] = "kMGT";
  char *end;
  if (text == NULL)
    return TRUE;
  double number = g_ascii_strtod (text, &end);
  const char *unit = *end != '\0' ? strchr (units, *end) : NULL;
  if (unit != NULL)
    number *= pow (1000, (double)(unit - units) + 1);
  if (!(number > 0 && number < 1e18) || (*end != '\0' && unit == NULL)
      || (unit != NULL && end[1] != '\0'))
    return tl_cli_usage_error (
        error, "%s takes a size such as 8G or 500M, not \"%s\"", option, text);
  *bytes = (guint64)number;
  return TRUE;
}

gboolean
tl_cli_parse_size (const char *option, const char *text, size_t min,
                   size_t *size, GError **error)
{
  guint64 number;
  if (!g_ascii_string_to_unsigned (text, 10, min, G_MAXUINT32, &number, NULL))
    return tl_cli_usage_error (
        error, "%s takes a whole number of at least %zu, not \"%s\"", option,
        min, text);
  *size = number;
  return TRUE;
}

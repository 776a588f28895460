#include "data/read/edf/acquisition-private.h"

#include "data/array.h"
#include "data/read/format/image-format.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

enum
{
  MAX_DARKS = 1 << 20,
  MAX_ANGLES = 10 << 20 /* more are a damaged file */
};

/* Finds "KEY = number" in a line of its own, as in .info files, or
 * "<KEY>number", as in .xml files; the case of letters does not matter.
 *
 * Returns: 0 if there is none */
static double
find_number (const char *lower_text, const char *lower_key)
{
  const size_t n = strlen (lower_key);
  for (const char *at = lower_text; (at = strstr (at, lower_key)) != NULL; at++)
    {
      const char before = at == lower_text ? '\n' : at[-1];
      const char *end = at + n + strspn (at + n, " \t");
      if ((before == '\n' && *end == '=') || (before == '<' && *end == '>'))
        return g_ascii_strtod (end + 1, NULL);
    }
  return 0;
}

/* Returns: (transfer full) (nullable): the only .info file in @folder */
static char *
find_only (const char *folder)
{
  static const char *const extensions[] = { ".info", NULL };
  g_autofree char *found = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    if (tl_name_has_extension (name, extensions))
      {
        if (found != NULL)
          return NULL;
        found = g_build_filename (folder, name, NULL);
      }
  return g_steal_pointer (&found);
}

/* Returns: (transfer full) (nullable): the text of the file beside @path, in
 * lower case */
static char *
load (const char *path, char **name)
{
  static const char *const extensions[] = { ".info", ".xml" };
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *canonical = g_canonicalize_filename (folder, NULL);
  g_autofree char *of_folder = g_path_get_basename (canonical);
  g_autofree char *stem = g_path_get_basename (path);
  if (strrchr (stem, '.') != NULL)
    *strrchr (stem, '.') = '\0';
  for (size_t n = strlen (stem); n > 0 && g_ascii_isdigit (stem[n - 1]); n--)
    stem[n - 1] = '\0';
  g_autofree char *short_stem = g_strdup (stem);
  if (g_str_has_suffix (stem, "_"))
    short_stem[strlen (stem) - 1] = '\0';
  const char *const names[] = { of_folder, stem, short_stem };
  for (size_t i = 0; i < G_N_ELEMENTS (names); i++)
    for (size_t k = 0; k < G_N_ELEMENTS (extensions); k++)
      {
        g_autofree char *base = g_strconcat (names[i], extensions[k], NULL);
        g_autofree char *file = g_build_filename (folder, base, NULL);
        g_autofree char *text = NULL;
        if (!g_file_get_contents (file, &text, NULL, NULL))
          continue;
        *name = tl_path_dup_name (file);
        return g_ascii_strdown (text, -1);
      }
  g_autofree char *only = find_only (folder);
  g_autofree char *text = NULL;
  if (only == NULL || !g_file_get_contents (only, &text, NULL, NULL))
    return NULL;
  *name = tl_path_dup_name (only);
  return g_ascii_strdown (text, -1);
}

void
tl_acquisition_describe (const char *path, TlScanDraft *draft)
{
  g_autofree char *name = NULL;
  g_autofree char *text = load (path, &name);
  if (text == NULL)
    return;
  const double range = find_number (text, "scanrange");
  const double n = find_number (text, "tomo_n");
  const double pixel_um = find_number (text, "pixelsize");
  if (isfinite (pixel_um) && pixel_um > 0)
    draft->pixel_size_um = pixel_um;
  if (!isfinite (range) || range == 0 || !(n >= 1 && n <= MAX_ANGLES))
    return;
  draft->n_angles = (size_t)n;
  draft->angles_deg = g_new (double, draft->n_angles);
  for (size_t i = 0; i < draft->n_angles; i++)
    draft->angles_deg[i] = range * (double)i / (double)draft->n_angles;
  draft->angles_source = g_strdup_printf (_ ("%s: %g degrees in %zu steps"),
                                          name, range, draft->n_angles);
}

guint
tl_acquisition_count_darks (const char *path)
{
  g_autofree char *name = NULL;
  g_autofree char *text = load (path, &name);
  const double n = text != NULL ? find_number (text, "dark_n") : 0;
  return n >= 1 && n <= MAX_DARKS ? (guint)n : 0;
}

/* The recipe: the full set of parameters. A recipe and a scan give the same
 * result again. */
#pragma once

#include "data/reader.h"
#include "gpu/params.h"

G_BEGIN_DECLS

typedef struct
{
  TlParams params;          /* params.grid is set when a scan is known */
  gboolean centre_known;    /* else the middle of the detector is taken */
  gboolean minus_log_known; /* else off for attenuation, on for counts */
  size_t slice;             /* detector row */
  char *engine;             /* "auto", "cuda", "host" */
  /* How the scan is read; all nullable. */
  char *projections, *flats, *darks, *angles_file;
  gboolean has_angles;
  double angles_deg[2];
  gboolean replace_nan;
} TlRecipe;

TlRecipe *tl_recipe_new (void); /* the defaults */
TlRecipe *tl_recipe_dup (const TlRecipe *recipe);
void tl_recipe_free (TlRecipe *recipe);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlRecipe, tl_recipe_free)

/**
 * tl_recipe_list_keys:
 *
 * Returns: (transfer none): %NULL-terminated: "slice", "centre", "filter",
 *   "cutoff", "butterworth-order", "interpolation", "kernel", "precision",
 *   "padding", "flat-field", "minus-log", "engine", "angles", "projections",
 *   "flats", "darks", "angles-file", "nan". They are the words of the recipe
 *   file, of the command line's options and of the window's actions.
 */
const char *const *tl_recipe_list_keys (void);

/**
 * tl_recipe_set:
 * @value: as typed; numbers with a point
 *
 * Returns: %FALSE with TL_ERROR_VALUE that names the key and what it takes;
 *   then nothing was changed
 */
gboolean tl_recipe_set (TlRecipe *recipe, const char *key, const char *value,
                        GError **error);

/** tl_recipe_get: Returns: (transfer full): as tl_recipe_set() takes it. */
char *tl_recipe_get (const TlRecipe *recipe, const char *key);

/** tl_recipe_load: Key file; unknown keys are an error that names them. */
TlRecipe *tl_recipe_load (const char *path, GError **error);

/** tl_recipe_save: Whole file or none. @scan_path: (nullable): noted in it. */
gboolean tl_recipe_save (const TlRecipe *recipe, const char *scan_path,
                         const char *path, GError **error);

/** tl_recipe_to_text: Returns: (transfer full): what tl_recipe_save() writes.
 */
char *tl_recipe_to_text (const TlRecipe *recipe, const char *scan_path);

/**
 * tl_recipe_reader_options:
 * @options: (out caller-allocates): strings are lent by @recipe
 */
void tl_recipe_reader_options (const TlRecipe *recipe,
                               TlReaderOptions *options);

/**
 * tl_recipe_resolve:
 *
 * Fills in what depends on the scan: centre, -log and flat field where not
 * said, the grid of a whole slice.
 *
 * Returns: %FALSE with TL_ERROR_VALUE (centre outside the detector, no such
 *   slice, flat field asked for where there is none)
 */
gboolean tl_recipe_resolve (TlRecipe *recipe, const TlScanInfo *info,
                            GError **error);

G_END_DECLS

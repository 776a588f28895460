/* The recipe: the full set of parameters. A recipe and a scan give the same
 * result again. */
#pragma once

#include "data/read/reader.h"
#include "gpu/engine.h"
#include "render/look/volume-camera.h"
#include "render/look/volume-look.h"

typedef struct
{
  TlParams params; /* first: descriptors of its fields are a recipe's,
                      too; params.grid is set when a scan is known */
  /* Whether the user gave a value; the comments say what is taken without. */
  gboolean centre_known;     /* else the middle of the detector */
  gboolean flat_field_known; /* else on where the scan has flats */
  gboolean half_known;       /* else on where the axis is near an edge and the
                                angles cover a full turn */
  gboolean minus_log_known;  /* else off for attenuation, on for counts */
  gboolean slice_known;      /* else the middle row */
  gboolean pixel_known;      /* else what the scan says, and no part of what is
                                saved */
  size_t slice;              /* detector row */
  char *engine;              /* "auto", "cuda", "cuda:1" …, "host" */
  /* How the scan is read; all nullable. */
  char *projections, *flats, *darks, *angles_file;
  char *data_path, *keys_path, *angles_path, *flats_path, *darks_path;
  char *raw;
  gboolean has_angles;
  double angles_deg[2];
  char *leave_out; /* (nullable) as of tl_frame_ranges_parse() */
  guint bin;       /* as of TlReaderOptions; 1: none */
  gboolean replace_nan;
  /* The volume view; values in attenuation per pixel of the detector, whatever
   * the bins. Sizes are not set. */
  TlVolumeCamera camera;
  TlVolumeLook look; /* not settled */
} TlRecipe;

TlRecipe *tl_recipe_new (void); /* the defaults */
TlRecipe *tl_recipe_dup (const TlRecipe *recipe);
/** tl_recipe_dup_given: Without a pixel size that came from the scan. */
TlRecipe *tl_recipe_dup_given (const TlRecipe *recipe);
/**
 * tl_recipe_dup_on_grid:
 *
 * For a picture in pixels of another size. On a coarse @grid the slice is
 * without the frequencies that it cannot show: they would come back as stripes
 * and noise.
 */
TlRecipe *tl_recipe_dup_on_grid (const TlRecipe *recipe, const TlGrid *grid);
void tl_recipe_free (TlRecipe *recipe);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlRecipe, tl_recipe_free)

/**
 * tl_recipe_list_keys:
 * @n: (out)
 *
 * The parameters of tl_params_list() and those of the scan and the program, in
 * the order of help and recipes.
 *
 * Returns: (transfer none): [@n]
 */
const TlParamSpec *tl_recipe_list_keys (size_t *n);

/** tl_recipe_find_key: Returns: (nullable): %NULL with TL_ERROR_VALUE. */
const TlParamSpec *tl_recipe_find_key (const char *key, GError **error);

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

/**
 * tl_recipe_set_number:
 * @parameter: a switch, a choice, a count, a number, a quantity or a row
 *
 * Returns: %FALSE with TL_ERROR_VALUE for a number out of range; then nothing
 *   was changed
 */
gboolean tl_recipe_set_number (TlRecipe *recipe, const TlParamSpec *parameter,
                               double number, GError **error);

/** tl_recipe_get_value_type: Returns: b, u, d or s: of the window's actions. */
const GVariantType *tl_recipe_get_value_type (const TlParamSpec *parameter);

/**
 * tl_recipe_set_value:
 * @value: of the type above, or a string as tl_recipe_set() takes it
 *
 * Returns: as tl_recipe_set()
 */
gboolean tl_recipe_set_value (TlRecipe *recipe, const TlParamSpec *parameter,
                              GVariant *value, GError **error);

/** tl_recipe_get_value: Returns: (transfer floating): of the type above; what
 * is left to the scan is as it was resolved. */
GVariant *tl_recipe_get_value (const TlRecipe *recipe,
                               const TlParamSpec *parameter);

/** tl_recipe_is_equal: Returns: both recipes have the same @parameter. */
gboolean tl_recipe_is_equal (const TlRecipe *a, const TlRecipe *b,
                             const TlParamSpec *parameter);

/**
 * tl_recipe_get_stage:
 * @from: resolved, as @to: what was made, and what is wanted
 * @n_cols: of the detector
 *
 * Returns: the first stage that a change of @key's value alone runs again
 */
TlStage tl_recipe_get_stage (const TlRecipe *from, const TlRecipe *to,
                             const TlParamSpec *key, size_t n_cols);

/** tl_recipe_corrects_alike: Both recipes must be resolved for the same scan.
 * Returns: whether, for equal tilt, the corrections give the same result for
 * every row and the angles are equal */
gboolean tl_recipe_corrects_alike (const TlRecipe *a, const TlRecipe *b);

/** tl_recipe_reads_alike: Returns: whether both recipes open a scan with the
 * same parameters */
gboolean tl_recipe_reads_alike (const TlRecipe *a, const TlRecipe *b);

/** tl_recipe_is_relevant: Returns: whether the value of @key has an effect,
 * given the other values */
gboolean tl_recipe_is_relevant (const TlRecipe *recipe, const TlParamSpec *key);

/**
 * tl_recipe_compare:
 * @most: so many changes are put in words; the others are counted
 * @key: (out) (optional): the last key that differs; untouched where none does
 * @words: to be appended to: "Centre 30 → 30.5, Filter Ramp →
 *   Hann", as the window names parameters and values, translated
 *
 * Returns: how many keys differ
 */
guint tl_recipe_compare (const TlRecipe *from, const TlRecipe *to, guint most,
                         const char **key, GString *words);

/* The keys that say where the parts of a scan are, in an HDF5 file, data-path
 * first, in a folder, and in raw samples; %NULL-terminated. */
extern const char *const tl_recipe_place_keys[];

/**
 * tl_recipe_take_scan:
 * @name: a scan as a user names it: a file, a folder, or "FILE:/path"
 *
 * A path becomes the data-path of @recipe.
 *
 * Returns: (transfer full): the file or folder
 */
char *tl_recipe_take_scan (TlRecipe *recipe, const char *name);

/** tl_recipe_copy_places: Takes from @from where the parts of a scan are.
 * Others may have other flat fields, so their use is settled anew. */
void tl_recipe_copy_places (TlRecipe *recipe, const TlRecipe *from);

/**
 * tl_recipe_make_absolute:
 * @folder: (nullable): where relative file names begin; %NULL: in the current
 *   folder
 *
 * Returns: (transfer full): @value of @key, for a program in another folder:
 *   file names in it are absolute, except for "FILE:/path" if @folder has no
 *   such file: then it is beside the scan
 */
char *tl_recipe_make_absolute (const TlParamSpec *key, const char *value,
                               const char *folder);

/**
 * tl_recipe_set_bin:
 *
 * Reads more, or fewer, pixels and projections as one. Centre, slice and pixel
 * size, where they are given, are those of the same place from then on; widths
 * of filters that count pixels stay.
 *
 * Returns: %FALSE with TL_ERROR_VALUE if @bin is more than TL_MAX_BIN
 */
gboolean tl_recipe_set_bin (TlRecipe *recipe, guint bin, GError **error);

/** tl_recipe_convert_bin: As tl_recipe_set_bin(), for a recipe whose bin has
 * been set already: centre, slice and pixel size are those of bins of @from. */
void tl_recipe_convert_bin (TlRecipe *recipe, guint from);

/** tl_bin_convert_col: Returns: the place of the column @col of bins of @from,
 * in columns of bins of @to */
double tl_bin_convert_col (double col, guint from, guint to);

/** tl_recipe_needs_flats: Returns: %FALSE if flat-field correction is switched
 * off, rather than left to the scan */
gboolean tl_recipe_needs_flats (const TlRecipe *recipe);

/** tl_recipe_forget_scan: What belongs to one scan goes back to its default. */
void tl_recipe_forget_scan (TlRecipe *recipe);

/** tl_recipe_has_name: Returns: %TRUE if @path is named like a recipe:
 * *.tomolens, or *.ini as those beside results are. */
gboolean tl_recipe_has_name (const char *path);

/**
 * tl_recipe_load:
 * @scan_path: (out) (optional) (nullable): the scan noted in it, as of
 *   tl_recipe_take_scan(); a relative path is taken from the recipe's folder
 *
 * Reads a key file; unknown keys are an error that names them. A regular file
 * of 1 MiB at most, so that the main thread may read it: a screenful of text,
 * which costs less than handing it to another thread and back.
 *
 * Returns: (transfer full): %NULL with TL_ERROR_FILE, TL_ERROR_FORMAT or
 *   TL_ERROR_VALUE
 */
TlRecipe *tl_recipe_load (const char *path, char **scan_path, GError **error);

/** tl_recipe_from_text: As tl_recipe_load(). @length: of @text, in bytes.
 * @path: where it is from, for messages and a relative path of the scan */
TlRecipe *tl_recipe_from_text (const char *text, size_t length,
                               const char *path, char **scan_path,
                               GError **error);

/** tl_recipe_save: Whole file or none. @scan_path: (nullable): noted in it. For
 * the main thread, too, as tl_recipe_load() is. */
gboolean tl_recipe_save (const TlRecipe *recipe, const char *scan_path,
                         const char *path, GError **error);

/** tl_recipe_to_text: Returns: (transfer full): what tl_recipe_save() writes.
 */
char *tl_recipe_to_text (const TlRecipe *recipe, const char *scan_path);

/**
 * tl_recipe_to_command:
 * @command: "recon", or "export", which takes no slice
 * @defaults: values to leave out; for a resolved @recipe, resolved as well
 *
 * Returns: (transfer full): "tomolens-cli recon /a/scan.h5 --slice 512 …", as a
 *   shell takes it
 */
char *tl_recipe_to_command (const char *command, const TlRecipe *recipe,
                            const TlRecipe *defaults, const char *scan_path);

/**
 * tl_recipe_reader_options:
 * @options: (out caller-allocates): strings are lent by @recipe
 */
void tl_recipe_reader_options (const TlRecipe *recipe,
                               TlReaderOptions *options);

/** tl_recipe_takes_half: Returns: the switch for half acquisition if it was
 * given, or else what @centre_col suggests. */
gboolean tl_recipe_takes_half (const TlRecipe *recipe, const TlScanInfo *info,
                               double centre_col);

/**
 * tl_recipe_resolve:
 *
 * Fills in what depends on the scan: slice, centre, -log, flat field and pixel
 * size where not given, half acquisition where it is left to the scan, and the
 * grid of a whole slice; these two depend on the centre at the last call.
 *
 * Returns: %FALSE with TL_ERROR_VALUE that names the scan (centre outside the
 *   detector, no such slice, flat field asked for where there is none, phase
 *   retrieval that lacks something, half acquisition without a full turn); then
 *   nothing was changed
 */
gboolean tl_recipe_resolve (TlRecipe *recipe, const TlScanInfo *info,
                            GError **error);

/**
 * tl_recipe_fit:
 * @misfits: (out) (nullable): one sentence on what does not fit
 *
 * As tl_recipe_resolve(), but what the scan does not allow goes back to its
 * default.
 *
 * Returns: %FALSE with TL_ERROR_VALUE where that does not help
 */
gboolean tl_recipe_fit (TlRecipe *recipe, const TlScanInfo *info,
                        char **misfits, GError **error);

/* Shared by the commands of tomolens-cli. A function that fails sets a
 * G_OPTION_ERROR if the command line is wrong (exit status 2), a
 * TL_CLI_INCOMPLETE if the work is done and frames are missing (exit status 3),
 * and any other error if the data or the machine is the cause (exit status 1).
 */
#pragma once

#include "app/cli/json-private.h"
#include "app/recipe/recipe.h"

typedef gboolean (*TlCliFunc) (char **args, GCancellable *cancellable,
                               GError **error);

gboolean tl_cli_info (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_centre (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_recon (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_export (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_volume (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_render (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_thumbnail (char **args, GCancellable *cancellable,
                           GError **error);
gboolean tl_cli_phantom (char **args, GCancellable *cancellable,
                         GError **error);
gboolean tl_cli_play (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_watch (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_bench (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_try (char **args, GCancellable *cancellable, GError **error);

/* The command line of one command: its own options, and the keys of the
 * recipe as options. */
typedef struct
{
  GOptionContext *context;
  char *recipe_path;  /* (nullable) */
  TlRecipe *recipe;   /* from the options only */
  GPtrArray *texts;   /* help texts of the options */
  GPtrArray *strings; /* char **: values of the command's own options */
  const struct TlCliSize *sizes; /* (nullable): as for tl_cli_line_init() */
  GPtrArray *given;    /* (key, value) pairs in the order on the command line */
  gboolean takes_auto; /* whether "--centre auto" is allowed; set before the
                          keys are added */
  gboolean takes_volume; /* whether the keys of the volume view are options;
                            set before the keys are added */
  gboolean wants_auto;   /* "--centre auto" was given */
  gboolean seeks_centre; /* the command finds it, so it is not required */
  gboolean chooses_bin; /* the command reads the scan in bins as max_cols or the
                           recipe says, and its options count pixels of the
                           scan; set before the keys are added */
  size_t max_cols; /* of --size, of a command that chooses the bin: the scan has
                      at most so many columns; 0: not given */
  gboolean wants_json;
  TlJson *json; /* (nullable): the report, if "--json" was given */
} TlCliLine;

/* An option that takes a whole number of at least 1. */
typedef struct TlCliSize
{
  const char *name; /* without "--" */
  size_t *value;
  const char *help;
} TlCliSize;

/**
 * tl_cli_line_init:
 * @usage: "FILE"
 * @summary: one sentence, printed below the usage
 * @sizes: (nullable): ends with an empty one; must live until the line is
 *   parsed
 * @own: (nullable): the command's own options; texts that they take are freed
 * with @line
 *
 * Adds these options, and --json.
 */
void tl_cli_line_init (TlCliLine *line, const char *usage, const char *summary,
                       const TlCliSize *sizes, const GOptionEntry *own);

/** tl_cli_line_add_own: Adds more of the command's own options. */
void tl_cli_line_add_own (TlCliLine *line, const GOptionEntry *own);

/**
 * tl_cli_line_add_keys:
 * @wants: (nullable): whether to add a key; %NULL: add all
 *
 * Adds the keys of the recipe as options, and --recipe; those of the volume
 * view only if @line takes them.
 */
void tl_cli_line_add_keys (TlCliLine *line,
                           gboolean (*wants) (const TlParamSpec *key));
void tl_cli_line_clear (TlCliLine *line);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCliLine, tl_cli_line_clear)

/** tl_cli_line_parse: Removes the options from @args; the first of @args is
 * the name of the command. */
gboolean tl_cli_line_parse (TlCliLine *line, char ***args, GError **error);

/** tl_cli_line_has: Returns: whether the option of @key was given */
gboolean tl_cli_line_has (const TlCliLine *line, const char *key);

/** tl_cli_check_files: Checks that @args, after parsing, has @min to @max
 * file names. A URI of a file becomes its path. */
gboolean tl_cli_check_files (char **args, guint min, guint max, GError **error);

/**
 * tl_cli_line_check_scan:
 *
 * As tl_cli_check_files() for one file, a scan or a recipe. It may be missing
 * if --recipe is given.
 */
gboolean tl_cli_line_check_scan (const TlCliLine *line, char **args,
                                 GError **error);

/**
 * tl_cli_line_make_recipe:
 * @file: (nullable): a scan, or a recipe that names a scan
 * @scan_path: (out) (optional): @file, or the scan that the recipe names
 *
 * Reads the recipe in @file or of --recipe, then applies the other options. The
 * recipe counts bins, as it says; of a command that chooses the bin the options
 * are converted to them.
 *
 * Returns: (transfer full): %NULL with any error of tl_recipe_load(), or with
 *   TL_ERROR_VALUE if @scan_path is given but neither @file nor the recipe
 * names a scan
 */
TlRecipe *tl_cli_line_make_recipe (const TlCliLine *line, const char *file,
                                   char **scan_path, GError **error);

/* The rows first, first + step … up to last; both ends are included. */
typedef struct
{
  size_t first, last, step;
} TlCliRange;

/** tl_cli_parse_range: Parses "ROW", "FIRST:LAST" or "FIRST:LAST:STEP". */
gboolean tl_cli_parse_range (const char *text, TlCliRange *range,
                             GError **error);

/** tl_cli_parse_size: Parses a whole number of at least @min. */
gboolean tl_cli_parse_size (const char *option, const char *text, size_t min,
                            size_t *size, GError **error);

/** tl_cli_parse_bytes: Parses a size of memory such as "8G" or "500M". @text:
 * (nullable): %NULL: @bytes stays as it is */
gboolean tl_cli_parse_bytes (const char *option, const char *text,
                             guint64 *bytes, GError **error);

/** tl_cli_dup_count: @noun: takes an s. Returns: (transfer full): "1 flat",
 * "2 flats" */
char *tl_cli_dup_count (size_t n, const char *noun);

/** tl_cli_spell_options: Returns: (transfer full): @message, whose settings are
 * options; %NULL if it is no UTF-8 */
char *tl_cli_spell_options (const char *message);

/** tl_cli_dup_error: Returns: (transfer full): the message, and what helps */
char *tl_cli_dup_error (const GError *error);

/** tl_cli_usage_error: Returns: %FALSE */
gboolean tl_cli_usage_error (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* Domain of the only error that says that a scan was followed to its end, and
 * frames of it are missing. */
#define TL_CLI_INCOMPLETE (tl_cli_incomplete_quark ())
GQuark tl_cli_incomplete_quark (void);

/** tl_cli_has_suffix: @suffix: in lower case. Returns: whether @path ends in
 * it, in any case */
gboolean tl_cli_has_suffix (const char *path, const char *suffix);

/** tl_cli_swap_suffix: Returns: (transfer full): @path, whose name must have a
 * suffix, with another one: "a/b.png" for "a/b.tiff" and ".png" */
char *tl_cli_swap_suffix (const char *path, const char *suffix);

/* A progress line, shown only if standard error is a terminal. */
typedef struct
{
  const char *word; /* the activity, such as "exporting" */
  size_t n_slices;  /* total to count to; 0: show percent */
  gint64 last_us;
  gboolean is_shown;
} TlCliProgress;

/** tl_cli_progress: A #TlProgress; @data is a #TlCliProgress. */
void tl_cli_progress (double fraction, gpointer data);

/** tl_cli_progress_end: Ends the progress line, so that the next output
 * starts on a new line. */
void tl_cli_progress_end (TlCliProgress *progress);

/* Percentiles for the grey levels of a picture: the darkest and the
 * brightest half percent saturate. */
#define TL_CLI_PNG_LOW 0.005
#define TL_CLI_PNG_HIGH 0.995

/** tl_cli_explain_cancel: If the error is a cancellation, replaces its
 * message by a sentence. */
void tl_cli_explain_cancel (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** tl_cli_peak_bytes: Returns: the peak memory of this process */
size_t tl_cli_peak_bytes (void);

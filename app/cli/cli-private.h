/* What the commands of tomolens-cli share. Functions that fail set a
 * G_OPTION_ERROR where the command line is to blame (exit status 2) and another
 * error where the data or the machine is (exit status 1). */
#pragma once

#include "app/recipe/recipe.h"

G_BEGIN_DECLS

typedef gboolean (*TlCliFunc) (char **args, GCancellable *cancellable,
                               GError **error);

gboolean tl_cli_info (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_centre (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_recon (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_export (char **args, GCancellable *cancellable, GError **error);
gboolean tl_cli_phantom (char **args, GCancellable *cancellable,
                         GError **error);
gboolean tl_cli_bench (char **args, GCancellable *cancellable, GError **error);

/* The command line of one command: its own options and keys of the recipe. */
typedef struct
{
  GOptionContext *context;
  char *recipe_path;     /* (nullable) */
  TlRecipe *recipe;      /* of the options alone */
  GPtrArray *texts;      /* help texts of the options */
  GPtrArray *given;      /* key, value, key, value … in order */
  gboolean takes_auto;   /* "--centre auto"; set before the keys are added */
  gboolean wants_auto;   /* it was said */
  gboolean seeks_centre; /* none need be given */
} TlCliLine;

/**
 * tl_cli_line_init:
 * @usage: "FILE"
 * @summary: one sentence, below the usage
 * @own: the command's own options
 */
void tl_cli_line_init (TlCliLine *line, const char *usage, const char *summary,
                       const GOptionEntry *own);

/**
 * tl_cli_line_add_keys:
 * @wants: (nullable): which keys; all without it
 *
 * Makes the keys of the recipe options, and adds --recipe.
 */
void tl_cli_line_add_keys (TlCliLine *line,
                           gboolean (*wants) (const TlParameter *key));
void tl_cli_line_clear (TlCliLine *line);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCliLine, tl_cli_line_clear)

/** tl_cli_line_parse: Consumes the options in @args, the command's name first.
 */
gboolean tl_cli_line_parse (TlCliLine *line, char ***args, GError **error);

/** tl_cli_line_has: Returns: whether the option of this key was given. */
gboolean tl_cli_line_has (const TlCliLine *line, const char *key);

/** tl_cli_check_files: @args, after parsing, must have so many file names. */
gboolean tl_cli_check_files (char **args, guint min, guint max, GError **error);

/**
 * tl_cli_line_check_scan:
 *
 * As tl_cli_check_files(): one scan or recipe, which --recipe may replace.
 */
gboolean tl_cli_line_check_scan (const TlCliLine *line, char **args,
                                 GError **error);

/**
 * tl_cli_line_make_recipe:
 * @file: (nullable): a scan, or a recipe that names one
 * @scan_path: (out) (optional): @file, or the scan that the recipe names
 *
 * The recipe in @file or of --recipe, then the other options.
 */
TlRecipe *tl_cli_line_make_recipe (const TlCliLine *line, const char *file,
                                   char **scan_path, GError **error);

/* Rows first, first + step … last; both ends included. */
typedef struct
{
  size_t first, last, step;
} TlCliRange;

/** tl_cli_parse_range: "ROW", "FIRST:LAST" or "FIRST:LAST:STEP". */
gboolean tl_cli_parse_range (const char *text, TlCliRange *range,
                             GError **error);

/** tl_cli_parse_size: A whole number, @min at least. */
gboolean tl_cli_parse_size (const char *option, const char *text, size_t min,
                            size_t *size, GError **error);

void tl_cli_usage_error (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** tl_cli_swap_suffix: Returns: (transfer full): "a/b.png" of "a/b.tiff" and
 * ".png". */
char *tl_cli_swap_suffix (const char *path, const char *suffix);

/* A line that counts up, where standard error is a terminal. */
typedef struct
{
  const char *word; /* for what is done: "exporting" */
  size_t n_slices;  /* to count; 0: percent */
  gint64 last_us;
  gboolean is_shown;
} TlCliProgress;

/** tl_cli_progress: A #TlProgress; @data is a #TlCliProgress. */
void tl_cli_progress (double fraction, gpointer data);

/** tl_cli_progress_end: Whatever is printed next has a line of its own. */
void tl_cli_progress_end (TlCliProgress *progress);

/* Grey levels of a picture: all but the darkest and brightest half percent. */
#define TL_CLI_PNG_LOW 0.005
#define TL_CLI_PNG_HIGH 0.995

/** tl_cli_explain_cancel: Gives a cancelled work's error a sentence. */
void tl_cli_explain_cancel (GError **error, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/** tl_cli_peak_bytes: Returns: the most memory this process has had. */
size_t tl_cli_peak_bytes (void);

G_END_DECLS

/* The scan that a command works on. */
#pragma once

#include "app/cli/cli-private.h"
#include "app/cli/json-private.h"
#include "app/recon/recon.h"

G_BEGIN_DECLS

/* An open scan, and how it is to be reconstructed. */
typedef struct
{
  char *path;
  TlReader *reader;      /* (nullable): %NULL once stolen */
  TlRecipe *recipe;      /* resolved */
  GStrv notes;           /* what is odd, what was assumed */
  gboolean wants_centre; /* "--centre auto", not found yet */
} TlCliScan;

/**
 * tl_cli_scan_open:
 * @scan: (out caller-allocates): to be cleared after an error too
 * @file: (nullable): as for tl_cli_line_make_recipe()
 * @takes_slice: the recipe's slice is what is wanted
 *
 * Opens and resolves, and prints the notes to standard error.
 */
gboolean tl_cli_scan_open (TlCliScan *scan, const TlCliLine *line,
                           const char *file, gboolean takes_slice,
                           GError **error);
void tl_cli_scan_clear (TlCliScan *scan);

/** tl_cli_scan_take_note: Prints @note (transfer full) as well. */
void tl_cli_scan_take_note (TlCliScan *scan, char *note);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCliScan, tl_cli_scan_clear)

/**
 * tl_cli_scan_dup_axis:
 *
 * Returns: (transfer full): "centre 32 (boundary 32.5)", and ", tilt 0.3
 *   degrees" and ", half acquisition" where that is so
 */
char *tl_cli_scan_dup_axis (const TlCliScan *scan);

/**
 * tl_cli_scan_find_centre:
 * @recon: of @scan's reader, which may have been stolen
 * @row: to look at
 *
 * For "--centre auto", and does nothing without it: finds the centre, says how
 * in notes on standard error, and puts it into the recipe.
 *
 * Returns: %FALSE with TL_ERROR_VALUE where it cannot be told, or any error of
 *   tl_find_centre()
 */
gboolean tl_cli_scan_find_centre (TlCliScan *scan, TlRecon *recon, size_t row,
                                  GCancellable *cancellable, GError **error);

/** tl_cli_scan_note_tilt: Notes where rows @first_row … @last_row are made of
 * what is beyond the detector. */
void tl_cli_scan_note_tilt (TlCliScan *scan, const TlScanInfo *info,
                            size_t first_row, size_t last_row);

/** tl_cli_scan_add_json: its path, centre, boundary, tilt, whether it is a half
 * acquisition, and notes. */
void tl_cli_scan_add_json (const TlCliScan *scan, TlJson *json);

/**
 * tl_cli_dup_mended:
 *
 * Returns: (transfer full): ", 3 dead pixels mended" and the like, for the end
 *   of a line; "" where nothing was
 */
char *tl_cli_dup_mended (size_t n_dead, size_t n_mended);

G_END_DECLS

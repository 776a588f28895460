/* The scan that a command works on. */
#pragma once

#include "app/cli/cli-private.h"
#include "app/cli/json-private.h"
#include "app/recon/recon.h"

/* An open scan and the recipe for its reconstruction. */
typedef struct
{
  char *path;
  TlReader *reader; /* (nullable): %NULL after it was stolen */
  TlRecipe *recipe; /* resolved */
  guint bin; /* --centre, and the centre that is printed, count bins of so many
                pixels: recipe->bin, or 1 if the command chooses that one */
  size_t n_left_out[2]; /* rows and columns that fill no bin, if the command
                           chooses it */
  GStrv notes; /* what is unusual about the scan, and what was assumed */
  gboolean wants_centre; /* "--centre auto" was given, and the centre is not yet
                            found */
  TlJson *json;          /* (nullable): the report of the command; not owned */
} TlCliScan;

/** tl_cli_open_reader: As tl_reader_open(), with what @recipe says. Returns:
 * (transfer full): %NULL with its error; after a cancellation the message says
 * that opening @path was interrupted */
TlReader *tl_cli_open_reader (const char *path, const TlRecipe *recipe,
                              GCancellable *cancellable, GError **error);

/**
 * tl_cli_scan_open:
 * @scan: (out caller-allocates): clear it after an error too
 * @file: (nullable): as for tl_cli_line_make_recipe()
 * @takes_slice: whether the command works on the recipe's slice
 *
 * Opens the scan, in bins if the command chooses them, resolves the recipe,
 * and prints the notes to standard error. @line must outlive @scan.
 */
gboolean tl_cli_scan_open (TlCliScan *scan, const TlCliLine *line,
                           const char *file, gboolean takes_slice,
                           GCancellable *cancellable, GError **error);
void tl_cli_scan_clear (TlCliScan *scan);

/** tl_cli_scan_settle: Resolves the recipe of a scan that is open, whose bin is
 * set, and collects the notes; tl_cli_scan_open() does it. */
gboolean tl_cli_scan_settle (TlCliScan *scan, const TlCliLine *line,
                             gboolean takes_slice, GError **error);
void tl_cli_scan_print_notes (const TlCliScan *scan);

/** tl_cli_dup_scan_name: Returns: (transfer full): the last part of the path,
 * or the whole address, for sentences */
char *tl_cli_dup_scan_name (const char *path);

/** tl_cli_scan_add_note: Adds @note (transfer full) to those of the report. */
void tl_cli_scan_add_note (TlCliScan *scan, char *note);

/** tl_cli_scan_take_note: Adds @note (transfer full) and prints it. */
void tl_cli_scan_take_note (TlCliScan *scan, char *note);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCliScan, tl_cli_scan_clear)

/**
 * tl_cli_scan_dup_axis:
 *
 * Returns: (transfer full): "centre 32 (boundary 32.5)", in columns of @bin,
 *   with ", tilt 0.3 degrees" and ", half acquisition" if they apply
 */
char *tl_cli_scan_dup_axis (const TlCliScan *scan);

/**
 * tl_cli_scan_find_centre:
 * @recon: has @scan's reader, which may have been stolen from @scan
 * @row: the row to use
 *
 * If "--centre auto" was given, finds the centre, prints notes about it to
 * standard error, and stores it in the recipe. Otherwise does nothing.
 *
 * Returns: %FALSE with TL_ERROR_VALUE if the centre cannot be determined, or
 *   with any error of tl_find_centre()
 */
gboolean tl_cli_scan_find_centre (TlCliScan *scan, TlRecon *recon, size_t row,
                                  GCancellable *cancellable, GError **error);

/** tl_cli_scan_note_odd: Adds the notes of tl_scan_check_frames(). */
void tl_cli_scan_note_odd (TlCliScan *scan, guint64 bytes,
                           GCancellable *cancellable);

/** tl_cli_scan_note_tilt: Adds a note if rows @first_row … @last_row need
 * data from beyond the detector. */
void tl_cli_scan_note_tilt (TlCliScan *scan, const TlScanInfo *info,
                            size_t first_row, size_t last_row);

/** tl_cli_scan_add_json: Adds path, centre and boundary in columns of @bin,
 * tilt, and whether the scan is a half acquisition. */
void tl_cli_scan_add_json (const TlCliScan *scan, TlJson *json);
/** tl_cli_scan_add_notes: Adds all notes that were printed. */
void tl_cli_scan_add_notes (const TlCliScan *scan, TlJson *json);

/**
 * tl_cli_dup_mended:
 *
 * Returns: (transfer full): text for the end of a line, such as ", 3 dead
 *   pixels mended"; "" if nothing was mended
 */
char *tl_cli_dup_mended (size_t n_dead, size_t n_mended);

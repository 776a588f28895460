/* A part of a volume in finer voxels: which ones, which rows of the detector
 * they need, and making them.
 *
 * The whole volume is made in bins of pixels, of which its voxels are as wide.
 * The part has voxels of smaller bins, down to the pixels of the scan. They are
 * those that a whole volume of these bins would have there. */
#pragma once

#include "app/recon/summary.h"
#include "app/recon/volume/voxels.h"
#include "app/resident/resident.h"

/* Plain value. Axes are columns and rows of slices, and slices. */
typedef struct
{
  guint bin;         /* in pixels of the file */
  size_t first[3];   /* voxel of the whole volume of this bin; 0 is the first */
  size_t n[3];       /* number of voxels; 0: the whole volume */
  double part[3][2]; /* where they are in the whole volume, 0 … 1; they may
                        begin or end a little outside */
  size_t first_row, n_rows; /* of the detector, in bins, that are needed */
  gboolean is_limited;      /* memory allows no smaller bin */
} TlBox;

/* What a box may take. Plain value. */
typedef struct
{
  size_t n_voxels;
  guint64 n_bytes;        /* of projections */
  size_t n_device_voxels; /* in place of n_voxels, if a device with ... */
  guint64 device_bytes;   /* ... so much free memory makes them at once; 0:
                             there is none */
} TlBoxLimits;

/** tl_box_init_whole: Makes @box the whole volume of @bin. */
void tl_box_init_whole (TlBox *box, guint bin);

/**
 * tl_box_fits:
 * @box: the whole volume, or of tl_box_plan()
 * @recipe: resolved for the scan
 * @free_bytes: free memory of the device, with what its engine has taken
 *
 * Whether tl_box_make() may make @box at once: all rows that it needs, what the
 * stages of the engine make of them with these parameters, and up to 4 volumes
 * are in the device's memory then. 512 x 512 x 512 voxels take 6 GiB from 512
 * projections of 512 columns, and 60 GiB from 2048 of 2048.
 *
 * Returns: whether that is at most seven tenths of @free_bytes: corrections
 *   that are switched on later need some of the rest
 */
gboolean tl_box_fits (const TlBox *box, const TlRecipe *recipe,
                      const TlScanSummary *scan, guint64 free_bytes);

/**
 * tl_box_plan:
 * @recipe: resolved for the scan
 * @whole_bin: of the whole volume
 * @part: [3], first and last part of the columns, rows and slices of the whole
 *   volume, 0 … 1
 *
 * Chooses the smallest bin whose voxels and projections are within @limits.
 *
 * Returns: %FALSE if only @whole_bin is: the whole volume serves as well
 */
gboolean tl_box_plan (TlBox *box, const TlRecipe *recipe,
                      const TlScanSummary *scan, guint whole_bin,
                      const double (*part)[2], const TlBoxLimits *limits);

/**
 * tl_box_make:
 * @recon: of projections in bins of @box
 * @recipe: resolved for these
 * @is_at_once: as tl_voxels_make_at_once()
 *
 * As tl_voxels_make(), of the voxels of @box.
 */
gboolean tl_box_make (const TlBox *box, TlVoxels *voxels, TlRecon *recon,
                      const TlRecipe *recipe, gboolean is_at_once,
                      GCancellable *cancellable, GError **error);

/* The rows of the detector that boxes need, in memory. Zero before use. Main
 * thread only. */
typedef struct
{
  TlResident *resident; /* (nullable): none are wanted */
  guint bin;
  size_t first, n;
} TlBoxRows;

/** tl_box_rows_have: Returns: whether @rows has what @box needs, or loads it */
gboolean tl_box_rows_have (const TlBoxRows *rows, const TlBox *box);
/** tl_box_rows_follow: Makes @rows load what @box needs, unless
 * tl_box_rows_have(). @path, @held: as of tl_resident_new(). Returns: whether
 * there is a new resident, of which nothing is loaded yet */
gboolean tl_box_rows_follow (TlBoxRows *rows, const TlBox *box,
                             const char *path, TlHeld *held,
                             const TlRecipe *recipe, TlHeldBudget *budget);
/** tl_box_rows_get_level: Returns: (transfer none) (nullable): %NULL while it
 * is being loaded */
TlHeldCopy *tl_box_rows_get_level (const TlBoxRows *rows);
/** tl_box_rows_clear: Frees the memory. */
void tl_box_rows_clear (TlBoxRows *rows);

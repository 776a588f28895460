/* The reader's format of what is held at a moment. */
#pragma once

#include "data/read/held/layout.h"
#include "data/read/held/weights.h"
#include "data/read/reader.h"

/* The rows of the projections that are kept, [first, first + n). A reader holds
 * the lock while it copies samples, so that they are not freed. */
typedef struct
{
  GRWLock lock;
  size_t first, n;
} TlKeptRows;

/* Zero before use. */
typedef struct
{
  gpointer owner; /* of the frames, with what lets go of it */
  GDestroyNotify release;
  TlHeldLayout layout;
  gboolean is_complete;
  size_t n_projections;
  TlKeptRows *kept; /* lent by owner */
  /* [n_projections][layout.n_kept], lent by owner, (nullable) elements:
   * [][n_cols], of which that of its number modulo n_in_chunk is the projection
   */
  char *const **rows;
  size_t n_in_chunk;
  size_t *numbers;    /* [n_projections], ascending */
  double *angles_deg; /* [n_projections]; of the draft once it is open */
  GArray *blank; /* of TlFrameRange: the numbers of those without a sample that
                    is a number; of the draft once it is open */
  double *given_deg; /* (nullable): [layout.n_expected]: what the user says
                        instead of layout.angles_deg, NaN: nothing */
  /* (nullable): float [n_kept][n_cols], means, which stand for each frame */
  GBytes *dark, *flat_before, *flat_after;
  size_t n_darks, n_flats_before, n_flats_after;
  size_t n_flats_come, n_darks_come; /* in all */
  const TlHeldChange *change; /* (nullable): the weights; lent while it opens */
} TlSnapshot;

void tl_snapshot_free (TlSnapshot *snapshot);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlSnapshot, tl_snapshot_free)

/** tl_snapshot_open: @snapshot: (transfer full). @weights: as of
 * tl_held_open(). Returns: as tl_held_open() */
TlReader *tl_snapshot_open (TlSnapshot *snapshot,
                            const TlReaderOptions *options,
                            TlHeldWeights **weights, GError **error);

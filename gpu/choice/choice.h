/* How what is asked is done. */
#pragma once

#include "gpu/backend/backend.h"
#include "gpu/choice/tuning.h"

G_BEGIN_DECLS

/* What decides, beside what is asked; plain value, all lent. */
typedef struct
{
  const TlBackend *backend;
  const TlVariant *forced; /* (nullable): the variant to be used */
  const TlTuning *tuning;  /* (nullable): what was measured on this machine */
  GHashTable *failed;      /* (nullable): variants not to be used, as keys */
  TlFolds *folds;          /* of the block's angles; NULL where the backend does
                              not fold */
} TlChooser;

typedef struct
{
  const TlVariant *variant;
  const TlFold *fold; /* (nullable): one slice done as variant->n_slices */
} TlChoice;

/**
 * tl_choose:
 * @choice: (out caller-allocates): lent by the backend and the folds
 *
 * Of the variants that do what is asked, those count that take the most slices
 * at once without more slices than there are rows; where all take more, those
 * that take the fewest. Of these it is the one that the tuning names for a grid
 * of about that size; else the one that the backend's own table names; else the
 * first listed. Where fast precision has no variant of its own, the variants
 * and the rows of full count. What a table names counts only where the backend
 * has it.
 *
 * A single row is folded where backend, grid and angles have the symmetry, and
 * then counts as several rows on a smaller grid.
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED that says what comes nearest,
 *   or TL_ERROR_MEMORY
 */
gboolean tl_choose (const TlChooser *chooser, const TlParams *params,
                    size_t n_rows, TlChoice *choice, GError **error);

/**
 * tl_choose_transform:
 * @chosen: (out): @wanted, or the backend's first for TL_TRANSFORM_AUTO
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED where the backend lacks it
 */
gboolean tl_choose_transform (const TlBackend *backend, TlTransform wanted,
                              TlTransform *chosen, GError **error);

G_END_DECLS

/* Which variant reconstructs what the parameters ask for. */
#pragma once

#include "gpu/backend/backend.h"
#include "gpu/choice/tuning.h"

/* What the choice depends on besides the parameters. Plain value; all pointers
 * are lent for the call. */
typedef struct
{
  const TlBackend *backend;
  const TlVariant *forced; /* (nullable): the only variant allowed */
  const TlTuning *tuning;  /* (nullable): the rates measured on this machine */
  /* (nullable): its keys are the variants that must not be used. */
  GHashTable *failed;
  guint max_slices; /* of a pass, unless a kernel is named; 0: any number */
  TlFolds *folds;   /* of the block's angles; NULL if the backend does not
                       fold */
  /* The rows of the stage "transform", by which TL_METHOD_AUTO is decided. */
  size_t n_projections, n_cols;
  double axis_col; /* in these columns */
} TlChooser;

typedef struct
{
  const TlVariant *variant;
  const TlFold *fold; /* (nullable): how one slice is laid out as
                         variant->n_slices slices */
  /* (nullable), constant: why TL_METHOD_AUTO does not use the Fourier method,
   * although it would be faster */
  const char *objection;
} TlChoice;

/**
 * tl_choose:
 * @choice: (out caller-allocates): its pointers belong to the backend and to
 *   the folds
 *
 * The choice considers the suitable variants that take the most slices at once
 * without exceeding the number of rows. If all exceed it, it considers those
 * that take the fewest slices. Of these the tuning's variant for a grid of
 * about that size is chosen. If the tuning has none, the backend's own table
 * decides; if that has none either, the first variant of the list is chosen. If
 * fast precision has no variant of its own, the variants and the rows of full
 * precision are used. Names that the backend does not have are ignored.
 *
 * A single row is folded if backend, grid and angles allow it and if that is
 * faster; it then counts as several rows on a smaller grid.
 *
 * TL_METHOD_AUTO is the Fourier method if tl_params_allow_fourier() and where
 * measurements of this machine, or the backend's table, say for certain that it
 * is faster. Its error is smaller than that of linear interpolation.
 * Back-projection is used otherwise.
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED, which names the nearest variants,
 *   or TL_ERROR_MEMORY
 */
gboolean tl_choose (const TlChooser *chooser, const TlParams *params,
                    size_t n_rows, TlChoice *choice, GError **error);

/**
 * tl_choose_transform:
 * @chosen: (out): @wanted, or the backend's first for TL_TRANSFORM_AUTO
 *
 * Returns: %FALSE with TL_ERROR_UNSUPPORTED if the backend lacks @wanted
 */
gboolean tl_choose_transform (const TlBackend *backend, TlTransform wanted,
                              TlTransform *chosen, GError **error);

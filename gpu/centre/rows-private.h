/* Detector rows made comparable for the estimators. They run on the host,
 * beside either engine, on threads of their own; several may run at a time. */
#pragma once

#include "gpu/centre/centre.h"
#include "gpu/host/plan.h"
#include "gpu/host/pool.h"

/* The projections of one detector row, without the traces of detector and beam:
 * zingers are cut, narrow columns that stand out in all projections are
 * removed, and variations that are wide compared to a row, such as the gain,
 * are subtracted. The ends of a row fade to zeros, which continue up to length.
 */
typedef struct
{
  size_t n_projections, n_cols;
  size_t n_summed;              /* TL_CENTRE_SUMMED: pairs in the one row; else
                                   0 */
  double *angles_rad;           /* [n_projections] ascending, from 0 */
  double step_rad;              /* the median step */
  double range_rad;             /* the last angle */
  float *rows;                  /* [n_projections][n_cols] */
  size_t length, n_frequencies; /* length / 2 + 1 */
  size_t stride;                /* of a spectrum, n_frequencies or more */
  fftwf_complex *spectra;       /* [n_projections][stride]; of the buffer */
  TlHostBuffer buffer;
  TlHostPool *pool;          /* all cores */
  TlHostPlan *plan;          /* (nullable) of a row */
  GCancellable *cancellable; /* (nullable), lent */
} TlCentreRows;

typedef enum
{
  TL_CENTRE_MENDED, /* only zingers are cut; there are no spectra */
  TL_CENTRE_SMOOTH, /* wide variations are subtracted too */
  TL_CENTRE_ALONE,  /* columns that stand out are removed too */
  TL_CENTRE_SUMMED  /* one row, the mean of all pairs of opposite projections,
                       treated as TL_CENTRE_ALONE */
} TlCentreTreatment;

/** tl_centre_rows_new: Returns: (transfer full): %NULL with TL_ERROR_MEMORY or
 * %G_IO_ERROR_CANCELLED */
TlCentreRows *tl_centre_rows_new (const TlCentreData *data,
                                  TlCentreTreatment treatment, GError **error);
void tl_centre_rows_free (TlCentreRows *rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlCentreRows, tl_centre_rows_free)

/**
 * tl_centre_rows_begin:
 * @estimate: (out caller-allocates): empty, of @method, and not found yet
 *
 * Every estimator begins with this. The rest is tl_centre_rows_new().
 */
TlCentreRows *tl_centre_rows_begin (const TlCentreData *data,
                                    TlCentreMethod method,
                                    TlCentreTreatment treatment,
                                    TlCentreEstimate *estimate, GError **error);

/** tl_centre_rows_lack_angles: As tl_centre_cannot_tell(), for the reason
 * @because, with the degrees that the scan covers. */
gboolean tl_centre_rows_lack_angles (const TlCentreRows *rows,
                                     const char *because,
                                     TlCentreEstimate *estimate);

/** tl_centre_rows_blame_missing: Adds the degrees that the scan covers to the
 * reason of @estimate, not found, if some are missing. Returns: %TRUE */
gboolean tl_centre_rows_blame_missing (const TlCentreRows *rows,
                                       TlCentreEstimate *estimate);

/** tl_centre_rows_is_half_turn: Returns: whether the scan covers half a turn,
 * or so nearly that its ends can be extrapolated. */
gboolean tl_centre_rows_is_half_turn (const TlCentreRows *rows);

/** tl_centre_rows_keep_shared: Fades out the columns whose mirror image about
 * @centre is not on the detector, and computes the spectra again. Returns:
 * %FALSE with TL_ERROR_MEMORY or %G_IO_ERROR_CANCELLED */
gboolean tl_centre_rows_keep_shared (TlCentreRows *rows, double centre,
                                     GError **error);

/** tl_centre_rows_get_passed: Returns: the part, 0 to 1, of the power at
 * frequency @k that is left after wide variations were subtracted. */
double tl_centre_rows_get_passed (const TlCentreRows *rows, size_t k);

/** tl_centre_rows_is_full_turn: Returns: whether every projection has an
 * opposite one, except some at the ends. */
gboolean tl_centre_rows_is_full_turn (const TlCentreRows *rows);

/**
 * tl_centre_rows_find_opposite:
 * @opposite_rad: (out): the angle half a turn from projection @p. It lies
 * within the scan and in no wide gap, or, if @p is the first or the last
 * projection, little beyond the other end: see TL_CENTRE_MAX_MISSING_DEG.
 *
 * Returns: %FALSE if there is no such angle
 */
gboolean tl_centre_rows_find_opposite (const TlCentreRows *rows, size_t p,
                                       double *opposite_rad);

/** tl_centre_rows_get_missing: Returns: the angle, radians, that the scan lacks
 * of half a turn; 0 if it is at most a step and a half. */
double tl_centre_rows_get_missing (const TlCentreRows *rows);

/** tl_centre_rows_get_caution: Returns: by how much that increases the
 * uncertainty of estimators that continue the scan, from 1. */
double tl_centre_rows_get_caution (const TlCentreRows *rows);

/** tl_centre_rows_count_frequencies: Returns: how many frequencies, from 0 on,
 * can be continued across what is missing of half a turn. */
size_t tl_centre_rows_count_frequencies (const TlCentreRows *rows);

/** tl_centre_rows_is_outside: Returns: whether @angle_rad lies beyond an end of
 * the scan. */
gboolean tl_centre_rows_is_outside (const TlCentreRows *rows, double angle_rad);

/**
 * tl_centre_rows_interpolate:
 * @angle_rad: counted as those of @rows; little beyond an end
 * @spectrum: (out caller-allocates): [n_frequencies]
 *
 * Interpolates the spectrum of a projection at @angle_rad, or extrapolates it
 * beyond an end of the scan.
 */
void tl_centre_rows_interpolate (const TlCentreRows *rows, double angle_rad,
                                 fftwf_complex *spectrum);

/** tl_centre_cut_zingers: Replaces samples of @rows, [@n_projections][@n_cols],
 * finite, that are far from both the median of five projections and the median
 * of five columns by the median of the projections. Fewer than five projections
 * or columns stay as they are. Returns: %FALSE with TL_ERROR_MEMORY */
gboolean tl_centre_cut_zingers (TlHostPool *pool, float *rows,
                                size_t n_projections, size_t n_cols,
                                GError **error);

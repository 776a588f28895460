/* What the estimators of the axis share. They run on the host, beside either
 * engine, by threads of their own, and several at a time. */
#pragma once

#include "gpu/centre/centre.h"
#include "gpu/host/plan.h"
#include "gpu/host/pool.h"

/* before fftw3.h, whose numbers are then those of C */
#include <complex.h>
#include <fftw3.h>

G_BEGIN_DECLS

/* --- centre-rows.c: rows made comparable --- */

/* Rows without what the detector and the beam put in them: zingers are cut,
 * narrow columns that stand out in all projections are removed, and what is
 * wider than a few structures across the row, the gain for one, is taken off.
 * Ends run out smoothly, into zeros up to length. */
typedef struct
{
  size_t n_projections, n_cols;
  size_t n_summed;              /* pairs in the one row there is, or 0 */
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
  TL_CENTRE_MENDED, /* without zingers, but otherwise as they are; no spectra */
  TL_CENTRE_SMOOTH, /* without what is wide, too */
  TL_CENTRE_ALONE,  /* without what the detector leaves in columns, too */
  TL_CENTRE_SUMMED  /* one row, the sum of all pairs of opposite projections,
                       without what is wide and columns that stand out */
} TlCentreTreatment;

/**
 * tl_centre_rows_new:
 *
 * Returns: (transfer full): %NULL with TL_ERROR_MEMORY or %G_IO_ERROR_CANCELLED
 */
TlCentreRows *tl_centre_rows_new (const TlCentreData *data,
                                  TlCentreTreatment treatment, GError **error);
void tl_centre_rows_free (TlCentreRows *rows);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlCentreRows, tl_centre_rows_free)

/**
 * tl_centre_rows_begin:
 * @estimate: (out caller-allocates): begun, of @method
 *
 * What each estimator begins with: tl_centre_rows_new().
 */
TlCentreRows *tl_centre_rows_begin (const TlCentreData *data,
                                    TlCentreMethod method,
                                    TlCentreTreatment treatment,
                                    TlCentreEstimate *estimate, GError **error);

/** tl_centre_rows_lack_angles: tl_centre_cannot_tell() @because so few degrees
 * are covered, and how many those are. */
void tl_centre_rows_lack_angles (const TlCentreRows *rows, const char *because,
                                 TlCentreEstimate *estimate);

/** tl_centre_rows_is_half_turn: Returns: whether half a turn is covered, less
 * what can be extrapolated. */
gboolean tl_centre_rows_is_half_turn (const TlCentreRows *rows);

/** tl_centre_rows_mend: zingers are cut: centre-zingers.c. */
gboolean tl_centre_rows_mend (TlCentreRows *rows, GError **error);

/** tl_centre_rows_transform: makes the spectra of the rows. */
gboolean tl_centre_rows_transform (TlCentreRows *rows, GError **error);

/** tl_centre_rows_keep_shared: Columns that have no mirror image about @centre
 * on the detector are left out, and the spectra made again. */
gboolean tl_centre_rows_keep_shared (TlCentreRows *rows, double centre,
                                     GError **error);

/** tl_centre_rows_get_passed: Returns: which part of the power at frequency @k
 * the rows still have: little where they have been made comparable. */
double tl_centre_rows_get_passed (const TlCentreRows *rows, size_t k);

/** tl_centre_rows_is_full_turn: whether every projection has its opposite. */
gboolean tl_centre_rows_is_full_turn (const TlCentreRows *rows);

/**
 * tl_centre_rows_find_opposite:
 * @opposite_rad: (out): half a turn from projection @p, on the scan or so
 *   little beyond that it can be extrapolated; beyond an end only for the other
 *   end
 *
 * Returns: %FALSE where there is none
 */
gboolean tl_centre_rows_find_opposite (const TlCentreRows *rows, size_t p,
                                       double *opposite_rad);

/** tl_centre_rows_is_outside: Returns: whether the scan does not reach there.
 */
gboolean tl_centre_rows_is_outside (const TlCentreRows *rows, double angle_rad);

/**
 * tl_centre_rows_interpolate:
 * @angle_rad: as of @rows; outside of them, by a step and a half at most, it is
 *   extrapolated
 * @spectrum: (out caller-allocates): [n_frequencies]
 */
void tl_centre_rows_interpolate (const TlCentreRows *rows, double angle_rad,
                                 fftwf_complex *spectrum);

/* --- centre-pairs.c: opposite projections --- */

#define TL_CENTRE_BLOCKS 8

/* Plain sums over all pairs of projections half a turn apart. */
typedef struct
{
  size_t n_pairs;
  gboolean is_extrapolated; /* half a turn ends beyond the scan */
  double complex *terms;    /* [n_frequencies]: q q' */
  double *energy;           /* [n_frequencies]: |q|^2 + |q'|^2 */
} TlCentrePairs;

/**
 * tl_centre_pairs_init:
 * @rows: a sum (TL_CENTRE_SUMMED) is a pair with itself
 * @pairs: (out caller-allocates)
 * @extrapolates: else the last projection stands for what is beyond it
 * @block: of TL_CENTRE_BLOCKS parts of half a turn, or that number for all
 */
void tl_centre_pairs_init (TlCentrePairs *pairs, const TlCentreRows *rows,
                           gboolean extrapolates, guint block);
void tl_centre_pairs_clear (TlCentrePairs *pairs);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCentrePairs, tl_centre_pairs_clear)

/** tl_centre_pairs_find: tl_centre_find_peak() of them. */
gboolean tl_centre_pairs_find (const TlCentrePairs *pairs,
                               const TlCentreRows *rows,
                               const TlCentreData *data,
                               TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_pairs_refine:
 *
 * Finds the centre beside that of @estimate, in the columns that opposite
 * projections share, and its uncertainty, or why there is none, as
 * tl_centre_refine(). @rows are lost.
 */
gboolean tl_centre_pairs_refine (TlCentreRows *rows, const TlCentreData *data,
                                 TlCentreEstimate *estimate, GError **error);

/** tl_centre_pairs_locate: tl_centre_pairs_find() and, beside what that finds,
 * tl_centre_pairs_refine(). */
gboolean tl_centre_pairs_locate (const TlCentrePairs *pairs, TlCentreRows *rows,
                                 const TlCentreData *data,
                                 TlCentreEstimate *estimate, GError **error);

/* --- centre-peak.c --- */

/**
 * tl_centre_evaluate:
 * @terms: [n_frequencies]
 * @slope: (out): and @bend, the derivatives in @centre
 *
 * Returns: sum over k of 2 Re (terms[k] exp (4 pi i k centre / length))
 */
double tl_centre_evaluate (const double complex *terms,
                           const TlCentreRows *rows, double centre,
                           double *slope, double *bend);

/**
 * tl_centre_find_peak:
 * @spread: (nullable) [2 n_cols - 1]: how far the series is expected to be from
 *   0 with the centre where it is not, in steps of half a column
 * @estimate: (inout): its method is kept; not found, with a reason, where
 *   nothing stands out
 *
 * The largest value of tl_centre_evaluate(), by @spread, in the range of @data,
 * not at an end of it, and whether it stands out. The curve is filled in, the
 * uncertainty is not.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY
 */
gboolean tl_centre_find_peak (const double complex *terms, const double *spread,
                              const TlCentreRows *rows,
                              const TlCentreData *data,
                              TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_refine:
 *
 * @estimate: (inout): found; no more, with a reason, where there is no maximum
 *   or it is not in the range of @data
 *
 * Goes up to the maximum beside the centre of @estimate. The uncertainty is by
 * the sandwich formula, from how far groups of frequencies disagree, and so
 * needs no model of the noise.
 */
void tl_centre_refine (const double complex *terms, const TlCentreRows *rows,
                       const TlCentreData *data, TlCentreEstimate *estimate);

/** tl_centre_whiten: the root of each magnitude: for a first look. Returns:
 * (transfer full) */
double complex *tl_centre_whiten (const double complex *terms, size_t n);

/** tl_centre_cannot_tell: keeps the method and the curve; one sentence. */
void tl_centre_cannot_tell (TlCentreEstimate *estimate, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

G_END_DECLS

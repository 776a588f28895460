/* Estimators of the rotation axis, from the corrected projections of one
 * detector row.
 *
 * Each estimator gives a value, its uncertainty and a curve, or says in a
 * sentence why it cannot find the axis. Only the estimator by moments needs the
 * logarithm to have been taken. Coordinates are columns (data/geometry.h).
 */
#pragma once

#include "gpu/engine.h"

/* The angles may end so many steps before half a turn, or a whole one. They may
 * also end so many degrees and a step before it: then only low frequencies can
 * be continued to half a turn, and the uncertainty is larger. Beyond that, no
 * frequencies are left but those of the beam. */
#define TL_CENTRE_MAX_STEPS_BEYOND 1.5
#define TL_CENTRE_MAX_MISSING_DEG 10.0

typedef enum
{
  TL_CENTRE_PHASE,
  TL_CENTRE_VO,
  TL_CENTRE_SYMMETRY,
  TL_CENTRE_MOMENTS,
  TL_CENTRE_OVERLAP,
  TL_CENTRE_SHARPNESS,
  TL_N_CENTRE_METHODS
} TlCentreMethod;

/* The names of the methods, "phase", "sinogram" and so on, which are translated
 * where they are shown, and a short description of each; indexed by
 * TlCentreMethod. */
extern const char *const tl_centre_method_names[TL_N_CENTRE_METHODS + 1];
extern const char *const tl_centre_method_texts[TL_N_CENTRE_METHODS];

/* The input; plain value, lent. */
typedef struct
{
  size_t n_projections, n_cols;
  const float *rows;        /* [n_projections][n_cols], corrected */
  const double *angles_rad; /* [n_projections], in the order of the scan */
  double range_rad;         /* between the first and the last projection of the
                               scan, also those that are left out; 0 or NaN:
                               unknown */
  double first_col, last_col; /* the range in which the axis is searched */
  GCancellable *cancellable;  /* (nullable): checked between steps */
} TlCentreData;

/* The result of an estimator; cleared with tl_centre_clear(). */
typedef struct
{
  TlCentreMethod method;
  gboolean is_found;
  double centre_col;      /* NaN if not found */
  double uncertainty_col; /* one standard deviation; NaN likewise */
  gboolean is_of_pair;    /* rests on the same pair as TL_CENTRE_PHASE, so it
                                cannot confirm that */
  char *reason; /* one sentence: what the value rests on, or why it was
                   not found */
  /* The curve, largest at the best place; without one there are 0 points. */
  size_t n_points;
  double *positions, *values; /* [n_points]; positions ascending, columns */
} TlCentreEstimate;

void tl_centre_clear (TlCentreEstimate *estimate);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCentreEstimate, tl_centre_clear)

/** tl_centre_data_check: Any thread. Returns: %FALSE with TL_ERROR_VALUE if the
 * estimators cannot work on @data: a value or an angle is not a number, there
 * are fewer than 16 columns or 4 projections, or the range is less than a
 * column or not on the detector */
gboolean tl_centre_data_check (const TlCentreData *data, GError **error);

/**
 * tl_centre_check_angles:
 * @end_deg: (out): the last angle to try where the first is 0, of all
 *   projections of the scan; 0 without a note, or if it cannot be told
 * @note: (out) (nullable): one sentence if the angles contradict the
 * projections, with the angles to try: both possible ends if it cannot be told
 * which is right
 *
 * Checks the angles at the end of a scan over half a turn. If they end a step
 * before half a turn, the last projection must not be the mirror image of the
 * first, closer than neighbours are to each other. The last projection must not
 * repeat the first, as after a full turn, or come a few steps before: also if
 * some projections are left out at the ends, as long as it still looks like the
 * first. These steps are counted, by the change from the last to the first as
 * compared to that across as many steps elsewhere. With noise, in narrow rows,
 * and with uneven steps at the ends, they often cannot be told. Projections
 * that do not come in the order of their angles are not checked. With wrong
 * angles, estimators that use the angles contradict those that do not.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY
 */
gboolean tl_centre_check_angles (const TlCentreData *data, double *end_deg,
                                 char **note, GError **error);

/**
 * tl_centre_by_phase:
 * @data: of any angles; checked
 * @estimate: (out caller-allocates)
 *
 * Correlation of opposite projections: row q' at t + 180 degrees is row q at t,
 * mirrored about the axis, so the sum over all pairs and columns of
 * q(k) q'(2 c - k) is largest at the centre c. It is computed in Fourier space,
 * which gives it between columns too. For the search each frequency is weighted
 * by the root of its magnitude, between a plain correlation and one of phases
 * alone (Kuglin and Hines, The phase correlation image alignment method, Proc.
 * IEEE Conf. Cybernetics and Society, 1975, 163); near the maximum by the
 * inverse of the remaining difference (Knapp and Carter, IEEE Trans. ASSP 24
 * (1976) 320). Where 180 degrees falls between two projections, their
 * neighbours are interpolated; where a scan ends up to a step and a half, or in
 * low frequencies TL_CENTRE_MAX_MISSING_DEG, short of it, both ends are
 * extrapolated. Pairs in a wide gap of the angles are left out.
 *
 * All estimators but sharpness take rows [n_projections][n_cols] in host
 * memory, of any unit, and angles in radians, in any order; centre and
 * uncertainty are columns, and so are the positions of the curve, whose values
 * have no unit. They run in the calling thread, any thread, without an engine.
 *
 * Finds nothing without such a pair, or if nothing but noise correlates. Wrong
 * if the last projection is not half a turn from the first although the angles
 * say so (tl_centre_check_angles()). Few counts make it uncertain, not wrong.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or %G_IO_ERROR_CANCELLED, as do all
 *   estimators but sharpness
 */
gboolean tl_centre_by_phase (const TlCentreData *data,
                             TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_by_wedge:
 *
 * As tl_centre_by_phase(); the double wedge of the Fourier transform of the
 * sinogram over a full turn, made of half a turn and its mirror image (Vo,
 * Drakopoulos, Atwood, Reinhard, Reliable method for calculating the center of
 * rotation in parallel-beam tomography, Optics Express 22 (2014) 19078). An
 * object of radius R has energy at the angular order n and the frequency f only
 * for |n| < 2 pi R f; the energy outside is least at the centre. As a function
 * of the centre it is a Fourier series whose terms are known (vo.c), so that no
 * sampling favours any fraction of a column. A pattern of the detector, which
 * makes rings, is projected out.
 *
 * Where up to TL_CENTRE_MAX_MISSING_DEG are missing, the ends fade into each
 * other's mirror images, and only low frequencies are used. Gaps between two
 * angles are interpolated; those in the middle hardly matter, because the
 * centre follows from how the ends of half a turn fit together.
 *
 * Finds nothing with less than that, or if steps are so wide that the wedge
 * leaves no room at any frequency.
 * Wrong, with too small an uncertainty, if most of the object lies beyond the
 * detector and the axis is near an edge, as in a half acquisition: there it has
 * been off by half the detector. Do not rely on it alone.
 */
gboolean tl_centre_by_wedge (const TlCentreData *data,
                             TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_by_symmetry:
 *
 * As tl_centre_by_phase(); Hermitian symmetry of summed projections (Vacek and
 * Jacobsen, Fast and noise-tolerant determination of the center of rotation in
 * tomography, J. Synchrotron Rad. 29 (2022) 488): the sum of opposite
 * projections, all of a full turn or the pairs that there are, is its own
 * mirror image about the axis, so its transform times exp (2 pi i f c), f in
 * cycles per column, is real. At the centre the energy of the imaginary part is
 * least; each frequency is weighted by the inverse of the remaining imaginary
 * part. Over a full turn this is the signal that tl_centre_by_phase() removes
 * as a pattern of the detector, so it is independent evidence; over half a turn
 * it is the same pair again, and is_of_pair says so.
 *
 * A pattern of the detector adds up over all projections: columns that stand
 * out are left out of the sum, and the rest of the pattern counts as noise.
 * Finds nothing if there is no pair; if no place stands out, as with a single
 * row of few counts or a narrow strip seen from both sides; or if the sum is
 * not symmetric about the best place. A wide feature that is symmetric in
 * itself and stays on the detector gives a wrong result.
 */
gboolean tl_centre_by_symmetry (const TlCentreData *data,
                                TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_by_moments:
 *
 * As tl_centre_by_phase(); the first two consistency conditions of Helgason and
 * Ludwig (Ludwig, The Radon transform on Euclidean space, Comm. Pure Appl.
 * Math. 19 (1966) 49; as in Azevedo et al., IEEE Trans. Nucl. Sci. 37 (1990)
 * 1525): all projections have the same sum, and their centres of mass lie on c
 * + x cos t + y sin t. The ends of each row are taken as air, which is 0. Empty
 * projections, such as lost frames, are left out.
 *
 * Needs attenuation, and the whole object in every projection. Finds nothing if
 * the sums differ, with less than a quarter of a turn, or with fewer than 16
 * projections; the uncertainty grows as half a turn becomes less. Uncertain by
 * columns if the beam drifts or counts are few.
 */
gboolean tl_centre_by_moments (const TlCentreData *data,
                               TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_by_overlap:
 *
 * As tl_centre_by_phase(), for half acquisition: a full turn with the axis near
 * one edge of the detector, where opposite projections share a strip of columns
 * about the axis. Their correlation at each place is divided by that expected
 * of unrelated rows with the same energy in the shared columns, so that wide
 * overlaps have no advantage, and refined in the shared columns only. (Vo et
 * al., Data processing methods and data acquisition for samples larger than the
 * field of view, Optics Express 29 (2021) 17849, section 3, use a correlation
 * normalised likewise.) The reason names the edge.
 *
 * Finds nothing with less than a full turn, minus TL_CENTRE_MAX_MISSING_DEG,
 * or if the axis is within a sixth of
 * the row from its middle. It uses the same pairs as tl_centre_by_phase(), so
 * the two never confirm each other.
 */
gboolean tl_centre_by_overlap (const TlCentreData *data,
                               TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_by_sharpness:
 * @engine: owner thread only; another block is loaded into it
 * @data: as of tl_centre_by_phase(), attenuation where slices are to be right;
 *   its @cancellable is checked between slices
 * @guess_col: where to search first; NaN: everywhere in the range of @data
 * @reach_col: how far to either side of the guess
 *
 * Reconstructs slices with different centres, first coarsely and in few pixels,
 * then finely. Each is measured by the four figures of
 * tl_engine_measure_sharpness(): entropy of the histogram, least (Donath,
 * Beckmann, Schreyer, Automated determination of the center of rotation in
 * tomography data, J. Opt. Soc. Am. A 23 (2006) 1048, who also give negativity
 * and sharpness), the sum of the values below 0, closest to 0, and squared
 * gradient and standard deviation, largest. Their disagreement, and that of
 * quarters of the slice, is the uncertainty. Rows wider than 512 columns are
 * averaged down to at most 512 columns, and projections likewise.
 *
 * Needs no pair of opposite projections, but all directions: on clean scans of
 * 174 degrees it is right, and over 165 degrees or less it finds nothing
 * (test-centre, "short"). Wrong angles mislead it, and so do rings in a half
 * acquisition. Finds nothing if neighbouring projections have nothing in
 * common, or if the figures have no common optimum in the range.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY, any error of the engine or
 *   %G_IO_ERROR_CANCELLED
 */
gboolean tl_centre_by_sharpness (TlEngine *engine, const TlCentreData *data,
                                 double guess_col, double reach_col,
                                 TlCentreEstimate *estimate, GError **error);

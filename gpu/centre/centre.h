/* Where the axis is: estimators that look at the corrected projections of one
 * detector row, and what they say together.
 *
 * Each estimator gives a value, how uncertain it is, and a curve, or says in a
 * sentence why the data hold no answer. None wants the logarithm to have been
 * taken, but the one by moments. Coordinates are columns (data/geometry.h).
 */
#pragma once

#include "gpu/engine.h"

G_BEGIN_DECLS

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

/* "phase", "vo" …, as in gpu/stages/params.h, and a few words on each. */
extern const char *const tl_centre_method_names[TL_N_CENTRE_METHODS + 1];
extern const char *const tl_centre_method_texts[TL_N_CENTRE_METHODS];

/* What to look at; plain value, lent. */
typedef struct
{
  size_t n_projections, n_cols;
  const float *rows;          /* [n_projections][n_cols], corrected */
  const double *angles_rad;   /* [n_projections], in the order of the scan */
  double first_col, last_col; /* the axis is looked for between them */
  GCancellable *cancellable;  /* (nullable): looked at between steps */
} TlCentreData;

/* What an estimator says. A plain value, cleared with tl_centre_clear(). */
typedef struct
{
  TlCentreMethod method;
  gboolean is_found;
  double centre_col;      /* NaN where it cannot tell */
  double uncertainty_col; /* one standard deviation; NaN likewise */
  gboolean is_of_pair;    /* by the same pair as TL_CENTRE_PHASE: no witness */
  char *reason;           /* one sentence: what the value rests on, or why there
                             is none */
  /* Of what is best where it is largest; 0 points where there is none. */
  size_t n_points;
  double *positions, *values; /* [n_points]; positions ascending, columns */
} TlCentreEstimate;

void tl_centre_clear (TlCentreEstimate *estimate);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlCentreEstimate, tl_centre_clear)

/**
 * tl_centre_data_check:
 *
 * Returns: %FALSE with TL_ERROR_VALUE where the estimators cannot look at it: a
 *   value or an angle that is not a number, fewer than 16 columns or 4
 *   projections, a range that is less than a column or not on the detector
 */
gboolean tl_centre_data_check (const TlCentreData *data, GError **error);

/**
 * tl_centre_check_angles:
 * @note: (out) (nullable): one sentence, where there is something to say
 *
 * Where a scan over half a turn is said to end a step before it: whether the
 * last projection is nevertheless the mirror image of the first, closer than
 * neighbours are to each other. Where it is said to end at half a turn or a
 * step beside it: whether the last projection repeats the first, as after a
 * full turn. Estimators that believe the angles and those that need none then
 * differ.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY
 */
gboolean tl_centre_check_angles (const TlCentreData *data, char **note,
                                 GError **error);

/**
 * tl_centre_by_phase:
 * @data: of any angles; checked
 * @estimate: (out caller-allocates)
 *
 * Correlation of opposite projections: with row q at angle t mirrored it is
 * that at t + 180 degrees, so the sum over all pairs and columns of
 * q(k) q'(2 c - k) is largest at the centre. It is made in Fourier space, where
 * it is known between columns too. For the search each frequency counts by the
 * root of its magnitude, between a plain correlation and one of phases alone
 * (Kuglin and Hines, The phase correlation image alignment method, Proc. IEEE
 * Conf. Cybernetics and Society, 1975, 163); about the maximum then by the
 * inverse of what still differs there (Knapp and Carter, IEEE Trans. ASSP 24
 * (1976) 320). Where 180 degrees falls between two projections, their
 * neighbours are interpolated; where a scan ends up to a step and a half short
 * of it, both ends are extrapolated.
 *
 * All but sharpness take rows [n_projections][n_cols] in host memory, of any
 * unit, and angles in radians, in any order; centre and uncertainty are
 * columns, and so are the positions of the curve, whose values have no unit.
 * They run in the caller's thread, whichever it is, without an engine.
 *
 * Cannot tell without such a pair, and where nothing but noise correlates.
 * Wrong where the last projection is not half a turn from the first though the
 * angles say so (tl_centre_check_angles()); a few counts make it rough, not
 * wrong.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY or %G_IO_ERROR_CANCELLED; all that take
 *   nothing but @data do
 */
gboolean tl_centre_by_phase (const TlCentreData *data,
                             TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_by_wedge:
 *
 * As tl_centre_by_phase(); the double wedge of the Fourier transform of the
 * sinogram over a full turn, made of half a turn and its mirror image (Vo,
 * Drakopoulos, Atwood, Reinhard, Reliable method for calculating the center of
 * rotation in parallel-beam tomography, Optics Express 22 (2014) 19078). What
 * an object of radius R leaves at the angular order n and the frequency f lies
 * within |n| < 2 pi R f; what lies outside is least at the centre. As a
 * function of the centre that energy is a Fourier series whose terms are known
 * (centre-vo.c), so nothing is sampled and no fraction of a column is special.
 * A pattern of the detector, which makes rings, is projected out of it.
 *
 * Cannot tell with less than half a turn, less a step and a half, and where the
 * steps are uneven or too wide for any frequency to have room beside the wedge.
 * Wrong, and surer of it than it should be, where most of the object lies
 * beyond the detector and the axis near an edge, as in a half acquisition:
 * there it has been off by half the detector. It takes another to be certain.
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
 * least; each frequency counts by the inverse of what is left of it there. Over
 * a full turn this is what tl_centre_by_phase() takes off as the detector's
 * own, and so a witness of its own; over half a turn it is the same pair once
 * more, and is_of_pair says so.
 *
 * A pattern of the detector adds up with every projection: columns that stand
 * out are left out of the sum, and what remains is noise to the uncertainty.
 * Cannot tell without a pair, where nothing stands out (a single row has to do
 * that, so few counts or a narrow strip that both sides see are too little),
 * and where the sum is not symmetric about the best place there is. Wrong where
 * something wide that is symmetric in itself stays on the detector.
 */
gboolean tl_centre_by_symmetry (const TlCentreData *data,
                                TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_by_moments:
 *
 * As tl_centre_by_phase(); the first two consistency conditions of Helgason and
 * Ludwig (Ludwig, The Radon transform on Euclidean space, Comm. Pure Appl.
 * Math. 19 (1966) 49; as in Azevedo et al., IEEE Trans. Nucl. Sci. 37 (1990)
 * 1525): all have the same sum, and their centres of mass lie on c + x cos t +
 * y sin t. Air at the ends of each row is taken as its zero. Projections that
 * hold nothing, as where a frame was lost, are left out.
 *
 * Wants attenuation, and all of the object in every projection; it cannot tell
 * where the sums are not the same, with less than half a turn or fewer than 16
 * projections. Rough, by columns, where the beam drifts or counts are few.
 */
gboolean tl_centre_by_moments (const TlCentreData *data,
                               TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_by_overlap:
 *
 * As tl_centre_by_phase(), for half acquisition: a full turn with the axis near
 * one edge of the detector, where opposite projections share a strip of columns
 * about the axis. Their correlation at each place is divided by what unrelated
 * rows with as much in the columns that come together would have, so that wide
 * overlaps have no advantage, and refined in the shared columns alone. (Vo et
 * al., Data processing methods and data acquisition for samples larger than the
 * field of view, Optics Express 29 (2021) 17849, section 3, use a correlation
 * normalised likewise.) The reason names the side.
 *
 * Cannot tell with less than a full turn or with the axis within a sixth of the
 * row from its middle. The same pairs as those of tl_centre_by_phase(), so the
 * two never confirm each other.
 */
gboolean tl_centre_by_overlap (const TlCentreData *data,
                               TlCentreEstimate *estimate, GError **error);

/**
 * tl_centre_by_sharpness:
 * @engine: any; another block is loaded into it
 * @data: as of tl_centre_by_phase(), attenuation where slices are to be right;
 *   its @cancellable is looked at between slices
 * @guess_col: where to look first, or NaN: everywhere in the range of @data
 * @reach_col: how far about the guess
 *
 * A sweep over reconstructed slices, first coarse and in few pixels, then fine.
 * The four figures of tl_engine_measure_sharpness() judge each: entropy of the
 * histogram, least (Donath, Beckmann, Schreyer, Automated determination of the
 * center of rotation in tomography data, J. Opt. Soc. Am. A 23 (2006) 1048, who
 * also give negativity and sharpness), the sum of what is below 0, closest to
 * 0, and squared gradient and standard deviation, largest. Their disagreement,
 * and that of quarters of the slice, is the uncertainty. Rows wider than 512
 * columns are looked at in mean values of so many columns that 512 are left,
 * and projections likewise.
 *
 * Wants no pair of opposite projections, but all directions: on clean scans of
 * 174 degrees it is right, and of 165 and less it finds no optimum, so that
 * nothing tells then (test-centre, "short"). Wrong angles mislead it, and so do
 * rings in a half acquisition. Cannot tell where neighbouring projections have
 * nothing in common, and where the figures have no common optimum in the range.
 *
 * Returns: %FALSE with TL_ERROR_MEMORY, any error of the engine or
 *   %G_IO_ERROR_CANCELLED
 */
gboolean tl_centre_by_sharpness (TlEngine *engine, const TlCentreData *data,
                                 double guess_col, double reach_col,
                                 TlCentreEstimate *estimate, GError **error);

G_END_DECLS

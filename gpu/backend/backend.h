/* What a backend is. gpu/engine.c has checked every argument, allocated nothing
 * and decided which stages run; a backend does one stage at a time, on the
 * owner's thread, and may leave it running on the device. */
#pragma once

#include "gpu/backend/ceilings.h"
#include "gpu/backend/comparison.h"
#include "gpu/backend/frame-class.h"
#include "gpu/backend/sharpness.h"
#include "gpu/backend/stats.h"
#include "gpu/backend/variant.h"
#include "gpu/stages/dead-pixels.h"
#include "gpu/stages/fold.h"
#include "gpu/stages/stage.h"

G_BEGIN_DECLS

/* Transmissions are raised to this before the logarithm, also those that are
 * not numbers: -ln (1e-6) is 13.8, more than any detector can tell from
 * darkness. */
#define TL_MIN_TRANSMISSION 1e-6f

/* The stage "correct", of projection p of P:
 *
 *   F = flat_first + (flat_last - flat_first) * p / (P - 1)
 *   t = (sample - dark) / (F - dark)       flat_field; else t = sample
 *   v = -ln (max (t, TL_MIN_TRANSMISSION)) minus_log; else v = t
 *
 * and then the dead pixels: value = (1 - mix) * left + mix * right, in the
 * projections' row after correction; a live pixel has left = right = itself. */
typedef struct
{
  gboolean flat_field, minus_log;
  gboolean all_rows; /* also those above and below the slices' own */
} TlCorrectArgs;

/* The stage "zingers", of what "correct" left; where none are to go it hands
 * that on. With m the median of v of one pixel in projections p - 2 … p + 2,
 * and r that of columns k - 2 … k + 2 in one row of projection p, or of the
 * five that are nearest at the ends, v becomes m where
 *
 *   m - v > ln excess and r - v > ln excess             attenuation
 *   v > excess * max (m, r, TL_MIN_TRANSMISSION)        before a phase
 *
 * which are the same rule, that of gpu/stages/params.h with excess = 1 +
 * threshold, for a median does not mind a logarithm; so it also serves data
 * that were attenuation in the file. A step from one value to another is its
 * own median and stays. What is bright in one projection alone but in three
 * columns or more is of the object: an edge or a crack that the beam looks
 * along. Fewer than five projections or columns stay as they are. A median that
 * takes the place of outliers alone is what tomopy's remove_outlier does:
 * Gürsoy et al., TomoPy: a framework for the analysis of synchrotron
 * tomographic data, J. Synchrotron Rad. 21 (2014) 1188.
 */
typedef struct
{
  double excess;         /* above 1; 0: zingers stay */
  gboolean before_phase; /* transmissions */
  gboolean all_rows;     /* as of "correct" */
} TlZingersArgs;

/* The stage "tilt", of all rows of the block as "zingers" left them: values at
 * row r and column k of projections that are turned back,
 *
 *   x = centre_col + u cos tilt + w sin tilt        u = k - centre_col
 *   y = middle_row + w cos tilt - u sin tilt        w = r - middle_row
 *   value = sum over i, j of K (y - i) K (x - j) v[i][j]
 *
 * K is cubic convolution, of Keys, Cubic convolution interpolation for digital
 * image processing, IEEE Trans. ASSP 29 (1981) 1153, with a = -1/2: 1 - 5/2 s^2
 * + 3/2 |s|^3 up to 1, 2 - 4 |s| + 5/2 s^2 - |s|^3 / 2 up to 2, and 0 beyond.
 * Beyond the block the outermost rows and columns stand. Rows are counted in
 * the block; they are the slices' own or, before a phase, all. It takes the
 * place of what "zingers" left, which stays, for the next run. Rings come later
 * and do not mind: a bad column is at the same place in all projections. */
typedef struct
{
  double cosine, sine; /* of the tilt */
  double centre_col, middle_row;
  gboolean before_phase;
} TlTiltArgs;

/* The stage "phase", of the transmissions of all rows that "tilt" left;
 * gpu/stages/phase.h has the formula and the reason for this form of it:
 *
 *   f[r][k]  transform of t - 1 in row r, padded to length: of the columns
 *            behind the row the first half, rounded down, repeats the last
 *            value and the rest the first one
 *   g[r][k]  = sum over j of weights[|j|][k] f[r + j][k], |j| < n_taps; the
 *            outermost rows stand for those beyond them
 *   v        = -ln (max (1 + transform back of g, TL_MIN_TRANSMISSION))
 *
 * for the slices' own rows. 1 is taken off because single precision then rounds
 * what the object leaves, and not the beam. Its result takes the place of what
 * "tilt" left in all that follows; that stays, for the next run. */
typedef struct
{
  size_t length, n_taps;
  const float *weights; /* [n_taps][length / 2 + 1], 1 / length included */
} TlPhaseArgs;

/* The stage "rings", of the attenuation that was corrected or retrieved; where
 * they are to stay it hands that on.
 *
 * Sorting: every column of a sinogram is sorted along the angle; equal
 * values stay in the order of their projections. In the result, [rank][col],
 * each value becomes the median of the ring_size columns around it in its row,
 * mirrored about the ends of the row, (c b a | a b c); the window reaches
 * n_cols columns to either side at most. Then every value goes back to the
 * projection that its rank came from. Vo, Atwood, Drakopoulos, Superior
 * techniques for eliminating ring artifacts in X-ray micro-tomography, Optics
 * Express 26 (2018) 28396, algorithm 3.
 *
 * Wavelet: gpu/stages/wavelet.h. */
typedef struct
{
  TlRings rings;
  guint ring_size; /* odd */
  guint ring_levels;
  double ring_sigma;
} TlRingsArgs;

/* The stage "transform": rows times their angular weight and, where there are
 * any, those of their columns, put into rows of span.n_cols columns from
 * span.first_col on, with 0 beside them, and padded to length. Of the length -
 * span.n_cols columns behind the row the first half, rounded down, repeats the
 * last value and the rest, which is before the row on the circle, the first
 * one; or all are zero. */
typedef struct
{
  size_t length;
  TlHalfSpan span;
  const double *col_weights; /* (nullable) [slices][n_cols] */
  TlPadding padding;
  TlTransform transform; /* one of the backend's */
  const float *weights;  /* [n_projections], radians */
} TlTransformArgs;

/* The stage "filter": spectrum times response times exp (-2 pi i f shift),
 * back, cropped to span.n_cols, in the layout of the variant. At the Nyquist
 * frequency the factor is its real part, cos (pi shift).
 *
 * The shift brings the axis to the nearest multiple of half a column, so that
 * kernels can use the row's symmetry; it is done for every variant, so that a
 * result does not depend on the kernel:
 *
 *   axis_col = round (2 centre_col) / 2    shift_cols = axis_col - centre_col
 *
 * or less the column where the axis is in the row of a slice, for a tilt that
 * is not turned back.
 *
 * From here on columns, and axis_col, are counted in the rows of "transform",
 * from span.first_col before the detector's. */
typedef struct
{
  size_t length;
  const float *response; /* [length / 2 + 1], 1 / length not included */
  /* [n_shifts], 1 or one for each slice: content moves to higher columns */
  const double *shift_cols;
  size_t n_shifts;
  const TlVariant *variant;
  const TlFold *fold; /* (nullable): one slice as so many; lent for the call */
  double axis_col;    /* after the shift; for the fold */
} TlFilterArgs;

/* The stage "back-project": sum over projections of the row's value at
 * h = axis_col + x cos t + y sin t; outside the row q is 0.
 *
 *   nearest      q[floor (h + 0.5)]
 *   linear       between columns floor (h) and floor (h) + 1; from the row's
 *                end to one column beyond it runs into the 0 there
 *   oversampled  linear at the nearest quarter of a column, floor (4 h + 0.5)
 *                / 4
 *   cubic        sum over k of c[k] B3 (h - k)
 *
 * B3 is the cubic B-spline: 0 from 2 on, (2 - |u|)^3 / 6 from 1 on, and
 * 2/3 - u^2 + |u|^3 / 2 below. Its coefficients c are what the stage "filter"
 * makes of the row, for whose response has tl_filter_prefilter() in it; outside
 * the row they are 0. So the curve goes through the values of the filtered row,
 * but for the last few at its ends. Unser, Splines: a perfect fit for signal
 * and image processing (1999).
 */
typedef struct
{
  const TlVariant *variant;
  double axis_col; /* after the shift */
  TlGrid grid;
  const TlFold *fold; /* (nullable): that of the last filter stage, by its
                         serial; fits the grid; lent for the call */
} TlBackprojectArgs;

typedef struct
{
  const char *name;
  /* Devices that there are, usable or not; numbered from 0. Any thread. */
  guint (*count_devices) (void);
  /* (out) description: "NVIDIA H200 (141 GB, compute capability 9.0)"; FALSE
   * with the reason. Any thread. */
  gboolean (*probe) (guint device, char **description, GError **error);
  /* (nullable) Returns: (transfer full): "driver 580.159.03", what speed on a
   * device also depends on. Any thread. */
  char *(*dup_driver) (void);
  gpointer (*open) (guint device, GError **error);
  void (*close) (gpointer impl);
  /* Preferred first; TL_KERNEL_AUTO takes the first that fits. */
  const TlVariant *const *(*list_variants) (size_t *n);
  /* What it has, preferred first; TL_TRANSFORM_AUTO ends them. */
  const TlTransform *transforms;
  gboolean folds; /* does one slice as several */
  /* (nullable) What to prefer where nothing was measured on this machine and
   * the order of the list is not it. */
  const TlTuningRow *(*list_choices) (size_t *n);

  /* (nullable): nothing is known */
  gboolean (*measure_ceilings) (gpointer impl, TlCeilings *ceilings,
                                GError **error);

  /* Host memory may be used again when it returns, but @dead is lent until the
   * next upload. */
  gboolean (*upload) (gpointer impl, const TlBlock *block,
                      const TlDeadPixels *dead, GError **error);
  gboolean (*correct) (gpointer impl, const TlCorrectArgs *args,
                       GError **error);
  gboolean (*zingers) (gpointer impl, const TlZingersArgs *args,
                       GError **error);
  gboolean (*tilt) (gpointer impl, const TlTiltArgs *args,
                    GCancellable *cancellable, GError **error);
  gboolean (*phase) (gpointer impl, const TlPhaseArgs *args,
                     GCancellable *cancellable, GError **error);
  gboolean (*rings) (gpointer impl, const TlRingsArgs *args,
                     GCancellable *cancellable, GError **error);
  gboolean (*transform) (gpointer impl, const TlTransformArgs *args,
                         GCancellable *cancellable, GError **error);
  gboolean (*filter) (gpointer impl, const TlFilterArgs *args,
                      GCancellable *cancellable, GError **error);
  TlFrame *(*backproject) (gpointer impl, const TlBackprojectArgs *args,
                           GCancellable *cancellable, GError **error);

  gboolean (*measure) (gpointer impl, TlFrame *frame, size_t slice,
                       TlStats *stats, GError **error);
  /* @sums: [TL_N_QUARTERS] */
  gboolean (*measure_sharpness) (gpointer impl, TlFrame *frame, size_t slice,
                                 const TlSharpnessArgs *args,
                                 TlSharpnessSums *sums, GError **error);
  /* Frames of the same shape and backend; waits for the sums. */
  TlFrame *(*compare) (gpointer impl, TlFrame *frame, TlFrame *reference,
                       TlDifferences *sums, GError **error);
  /* What "rings" left. */
  gboolean (*read_corrected) (gpointer impl, float *dest, GError **error);
  /* Milliseconds of the last run of each stage, and of all its runs; waits
   * where it must. */
  gboolean (*get_times) (gpointer impl, double last_ms[TL_N_STAGES],
                         double total_ms[TL_N_STAGES], GError **error);
  size_t (*get_memory) (gpointer impl); /* bytes held on the device */
} TlBackend;

/* The module's one entry point, looked up by TL_CUDA_ENTRY in the file
 * TL_CUDA_MODULE.so (no "lib" before it). It returns NULL for a version other
 * than its own TL_BACKEND_VERSION: then the module belongs to another build. */
#define TL_CUDA_MODULE "tomolens-cuda"
#define TL_CUDA_ENTRY "tl_cuda_get_backend"
#define TL_BACKEND_VERSION 6
typedef const TlBackend *(*TlGetBackend) (guint version);

G_END_DECLS

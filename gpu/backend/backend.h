/* The interface that a backend implements. gpu/engine.c checks every argument
 * and decides which stages run. A backend allocates its own memory, runs one
 * stage at a time on the owner's thread, and may return while the device still
 * works. */
#pragma once

#include "data/inflater.h"
#include "gpu/backend/figures.h"
#include "gpu/backend/frame-class.h"
#include "gpu/backend/sharpness.h"
#include "gpu/backend/variant.h"
#include "gpu/stages/dead-pixels.h"
#include "gpu/stages/fold.h"
#include "gpu/stages/stage.h"

#include <gio/gio.h>

/* Smaller transmissions and NaN are replaced by this value before the
 * logarithm: -ln (1e-6) is 13.8, more than any detector can distinguish from
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
  gboolean all_rows; /* TRUE: also correct the rows above and below the slices'
                        rows */
} TlCorrectArgs;

/* The stage "zingers", on the result of "correct", which it passes on unchanged
 * if zingers are kept. With m the median of v of one pixel in projections p - 2
 * … p + 2, and r that of columns k - 2 … k + 2 in one row of projection p, or
 * at the ends of the five nearest, v becomes m where
 *
 *   m - v > ln excess and r - v > ln excess             attenuation
 *   v > excess * max (m, r, TL_MIN_TRANSMISSION)        before a phase
 *
 * These are the same rule, that of gpu/stages/params.h with excess = 1 +
 * threshold, because the logarithm keeps the order of values; it therefore also
 * serves files that hold attenuation. A step from one value to another equals
 * its own median and stays. A feature that is bright in one projection but in
 * three columns or more belongs to the object: an edge or a crack along the
 * beam. With fewer than five projections or columns nothing changes. Replacing
 * only outliers by the median is also what tomopy's remove_outlier does: Gürsoy
 * et al., TomoPy: a framework for the analysis of synchrotron tomographic data,
 * J. Synchrotron Rad. 21 (2014) 1188.
 */
typedef struct
{
  double excess;         /* above 1; 0: zingers are kept */
  gboolean before_phase; /* the values are transmissions */
  gboolean all_rows;     /* as in TlCorrectArgs */
} TlZingersArgs;

/* The stage "tilt", on all rows of the block after "zingers": the value at row
 * r and column k of a projection that is turned back,
 *
 *   x = centre_col + u cos tilt + w sin tilt        u = k - centre_col
 *   y = middle_row + w cos tilt - u sin tilt        w = r - middle_row
 *   value = sum over i, j of K (y - i) K (x - j) v[i][j]
 *
 * K is cubic convolution, of Keys, Cubic convolution interpolation for digital
 * image processing, IEEE Trans. ASSP 29 (1981) 1153, with a = -1/2: 1 - 5/2 s^2
 * + 3/2 |s|^3 up to 1, 2 - 4 |s| + 5/2 s^2 - |s|^3 / 2 up to 2, and 0 beyond.
 * Beyond the block its outermost rows and columns are repeated. Rows are
 * counted in the block; the result has the slices' rows or, before phase
 * retrieval, all rows. The result of "zingers" is kept for the next run.
 * Turning does not disturb the stage "rings": a bad column is still at the same
 * place in all projections. */
typedef struct
{
  double cosine, sine; /* of the tilt */
  double centre_col, middle_row;
  gboolean before_phase;
} TlTiltArgs;

/* The stage "phase", on the transmissions of all rows after "tilt".
 * gpu/stages/phase.h has the formula and the reason for this form of it:
 *
 *   f[r][k]  transform of t - 1 in row r, padded to length: of the columns
 *            behind the row the first half, rounded down, repeats the last
 *            value and the rest the first one
 *   g[r][k]  = sum over j of weights[|j|][k] f[r + j][k], |j| < n_taps; the
 *            outermost rows stand for those beyond them
 *   v        = -ln (max (1 + transform back of g, TL_MIN_TRANSMISSION))
 *
 * for the slices' own rows. 1 is subtracted so that single precision rounds the
 * trace of the object and not the beam. The result of "tilt" is kept for the
 * next run. */
typedef struct
{
  size_t length, n_taps;
  const float *weights; /* [n_taps][length / 2 + 1], 1 / length included */
} TlPhaseArgs;

/* The stage "rings", on the attenuation from "zingers", "tilt" or "phase",
 * which it passes on unchanged if there is nothing to correct. Beam hardening
 * comes first: every value v becomes v + beam_hardening * v^2. Then the rings
 * are removed.
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

/* The stage "transform": rows are multiplied by their angular weight and by the
 * weights of their columns if there are any, put into rows of span.n_cols
 * columns from span.first_col on, with 0 beside them, and padded to length. Of
 * the length - span.n_cols columns after the row the first half, rounded down,
 * repeats the last value; the rest, which on the circle comes before the row,
 * repeats the first value. With TL_PADDING_ZERO all of them are zero. */
typedef struct
{
  size_t length;
  TlHalfSpan span;
  const double *col_weights; /* (nullable) [slices][n_cols] */
  TlPadding padding;
  TlTransform transform; /* one of the backend's */
  gboolean in_halves;    /* keeps the spectra in half precision; not for the
                            Fourier method */
  const float *weights;  /* [n_projections], radians */
} TlTransformArgs;

/* The stage "filter": spectrum times response times exp (-2 pi i f shift),
 * back, cropped to span.n_cols, in the layout of the variant. At the Nyquist
 * frequency the factor is its real part, cos (pi shift).
 *
 * The shift brings the axis to the nearest multiple of half a column, so that
 * kernels can use the row's symmetry; every variant gets it, so that a result
 * does not depend on the kernel:
 *
 *   axis_col = round (2 centre_col) / 2    shift_cols = axis_col - centre_col
 *
 * For a tilt that is not turned back, the column of the axis in the slice's row
 * is subtracted instead of centre_col.
 *
 * From here on columns, and axis_col, are counted in the rows of "transform",
 * from span.first_col before the detector's. */
typedef struct
{
  size_t length;
  const float *response; /* [length / 2 + 1], 1 / length not included */
  /* [n_shifts], 1 or one for each slice; positive: to higher columns */
  const double *shift_cols;
  size_t n_shifts;
  const TlVariant *variant;
  const TlFold *fold; /* (nullable): one slice is laid out as several slices;
                         lent for the call */
  double axis_col;    /* after the shift; for the fold */
} TlFilterArgs;

/* The stage "back-project": sum over projections of the row's value at
 * h = axis_col + x cos t + y sin t; outside the row q is 0.
 *
 *   nearest      q[floor (h + 0.5)]
 *   linear       between columns floor (h) and floor (h) + 1; beyond the row's
 *                end it falls to 0 within one column
 *   oversampled  linear at the nearest quarter of a column, floor (4 h + 0.5)
 *                / 4
 *   cubic        sum over k of c[k] B3 (h - k)
 *
 * B3 is the cubic B-spline: 0 from 2 on, (2 - |u|)^3 / 6 from 1 on, and
 * 2/3 - u^2 + |u|^3 / 2 below. Its coefficients c are the result of the stage
 * "filter", whose response includes the prefilter of gpu/stages/filter.h;
 * outside the row they are 0. So the curve goes through the values of the
 * filtered row, except for the last few at its ends. Unser, Splines: a perfect
 * fit for signal and image processing (1999).
 *
 * A variant with is_fourier interpolates the whole circle of the padded row
 * trigonometrically: with Q its transform and L its length, the row's value is
 * the sum over k of Q[k] exp (2 pi i k h / L) / L, also outside the row. Pixels
 * must not lie so far from the axis that the circle begins again:
 * TL_ERROR_VALUE. Its stage "filter" leaves no rows. gpu/host/fourier.c. */
typedef struct
{
  const TlVariant *variant;
  double axis_col; /* after the shift */
  TlGrid grid;
  const TlFold *fold; /* (nullable): the fold of the last filter stage, with the
                         same serial; the grid is symmetric as it requires; lent
                         for the call */
} TlBackprojectArgs;

/* The same for a plane: with z of a pixel counted in the rows of the slices,
 * the sum over these rows r of max (0, 1 - |z - r|) times the sum above for
 * row r at the pixel's x and y. So a plane is the sum of what blocks of its
 * rows give. */
typedef struct
{
  const TlVariant *variant; /* of the last filter stage, one slice at a time */
  double axis_col;          /* after the shift */
  TlPlane plane;
} TlPlaneArgs;

typedef struct
{
  const char *name;
  /* The number of devices, usable or not; they are numbered from 0. Any thread.
   */
  guint (*count_devices) (void);
  /* (out) description: "NVIDIA H200 (141 GB, compute capability 9.0)"; FALSE
   * with the reason. Any thread. */
  gboolean (*probe) (guint device, char **description, GError **error);
  /* (nullable) Returns: (transfer full): "driver 580.159.03", which measured
   * rates depend on besides the device. Any thread. */
  char *(*dup_driver) (void);
  /* (nullable) The bytes of the device's own memory that are free; 0 if it
   * cannot tell. Any thread. */
  guint64 (*count_free) (guint device);
  /* gives_way: as of tl_engine_open_behind() */
  gpointer (*open) (guint device, gboolean gives_way, GError **error);
  /* (nullable) See tl_engine_open_inflater(). */
  TlInflater *(*open_inflater) (guint device, gboolean gives_way,
                                GError **error);
  /* (nullable, both) See tl_engine_pin(). */
  gboolean (*pin) (guint device, void *memory, size_t bytes);
  void (*unpin) (guint device, void *memory);
  void (*close) (gpointer impl);
  /* In order of preference; TL_KERNEL_AUTO takes the first suitable variant. */
  const TlVariant *const *(*list_variants) (size_t *n);
  /* The supported transforms in order of preference; TL_TRANSFORM_AUTO ends the
   * list. */
  const TlTransform *transforms;
  gboolean has_halves;   /* whether "transform" can keep halves */
  TlKernel plane_kernel; /* whose filtered rows planes read: those of its
                            variant for one slice, in full precision */
  gboolean folds;        /* whether one slice can be reconstructed as several:
                            gpu/stages/fold.h */
  /* (nullable) The most slices of a pass that TL_KERNEL_AUTO takes on this
   * device; 0: any number. */
  guint (*get_max_slices) (gpointer impl);
  /* (nullable) The preferred variants of cases that were not measured on this
   * machine; other cases follow the order of list_variants(). */
  const TlTuningRow *(*list_choices) (size_t *n);

  /* (nullable): %NULL if the backend has no benchmarks. */
  gboolean (*measure_ceilings) (gpointer impl, TlCeilings *ceilings,
                                GError **error);

  /* The samples, fields and angles may be freed after the call; @dead is lent
   * until the next upload. */
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
  gboolean (*rings) (gpointer impl, const TlParams *params,
                     GCancellable *cancellable, GError **error);
  /* Gives back the memory of "tilt" or "phase", which are off and do not run;
   * called after "zingers". "zingers" and "rings" give theirs back themselves
   * when they have nothing to do. */
  void (*release) (gpointer impl, TlStage stage);
  /* Gives back the block and all results: "upload" comes next. */
  void (*give_back) (gpointer impl);
  gboolean (*transform) (gpointer impl, const TlTransformArgs *args,
                         GCancellable *cancellable, GError **error);
  gboolean (*filter) (gpointer impl, const TlFilterArgs *args,
                      GCancellable *cancellable, GError **error);
  TlFrame *(*backproject) (gpointer impl, const TlBackprojectArgs *args,
                           GCancellable *cancellable, GError **error);

  TlFrame *(*backproject_plane) (gpointer impl, const TlPlaneArgs *args,
                                 GCancellable *cancellable, GError **error);

  /* (nullable) In pairs around work for a picture: what comes between them is
   * one piece, which engines that give way do not interrupt. */
  void (*begin_turn) (gpointer impl);
  void (*end_turn) (gpointer impl);

  gboolean (*measure) (gpointer impl, TlFrame *frame, size_t slice,
                       TlStats *stats, GError **error);
  /* @sums: [TL_N_QUARTERS] */
  gboolean (*measure_sharpness) (gpointer impl, TlFrame *frame, size_t slice,
                                 const TlSharpnessArgs *args,
                                 TlSharpnessSums *sums, GError **error);
  /* Frames of the same shape and backend; waits for the sums. */
  TlFrame *(*compare) (gpointer impl, TlFrame *frame, TlFrame *reference,
                       TlDifferences *sums, GError **error);
  /* factor * frame + more, of the same shape and backend. */
  TlFrame *(*add) (gpointer impl, TlFrame *frame, float factor, TlFrame *more,
                   GError **error);
  /* Copies the result of "rings" to host memory. */
  gboolean (*read_corrected) (gpointer impl, float *dest, GError **error);
  /* Milliseconds of the last run of each stage and of all its runs. Waits for
   * the device if it has not reported them yet. */
  gboolean (*get_times) (gpointer impl, double last_ms[TL_N_STAGES],
                         double total_ms[TL_N_STAGES], GError **error);
  size_t (*get_memory) (gpointer impl); /* bytes held on the device */
} TlBackend;

/* The module's one entry point, looked up by TL_CUDA_ENTRY in the file
 * TL_CUDA_MODULE.so (no "lib" before it). It returns NULL for a version other
 * than its own TL_BACKEND_VERSION: then the module belongs to another build. A
 * new parameter makes another version, because it changes TlParams. */
#define TL_CUDA_MODULE "tomolens-cuda"
#define TL_CUDA_ENTRY "tl_cuda_get_backend"
#define TL_BACKEND_VERSION ((guint)(20 << 16 | sizeof (TlParams)))
typedef const TlBackend *(*TlGetBackend) (guint version);

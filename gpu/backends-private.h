/* What a backend is. gpu/engine.c has checked every argument, allocated nothing
 * and decided which stages run; a backend does one stage at a time, on the
 * owner's thread, and may leave it running on the device. */
#pragma once

#include "gpu/engine.h"
#include "gpu/interop.h"

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
 * and then the dead pixels. Arrays are lent, host memory, constant until the
 * next upload. */
typedef struct
{
  gboolean flat_field, minus_log;
  /* Dead pixels, from the fields: value = (1 - mix) * left + mix * right, in
   * the projections' row after correction; [n_rows][n_cols]. A live pixel has
   * left = right = itself. */
  const guint32 *left_col, *right_col;
  const float *mix;
} TlCorrectArgs;

/* The stage "transform": rows times their angular weight, padded to length. Of
 * the length - n_cols columns behind the row the first half, rounded down,
 * repeats the last value and the rest, which is before the row on the circle,
 * the first one; or all are zero. */
typedef struct
{
  size_t length;
  TlPadding padding;
  const float *weights; /* [n_projections], radians */
} TlTransformArgs;

/* The stage "filter": spectrum times response times exp (-2 pi i f shift),
 * back, cropped to n_cols, in the layout of the variant. At the Nyquist
 * frequency the factor is its real part, cos (pi shift).
 *
 * The shift brings the axis to the nearest multiple of half a column, so that
 * kernels can use the row's symmetry; it is done for every variant, so that a
 * result does not depend on the kernel:
 *
 *   axis_col = round (2 centre_col) / 2    shift_cols = axis_col - centre_col
 */
typedef struct
{
  size_t length;
  const float *response; /* [length / 2 + 1], 1 / length not included */
  double shift_cols;     /* row content moves towards higher columns */
  const TlVariant *variant;
} TlFilterArgs;

/* The stage "back-project": sum over projections of the row's value at
 * axis_col + x cos t + y sin t; outside the row it is 0, and between the row's
 * end and one column beyond linear interpolation runs into that 0. Nearest
 * takes column floor (h + 0.5). */
typedef struct
{
  const TlVariant *variant;
  double axis_col; /* after the shift */
  TlGrid grid;
} TlBackprojectArgs;

/* What a frame can do; the struct is the first member of each backend's. */
typedef struct
{
  void (*free) (TlFrame *frame);
  gboolean (*wait) (TlFrame *frame, GError **error);
  gboolean (*fetch) (TlFrame *frame, GError **error); /* sets pixels */
  gboolean (*read_pixel) (TlFrame *frame, size_t index, float *value,
                          GError **error);
  /* GL interop; NULL where there is none. The rules of gpu/interop.h hold. */
  gpointer (*interop_new) (TlFrame *frame, guint texture, GError **error);
  gboolean (*interop_show) (gpointer interop, TlFrame *frame, size_t slice,
                            GError **error);
  void (*interop_free) (gpointer interop);
} TlFrameClass;

struct TlFrame
{
  const TlFrameClass *klass;
  gint ref_count; /* atomic */
  size_t n_slices, n_rows, n_cols;
  const float *pixels; /* host memory; NULL until fetched */
};

typedef struct
{
  const char *name;
  /* (out) device: "NVIDIA H200 (141 GB, compute capability 9.0)"; FALSE with
   * the reason. Any thread. */
  gboolean (*probe) (char **device, GError **error);
  gpointer (*open) (GError **error);
  void (*close) (gpointer impl);
  /* Preferred first; TL_KERNEL_AUTO takes the first that fits. */
  const TlVariant *const *(*list_variants) (size_t *n);

  gboolean (*upload) (gpointer impl, const TlBlock *block, GError **error);
  gboolean (*correct) (gpointer impl, const TlCorrectArgs *args,
                       GError **error);
  gboolean (*transform) (gpointer impl, const TlTransformArgs *args,
                         GCancellable *cancellable, GError **error);
  gboolean (*filter) (gpointer impl, const TlFilterArgs *args,
                      GCancellable *cancellable, GError **error);
  TlFrame *(*backproject) (gpointer impl, const TlBackprojectArgs *args,
                           GCancellable *cancellable, GError **error);

  gboolean (*measure) (gpointer impl, TlFrame *frame, size_t slice,
                       TlStats *stats, GError **error);
  gboolean (*read_corrected) (gpointer impl, float *dest, GError **error);
  /* Milliseconds of the last run of each stage; waits where it must. */
  gboolean (*get_times) (gpointer impl, double ms[TL_N_STAGES], GError **error);
  size_t (*get_memory) (gpointer impl); /* bytes held on the device */
} TlBackend;

extern const TlBackend tl_host_backend;

/* The module's one entry point, looked up by TL_CUDA_ENTRY in the file
 * TL_CUDA_MODULE.so (no "lib" before it). It returns NULL for a version other
 * than its own TL_BACKEND_VERSION: then the module belongs to another build. */
#define TL_CUDA_MODULE "tomolens-cuda"
#define TL_CUDA_ENTRY "tl_cuda_get_backend"
#define TL_BACKEND_VERSION 1
typedef const TlBackend *(*TlGetBackend) (guint version);

/* How many backends there may be: cuda, then host. */
#define TL_N_BACKENDS 2

/**
 * tl_backend_name:
 *
 * Returns: (transfer none): of backend @i, preferred first
 */
const char *tl_backend_name (guint i);

/**
 * tl_backend_find:
 * @device: (out) (transfer full): what it would run on
 *
 * Loads the module where there is one, once. Any thread.
 *
 * Returns: (transfer none): %NULL with TL_ERROR_UNSUPPORTED that says why
 *   backend @i cannot be used on this machine
 */
const TlBackend *tl_backend_find (guint i, char **device, GError **error);

G_END_DECLS

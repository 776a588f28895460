/* The steps of the Fourier method on the device; gpu/host/fourier.c has the
 * formulas. It differs in two ways from what is done there. No point is spread:
 * every cell of the grid gathers the points around it, so that the result does
 * not depend on any order, and no cell is shared. And the kernel is one of the
 * distance alone, which costs one evaluation for a point and a cell; it is the
 * bell of Lewitt, Multidimensional digital image representations using
 * generalized Kaiser-Bessel window functions, J. Opt. Soc. Am. A 7 (1990) 1834,
 * equations 6 and A3 with m = 0, in two dimensions:
 *
 *   K (r) = I0 (beta sqrt (1 - (r / H)^2)) / I0 (beta),    r < H
 *   transform: 2 pi H^2 I1 (s) / (s I0 (beta)),
 *              s^2 = beta^2 - (2 pi H f)^2
 *
 * "Kernel" is K here; what runs on the device is named by its launcher.
 * Launchers queue their work in the stream and return a cudaError_t. All
 * pointers in their arguments are device memory, floats unless said otherwise;
 * complex values are two floats. Owner thread. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

/* The widths of the kernel, 2 H, cells: in full and in fast precision. Errors
 * of noise: 1.5e-6 and 1.1e-4. */
#define TL_CUDA_FOURIER_WIDE 7
#define TL_CUDA_FOURIER_NARROW 5

/* Coefficients of polynomials; those of the narrow kernel are fewer. */
#define TL_CUDA_FOURIER_TERMS 11
#define TL_CUDA_FOURIER_FEWER_TERMS 8

  /* The kernel; plain value. Polynomials have the highest power first, and are
   * exact to 4e-7 and 2e-5 of the largest value. */
  typedef struct
  {
    int width;
    float values[TL_CUDA_FOURIER_TERMS]; /* K in 2 (r / H)^2 - 1 */
    /* 1 / transform in 16 f^2 - 1, f in cycles per cell, as far as the corners
     * of the picture. */
    float scales[TL_CUDA_FOURIER_TERMS];
  } TlCudaFourierKernel;

  /* tl_cuda_fourier_kernel_init: @width: one of the two. Any thread. */
  void tl_cuda_fourier_kernel_init (TlCudaFourierKernel *kernel, int width);

  /* A ray through the grid: its point of frequency k is at k step (cosine,
   * sine), for negative k too. */
  typedef struct
  {
    double cosine, sine; /* in cells: not those of the projection if the grid is
                            no square */
    float step, inverse_step; /* cells */
  } TlCudaFourierRay;

  /* The points: spectrum times response, 1 / length and the phase that moves
   * the axis and the middle of the picture to 0. */
  typedef struct
  {
    size_t n_projections, n_rows;
    size_t first_row; /* of the group; slices beyond n_rows are 0 */
    size_t n_slices;  /* of the group: 1 or 4, as in fourier.def */
    size_t length;    /* of a padded line */
    size_t last;      /* the highest frequency with a response */
    /* rows of gpu/cuda/stages/fft.h: the lines [n_projections][n_rows] */
    const float *spectrum;
    int pairs;             /* two lines share a row: TL_TRANSFORM_PAIRS */
    size_t row_floats;     /* from one row to the next */
    const float *response; /* [length / 2 + 1] */
    const double *shifts;  /* [n_shifts]: TlFilterArgs */
    size_t n_shifts;
    const double *rays;    /* [n_projections][2]: cosine, sine */
    const int *order;      /* [n_projections]: the projection of each ray */
    double axis_col, x, y; /* x, y: of the pixel where the transform has 0 */
    float *points;         /* (out) complex [ray][last + 1][n_slices] */
  } TlCudaFourierPointsArgs;

  typedef struct
  {
    TlCudaFourierKernel kernel;
    size_t n_rays, n_slices, last;
    const TlCudaFourierRay *rays; /* sorted by direction, modulo half a turn */
    /* [2 n_sectors + 1]: the first ray of each sector of half a turn, which
     * begins at -90 degrees; n_rays more in the second half turn */
    const int *sectors;
    size_t n_sectors;
    float reach;         /* of the farthest point from the middle, cells */
    size_t nu, nv;       /* cells of the grid along u and v */
    const float *points; /* TlCudaFourierPointsArgs */
    float *grid;         /* (out) complex [n_slices][nu / 2 + 1][nv] */
  } TlCudaFourierGatherArgs;

  /* From the grid, transformed along v, to rows for the transform along u, and
   * from these, transformed, to pixels. */
  typedef struct
  {
    TlCudaFourierKernel kernel;
    size_t n_slices;
    size_t nu, nv;     /* cells of the grid along u and v */
    size_t nx, ny;     /* pixels of a slice */
    size_t finer;      /* pixels are every so many of the transform */
    const float *grid; /* complex [n_slices][nu / 2 + 1][nv] */
    float *rows;       /* [n_slices][ny][row_floats] */
    size_t row_floats; /* from one row to the next, at least nu + 2 */
    float *pixels;     /* (out) [n_slices][ny][nx] */
  } TlCudaFourierPictureArgs;

  /* tl_cuda_fourier_points: cudaErrorInvalidValue unless there is a variant for
   * n_slices. */
  int tl_cuda_fourier_points (const TlCudaFourierPointsArgs *args,
                              struct CUstream_st *stream);

  /* tl_cuda_fourier_gather: Writes every cell of the grid: the sum of the
   * points around it, times K. Errors as above. */
  int tl_cuda_fourier_gather (const TlCudaFourierGatherArgs *args,
                              struct CUstream_st *stream);

  /* tl_cuda_fourier_transpose: From the grid, transformed along v, to the rows
   * of the picture, not yet transformed along u. */
  int tl_cuda_fourier_transpose (const TlCudaFourierPictureArgs *args,
                                 struct CUstream_st *stream);

  /* tl_cuda_fourier_crop: From rows, transformed along u, to pixels, divided by
   * the transform of K. ny is at most 65535. */
  int tl_cuda_fourier_crop (const TlCudaFourierPictureArgs *args,
                            struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

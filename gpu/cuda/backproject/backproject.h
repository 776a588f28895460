/* The stage "back-project" on the device: the arguments of all its kernels, and
 * the lists of their instances. */
#pragma once

#include <stddef.h>

#include "gpu/cuda/backproject/layout.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The major compute capability from which on there are the tensor cores that
 * tensor.cuh and the ceilings use. */
#define TL_CUDA_TENSOR_CAPABILITY 8

  struct CUstream_st;

  /* For one group of slices, which are back-projected together. */
  typedef struct
  {
    unsigned long long texture; /* [n_rays][texels], in the kernel's layout and
                                   with its kind of reading */
    const void *cells;          /* device, [n_rays][part][cell_stride], in the
                                   kernel's other layout; 0 for TL_CUDA_CELL_GAP
                                   texels before and behind each part */
    size_t cell_stride;  /* texels from a part of a ray to the next one */
    void *queues;        /* device, room for 2 + n_counters integers:
                            hybrid.cu */
    unsigned n_counters; /* multiprocessors */
    void *tables;        /* device, what TlCudaTables has filled */
    const unsigned
        *peak; /* device: the unit of half precision, half-precision.cuh */
    size_t n_rays, n_cols; /* with a fold not those of the projections */
    const double *rays;    /* device, [n_rays][2]: cosine, sine */
    double axis_col, x0, y0, pitch; /* data/geometry.h */
    size_t nx, ny;
    int n_slices;  /* how many to write; at most those of a texel */
    float *pixels; /* (out) device, [n_slices][ny][nx] */

    /* 0: no fold (gpu/stages/fold.h). Otherwise one slice is computed as
     * n_folded slices: nx and ny are the part of the slice whose pixels the
     * first component of a texel belongs to, the other components belong to
     * pixels elsewhere in the slice, and pixels is [whole_ny][whole_nx]. */
    int n_folded;
    size_t whole_nx, whole_ny;

    int n_parts; /* how many blocks share the rays of a tile: 1, but a launcher
                    may make it 2 */
  } TlCudaBackprojectArgs;

  /* For a plane. Coordinates 0, 1, 2 are x, y and z, where z counts rows. */
  typedef struct
  {
    TlCudaLayout layout; /* of the rows: PAIR (linear), FLOAT (nearest) or
                            QUARTER (oversampled) */
    const void *rows;    /* device, [n_rows]: of each row the cells as in
                            TlCudaBackprojectArgs, for one slice */
    size_t row_bytes;    /* from a row to the next one */
    size_t n_rows, cell_stride, n_rays, n_cols;
    const double *rays; /* device, [n_rays][2]: cosine, sine */
    double axis_col, origin[3], u[3], v[3]; /* data/geometry.h */
    size_t nx, ny;
    float *pixels; /* (out) device, [ny][nx] */
  } TlCudaPlaneArgs;

  /* Returns: a cudaError_t. */
  int tl_cuda_launch_plane (const TlCudaPlaneArgs *args,
                            struct CUstream_st *stream);

  /* Tables in device memory of a kernel, which depend on the rays and the grid
   * but not on the slices. */
  typedef struct
  {
    size_t (*count_bytes) (size_t n_rays);
    /* Fills args->tables before the first group. Returns: a cudaError_t. */
    int (*fill) (const TlCudaBackprojectArgs *args, struct CUstream_st *stream);
  } TlCudaTables;

  /* An instance of a kernel. */
  typedef struct
  {
    const char *name;
    TlCudaLayout layout; /* of the texture; NONE where it is not read */
    int interpolates;    /* the texture unit interpolates */
    TlCudaLayout cells;  /* of plain memory; NONE where it is not read */
    /* Returns: a cudaError_t. */
    int (*launch) (const TlCudaBackprojectArgs *args,
                   struct CUstream_st *stream);
    const TlCudaTables *tables; /* (nullable) */
  } TlCudaKernel;

  /* The instances of each file, [@n], in the order of its .def list. Any
   * thread; constant. */
  const TlCudaKernel *tl_cuda_standard_kernels (size_t *n);
  const TlCudaKernel *tl_cuda_texture_kernels (size_t *n);
  const TlCudaKernel *tl_cuda_alu_kernels (size_t *n);
  const TlCudaKernel *tl_cuda_hybrid_kernels (size_t *n);
  const TlCudaKernel *tl_cuda_tensor_kernels (size_t *n);

#ifdef __cplusplus
}
#endif

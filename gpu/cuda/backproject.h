/* The stage "back-project" on the device: what all its kernels are given, and
 * what an entry in the lists of them is. */
#pragma once

#include <stddef.h>

#include "gpu/cuda/layout.h"

#ifdef __cplusplus
extern "C"
{
#endif

  struct CUstream_st;

  /* One group of slices. */
  typedef struct
  {
    unsigned long long texture; /* [n_projections][texels], in the kernel's
                                   layout and with its kind of reading */
    const void *cells; /* device, [n_projections][texels], in the kernel's other
                          layout */
    unsigned *n_busy;  /* device, [n_counters]: backproject-hybrid.cu; 0 between
                          launches */
    unsigned n_counters;
    const unsigned *peak; /* device: the unit of half precision, half.cuh */
    size_t n_projections, n_cols;
    const double *rays; /* device, [n_projections][2]: cosine, sine */
    double axis_col, x0, y0, pitch; /* data/geometry.h */
    size_t nx, ny;
    int n_slices;  /* to be written, at most those of a texel */
    float *pixels; /* (out) device, [n_slices][ny][nx] */
  } TlCudaBackprojectArgs;

  /* An instance of a kernel. */
  typedef struct
  {
    const char *name;
    TlCudaLayout layout; /* of the texture; NONE where it is not read */
    int interpolates;    /* wants a texture that interpolates */
    TlCudaLayout cells;  /* of plain memory; NONE where it is not read */
    /* Returns: a cudaError_t. */
    int (*launch) (const TlCudaBackprojectArgs *args,
                   struct CUstream_st *stream);
  } TlCudaKernel;

#ifdef __cplusplus
}
#endif

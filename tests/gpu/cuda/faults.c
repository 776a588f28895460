/* The linker puts these functions before CUDA's own (--wrap, in meson.build). A
 * call that fails is not made. A launch says so as CUDA does: the next
 * cudaGetLastError() of the thread has the error. */
#include "tests/gpu/cuda/faults.h"

#include <cuda_runtime_api.h>
#include <cufft.h>

#define EXPORT __attribute__ ((visibility ("default")))

static gint n_calls, failing; /* atomic; 0: none */
static gint is_memory_fault;  /* atomic */
static const char *failed;    /* (nullable), atomic */
static _Thread_local cudaError_t launch_error;

EXPORT void tl_cuda_faults_set (guint call, gboolean is_memory);
EXPORT guint tl_cuda_faults_get (const char **name);

EXPORT void
tl_cuda_faults_set (guint call, gboolean is_memory)
{
  g_atomic_pointer_set (&failed, NULL);
  g_atomic_int_set (&is_memory_fault, is_memory);
  g_atomic_int_set (&failing, (gint)call);
  g_atomic_int_set (&n_calls, 0);
}

EXPORT guint
tl_cuda_faults_get (const char **name)
{
  *name = g_atomic_pointer_get (&failed);
  return (guint)g_atomic_int_get (&n_calls);
}

static gboolean
fails (const char *name)
{
  if (g_atomic_int_add (&n_calls, 1) + 1 != g_atomic_int_get (&failing))
    return FALSE;
  g_atomic_pointer_set (&failed, (gpointer)name);
  return TRUE;
}

static cudaError_t
get_error (void)
{
  return g_atomic_int_get (&is_memory_fault) ? cudaErrorMemoryAllocation
                                             : cudaErrorLaunchFailure;
}

static cufftResult
get_fft_error (void)
{
  return g_atomic_int_get (&is_memory_fault) ? CUFFT_ALLOC_FAILED
                                             : CUFFT_INTERNAL_ERROR;
}

#define WRAP(Type, name, error, parameters, arguments)                         \
  Type __real_##name parameters;                                               \
  Type __wrap_##name parameters;                                               \
  Type __wrap_##name parameters                                                \
  {                                                                            \
    return fails (#name) ? error : __real_##name arguments;                    \
  }
#define CUDA(name, parameters, arguments)                                      \
  WRAP (cudaError_t, name, get_error (), parameters, arguments)
#define CUFFT(name, parameters, arguments)                                     \
  WRAP (cufftResult, name, get_fft_error (), parameters, arguments)

/* clang-format off */
CUDA (cudaMalloc, (void **p, size_t n), (p, n))
CUDA (cudaMallocArray, (cudaArray_t *a, const struct cudaChannelFormatDesc *d, size_t w, size_t h, unsigned f), (a, d, w, h, f))
CUDA (cudaCreateSurfaceObject, (cudaSurfaceObject_t *s, const struct cudaResourceDesc *d), (s, d))
CUDA (cudaCreateTextureObject, (cudaTextureObject_t *t, const struct cudaResourceDesc *r, const struct cudaTextureDesc *d, const struct cudaResourceViewDesc *v), (t, r, d, v))
CUDA (cudaMemcpyAsync, (void *to, const void *from, size_t n, enum cudaMemcpyKind k, cudaStream_t s), (to, from, n, k, s))
CUDA (cudaMemcpy2DAsync, (void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h, enum cudaMemcpyKind k, cudaStream_t s), (to, tp, from, fp, w, h, k, s))
CUDA (cudaMemcpy2DToArrayAsync, (cudaArray_t to, size_t x, size_t y, const void *from, size_t fp, size_t w, size_t h, enum cudaMemcpyKind k, cudaStream_t s), (to, x, y, from, fp, w, h, k, s))
CUDA (cudaMemsetAsync, (void *to, int v, size_t n, cudaStream_t s), (to, v, n, s))
CUDA (cudaMemGetInfo, (size_t *f, size_t *t), (f, t))
CUDA (cudaHostRegister, (void *p, size_t n, unsigned f), (p, n, f))
CUDA (cudaGetDeviceCount, (int *n), (n))
CUDA (cudaGetDevice, (int *d), (d))
CUDA (cudaSetDevice, (int d), (d))
CUDA (cudaDeviceGetAttribute, (int *v, enum cudaDeviceAttr a, int d), (v, a, d))
CUDA (cudaDeviceGetStreamPriorityRange, (int *l, int *g), (l, g))
CUDA (cudaStreamCreateWithPriority, (cudaStream_t *s, unsigned f, int p), (s, f, p))
CUDA (cudaStreamSynchronize, (cudaStream_t s), (s))
CUDA (cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned f), (s, e, f))
CUDA (cudaEventCreate, (cudaEvent_t *e), (e))
CUDA (cudaEventCreateWithFlags, (cudaEvent_t *e, unsigned f), (e, f))
CUDA (cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, s))
CUDA (cudaEventSynchronize, (cudaEvent_t e), (e))
CUDA (cudaEventElapsedTime, (float *ms, cudaEvent_t a, cudaEvent_t b), (ms, a, b))
CUDA (cudaFuncSetAttribute, (const void *f, enum cudaFuncAttribute a, int v), (f, a, v))
CUDA (cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t f, void *d), (s, f, d))
CUFFT (cufftCreate, (cufftHandle *h), (h))
CUFFT (cufftMakePlanMany, (cufftHandle h, int r, int *n, int *ie, int is, int id, int *oe, int os, int od, cufftType t, int b, size_t *w), (h, r, n, ie, is, id, oe, os, od, t, b, w))
CUFFT (cufftSetStream, (cufftHandle h, cudaStream_t s), (h, s))
CUFFT (cufftSetAutoAllocation, (cufftHandle h, int a), (h, a))
CUFFT (cufftSetWorkArea, (cufftHandle h, void *w), (h, w))
CUFFT (cufftExecR2C, (cufftHandle h, cufftReal *i, cufftComplex *o), (h, i, o))
CUFFT (cufftExecC2R, (cufftHandle h, cufftComplex *i, cufftReal *o), (h, i, o))
CUFFT (cufftExecC2C, (cufftHandle h, cufftComplex *i, cufftComplex *o, int d), (h, i, o, d))
/* clang-format on */

/* TL_LAUNCH: what nvcc calls for a launch: cudaLaunchKernel, or from CUDA 13 on
 * __cudaLaunchKernel, with a handle in place of the function. */
#define JOIN(a, b) a##b
#define NAME(prefix, name) JOIN (prefix, name)

cudaError_t NAME (__real_, TL_LAUNCH) (const void *kernel, dim3 grid,
                                       dim3 block, void **args, size_t shared,
                                       cudaStream_t stream);
cudaError_t NAME (__wrap_, TL_LAUNCH) (const void *kernel, dim3 grid,
                                       dim3 block, void **args, size_t shared,
                                       cudaStream_t stream);

cudaError_t
NAME (__wrap_, TL_LAUNCH) (const void *kernel, dim3 grid, dim3 block,
                           void **args, size_t shared, cudaStream_t stream)
{
  if (!fails ("a launch"))
    return NAME (__real_, TL_LAUNCH) (kernel, grid, block, args, shared,
                                      stream);
  launch_error = get_error ();
  return launch_error;
}

cudaError_t __real_cudaGetLastError (void);
cudaError_t __wrap_cudaGetLastError (void);

cudaError_t
__wrap_cudaGetLastError (void)
{
  const cudaError_t error = launch_error;
  launch_error = cudaSuccess;
  return error != cudaSuccess ? error : __real_cudaGetLastError ();
}

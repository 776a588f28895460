/* How much device memory a reconstruction takes, before it is made. */
#pragma once

#include "data/samples.h"
#include "gpu/stages/params.h"

/* Of the free memory of a device a view may take so much: the estimate is
 * rough, and pictures are made besides. */
#define TL_DEVICE_MEMORY_PART 0.7
/* What a view has already stays up to so much, so that it does not come and go
 * where other programs take a little memory or a parameter needs a little more.
 */
#define TL_DEVICE_MEMORY_KEPT_PART 0.85

/* A block as the engine gets it; plain value. */
typedef struct
{
  size_t n_projections, n_cols;
  size_t n_rows;       /* that are reconstructed */
  size_t n_extra_rows; /* above and below them */
  TlSampleType type;
  guint n_frames;      /* that are in use at the same time */
  gboolean for_planes; /* and not for slices */
} TlDeviceLoad;

/**
 * tl_device_memory_estimate:
 *
 * The most that the CUDA engine holds while it reconstructs such blocks one
 * after the other, about: the sum of its buffers (gpu/cuda/state/state.h), for
 * the kernel that stores filtered rows in the most memory, or for the Fourier
 * method where it may be taken and needs more. What the CUDA runtime takes for
 * itself is not in it, as in TlEngineReport.memory_bytes.
 *
 * Returns: bytes
 */
guint64 tl_device_memory_estimate (const TlParams *params,
                                   const TlDeviceLoad *load);

/* The stages of a reconstruction, in the order in which they run. */
#pragma once

#include <glib.h>

typedef enum
{
  TL_STAGE_UPLOAD,    /* samples and fields to the engine's memory */
  TL_STAGE_CORRECT,   /* flat field, dead pixels, and -log unless phase
                          retrieval follows */
  TL_STAGE_ZINGERS,   /* does nothing if they are kept */
  TL_STAGE_TILT,      /* turns projections back; skipped if not needed */
  TL_STAGE_PHASE,     /* phase retrieval and -log; skipped if it is off */
  TL_STAGE_RINGS,     /* beam hardening, then rings; does nothing if both are
                         kept */
  TL_STAGE_TRANSFORM, /* pad, forward transform */
  TL_STAGE_FILTER,    /* multiply, inverse transform, layout of the kernel */
  TL_STAGE_BACKPROJECT,
  TL_N_STAGES
} TlStage;

extern const char *const tl_stage_names[TL_N_STAGES + 1];

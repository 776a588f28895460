/* The stages of a reconstruction, in the order in which they run. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  TL_STAGE_UPLOAD,  /* samples and fields to the engine's memory */
  TL_STAGE_CORRECT, /* flat field, dead pixels, -log unless a phase follows */
  TL_STAGE_ZINGERS, /* nothing where they stay */
  TL_STAGE_TILT,    /* projections turned back; left out where they need not */
  TL_STAGE_PHASE,   /* phase retrieval, -log; left out where it is off */
  TL_STAGE_RINGS,   /* nothing where they stay */
  TL_STAGE_TRANSFORM, /* pad, forward transform */
  TL_STAGE_FILTER,    /* multiply, inverse transform, kernel's own layout */
  TL_STAGE_BACKPROJECT,
  TL_N_STAGES
} TlStage;

extern const char *const tl_stage_names[TL_N_STAGES + 1];

G_END_DECLS

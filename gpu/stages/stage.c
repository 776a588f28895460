#include "gpu/stages/stage.h"

const char *const tl_stage_names[TL_N_STAGES + 1] = {
  "upload", "correct",   "zingers", "tilt",         "phase",
  "rings",  "transform", "filter",  "back-project", NULL
};

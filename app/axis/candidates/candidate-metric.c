#include "app/axis/candidates/candidate-metric.h"

const char *const tl_candidate_metric_names[TL_N_CANDIDATE_METRICS + 1] = {
  [TL_CANDIDATE_COMBINED] = "combined",
  [TL_CANDIDATE_ENTROPY] = "entropy",
  [TL_CANDIDATE_NEGATIVITY] = "negativity",
  [TL_CANDIDATE_GRADIENT] = "gradient",
  [TL_CANDIDATE_DEVIATION] = "deviation",
};

/* The figures of merit that rate candidates for the axis. */
#pragma once

#include <glib.h>

typedef enum
{
  TL_CANDIDATE_COMBINED, /* all reliable ones, gpu/centre/figures.h */
  TL_CANDIDATE_ENTROPY,  /* of the histogram, in nats; least is best; of a half
                            acquisition less the logarithm of the deviation */
  TL_CANDIDATE_NEGATIVITY, /* mean of the negative part; closest to 0 is best */
  TL_CANDIDATE_GRADIENT,   /* root mean square gradient; largest is best */
  TL_CANDIDATE_DEVIATION,  /* standard deviation; largest is best */
  TL_N_CANDIDATE_METRICS
} TlCandidateMetric;

/* "combined", "entropy" …; %NULL-terminated, by the enumeration. */
extern const char *const tl_candidate_metric_names[TL_N_CANDIDATE_METRICS + 1];

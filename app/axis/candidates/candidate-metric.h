/* What candidates for the axis are judged by. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  TL_CANDIDATE_COMBINED,   /* those that tell, gpu/centre/figures.h */
  TL_CANDIDATE_ENTROPY,    /* of the histogram, natural units; least is best */
  TL_CANDIDATE_NEGATIVITY, /* the mean of what is below 0; closest to 0 is best
                            */
  TL_CANDIDATE_GRADIENT,   /* root of the mean squared gradient; largest is */
  TL_CANDIDATE_DEVIATION,  /* standard deviation; largest is best */
  TL_N_CANDIDATE_METRICS
} TlCandidateMetric;

/* "combined", "entropy" …; %NULL-terminated, by the enumeration. */
extern const char *const tl_candidate_metric_names[TL_N_CANDIDATE_METRICS + 1];

G_END_DECLS

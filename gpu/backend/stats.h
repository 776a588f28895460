/* Range, mean and histogram of a slice. */
#pragma once

#include <glib.h>

/* The figures behind the histogram and the automatic grey window; plain value.
 */
#define TL_HISTOGRAM_BINS 512
typedef struct
{
  float min, max; /* of the finite pixels */
  double mean;
  guint32 histogram[TL_HISTOGRAM_BINS]; /* equal steps from min to max */
} TlStats;

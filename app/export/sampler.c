#include "app/export/sampler.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

/* Of one slice, at most. */
#define MAX_PIXELS ((size_t)1 << 18)

struct TlSampler
{
  GMutex lock;
  GArray *values; /* of double, finite */
};

TlSampler *
tl_sampler_new (void)
{
  TlSampler *sampler = g_new0 (TlSampler, 1);
  g_mutex_init (&sampler->lock);
  sampler->values = g_array_new (FALSE, FALSE, sizeof (double));
  return sampler;
}

void
tl_sampler_free (TlSampler *sampler)
{
  if (sampler == NULL)
    return;
  g_array_unref (sampler->values);
  g_mutex_clear (&sampler->lock);
  g_free (sampler);
}

/* An odd distance of the pixels meets all columns of a slice of an even width.
 */
void
tl_sampler_take (TlSampler *sampler, const float *pixels, size_t n)
{
  const size_t step = (n / MAX_PIXELS) | 1;
  g_mutex_lock (&sampler->lock);
  for (size_t i = 0; i < n; i += step)
    if (isfinite (pixels[i]))
      {
        const double value = (double)pixels[i];
        g_array_append_val (sampler->values, value);
      }
  g_mutex_unlock (&sampler->lock);
}

gboolean
tl_sampler_find_range (TlSampler *sampler, double low_percent,
                       double high_percent, double *low, double *high,
                       GError **error)
{
  const double *values = (const double *)(gpointer)sampler->values->data;
  const guint n = sampler->values->len;
  tl_sort_doubles ((double *)(gpointer)sampler->values->data, n);
  if (n > 0)
    {
      *low = values[(guint)(low_percent / 100 * (n - 1) + 0.5)];
      *high = values[(guint)(high_percent / 100 * (n - 1) + 0.5)];
    }
  return (n > 0 && *low < *high)
         || tl_fail (error, TL_ERROR_VALUE,
                     _ ("the slices have no different values between these "
                        "percentiles; state the range of the samples as two "
                        "values"));
}

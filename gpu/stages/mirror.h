/* Continuing a row beyond its ends by its mirror image. */
#pragma once

#include <glib.h>
#include <stddef.h>

/** tl_mirror: Returns: the place of @i in a row of @n values that is mirrored
 * about its ends, (c b a | a b c); @i may be any number of periods away. */
static inline size_t
tl_mirror (ptrdiff_t i, size_t n)
{
  const ptrdiff_t period = 2 * (ptrdiff_t)n;
  size_t place;

  if (i >= 0 && (size_t)i < n)
    return (size_t)i;
  place = (size_t)(((i % period) + period) % period);
  return place < n ? place : 2 * n - 1 - place;
}

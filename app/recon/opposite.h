/* Finds the projection half a turn after another one. The axis lies midway
 * between a feature in the one and the same feature in the other, mirrored. */
#pragma once

#include <glib.h>

/* A projection and its opposite; plain value. */
typedef struct
{
  size_t projection;
  double angle_deg;
  /* The opposite is interpolated between these two; equal: no interpolation */
  size_t before, after;
  double part;         /* weight of @after, 0 to 1 */
  double opposite_deg; /* angle of the opposite */
  double missing_deg;  /* how far the scan ends short of half a turn; the last
                          projection then serves as the opposite */
} TlOpposite;

/**
 * tl_opposite_find:
 * @angles_deg: [@n], in either direction
 *
 * Finds the opposite of @projection, half a turn after or before it. If no
 * projection has this angle, the opposite is interpolated between its two
 * neighbours. If the scan ends less than a step and a half short of half a
 * turn, its last projection serves.
 *
 * Returns: %FALSE with TL_ERROR_VALUE if @projection has no opposite or does
 *   not exist
 */
gboolean tl_opposite_find (const double *angles_deg, size_t n,
                           size_t projection, TlOpposite *opposite,
                           GError **error);

/** tl_opposite_find_first: As tl_opposite_find(), for the first projection that
 * has an opposite. */
gboolean tl_opposite_find_first (const double *angles_deg, size_t n,
                                 TlOpposite *opposite, GError **error);

/* A projection and the one half a turn on: the pair that shows where the axis
 * is. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Which two; plain value. */
typedef struct
{
  size_t projection;
  double angle_deg;
  size_t before, after; /* the opposite one lies between; the same: is it */
  double part;          /* of @after in their mean */
  double opposite_deg;  /* its angle */
  double missing_deg;   /* of half a turn: more than 0 where the scan ends
                           short of it, and the last one is taken */
} TlOpposite;

/**
 * tl_opposite_find:
 * @angles_deg: [@n], in either direction
 *
 * The projections at @projection and half a turn on, or back; where no angle is
 * the opposite one, the mean of its two neighbours stands for it. A scan that
 * ends less than a step and a half short of half a turn has its last one for
 * it.
 *
 * Returns: %FALSE with TL_ERROR_VALUE, a sentence, where there is none, or no
 *   such projection
 */
gboolean tl_opposite_find (const double *angles_deg, size_t n,
                           size_t projection, TlOpposite *opposite,
                           GError **error);

/** tl_opposite_find_first: The first projection that has one; as above. */
gboolean tl_opposite_find_first (const double *angles_deg, size_t n,
                                 TlOpposite *opposite, GError **error);

G_END_DECLS

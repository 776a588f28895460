/* Kinds of pictures that have a window of grey values each. */
#pragma once

#include "app/session/session.h"

/* Continues TlPicture with the differences, whose window is centred at 0. */
enum
{
  TL_VIEW_KIND_COST = TL_N_PICTURES, /* fast minus full precision */
  TL_VIEW_KIND_COMPARISON,           /* B minus A */
  TL_VIEW_KIND_OVERLAY,              /* opposite projections */
  TL_N_VIEW_KINDS
};

/** tl_view_kind_find: Returns: the kind of the picture that @session shows. */
guint tl_view_kind_find (TlSession *session);

/* Values of a picture: counts, transmission or attenuation, and so on, which
 * have nothing in common but their pixels. */
#define TL_N_VIEW_VALUES 4

/** tl_view_values_find: Returns: which values the frame of @session has, below
 * TL_N_VIEW_VALUES. */
guint tl_view_values_find (TlSession *session);

/** tl_view_kind_is_difference: Returns: whether @kind is one of the
 * differences. */
gboolean tl_view_kind_is_difference (guint kind);

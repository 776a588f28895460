/* What kind of picture is shown: each has a window of grey values of its own.
 */
#pragma once

#include "app/session/session.h"

G_BEGIN_DECLS

/* Beside those of TlPicture: differences, about 0. */
enum
{
  TL_VIEW_KIND_COST = TL_N_PICTURES, /* of a precision */
  TL_VIEW_KIND_COMPARISON,           /* B less A */
  TL_VIEW_KIND_OVERLAY,              /* of opposite projections */
  TL_N_VIEW_KINDS
};

/** tl_view_kind_find: Returns: that of what @session shows. */
guint tl_view_kind_find (TlSession *session);

/** tl_view_kind_is_difference: Returns: whether it has both signs. */
gboolean tl_view_kind_is_difference (guint kind);

G_END_DECLS

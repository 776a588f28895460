#include "ui/view/view-kind.h"

#include "app/axis/overlay/overlay.h"

/* Planes are slices in other directions. */
static TlPicture
find_picture (TlSession *session)
{
  const TlPicture picture = tl_display_get_picture (session->display);

  return picture == TL_PICTURE_PLANES ? TL_PICTURE_SLICE : picture;
}

guint
tl_view_kind_find (TlSession *session)
{
  TlOverlay *overlay = tl_session_get_overlay (session);

  if (tl_display_get_page (session->display) == TL_PAGE_VOLUME)
    return TL_PICTURE_SLICE;
  if (tl_slice_comparison_get_shown_mode (session->comparison)
      == TL_COMPARE_DIFFERENCE)
    return TL_VIEW_KIND_COMPARISON;
  if (tl_overlay_is_shown (overlay)
      && tl_overlay_get_mode (overlay) == TL_OVERLAY_DIFFERENCE
      && tl_overlay_get_opposite (overlay) != NULL)
    return TL_VIEW_KIND_OVERLAY;
  return tl_display_shows_differences (session->display)
             ? TL_VIEW_KIND_COST
             : find_picture (session);
}

guint
tl_view_values_find (TlSession *session)
{
  const TlRecipe *recipe = tl_display_get_frame_recipe (session->display);

  return recipe == NULL ? 0
                        : (recipe->params.flat_field ? 1 : 0)
                              + (recipe->params.minus_log ? 2 : 0);
}

gboolean
tl_view_kind_is_difference (guint kind)
{
  return kind >= TL_N_PICTURES;
}

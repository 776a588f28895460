/* A picture that a model makes out of a measured view and that the session
 * shows instead of it. */
#pragma once

#include "app/recipe/recipe.h"
#include "gpu/engine.h"

#include <glib-object.h>

#define TL_TYPE_COMPOSITE (tl_composite_get_type ())
G_DECLARE_INTERFACE (TlComposite, tl_composite, TL, COMPOSITE, GObject)

/* A model that combines the two projections of TL_PICTURE_OVERLAY into one
 * picture. While it is shown, the session's pixel values, statistics and saved
 * files come from the composite. Main thread only. */
struct _TlCompositeInterface
{
  GTypeInterface parent;

  /* @frame: (out) (transfer none) (nullable): %NULL if it is not made yet
   * @stats: (out) (nullable): of @frame
   *
   * Returns: %FALSE where nothing is combined and the session's frame is shown
   */
  gboolean (*get_picture) (TlComposite *composite, TlFrame **frame,
                           const TlStats **stats);
  /* Returns: whether the picture matches the present parameters */
  gboolean (*is_exact) (TlComposite *composite);
  /* Returns: (transfer full): the meaning of the values, in English, for files
   */
  char *(*describe_values) (TlComposite *composite);
  /* Writes the parameters of the composite to @recipe, a copy of the one that
   * the two projections were read with. */
  void (*complete_recipe) (TlComposite *composite, TlRecipe *recipe);
};

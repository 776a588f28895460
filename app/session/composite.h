/* What a model shows in place of a measured view. */
#pragma once

#include "app/recipe/recipe.h"
#include "gpu/engine.h"

#include <glib-object.h>

G_BEGIN_DECLS

#define TL_TYPE_COMPOSITE (tl_composite_get_type ())
G_DECLARE_INTERFACE (TlComposite, tl_composite, TL, COMPOSITE, GObject)

/* A model that combines the pair of TL_PICTURE_OVERLAY into one picture. While
 * that picture is shown, the session's pixels, figures and files are those of
 * the composite. */
struct _TlCompositeInterface
{
  GTypeInterface parent;

  /* @frame: (out) (transfer none) (nullable): %NULL: it is not made yet
   * @stats: (out) (nullable): those of @frame
   *
   * Returns: %FALSE where nothing is combined and the frame is the picture */
  gboolean (*get_picture) (TlComposite *composite, TlFrame **frame,
                           const TlStats **stats);
  /* Returns: the picture was made with the present parameters. */
  gboolean (*is_exact) (TlComposite *composite);
  /* Returns: (transfer full): what the values are, English: for files */
  char *(*describe_values) (TlComposite *composite);
  /* Sets in @recipe, with which the pair was read, what the composite was made
   * with. */
  void (*complete_recipe) (TlComposite *composite, TlRecipe *recipe);
};

G_END_DECLS

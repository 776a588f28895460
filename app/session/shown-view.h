/* A measured view as the session shows it. */
#pragma once

#include "app/recipe/recipe.h"
#include "app/recon/measured-view.h"
#include "app/session/status.h"

G_BEGIN_DECLS

/* A picture of what was measured; all fields are %NULL or 0 before the first.
 * The strings of the status are constant. */
typedef struct
{
  TlFrame *frame;   /* (nullable) */
  TlRecipe *recipe; /* (nullable): what the frame was made with */
  guint projection; /* of PROJECTION and OVERLAY */
  TlPair pair;      /* of OVERLAY: its frame is the one above */
  TlStats stats;
  TlStatus status;
} TlShownView;

G_END_DECLS

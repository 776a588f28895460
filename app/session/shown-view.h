/* A measured view as the session shows it. */
#pragma once

#include "app/recipe/recipe.h"
#include "app/recon/measured-view.h"
#include "app/session/status.h"

/* A view of measured data; all fields are %NULL or 0 before the first one. The
 * strings of the status are constant. */
typedef struct
{
  TlFrame *frame;   /* (nullable) */
  TlRecipe *recipe; /* (nullable): used to make the frame */
  guint projection; /* of TL_PICTURE_PROJECTION and TL_PICTURE_OVERLAY */
  TlPair pair;      /* of TL_PICTURE_OVERLAY; its frame is the one above */
  TlStats stats;
  TlStatus status;
} TlShownView;

/* What the rooms that run a TlRecon need to know of its engine. */
#pragma once

#include "app/recon/recon.h"

G_BEGIN_DECLS

/** tl_recon_get_engine: Returns: (transfer none) */
TlEngine *tl_recon_get_engine (TlRecon *recon);

G_END_DECLS

/* What the export and the cost of a precision need of a TlRecon. */
#pragma once

#include "app/recon/recon.h"

G_BEGIN_DECLS

TlEngine *tl_recon_get_engine (TlRecon *recon);

G_END_DECLS

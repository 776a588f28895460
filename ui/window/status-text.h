/* What the line below the picture says. */
#pragma once

#include "app/session/session.h"

G_BEGIN_DECLS

/* Returns: (transfer full): one line each, for the picture of @status */

/** tl_status_describe_engine: What made it. */
char *tl_status_describe_engine (const TlStatus *status);
/** tl_status_describe_time: How long it took. */
char *tl_status_describe_time (const TlStatus *status);
/** tl_status_describe_steps: How long the steps took. */
char *tl_status_describe_steps (const TlStatus *status);
/** tl_status_describe_angles: Of how many projections it is. */
char *tl_status_describe_angles (const TlStatus *status);

G_END_DECLS

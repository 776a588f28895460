/* Texts of the status line. */
#pragma once

#include "app/session/session.h"

/* Each returns (transfer full) a line about the picture of @status. */

/** tl_status_describe_engine: Engine and device. */
char *tl_status_describe_engine (const TlStatus *status);
/** tl_status_describe_time: Time for the picture. */
char *tl_status_describe_time (const TlStatus *status);
/** tl_status_describe_steps: Times of the steps. */
char *tl_status_describe_steps (const TlStatus *status);
/** tl_status_describe_memory: What holds memory. @held_bytes: of the
 * planes or the volume */
char *tl_status_describe_memory (const TlStatus *status, guint64 held_bytes);
/** tl_status_describe_angles: Number of projections used. */
char *tl_status_describe_angles (const TlStatus *status);

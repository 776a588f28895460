/* What the engine's thread does for an overlay, in two steps: the exact picture
 * of both, and their registration. */
#pragma once

#include "app/axis/overlay/mode.h"
#include "app/axis/overlay/registration.h"
#include "app/worker/task.h"

G_BEGIN_DECLS

/* What is asked. A plain value. */
typedef struct
{
  TlFrame *a, *b; /* lent: taken a reference of; host memory */
  TlMirror mirror;
  TlOverlayMode mode;
  gboolean wants_registration;
} TlOverlayRequest;

/* The answer of a step: one or the other. */
typedef struct
{
  TlFrame *sum; /* (nullable) */
  TlStats stats;
  TlOverlayMode mode; /* that it is of, as the mirror */
  TlMirror mirror;
  gboolean has_registration;
  TlRegistration registration;
} TlOverlayAnswer;

/** tl_overlay_answer_new_failure: Returns: (transfer full): a registration that
 * cannot tell, because of @error */
TlOverlayAnswer *tl_overlay_answer_new_failure (const GError *error);
void tl_overlay_answer_free (TlOverlayAnswer *answer);

/** tl_overlay_make_task: @task: (out caller-allocates): its results are
 * #TlOverlayAnswer, the last of them %NULL where no step is left to do. */
void tl_overlay_make_task (const TlOverlayRequest *request, TlTask *task);

G_END_DECLS

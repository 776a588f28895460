/* The task of an overlay for the engine's thread, in two steps: the exact
 * picture of both projections, and their registration. */
#pragma once

#include "app/axis/overlay/mode.h"
#include "app/axis/overlay/registration.h"
#include "app/worker/task.h"

/* The input of the task. A plain value. */
typedef struct
{
  TlFrame *a, *b; /* lent: the task takes references; host memory */
  TlMirror mirror;
  TlOverlayMode mode;
  gboolean wants_registration;
} TlOverlayRequest;

/* The result of a step: the picture or the registration. */
typedef struct
{
  TlFrame *sum; /* (nullable) */
  TlStats stats;
  TlOverlayMode mode; /* of sum, as mirror */
  TlMirror mirror;
  gboolean has_registration;
  TlRegistration registration;
} TlOverlayAnswer;

/** tl_overlay_answer_new_failure: Returns: (transfer full): a registration
 * without a result, because of @error */
TlOverlayAnswer *tl_overlay_answer_new_failure (const GError *error);
void tl_overlay_answer_free (TlOverlayAnswer *answer);

/** tl_overlay_make_task: @task: (out caller-allocates): its results are
 * #TlOverlayAnswer; %NULL for a step that had nothing to do. */
void tl_overlay_make_task (const TlOverlayRequest *request, TlTask *task);

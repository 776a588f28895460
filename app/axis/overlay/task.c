#include "app/axis/overlay/task.h"

#include <math.h>

typedef struct
{
  TlOverlayRequest request;
  gboolean has_sum; /* the first step is done or not needed */
} State;

static void
state_free (gpointer data)
{
  State *state = data;
  tl_frame_unref (state->request.a);
  tl_frame_unref (state->request.b);
  g_free (state);
}

TlOverlayAnswer *
tl_overlay_answer_new_failure (const GError *error)
{
  TlOverlayAnswer *answer = g_new0 (TlOverlayAnswer, 1);
  const TlMirror unknown = { NAN, NAN, NAN };
  answer->has_registration = TRUE;
  answer->registration = (TlRegistration){
    .mirror = unknown,
    .uncertainty = unknown,
    .likeness = NAN,
    .sentence = g_strdup (error->message),
  };
  return answer;
}

void
tl_overlay_answer_free (TlOverlayAnswer *answer)
{
  if (answer == NULL)
    return;
  g_clear_pointer (&answer->sum, tl_frame_unref);
  tl_registration_clear (&answer->registration);
  g_free (answer);
}

/* Combines A and the mirrored B by @mode, in place in @b; both are [@n]. NaN
 * stays NaN. */
static void
combine (TlOverlayMode mode, const float *a, float *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    b[i] = mode == TL_OVERLAY_SUM ? (a[i] + b[i]) / 2 : b[i] - a[i];
}

static gboolean
make_sum (const TlOverlayRequest *request, GCancellable *cancellable,
          TlOverlayAnswer *answer, GError **error)
{
  const size_t n_rows = tl_frame_get_n_rows (request->a);
  const size_t n_cols = tl_frame_get_n_cols (request->a);
  float *pixels;
  answer->mode = request->mode;
  answer->mirror = request->mirror;
  answer->sum = tl_frame_new (n_rows, n_cols, &pixels, error);
  if (answer->sum == NULL
      || !tl_mirror_image (&request->mirror, tl_frame_get_pixels (request->b),
                           n_rows, n_cols, pixels, cancellable, error))
    return FALSE;
  combine (request->mode, tl_frame_get_pixels (request->a), pixels,
           n_rows * n_cols);
  TlEngine *host = tl_engine_open ("host", error);
  const gboolean good =
      host != NULL
      && tl_engine_measure (host, answer->sum, 0, &answer->stats, error);
  g_clear_pointer (&host, tl_engine_close);
  return good;
}

static gboolean
make_registration (const TlOverlayRequest *request, GCancellable *cancellable,
                   TlOverlayAnswer *answer, GError **error)
{
  answer->has_registration = TRUE;
  return tl_register (
      tl_frame_get_pixels (request->a), tl_frame_get_pixels (request->b),
      tl_frame_get_n_rows (request->a), tl_frame_get_n_cols (request->a),
      cancellable, &answer->registration, error);
}

static gboolean
take_step (gpointer data, TlRecon *recon, const TlRecipe *recipe,
           GCancellable *cancellable, gpointer *result, gboolean *is_done,
           GError **error)
{
  State *state = data;
  const TlOverlayRequest *request = &state->request;
  TlOverlayAnswer *answer = g_new0 (TlOverlayAnswer, 1);
  const gboolean wants_sum = !state->has_sum;
  if (wants_sum ? !make_sum (request, cancellable, answer, error)
                : !make_registration (request, cancellable, answer, error))
    {
      tl_overlay_answer_free (answer);
      return FALSE;
    }
  state->has_sum = TRUE;
  *is_done = !wants_sum || !request->wants_registration;
  *result = answer;
  return TRUE;
}

void
tl_overlay_make_task (const TlOverlayRequest *request, TlTask *task)
{
  State *state = g_new0 (State, 1);
  state->request = *request;
  tl_frame_ref (request->a);
  tl_frame_ref (request->b);
  state->has_sum =
      request->mode != TL_OVERLAY_DIFFERENCE && request->mode != TL_OVERLAY_SUM;
  *task = (TlTask){
    .kind = TL_TASK_OVERLAY,
    .step = take_step,
    .state = state,
    .free_state = state_free,
    .free_result = (GDestroyNotify)tl_overlay_answer_free,
  };
}

#include "app/axis/overlay/task.h"

#include <math.h>

typedef struct
{
  TlOverlayWish wish;
  gboolean has_sum; /* the first step is done, or nobody wants it */
} State;

static void
state_free (gpointer data)
{
  State *state = data;
  tl_frame_unref (state->wish.a);
  tl_frame_unref (state->wish.b);
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

/* [@n]: @b, mirrored, becomes what @mode makes of both, NaN where it is. */
static void
combine (TlOverlayMode mode, const float *a, float *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    b[i] = mode == TL_OVERLAY_SUM ? (a[i] + b[i]) / 2 : b[i] - a[i];
}

static gboolean
make_sum (const TlOverlayWish *wish, GCancellable *cancellable,
          TlOverlayAnswer *answer, GError **error)
{
  const size_t n_rows = tl_frame_get_n_rows (wish->a);
  const size_t n_cols = tl_frame_get_n_cols (wish->a);
  float *pixels;
  answer->mode = wish->mode;
  answer->mirror = wish->mirror;
  answer->sum = tl_frame_new (n_rows, n_cols, &pixels, error);
  if (answer->sum == NULL
      || !tl_mirror_image (&wish->mirror, tl_frame_get_pixels (wish->b), n_rows,
                           n_cols, pixels, cancellable, error))
    return FALSE;
  combine (wish->mode, tl_frame_get_pixels (wish->a), pixels, n_rows * n_cols);
  TlEngine *host = tl_engine_open ("host", error);
  const gboolean good =
      host != NULL
      && tl_engine_measure (host, answer->sum, 0, &answer->stats, error);
  g_clear_pointer (&host, tl_engine_close);
  return good;
}

static gboolean
make_registration (const TlOverlayWish *wish, GCancellable *cancellable,
                   TlOverlayAnswer *answer, GError **error)
{
  answer->has_registration = TRUE;
  return tl_register (
      tl_frame_get_pixels (wish->a), tl_frame_get_pixels (wish->b),
      tl_frame_get_n_rows (wish->a), tl_frame_get_n_cols (wish->a), cancellable,
      &answer->registration, error);
}

static gboolean
take_step (gpointer data, TlRecon *recon, const TlRecipe *recipe,
           GCancellable *cancellable, gpointer *result, gboolean *is_done,
           GError **error)
{
  State *state = data;
  const TlOverlayWish *wish = &state->wish;
  TlOverlayAnswer *answer = g_new0 (TlOverlayAnswer, 1);
  const gboolean wants_sum = !state->has_sum;
  if (wants_sum ? !make_sum (wish, cancellable, answer, error)
                : !make_registration (wish, cancellable, answer, error))
    {
      tl_overlay_answer_free (answer);
      return FALSE;
    }
  state->has_sum = TRUE;
  *is_done = !wants_sum || !wish->wants_registration;
  *result = answer;
  return TRUE;
}

void
tl_overlay_make_errand (const TlOverlayWish *wish, TlErrand *errand)
{
  State *state = g_new0 (State, 1);
  state->wish = *wish;
  tl_frame_ref (wish->a);
  tl_frame_ref (wish->b);
  state->has_sum =
      wish->mode != TL_OVERLAY_DIFFERENCE && wish->mode != TL_OVERLAY_SUM;
  *errand = (TlErrand){
    .kind = TL_ERRAND_OVERLAY,
    .step = take_step,
    .state = state,
    .free_state = state_free,
    .free_result = (GDestroyNotify)tl_overlay_answer_free,
  };
}

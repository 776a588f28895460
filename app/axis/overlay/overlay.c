#include "app/axis/overlay/overlay.h"

#include "app/axis/accepted-axis.h"
#include "app/axis/centre-search.h"
#include "app/axis/map.h"
#include "app/axis/overlay/registration-private.h"

#include "app/session/follow.h"
#include "data/array.h"
#include "data/geometry.h"

#include <glib/gi18n.h>
#include <math.h>

#define KEY "tl-overlay"

/* Milliseconds without a change before the exact picture is requested. */
#define REST_MS 150
/* Adopted values are rounded to these parts of a column and of a degree;
 * further digits are not significant. */
#define COL_PARTS 1000
/* The grid on which the difference is sampled for its window. */
#define SAMPLE_ROWS 24
#define SAMPLE_COLS 128
/* Columns and degrees: values this close to accepted ones count as accepted. */
#define SAME_COL 1e-3
#define SAME_DEG 1e-4

const char *const tl_overlay_mode_names[TL_N_OVERLAY_MODES + 1] = {
  [TL_OVERLAY_DIFFERENCE] = "difference",
  [TL_OVERLAY_SUM] = "sum",
  [TL_OVERLAY_RED_CYAN] = "red-cyan",
  [TL_OVERLAY_BLINK] = "blink",
};

/* The input of the task, which is also its state. */
typedef struct
{
  TlFrame *a, *b; /* in host memory */
  TlMirror mirror;
  TlOverlayMode mode;
  gboolean wants_sum, wants_registration; /* the steps that are left */
} Request;

/* The result of a step: the exact picture of both projections, or their
 * registration. */
typedef struct
{
  TlFrame *sum; /* (nullable) */
  TlStats stats;
  TlOverlayMode mode; /* of sum, as mirror */
  TlMirror mirror;
  gboolean has_registration;
  TlRegistration registration;
} Answer;

struct _TlOverlay
{
  GObject parent;
  TlSession
      *session; /* (nullable): a weak pointer: the session owns the overlay */
  TlOverlayMode mode;
  double rows;
  guint rest_id; /* source that requests missing results; 0: none */
  char *scan;    /* (nullable): that "rows" belongs to */

  TlFrame *of;     /* (nullable): A of the present pair */
  TlMirror mirror; /* shown last */
  Answer *sum;     /* (nullable): newest picture of the pair */
  Answer *answer;  /* (nullable): registration of the pair */
};

static void init_composite (TlCompositeInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TlOverlay, tl_overlay, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (TL_TYPE_COMPOSITE,
                                                      init_composite))

static guint changed_signal;

/* Returns: (nullable): %NULL after the session was finalized */
static const TlShownView *
get_view (TlOverlay *overlay)
{
  static const TlShownView nothing;
  return overlay->session != NULL ? tl_display_get_shown_view (
             overlay->session->display, TL_PICTURE_OVERLAY)
                                  : &nothing;
}

static gboolean
is_picture (TlOverlay *overlay)
{
  return overlay->session != NULL
         && tl_display_get_picture (overlay->session->display)
                == TL_PICTURE_OVERLAY;
}

gboolean
tl_overlay_is_shown (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), FALSE);
  return is_picture (overlay) && get_view (overlay)->frame != NULL;
}

static void
note_change (TlOverlay *overlay)
{
  g_signal_emit (overlay, changed_signal, 0);
  if (overlay->session != NULL)
    tl_display_note_composite (overlay->session->display);
}

static gboolean
is_same (const TlMirror *a, const TlMirror *b)
{
  return a->centre_col == b->centre_col && a->tilt_deg == b->tilt_deg
         && a->rows == b->rows;
}

/* --- steps in the engine's thread --- */

static void
request_free (gpointer data)
{
  Request *request = data;
  tl_frame_unref (request->a);
  tl_frame_unref (request->b);
  g_free (request);
}

/* Returns: (transfer full): a registration without a result, because of
 * @error */
static Answer *
answer_new_failure (const GError *error)
{
  Answer *answer = g_new0 (Answer, 1);
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

static void
answer_free (gpointer data)
{
  Answer *answer = data;
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
make_sum (const Request *request, GCancellable *cancellable, Answer *answer,
          GError **error)
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
make_registration (const Request *request, GCancellable *cancellable,
                   Answer *answer, GError **error)
{
  answer->has_registration = TRUE;
  return tl_register (
      tl_frame_get_pixels (request->a), tl_frame_get_pixels (request->b),
      tl_frame_get_n_rows (request->a), tl_frame_get_n_cols (request->a),
      cancellable, &answer->registration, error);
}

/* A #TlTaskStep. */
static gboolean
take_step (gpointer state, TlRecon *recon, const TlRecipe *recipe,
           GCancellable *cancellable, gpointer *result, gboolean *is_done,
           GError **error)
{
  Request *request = state;
  Answer *answer = g_new0 (Answer, 1);
  const gboolean makes_sum = request->wants_sum;
  if (!(makes_sum ? make_sum (request, cancellable, answer, error)
                  : make_registration (request, cancellable, answer, error)))
    {
      answer_free (answer);
      return FALSE;
    }
  request->wants_sum = FALSE;
  *is_done = !makes_sum || !request->wants_registration;
  *result = answer;
  return TRUE;
}

/* --- requests to the engine --- */

static gboolean
is_combined (TlOverlay *overlay)
{
  return overlay->mode == TL_OVERLAY_DIFFERENCE
         || overlay->mode == TL_OVERLAY_SUM;
}

static gboolean
misses_sum (TlOverlay *overlay)
{
  TlMirror mirror;
  tl_overlay_get_mirror (overlay, &mirror);
  return is_combined (overlay)
         && (overlay->sum == NULL || overlay->sum->mode != overlay->mode
             || !is_same (&overlay->sum->mirror, &mirror));
}

static void
take_answer (TlReply *reply, gpointer data)
{
  TlOverlay *overlay = data;
  Answer *answer = g_steal_pointer (&reply->result);
  if (reply->error != NULL)
    {
      tl_messages_warn (overlay->session->messages, FALSE, "%s",
                        reply->error->message);
      if (overlay->answer
          == NULL) /* otherwise none will come for this pair either */
        answer = answer_new_failure (reply->error);
    }
  if (answer == NULL)
    return;
  Answer **kept = answer->has_registration ? &overlay->answer : &overlay->sum;
  g_clear_pointer (kept, answer_free);
  *kept = answer;
  note_change (overlay);
}

static gboolean
ask (gpointer data)
{
  TlOverlay *overlay = data;
  const TlShownView *view = get_view (overlay);
  Request request = {
    .b = view->pair.mirrorable,
    .mode = overlay->mode,
    .wants_sum = misses_sum (overlay),
    .wants_registration = overlay->answer == NULL,
  };
  overlay->rest_id = 0;
  if (!tl_overlay_is_shown (overlay) || request.b == NULL
      || (!request.wants_registration && !request.wants_sum))
    return G_SOURCE_REMOVE;
  request.a = tl_frame_ref (view->frame);
  tl_frame_ref (request.b);
  tl_overlay_get_mirror (overlay, &request.mirror);
  const TlTask task = { .kind = TL_TASK_OVERLAY,
                        .step = take_step,
                        .state = g_memdup2 (&request, sizeof request),
                        .free_state = request_free,
                        .free_result = answer_free };
  tl_tasks_send (overlay->session->tasks, view->recipe, &task, take_answer,
                 overlay);
  return G_SOURCE_REMOVE;
}

/* Requests missing results once nothing has changed for @ms milliseconds. */
static void
ask_later (TlOverlay *overlay, guint ms)
{
  g_clear_handle_id (&overlay->rest_id, g_source_remove);
  if (tl_overlay_is_shown (overlay))
    overlay->rest_id = g_timeout_add (ms, ask, overlay);
}

/* --- TlComposite --- */

static gboolean
get_picture (TlComposite *composite, TlFrame **frame, const TlStats **stats)
{
  TlOverlay *overlay = TL_OVERLAY (composite);
  const gboolean is_there =
      overlay->sum != NULL && overlay->sum->mode == overlay->mode;
  if (!is_combined (overlay) || get_view (overlay)->pair.mirrorable == NULL)
    return FALSE;
  *frame = is_there ? overlay->sum->sum : NULL;
  *stats = is_there ? &overlay->sum->stats : NULL;
  return TRUE;
}

static gboolean
is_exact (TlComposite *composite)
{
  TlOverlay *overlay = TL_OVERLAY (composite);
  return get_view (overlay)->pair.mirrorable == NULL || !is_combined (overlay)
         || !misses_sum (overlay);
}

static char *
describe_values (TlComposite *composite)
{
  return tl_overlay_describe_values (TL_OVERLAY (composite));
}

/* The pair does not depend on the axis, so its recipe may have another one. */
static void
complete_recipe (TlComposite *composite, TlRecipe *recipe)
{
  TlMirror mirror;
  tl_overlay_get_mirror (TL_OVERLAY (composite), &mirror);
  recipe->params.centre_col = mirror.centre_col;
  recipe->params.tilt_deg = mirror.tilt_deg;
}

static void
init_composite (TlCompositeInterface *iface)
{
  iface->get_picture = get_picture;
  iface->is_exact = is_exact;
  iface->describe_values = describe_values;
  iface->complete_recipe = complete_recipe;
}

/* --- changes of the session and the settings --- */

static void
on_frame (TlOverlay *overlay)
{
  TlSession *session = overlay->session;
  TlFrame *frame = get_view (overlay)->frame;
  const char *scan = tl_scan_source_get_name (session->source);
  const gboolean is_other_scan = g_strcmp0 (scan, overlay->scan) != 0;
  if (is_other_scan)
    {
      g_free (overlay->scan);
      overlay->scan = g_strdup (scan);
      overlay->rows = 0;
    }
  if (frame != overlay->of)
    {
      g_clear_pointer (&overlay->of, tl_frame_unref);
      overlay->of = frame != NULL ? tl_frame_ref (frame) : NULL;
      g_clear_pointer (&overlay->sum, answer_free);
      g_clear_pointer (&overlay->answer, answer_free);
      tl_tasks_drop (session->tasks, TL_TASK_OVERLAY);
      note_change (overlay);
    }
  else if (is_other_scan)
    note_change (overlay);
  ask_later (overlay, 0);
}

static void
on_parameters (TlOverlay *overlay)
{
  TlMirror mirror;
  tl_overlay_get_mirror (overlay, &mirror);
  if (is_same (&mirror, &overlay->mirror))
    return;
  overlay->mirror = mirror;
  note_change (overlay);
  ask_later (overlay, REST_MS);
}

void
tl_overlay_set_mode (TlOverlay *overlay, TlOverlayMode mode)
{
  g_return_if_fail (TL_IS_OVERLAY (overlay));
  g_return_if_fail ((guint)mode < TL_N_OVERLAY_MODES);
  if (overlay->mode == mode)
    return;
  overlay->mode = mode;
  note_change (overlay);
  ask_later (overlay, 0);
}

TlOverlayMode
tl_overlay_get_mode (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), TL_OVERLAY_DIFFERENCE);
  return overlay->mode;
}

void
tl_overlay_set_rows (TlOverlay *overlay, double rows)
{
  g_return_if_fail (TL_IS_OVERLAY (overlay) && isfinite (rows));
  const TlScanSummary *scan =
      overlay->session != NULL
          ? tl_scan_source_get_summary (overlay->session->source)
          : NULL;
  const double most = scan != NULL ? (double)scan->n_rows - 1 : 0;
  rows = CLAMP (rows, -most, most);
  if (overlay->rows == rows)
    return;
  overlay->rows = rows;
  on_parameters (overlay);
}

double
tl_overlay_get_rows (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), 0);
  return overlay->rows;
}

void
tl_overlay_take (TlOverlay *overlay)
{
  g_return_if_fail (TL_IS_OVERLAY (overlay));
  const TlRegistration *r = tl_overlay_get_registration (overlay);
  if (r == NULL || !r->is_found || overlay->session == NULL)
    return;
  TlAcceptedAxis axis = {
    .centre_col = r->mirror.centre_col,
    .centre_uncertainty_col = r->uncertainty.centre_col,
    .tilt_deg = tl_parameters_get_recipe (overlay->session->parameters)
                    ->params.tilt_deg,
    .tilt_uncertainty_deg = NAN,
  };
  if (r->has_roll)
    {
      const gboolean is_tilted =
          !(fabs (r->mirror.tilt_deg) <= 2 * r->uncertainty.tilt_deg);
      axis.tilt_deg = is_tilted ? r->mirror.tilt_deg : 0;
      axis.tilt_uncertainty_deg = r->uncertainty.tilt_deg;
      tl_overlay_set_rows (overlay,
                           tl_round_to_parts (r->mirror.rows, COL_PARTS));
    }
  tl_accepted_axis_set (overlay->session, &axis);
}

/* --- getters --- */

TlFrame *
tl_overlay_get_opposite (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  return get_view (overlay)->pair.mirrorable;
}

void
tl_overlay_get_mirror (TlOverlay *overlay, TlMirror *mirror)
{
  g_return_if_fail (TL_IS_OVERLAY (overlay));
  *mirror = (TlMirror){ NAN, NAN, overlay->rows };
  if (overlay->session == NULL)
    return;
  const TlRecipe *recipe =
      tl_parameters_get_recipe (overlay->session->parameters);
  mirror->centre_col = recipe->params.centre_col;
  mirror->tilt_deg = recipe->params.tilt_deg;
}

gboolean
tl_overlay_read (TlOverlay *overlay, size_t row, size_t col, float *a, float *b)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), FALSE);
  const TlShownView *view = get_view (overlay);
  TlMirror mirror;
  double col_there, row_there;
  if (!tl_overlay_is_shown (overlay) || view->pair.mirrorable == NULL)
    return FALSE;
  const size_t n_rows = tl_frame_get_n_rows (view->frame);
  const size_t n_cols = tl_frame_get_n_cols (view->frame);
  if (row >= n_rows || col >= n_cols)
    return FALSE;
  tl_overlay_get_mirror (overlay, &mirror);
  tl_mirror_place (&mirror, n_rows, (double)col, (double)row, &col_there,
                   &row_there);
  *a = tl_frame_get_pixels (view->frame)[row * n_cols + col];
  *b = (float)tl_cubic_read (tl_frame_get_pixels (view->pair.mirrorable),
                             n_rows, n_cols, col_there, row_there, NULL);
  return !isnan (*b);
}

double
tl_overlay_sample_difference (TlOverlay *overlay, double part)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), 0);
  g_return_val_if_fail (part >= 0 && part <= 1, 0);
  const TlFrame *frame = get_view (overlay)->frame;
  double values[SAMPLE_ROWS * SAMPLE_COLS];
  size_t n = 0;
  if (frame == NULL)
    return 0;
  for (size_t i = 0; i < SAMPLE_ROWS * SAMPLE_COLS; i++)
    {
      float a, b;
      /* the middles of the cells of the grid */
      const size_t row = (2 * (i / SAMPLE_COLS) + 1)
                         * tl_frame_get_n_rows (frame) / (2 * SAMPLE_ROWS);
      const size_t col = (2 * (i % SAMPLE_COLS) + 1)
                         * tl_frame_get_n_cols (frame) / (2 * SAMPLE_COLS);
      if (tl_overlay_read (overlay, row, col, &a, &b) && isfinite (b - a))
        values[n++] = fabs ((double)b - a);
    }
  if (n == 0)
    return 0;
  tl_sort_doubles (values, n);
  return values[(size_t)(part * (double)(n - 1))];
}

const TlRegistration *
tl_overlay_get_registration (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  return overlay->answer != NULL ? &overlay->answer->registration : NULL;
}

/* --- descriptions --- */

char *
tl_overlay_describe_pair (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  const TlPair *pair = &get_view (overlay)->pair;
  const TlOpposite *o = &pair->opposite;
  if (pair->problem != NULL)
    return g_strdup (pair->problem);
  if (pair->mirrorable == NULL)
    return g_strdup ("");
  if (o->missing_deg > 0)
    return g_strdup_printf (
        _ ("A: %zu at %.4g° · B: %zu at %.4g°, %.3g° from half a turn"),
        o->projection, o->angle_deg, o->before, o->opposite_deg,
        o->missing_deg);
  if (o->before != o->after)
    return g_strdup_printf (
        _ ("A: %zu at %.4g° · B: between %zu and %zu, at %.4g°"), o->projection,
        o->angle_deg, MIN (o->before, o->after), MAX (o->before, o->after),
        o->opposite_deg);
  return g_strdup_printf (_ ("A: %zu at %.4g° · B: %zu at %.4g°"),
                          o->projection, o->angle_deg, o->before,
                          o->opposite_deg);
}

char *
tl_overlay_describe_registration (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  const TlRegistration *r = tl_overlay_get_registration (overlay);
  if (r == NULL)
    return g_strdup (tl_overlay_get_opposite (overlay) != NULL
                         ? _ ("Measuring where the axis is…")
                         : "");
  if (!r->is_found)
    return g_strdup_printf (_ ("The axis cannot be measured: %s"), r->sentence);
  const double boundary = tl_centre_to_boundary (r->mirror.centre_col);
  if (!r->has_roll)
    return g_strdup_printf (_ ("Centre %.3f ± %.3f (boundary %.3f)"),
                            r->mirror.centre_col, r->uncertainty.centre_col,
                            boundary);
  const char *format =
      r->mirror.rows < 0
          ? _ ("Centre %.3f ± %.3f (boundary %.3f) · tilt %.3f° ± %.3f · B "
               "higher by %.2f ± %.2f rows")
          : _ ("Centre %.3f ± %.3f (boundary %.3f) · tilt %.3f° ± %.3f · B "
               "lower by %.2f ± %.2f rows");
  return g_strdup_printf (format, r->mirror.centre_col,
                          r->uncertainty.centre_col, boundary,
                          r->mirror.tilt_deg, r->uncertainty.tilt_deg,
                          fabs (r->mirror.rows), r->uncertainty.rows);
}

static char *
describe_move (TlOverlay *overlay, const TlMirror *mirror,
               const TlMirror *uncertainty)
{
  const TlStagePlace place = {
    .centre_col = mirror->centre_col,
    .centre_uncertainty_col = uncertainty->centre_col,
    .tilt_deg = mirror->tilt_deg,
    .tilt_uncertainty_deg = uncertainty->tilt_deg,
  };
  return tl_session_describe_stage_move (overlay->session, &place);
}

char *
tl_overlay_describe_found_move (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  const TlRegistration *r = tl_overlay_get_registration (overlay);
  if (r == NULL || !r->is_found || overlay->session == NULL)
    return g_strdup ("");
  return describe_move (overlay, &r->mirror, &r->uncertainty);
}

static gboolean
is_axis (const TlMirror *mirror, double centre_col, double tilt_deg)
{
  return fabs (mirror->centre_col - centre_col) < SAME_COL
         && fabs (mirror->tilt_deg - tilt_deg) < SAME_DEG;
}

/* Chooses the axis for the advice, with the uncertainties of centre and tilt.
 * Each is known only if the present value is the one that was found, with the
 * present axis; otherwise NaN. If the search has found another one, that is
 * used if it is certain, or the present centre is not the user's.
 *
 * @mirror: (inout): at first the present axis */
static void
choose_axis (TlOverlay *overlay, TlMirror *mirror, TlMirror *uncertainty)
{
  TlSession *session = overlay->session;
  const TlAcceptedAxis *accepted = tl_accepted_axis_get (session);
  const TlRegistration *r = tl_overlay_get_registration (overlay);
  TlCentreAgreement agreement;
  *uncertainty = (TlMirror){ NAN, NAN, NAN };
  if (accepted != NULL
      && is_axis (mirror, accepted->centre_col, accepted->tilt_deg))
    {
      uncertainty->centre_col = accepted->centre_uncertainty_col;
      uncertainty->tilt_deg = accepted->tilt_uncertainty_deg;
    }
  else if (r != NULL && r->is_found
           && fabs (mirror->centre_col - r->mirror.centre_col) < SAME_COL)
    {
      uncertainty->centre_col = r->uncertainty.centre_col;
      if (is_axis (mirror, r->mirror.centre_col, r->mirror.tilt_deg))
        uncertainty->tilt_deg = r->uncertainty.tilt_deg;
    }
  else if (tl_centre_search_get_agreement (
               tl_session_get_centre_search (session), &agreement)
           && agreement.is_found
           && (agreement.is_certain
               || !tl_parameters_is_centre_given (session->parameters)
               || fabs (mirror->centre_col - agreement.centre_col) < SAME_COL))
    {
      mirror->centre_col = agreement.centre_col;
      uncertainty->centre_col = agreement.uncertainty_col;
    }
}

/* Returns: whether the centre may be wrong, because the search has found it
 * with angles that the projections contradict */
static gboolean
is_centre_in_doubt (TlSession *session)
{
  return !tl_parameters_is_centre_given (session->parameters)
         && tl_centre_search_get_note (tl_session_get_centre_search (session))
                != NULL;
}

char *
tl_overlay_describe_move (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  TlSession *session = overlay->session;
  TlMirror mirror, uncertainty;
  if (session == NULL)
    return g_strdup ("");
  TlScanSource *source = session->source;
  if (!tl_scan_source_is_open (source) || is_centre_in_doubt (session))
    return g_strdup ("");
  tl_overlay_get_mirror (overlay, &mirror);
  choose_axis (overlay, &mirror, &uncertainty);
  if (isnan (uncertainty.centre_col)
      && mirror.centre_col
             == tl_stage_middle (tl_scan_source_get_summary (source)->n_cols))
    return g_strdup (""); /* the default while no centre is known */
  if (mirror.tilt_deg == 0 && isnan (uncertainty.tilt_deg))
    mirror.tilt_deg = NAN; /* the tilt was not measured */
  return describe_move (overlay, &mirror, &uncertainty);
}

char *
tl_overlay_describe_values (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  const TlOverlayMode mode = tl_overlay_get_mode (overlay);
  const double rows = tl_overlay_get_rows (overlay);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  if (tl_overlay_get_opposite (overlay) == NULL
      || (mode != TL_OVERLAY_DIFFERENCE && mode != TL_OVERLAY_SUM))
    return g_strdup ("corrected projection: [row][column]");
  g_autoptr (GString) text = g_string_new (
      mode == TL_OVERLAY_SUM ? "mean of the projection and " : "");
  g_string_append (text, "the opposite one, mirrored about the axis");
  if (rows != 0) /* recipes have no key for it */
    g_string_append_printf (
        text, " and moved up by %s rows",
        g_ascii_formatd (number, sizeof number, "%.10g", rows));
  g_string_append (text, mode == TL_OVERLAY_SUM
                             ? ": [row][column]"
                             : ", minus the projection: [row][column]");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* --- the object --- */

static void
tl_overlay_finalize (GObject *object)
{
  TlOverlay *overlay = TL_OVERLAY (object);
  g_clear_weak_pointer (&overlay->session);
  g_clear_handle_id (&overlay->rest_id, g_source_remove);
  g_clear_pointer (&overlay->of, tl_frame_unref);
  g_clear_pointer (&overlay->sum, answer_free);
  g_clear_pointer (&overlay->answer, answer_free);
  g_free (overlay->scan);
  G_OBJECT_CLASS (tl_overlay_parent_class)->finalize (object);
}

static void
tl_overlay_class_init (TlOverlayClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = tl_overlay_finalize;
  changed_signal = g_signal_new ("changed", TL_TYPE_OVERLAY, G_SIGNAL_RUN_LAST,
                                 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
tl_overlay_init (TlOverlay *overlay)
{
}

TlOverlay *
tl_session_get_overlay (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  TlOverlay *overlay = g_object_get_data (G_OBJECT (session), KEY);
  if (overlay != NULL)
    return overlay;
  overlay = g_object_new (TL_TYPE_OVERLAY, NULL);
  g_object_set_data_full (G_OBJECT (session), KEY, overlay, g_object_unref);
  tl_display_set_composite (session->display, TL_COMPOSITE (overlay));
  g_set_weak_pointer (&overlay->session, session);
  overlay->mirror = (TlMirror){ NAN, NAN, NAN };
  tl_follow (session->display, "frame", G_CALLBACK (on_frame), overlay);
  tl_follow (session->parameters, "recipe", G_CALLBACK (on_parameters),
             overlay);
  on_frame (overlay);
  return overlay;
}

#include "app/axis/overlay/overlay.h"

#include "app/axis/overlay/overlay-private.h"
#include "app/axis/overlay/registration-private.h"
#include "app/axis/overlay/task.h"
#include "app/session/session.h"

#include <math.h>
#include <string.h>

#define KEY "tl-overlay"

/* Milliseconds without a change before the exact picture is requested. */
#define REST_MS 150
/* Adopted values are rounded to these parts of a column and of a degree;
 * further digits are not significant. */
#define COL_PARTS 1000
#define DEG_PARTS 10000

struct _TlOverlay
{
  GObject parent;
  TlSession
      *session; /* (nullable): a weak pointer: the session owns the overlay */
  TlOverlayMode mode;
  double rows;
  guint changes;
  guint rest_id; /* source that requests missing results; 0: none */
  char *path;    /* (nullable): of the scan that "rows" belongs to */

  TlFrame *of;             /* (nullable): A of the present pair */
  TlMirror mirror;         /* shown last */
  TlOverlayAnswer *sum;    /* (nullable): newest picture of the pair */
  TlOverlayAnswer *answer; /* (nullable): registration of the pair */
};

static void init_composite (TlCompositeInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (TlOverlay, tl_overlay, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (TL_TYPE_COMPOSITE,
                                                      init_composite))

enum
{
  PROP_0,
  PROP_MODE,
  PROP_ROWS,
  PROP_CHANGES,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

TlSession *
tl_overlay_get_session (TlOverlay *overlay)
{
  return overlay->session;
}

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
  overlay->changes++;
  g_object_notify_by_pspec (G_OBJECT (overlay), props[PROP_CHANGES]);
  if (overlay->session != NULL)
    tl_display_note_composite (overlay->session->display);
}

static gboolean
is_same (const TlMirror *a, const TlMirror *b)
{
  return a->centre_col == b->centre_col && a->tilt_deg == b->tilt_deg
         && a->rows == b->rows;
}

/* --- what the engine's thread does --- */

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
  TlOverlayAnswer *answer = g_steal_pointer (&reply->result);
  if (reply->error != NULL)
    {
      tl_messages_warn (overlay->session->messages, FALSE, "%s",
                        reply->error->message);
      if (overlay->answer
          == NULL) /* otherwise none will come for this pair either */
        answer = tl_overlay_answer_new_failure (reply->error);
    }
  if (answer == NULL)
    return;
  TlOverlayAnswer **kept =
      answer->has_registration ? &overlay->answer : &overlay->sum;
  g_clear_pointer (kept, tl_overlay_answer_free);
  *kept = answer;
  note_change (overlay);
}

static gboolean
ask (gpointer data)
{
  TlOverlay *overlay = data;
  const TlShownView *view = get_view (overlay);
  const TlOverlayRequest request = {
    .a = view->frame,
    .b = view->pair.mirrorable,
    .mode = misses_sum (overlay) ? overlay->mode : TL_OVERLAY_BLINK,
    .wants_registration = overlay->answer == NULL,
  };
  TlTask task;
  overlay->rest_id = 0;
  if (!tl_overlay_is_shown (overlay) || request.b == NULL
      || (!request.wants_registration && !misses_sum (overlay)))
    return G_SOURCE_REMOVE;
  TlOverlayRequest whole = request;
  tl_overlay_get_mirror (overlay, &whole.mirror);
  tl_overlay_make_task (&whole, &task);
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

/* --- what changes --- */

static void
on_frame (TlOverlay *overlay)
{
  TlSession *session = overlay->session;
  TlFrame *frame = get_view (overlay)->frame;
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  const char *path = scan != NULL ? scan->path : NULL;
  if (g_strcmp0 (path, overlay->path) != 0)
    {
      g_free (overlay->path);
      overlay->path = g_strdup (path);
      overlay->rows = 0;
      g_object_notify_by_pspec (G_OBJECT (overlay), props[PROP_ROWS]);
    }
  if (frame != overlay->of)
    {
      g_clear_pointer (&overlay->of, tl_frame_unref);
      overlay->of = frame != NULL ? tl_frame_ref (frame) : NULL;
      g_clear_pointer (&overlay->sum, tl_overlay_answer_free);
      g_clear_pointer (&overlay->answer, tl_overlay_answer_free);
      tl_tasks_drop (session->tasks, TL_TASK_OVERLAY);
      note_change (overlay);
    }
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
  g_object_notify_by_pspec (G_OBJECT (overlay), props[PROP_MODE]);
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
  g_return_if_fail (TL_IS_OVERLAY (overlay));
  const TlScanSummary *scan =
      overlay->session != NULL
          ? tl_scan_source_get_summary (overlay->session->source)
          : NULL;
  const double most = scan != NULL ? (double)scan->n_rows - 1 : 0;
  rows = CLAMP (rows, -most, most);
  if (overlay->rows == rows)
    return;
  overlay->rows = rows;
  g_object_notify_by_pspec (G_OBJECT (overlay), props[PROP_ROWS]);
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
  const double centre_col =
      round (r->mirror.centre_col * COL_PARTS) / COL_PARTS;
  const double tilt_deg = round (r->mirror.tilt_deg * DEG_PARTS) / DEG_PARTS;
  const double rows = round (r->mirror.rows * COL_PARTS) / COL_PARTS;
  if (r->has_roll)
    tl_overlay_set_rows (overlay, rows);
  tl_parameters_set_axis (overlay->session->parameters, centre_col,
                          r->has_roll ? tilt_deg : NAN);
}

/* --- what there is --- */

const TlOpposite *
tl_overlay_get_pair (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  const TlPair *pair = &get_view (overlay)->pair;
  return pair->mirrorable != NULL ? &pair->opposite : NULL;
}

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

const TlRegistration *
tl_overlay_get_registration (TlOverlay *overlay)
{
  g_return_val_if_fail (TL_IS_OVERLAY (overlay), NULL);
  return overlay->answer != NULL ? &overlay->answer->registration : NULL;
}

/* --- the object --- */

static void
tl_overlay_get_property (GObject *object, guint id, GValue *value,
                         GParamSpec *pspec)
{
  TlOverlay *overlay = TL_OVERLAY (object);
  switch (id)
    {
    case PROP_MODE:
      g_value_set_uint (value, overlay->mode);
      break;
    case PROP_ROWS:
      g_value_set_double (value, overlay->rows);
      break;
    case PROP_CHANGES:
      g_value_set_uint (value, overlay->changes);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
tl_overlay_set_property (GObject *object, guint id, const GValue *value,
                         GParamSpec *pspec)
{
  TlOverlay *overlay = TL_OVERLAY (object);
  if (id == PROP_MODE)
    tl_overlay_set_mode (overlay, g_value_get_uint (value));
  else if (id == PROP_ROWS)
    tl_overlay_set_rows (overlay, g_value_get_double (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
tl_overlay_finalize (GObject *object)
{
  TlOverlay *overlay = TL_OVERLAY (object);
  g_clear_weak_pointer (&overlay->session);
  g_clear_handle_id (&overlay->rest_id, g_source_remove);
  g_clear_pointer (&overlay->of, tl_frame_unref);
  g_clear_pointer (&overlay->sum, tl_overlay_answer_free);
  g_clear_pointer (&overlay->answer, tl_overlay_answer_free);
  g_free (overlay->path);
  G_OBJECT_CLASS (tl_overlay_parent_class)->finalize (object);
}

static void
tl_overlay_class_init (TlOverlayClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const GParamFlags both = read | G_PARAM_WRITABLE | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = tl_overlay_get_property;
  object_class->set_property = tl_overlay_set_property;
  object_class->finalize = tl_overlay_finalize;
  props[PROP_MODE] =
      g_param_spec_uint ("mode", NULL, NULL, 0, TL_N_OVERLAY_MODES - 1,
                         TL_OVERLAY_DIFFERENCE, both);
  props[PROP_ROWS] = g_param_spec_double ("rows", NULL, NULL, -G_MAXDOUBLE,
                                          G_MAXDOUBLE, 0, both);
  props[PROP_CHANGES] =
      g_param_spec_uint ("changes", NULL, NULL, 0, G_MAXUINT, 0, read);
  g_object_class_install_properties (object_class, N_PROPS, props);
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
  g_signal_connect_object (session->display, "notify::frame",
                           G_CALLBACK (on_frame), overlay, G_CONNECT_SWAPPED);
  g_signal_connect_object (session->parameters, "notify::recipe",
                           G_CALLBACK (on_parameters), overlay,
                           G_CONNECT_SWAPPED);
  on_frame (overlay);
  return overlay;
}

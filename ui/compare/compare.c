#include "ui/compare/compare.h"

#include "app/axis/overlay/overlay.h"
#include "render/compare.h"
#include "ui/view/widget.h"

#include <math.h>

#define USUAL_BLINK_MS 700
#define MIN_BLINK_MS 100 /* faster flicker can trigger epileptic seizures */
#define MAX_BLINK_MS 10000

struct _TlCompare
{
  GObject parent_instance;

  TlView *view;
  double swipe;
  guint blink_ms;
  gboolean blink_a;
  guint blink_id; /* source that shows the other picture; 0: none */
};

G_DEFINE_FINAL_TYPE (TlCompare, tl_compare, G_TYPE_OBJECT)

enum
{
  PROP_SWIPE = 1,
  PROP_BLINK_MS,
  PROP_BLINK_A,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

static void set_blink_a (TlCompare *self, gboolean blink_a);

static gboolean
on_time (gpointer data)
{
  TlCompare *self = data;

  self->blink_id = 0;
  set_blink_a (self, !self->blink_a);
  return G_SOURCE_REMOVE;
}

static TlOverlay *
get_overlay (TlCompare *self)
{
  return tl_session_get_overlay (tl_view_get_session (self->view));
}

static gboolean
is_overlay (TlCompare *self)
{
  return tl_overlay_is_shown (get_overlay (self));
}

/* Returns: whether slices, or a projection and its opposite, blink */
static gboolean
blinks (TlCompare *self)
{
  return is_overlay (self)
             ? tl_overlay_get_mode (get_overlay (self)) == TL_OVERLAY_BLINK
             : tl_compare_get_mode (self) == TL_COMPARE_BLINK;
}

/* The timeout runs only while something blinks. */
static void
start_time (TlCompare *self)
{
  g_clear_handle_id (&self->blink_id, g_source_remove);
  if (blinks (self) && self->blink_ms > 0)
    self->blink_id = g_timeout_add (self->blink_ms, on_time, self);
}

static void
set_blink_a (TlCompare *self, gboolean blink_a)
{
  start_time (self);
  if (self->blink_a == blink_a)
    return;
  self->blink_a = blink_a;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BLINK_A]);
}

static void
set_blink_ms (TlCompare *self, guint blink_ms)
{
  if (blink_ms > 0)
    blink_ms = CLAMP (blink_ms, MIN_BLINK_MS, MAX_BLINK_MS);
  if (self->blink_ms == blink_ms)
    return;
  self->blink_ms = blink_ms;
  start_time (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BLINK_MS]);
}

static void
set_swipe (TlCompare *self, double swipe)
{
  swipe = CLAMP (swipe, 0, 1);
  if (self->swipe == swipe || isnan (swipe)) /* an action may pass any value */
    return;
  self->swipe = swipe;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SWIPE]);
}

/* Blinking begins with B, which is shown already. */
static void
update_time (TlCompare *self)
{
  if (!blinks (self))
    set_blink_a (self, FALSE);
  else if (self->blink_id == 0)
    start_time (self);
}

static void
show_a (TlCompare *self, gboolean blink_a)
{
  if (blink_a && !blinks (self) && is_overlay (self))
    tl_overlay_set_mode (get_overlay (self), TL_OVERLAY_BLINK);
  else if (blink_a && !blinks (self))
    tl_slice_comparison_set_mode (tl_view_get_session (self->view)->comparison,
                                  TL_COMPARE_BLINK);
  if (blinks (self))
    set_blink_a (self, blink_a);
}

/* --- the object --- */

static void
tl_compare_get_property (GObject *object, guint property, GValue *value,
                         GParamSpec *pspec)
{
  TlCompare *self = TL_COMPARE (object);

  switch (property)
    {
    case PROP_SWIPE:
      g_value_set_double (value, self->swipe);
      break;
    case PROP_BLINK_MS:
      g_value_set_uint (value, self->blink_ms);
      break;
    case PROP_BLINK_A:
      g_value_set_boolean (value, self->blink_a);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, pspec);
    }
}

static void
tl_compare_set_property (GObject *object, guint property, const GValue *value,
                         GParamSpec *pspec)
{
  TlCompare *self = TL_COMPARE (object);

  switch (property)
    {
    case PROP_SWIPE:
      set_swipe (self, g_value_get_double (value));
      break;
    case PROP_BLINK_MS:
      set_blink_ms (self, g_value_get_uint (value));
      break;
    case PROP_BLINK_A:
      show_a (self, g_value_get_boolean (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, property, pspec);
    }
}

static void
tl_compare_dispose (GObject *object)
{
  TlCompare *self = TL_COMPARE (object);

  g_clear_handle_id (&self->blink_id, g_source_remove);
  g_clear_object (&self->view);
  G_OBJECT_CLASS (tl_compare_parent_class)->dispose (object);
}

static void
tl_compare_class_init (TlCompareClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  /* clamp: an action may pass any value */
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
                            | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_LAX_VALIDATION;

  object_class->get_property = tl_compare_get_property;
  object_class->set_property = tl_compare_set_property;
  object_class->dispose = tl_compare_dispose;

  properties[PROP_SWIPE] =
      g_param_spec_double ("swipe", NULL, NULL, 0, 1, 0.5, flags);
  properties[PROP_BLINK_MS] = g_param_spec_uint (
      "blink-ms", NULL, NULL, 0, MAX_BLINK_MS, USUAL_BLINK_MS, flags);
  properties[PROP_BLINK_A] =
      g_param_spec_boolean ("blink-a", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
tl_compare_init (TlCompare *self)
{
  self->swipe = 0.5;
  self->blink_ms = USUAL_BLINK_MS;
}

TlCompare *
tl_compare_new (TlView *view)
{
  TlCompare *self = g_object_new (TL_TYPE_COMPARE, NULL);
  TlSession *session = tl_view_get_session (view);

  self->view = g_object_ref (view);
  tl_follow (session->display, "comparison frame", G_CALLBACK (update_time),
             self);
  return self;
}

TlView *
tl_compare_get_view (TlCompare *self)
{
  return self->view;
}

TlCompareMode
tl_compare_get_mode (TlCompare *self)
{
  return tl_slice_comparison_get_shown_mode (
      tl_view_get_session (self->view)->comparison);
}

int
tl_compare_get_left (TlCompare *self, int width)
{
  return tl_compare_get_mode (self) == TL_COMPARE_SIDE_BY_SIDE
             ? width - width / 2
             : 0;
}

gboolean
tl_compare_draw (TlCompare *self, const TlSliceLayer *held,
                 const TlSliceLayer *picture, TlSlicePass *pass,
                 const TlCamera *camera, const TlSliceLook *look)
{
  switch (tl_compare_get_mode (self))
    {
    case TL_COMPARE_SWIPE:
      tl_compare_draw_swipe (held, picture, pass, camera, look,
                             (int)(self->swipe * look->width + 0.5));
      return TRUE;
    case TL_COMPARE_SIDE_BY_SIDE:
      tl_compare_draw_side_by_side (held, picture, pass, camera, look);
      return TRUE;
    case TL_COMPARE_DIFFERENCE:
      tl_compare_draw_difference (held, picture, pass, camera, look);
      return TRUE;
    case TL_COMPARE_BLINK:
      tl_slice_layer_draw (self->blink_a ? held : picture, pass, camera, look);
      return TRUE;
    default:
      return FALSE;
    }
}

double
tl_compare_get_swipe (TlCompare *self)
{
  return self->swipe;
}

gboolean
tl_compare_get_blink_a (TlCompare *self)
{
  return self->blink_a;
}

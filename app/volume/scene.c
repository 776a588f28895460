#include "app/volume/scene.h"

#include "app/session/follow.h"
#include "app/volume/live-volume.h"
#include "render/look/cut-plane.h"

#include <string.h>

#define KEY "tl-scene"

#define MAX_LEVELS 3

/* The maker of the rows of the box is behind those of the levels. */
#define OF_BOX MAX_LEVELS

/* Without a change, until the finest volume is made after a coarser one, and
 * until the rows of a box that has moved are loaded. */
#define REST_MS 250

/* A box in the middle of the picture is at least so many times smaller than the
 * volume. */
#define LEAST_CLOSER 2.0

/* A timer that says when nothing has changed for REST_MS. */
typedef struct
{
  TlScene *scene;
  guint source; /* 0: it is not running */
} Rest;

struct _TlScene
{
  GObject parent;
  TlSession *session; /* (nullable): a weak pointer: the session owns it */

  guint64 scan_serial;  /* of the values, and of the resident projections */
  TlRecipe *given;      /* what it says of the volume is followed */
  TlResident *resident; /* (nullable): while the page is shown */
  TlHeldBudget *budget; /* of them; (nullable): as resident */
  guint64 whole_bytes;  /* of the budget, that resident has taken */
  gboolean was_live;    /* the scan was being taken when it was seen last */
  char *engine;         /* (nullable): of the recipe, when they were loaded */
  TlLiveVolume live;    /* while resident is */
  gboolean is_for_host; /* they have levels for the host alone */
  gboolean is_on_host;  /* the newest volume was made by the host */
  guint64 free_bytes;   /* of the device that made it: TlReply.free_bytes */
  char *made_for;       /* (nullable): engine of the recipe then */
  TlBoxRows rows;       /* while the user looks into the box */
  TlBox moved;          /* box that waits for its rows */
  Rest box_rest;        /* after it they are loaded */
  TlVolumeMaker
      *makers[OF_BOX + 1]; /* (nullable, all): of each level and OF_BOX */
  char *sent;              /* (nullable): parameters of the newest task */
  TlBox sent_box;          /* and its voxels */
  gboolean sent_is_quick;  /* in fast precision, after a change */
  gboolean was_quick;      /* the newest volume */
  double follow_ms;        /* of the finest whole volume; 0: not known */
  Rest finest_rest;        /* after it the finest volume is asked for */
  gboolean is_sent;        /* it has not been answered */
  gboolean fetches;        /* tl_scene_set_fetches() */

  TlVoxels voxels;
  TlVoxelCounts counts;
  TlBox box; /* of the voxels */
  double ms;
  gboolean is_in_box;
  TlVolumeCamera outside; /* before the user looked into the box, as the next */
  double outside_box[3][2];
  TlVolumeCamera camera;
  TlVolumeLook look;
  TlVolumeClasses classes; /* of the newest volume */
  gboolean is_settled;     /* all of the look is given */
  char *problem;           /* (nullable) */
};

enum
{
  PROP_0,
  PROP_VOXELS,
  PROP_CAMERA,
  PROP_LOOK,
  PROP_IN_BOX,
  PROP_PROGRESS,
  PROP_BUSY,
  PROP_PROBLEM,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TlScene, tl_scene, G_TYPE_OBJECT)

static gboolean
has_voxels (TlScene *self)
{
  return self->voxels.n[0] > 0;
}

static void
notify (TlScene *self, guint prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), props[prop]);
}

static void
set_problem (TlScene *self, const char *problem)
{
  if (g_strcmp0 (self->problem, problem) == 0)
    return;
  g_free (self->problem);
  self->problem = g_strdup (problem);
  notify (self, PROP_PROBLEM);
}

/* --- the volume --- */

static void update (TlScene *self);

static void
update_and_notify (TlScene *self)
{
  g_object_freeze_notify (G_OBJECT (self));
  update (self);
  notify (self, PROP_BUSY);
  g_object_thaw_notify (G_OBJECT (self));
}

/* Fills what the look leaves open with the values chosen for the newest volume.
 */
static void
settle (TlScene *self)
{
  tl_volume_look_settle (&self->look, &self->classes);
  self->is_settled = TRUE;
}

static guint
count_levels (TlScene *self)
{
  guint n = 0;
  while (self->resident != NULL && n < MAX_LEVELS
         && tl_resident_get_level (self->resident, n) != NULL)
    n++;
  return n;
}

static guint64 get_free (TlScene *self);

/* Returns: as of tl_resident_get_growth(), of the projections of the newest
 * task, which may have been loaded again since */
static guint64
get_newest_growth (TlScene *self)
{
  TlResident *resident =
      self->sent_box.n[0] > 0 ? self->rows.resident : self->resident;
  return resident != NULL ? tl_resident_get_growth (resident) : 0;
}

/* While a change is followed a device makes volumes in fast precision, whose
 * errors no picture shows. Returns: whether that is quicker than the precision
 * of the recipe */
static gboolean
has_quicker (TlScene *self)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (self->session->parameters);
  return recipe->params.precision == TL_PRECISION_FULL && get_free (self) > 0;
}

/* Neither a coarser volume nor a part says how long the finest takes. One in
 * the recipe's precision, and the first quick one after it, for which memory is
 * reserved anew, say how long it takes at most. */
static void
note_follow (TlScene *self, const TlMadeVolume *made)
{
  const guint n = count_levels (self);
  const gboolean was_quick = self->was_quick;
  self->was_quick = made->is_quick;
  if (n == 0 || made->box.n[0] != 0
      || made->box.bin != tl_resident_get_bin (self->resident, n - 1))
    return;
  if ((made->is_quick ? was_quick : !has_quicker (self))
      || made->follow_ms < self->follow_ms)
    self->follow_ms = made->follow_ms;
}

static gboolean
is_loading (TlResident *resident)
{
  gboolean is_busy = FALSE;
  if (resident != NULL)
    g_object_get (resident, "busy", &is_busy, NULL);
  return is_busy;
}

static gboolean
is_loading_any (TlScene *self)
{
  TlResident *const all[] = { self->resident, self->rows.resident };
  gboolean is_any = FALSE;
  for (guint k = 0; k < G_N_ELEMENTS (all); k++)
    is_any |= is_loading (all[k])
              || (all[k] != NULL && tl_resident_is_reloading (all[k]));
  return is_any;
}

static void
take_reply (TlReply *reply, gpointer data)
{
  TlScene *self = data;
  TlMadeVolume *made = reply->error == NULL ? reply->result : NULL;
  g_object_ref (self);
  g_object_freeze_notify (G_OBJECT (self));
  self->is_sent = FALSE;
  if (self->live.sent == get_newest_growth (self) && !is_loading_any (self))
    tl_live_volume_tell (&self->live, made != NULL ? self->live.sent : 0);
  if (reply->error != NULL)
    set_problem (self, reply->error->message);
  else if (made != NULL)
    {
      const TlVoxels former = self->voxels;
      self->voxels = made->voxels;
      made->voxels = former; /* freed with the reply */
      self->box = made->box;
      self->counts = made->counts;
      self->live.shown = self->live.sent;
      self->ms = reply->frame_ms;
      note_follow (self, made);
      self->is_on_host = g_strcmp0 (reply->engine, "host") == 0;
      self->free_bytes = reply->free_bytes;
      g_free (self->made_for);
      self->made_for = g_strdup (self->engine);
      set_problem (self, self->rows.resident != NULL
                             ? tl_resident_get_problem (self->rows.resident)
                             : NULL);
      self->classes = made->classes;
      if (!self->is_settled)
        {
          settle (self);
          notify (self, PROP_LOOK);
        }
    }
  g_object_thaw_notify (G_OBJECT (self));
  if (made != NULL)
    {
      notify (self, PROP_VOXELS);
      if (self->session != NULL)
        tl_scan_source_take_growth (self->session->source, reply);
    }
  update_and_notify (self);
  g_object_unref (self);
}

/* Returns: (transfer full): all parameters that matter, as text */
static char *
dup_wanted (TlScene *self)
{
  g_autoptr (TlRecipe) recipe =
      tl_recipe_dup (tl_parameters_get_recipe (self->session->parameters));
  recipe->slice = 0;
  tl_volume_camera_init (&recipe->camera);
  tl_volume_look_init (&recipe->look);
  g_autofree char *text = tl_recipe_to_text (recipe, NULL);
  return g_strdup_printf ("%d\n%s", recipe->params.half, text);
}

/* Returns: whether the voxels are the same */
static gboolean
is_same_box (const TlBox *a, const TlBox *b)
{
  return a->bin == b->bin && memcmp (a->first, b->first, sizeof a->first) == 0
         && memcmp (a->n, b->n, sizeof a->n) == 0;
}

/* @grows: others learn of the projections that have come, too */
static void
send (TlScene *self, TlVolumeMaker *maker, const TlBox *box, gboolean grows)
{
  TlTask task =
      tl_volume_maker_get_task (maker, box, self->sent_is_quick, self->fetches);
  task.grows = grows;
  self->is_sent = TRUE;
  tl_tasks_send (self->session->tasks,
                 tl_parameters_get_recipe (self->session->parameters), &task,
                 take_reply, self);
  notify (self, PROP_BUSY);
}

static void follow (TlScene *self, TlResident *resident);

static gboolean
on_rest (gpointer data)
{
  Rest *rest = data;
  rest->source = 0;
  update_and_notify (rest->scene);
  return G_SOURCE_REMOVE;
}

static void
stop_rest (Rest *rest)
{
  g_clear_handle_id (&rest->source, g_source_remove);
}

static void
start_rest (Rest *rest)
{
  stop_rest (rest);
  rest->source = g_timeout_add (REST_MS, on_rest, rest);
}

/* Each load has a thread and a reader of its own: not one for each step of a
 * drag. Returns: whether rows for @box are there, or may be loaded now */
static gboolean
has_box_rest (TlScene *self, const TlBox *box)
{
  if (self->rows.resident == NULL || tl_box_rows_have (&self->rows, box))
    return TRUE;
  if (is_same_box (box, &self->moved))
    return self->box_rest.source == 0;
  self->moved = *box;
  start_rest (&self->box_rest);
  notify (self, PROP_BUSY);
  return FALSE;
}

static size_t
count_cube (size_t side)
{
  return side * side * side;
}

static TlScanSummary
describe_scan (TlScene *self)
{
  return tl_live_volume_describe (
      &self->live, tl_scan_source_get_summary (self->session->source));
}

/* Replaces @box by the part that the user looks into, if it has finer voxels,
 * and lets its rows be loaded. Returns: (transfer none) (nullable): these
 * rows; %NULL: not there, or not yet */
static TlHeldCopy *
find_inside (TlScene *self, TlBox *box)
{
  TlSession *session = self->session;
  const TlScanSummary scan = describe_scan (self);
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  const guint64 free_bytes = get_free (self);
  const TlBoxLimits limits = {
    .n_voxels =
        count_cube (free_bytes > 0 ? TL_SCENE_DEVICE_COLS : TL_SCENE_HOST_COLS),
    .n_bytes = tl_held_budget_get_max (self->budget) - self->whole_bytes,
    .n_device_voxels = count_cube (TL_SCENE_FINE_COLS),
    .device_bytes = free_bytes,
  };
  if (!tl_box_plan (box, recipe, &scan, box->bin, self->look.box, &limits)
      || !has_box_rest (self, box))
    return NULL;
  if (tl_box_rows_follow (&self->rows, box, scan.path, self->live.held, recipe,
                          self->budget))
    {
      /* the rows before would not leave room for these */
      g_clear_pointer (&self->makers[OF_BOX], tl_volume_maker_unref);
      follow (self, self->rows.resident);
      notify (self, PROP_BUSY);
    }
  return tl_box_rows_get_level (&self->rows);
}

/* @n: levels that are there, 1 or more
 * @follows: a change, which is quicker with a coarser volume
 *
 * Returns: the one to make the whole volume of: the finest, or else the next
 *   coarser one, until nothing has changed for REST_MS */
static guint
choose_level (TlScene *self, guint n, gboolean follows)
{
  return follows && n > 1 && self->follow_ms > TL_SCENE_FOLLOW_MS ? n - 2
                                                                  : n - 1;
}

/* Chooses the projections to make @box of, of @n levels or of the rows of the
 * box. Returns: their index in the makers; -1: there is nothing to make at
 * present */
static int
find_source (TlScene *self, guint n, TlBox *box)
{
  TlHeldCopy *inside = NULL;
  tl_box_init_whole (box, tl_resident_get_bin (self->resident, n - 1));
  TlBox part = *box;
  if (!self->is_in_box || is_loading (self->resident))
    return (int)n - 1;
  inside = find_inside (self, &part);
  /* While rows are loaded, the voxels of the last box stay: they are finer than
   * the whole volume. */
  if (inside == NULL
      && (is_loading (self->rows.resident) || self->box_rest.source != 0)
      && self->box.n[0] > 0 && has_voxels (self))
    return -1;
  box->is_limited = part.is_limited;
  if (inside != NULL)
    *box = part;
  return inside != NULL ? OF_BOX : (int)n - 1;
}

/* Returns: (transfer none): what makes @box of the projections @index */
static TlVolumeMaker *
get_maker (TlScene *self, guint index, const TlBox *box)
{
  TlHeldCopy *level = index == OF_BOX
                          ? tl_box_rows_get_level (&self->rows)
                          : tl_resident_get_level (self->resident, index);
  TlVolumeMaker **maker = &self->makers[index];
  if (*maker == NULL || !tl_volume_maker_serves (*maker, level, box))
    {
      g_clear_pointer (maker, tl_volume_maker_unref);
      *maker = tl_volume_maker_new (level, box);
    }
  return *maker;
}

/* Returns: whether @box was asked for with the present parameters, or has to
 * wait until the user rests */
static gboolean
is_asked_for (TlScene *self, const TlBox *box, gboolean is_whole)
{
  const gboolean is_same = is_same_box (box, &self->sent_box);
  return self->finest_rest.source != 0 ? is_whole || is_same
                                       : is_same && !self->sent_is_quick;
}

/* Asks for a volume with the present parameters, of the finest projections that
 * are there and quick enough, unless it was asked for. Projections that come
 * during a change wait for no better volume than the change does. */
static void
request (TlScene *self)
{
  TlBox box;
  const guint n = count_levels (self);
  int index = n > 0 ? find_source (self, n, &box) : -1;
  if (index < 0 || self->is_sent)
    return;
  g_autofree char *wanted = dup_wanted (self);
  const guint64 growth = tl_resident_get_growth (
      index == OF_BOX ? self->rows.resident : self->resident);
  const gboolean has_changed = g_strcmp0 (wanted, self->sent) != 0;
  const gboolean has_grown = growth != self->live.sent;
  if (!has_changed && !has_grown && is_asked_for (self, &box, index != OF_BOX))
    return;
  const gboolean follows = has_changed || self->finest_rest.source != 0;
  self->sent_is_quick = follows && self->sent != NULL && has_quicker (self);
  const guint finest = (guint)index;
  if (index != OF_BOX)
    {
      index = (int)choose_level (self, n, follows);
      box.bin = tl_resident_get_bin (self->resident, (guint)index);
    }
  if (has_changed && (self->sent_is_quick || (guint)index < finest))
    start_rest (&self->finest_rest);
  g_free (self->sent);
  self->sent = g_steal_pointer (&wanted);
  self->sent_box = box;
  self->live.sent = growth;
  send (self, get_maker (self, (guint)index, &box), &box, has_grown);
}

/* --- the projections --- */

static void
take_problem (TlScene *self, TlResident *resident)
{
  if (resident != NULL && tl_resident_get_problem (resident) != NULL)
    set_problem (self, tl_resident_get_problem (resident));
}

/* Lets go of makers whose projections were loaded again. */
static void
drop_old_makers (TlScene *self)
{
  for (guint k = 0; k <= OF_BOX; k++)
    {
      const TlHeldCopy *level = k == OF_BOX
                                    ? tl_box_rows_get_level (&self->rows)
                                    : tl_resident_get_level (self->resident, k);
      if (self->makers[k] != NULL
          && !tl_volume_maker_has (self->makers[k], level))
        g_clear_pointer (&self->makers[k], tl_volume_maker_unref);
    }
}

static void
on_loaded (TlScene *self)
{
  drop_old_makers (self);
  g_object_freeze_notify (G_OBJECT (self));
  take_problem (self, self->resident);
  take_problem (self, self->rows.resident);
  if (self->rows.resident == NULL)
    self->whole_bytes = tl_held_budget_get_taken (self->budget);
  update (self);
  if (self->live.is_due && !self->is_sent && !is_loading_any (self))
    tl_live_volume_tell (&self->live, 0); /* they could not be loaded */
  notify (self, PROP_BUSY);
  g_object_thaw_notify (G_OBJECT (self));
}

static void
note_bytes (TlScene *self)
{
  if (self->session != NULL)
    tl_display_set_held_bytes (self->session->display,
                               tl_scene_count_bytes (self));
}

static void
on_progress (TlScene *self)
{
  note_bytes (self);
  notify (self, PROP_PROGRESS);
}

static void
follow (TlScene *self, TlResident *resident)
{
  tl_follow (resident, "n-loaded busy problem", G_CALLBACK (on_loaded), self);
  tl_follow (resident, "progress", G_CALLBACK (on_progress), self);
}

/* A scan of up to 1.5 times @max_cols columns keeps the bin of the recipe. */
static guint
choose_bin (const TlRecipe *recipe, const TlScanSummary *scan, size_t max_cols)
{
  return scan->n_cols <= max_cols + max_cols / 2
             ? recipe->bin
             : tl_resident_choose_bin (recipe, scan->n_rows, scan->n_cols,
                                       max_cols);
}

/* Before the first volume with this engine of the recipe, the engine of the
 * last slice says what the next two functions return. */
static gboolean
has_made (TlScene *self)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (self->session->parameters);
  return g_strcmp0 (recipe->engine, self->made_for) == 0;
}

static gboolean
uses_host (TlScene *self)
{
  const TlStatus *status = tl_display_get_status (self->session->display);
  const TlRecipe *recipe = tl_parameters_get_recipe (self->session->parameters);
  return strcmp (recipe->engine, "host") == 0
         || (has_made (self) ? self->is_on_host
                             : g_strcmp0 (status->engine, "host") == 0);
}

/* Returns: the free memory of the engine's device, with what the engine has of
 * it; 0: it is no device */
static guint64
get_free (TlScene *self)
{
  const TlStatus *status = tl_display_get_status (self->session->display);
  const gboolean was_host = g_strcmp0 (status->engine, "host") == 0;
  if (has_made (self))
    return self->free_bytes;
  return uses_host (self) == was_host ? status->free_bytes : 0;
}

/* @bins: (out caller-allocates): [MAX_LEVELS]. Returns: how many levels there
 * will be */
static guint
choose_bins (TlScene *self, guint *bins)
{
  static const size_t cols[MAX_LEVELS] = { TL_SCENE_HOST_COLS,
                                           TL_SCENE_DEVICE_COLS,
                                           TL_SCENE_FINE_COLS };
  TlSession *session = self->session;
  const TlScanSummary scan = describe_scan (self);
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  const guint64 free_bytes = get_free (self);
  guint n = 0;
  for (guint k = 0; k < (free_bytes > 0 ? MAX_LEVELS : 1); k++)
    {
      TlBox box;
      tl_box_init_whole (&box, choose_bin (recipe, &scan, cols[k]));
      if ((n == 0 || box.bin < bins[n - 1])
          && (cols[k] < TL_SCENE_FINE_COLS
              || tl_box_fits (&box, recipe, &scan, free_bytes)))
        bins[n++] = box.bin;
    }
  return n;
}

static void
load (TlScene *self)
{
  TlSession *session = self->session;
  const char *path = tl_scan_source_get_summary (session->source)->path;
  guint bins[MAX_LEVELS];
  if (!tl_live_volume_begin (&self->live, session))
    return;
  const guint n = choose_bins (self, bins);
  g_free (self->engine);
  self->engine =
      g_strdup (tl_parameters_get_recipe (session->parameters)->engine);
  self->is_for_host = uses_host (self);
  self->budget = tl_held_budget_new (tl_held_budget_get_usual ());
  self->resident = tl_resident_new (
      path, self->live.held, tl_parameters_get_recipe (session->parameters),
      bins, n, self->budget);
  follow (self, self->resident);
  notify (self, PROP_BUSY);
}

static void
drop_rows (TlScene *self)
{
  if (self->rows.resident != NULL)
    g_signal_handlers_disconnect_by_data (self->rows.resident, self);
  tl_box_rows_clear (&self->rows);
  g_clear_pointer (&self->makers[OF_BOX], tl_volume_maker_unref);
  stop_rest (&self->box_rest);
  self->moved = (TlBox){ 0 };
}

/* In the box its rows are enough. Returns: as a handler of "due" */
static gboolean
on_due (TlScene *self)
{
  const gboolean is_box =
      self->is_in_box && tl_box_rows_get_level (&self->rows) != NULL;
  return tl_live_volume_reload (&self->live,
                                is_box ? self->rows.resident : self->resident,
                                self->problem != NULL);
}

static void
give_back (TlScene *self)
{
  tl_live_volume_end (&self->live);
  if (self->session != NULL && self->is_sent)
    tl_tasks_drop (self->session->tasks, TL_TASK_VOLUME);
  if (self->resident != NULL)
    g_signal_handlers_disconnect_by_data (self->resident, self);
  drop_rows (self);
  for (guint k = 0; k < MAX_LEVELS; k++)
    g_clear_pointer (&self->makers[k], tl_volume_maker_unref);
  stop_rest (&self->finest_rest);
  g_clear_object (&self->resident);
  g_clear_pointer (&self->budget, tl_held_budget_unref);
  g_clear_pointer (&self->sent, g_free);
  self->is_sent = FALSE;
  self->whole_bytes = 0;
  tl_voxels_clear (&self->voxels);
  self->counts = (TlVoxelCounts){ .high = 1 };
  self->ms = self->follow_ms = 0;
}

/* --- the recipe --- */

/* Returns: whether @recipe says something else of the volume than when it was
 * looked at last */
static gboolean
has_news (TlScene *self, const TlRecipe *recipe)
{
  size_t n;
  const TlParamSpec *keys = tl_recipe_list_keys (&n);
  for (size_t k = 0; k < n; k++)
    if (keys[k].is_of_volume
        && !tl_recipe_is_equal (recipe, self->given, &keys[k]))
      return TRUE;
  return FALSE;
}

/* Box and camera stay. */
static void
leave_box (TlScene *self)
{
  if (!self->is_in_box)
    return;
  self->is_in_box = FALSE;
  drop_rows (self);
  tl_live_volume_tell (&self->live, 0); /* the whole volume may be older */
  notify (self, PROP_IN_BOX);
  notify (self, PROP_PROGRESS);
}

static void
take_given (TlScene *self, const TlRecipe *recipe)
{
  const TlVolumeLook look = tl_volume_look_to_bins (&recipe->look, recipe->bin);
  leave_box (self);
  tl_recipe_free (self->given);
  self->given = tl_recipe_dup (recipe);
  self->camera = recipe->camera;
  notify (self, PROP_CAMERA);
  tl_scene_set_look (self, &look);
}

/* Values of another scan have nothing in common with those of this one. */
static void
forget_values (TlScene *self, const TlRecipe *recipe)
{
  TlVolumeLook look = tl_volume_look_to_bins (&recipe->look, recipe->bin);
  look.way = self->look.way;
  memcpy (look.box, self->look.box, sizeof look.box);
  self->look = look;
  self->is_settled = FALSE;
}

gboolean
tl_scene_save_recipe (TlScene *self, const TlVolumeLook *colours,
                      const char *path, GError **error)
{
  g_return_val_if_fail (TL_IS_SCENE (self) && path != NULL, FALSE);
  TlSession *session = self->session;
  g_autoptr (TlRecipe) recipe =
      tl_recipe_dup (tl_parameters_get_recipe (session->parameters));
  if (!self->is_settled)
    return tl_parameters_save (session->parameters, path, error);
  recipe->camera = self->camera;
  TlVolumeLook look = self->look;
  look.low = colours->low;
  look.high = colours->high;
  look.colormap = colours->colormap;
  recipe->look = tl_volume_look_from_bins (&look, recipe->bin);
  return tl_recipe_save (recipe, tl_scan_source_get_origin (session->source),
                         path, error);
}

/* Returns: whether the projections are of another scan, or their levels suit
 * another engine */
static gboolean
is_outdated (TlScene *self)
{
  TlSession *session = self->session;
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  return self->scan_serial != tl_scan_source_get_serial (session->source)
         || strcmp (self->engine, recipe->engine) != 0
         || self->is_for_host != uses_host (self);
}

/* Returns: whether the scan that is open now is all of the one before, which
 * was being taken: its values are the same, as are its box and look */
static gboolean
is_completed (TlScene *self)
{
  TlSession *session = self->session;
  return self->was_live && session->is_same
         && !tl_scan_source_is_held (session->source);
}

static void
update (TlScene *self)
{
  TlSession *session = self->session;
  if (session == NULL || !tl_scan_source_is_open (session->source))
    return;
  const TlRecipe *recipe = tl_parameters_get_recipe (session->parameters);
  const guint64 serial = tl_scan_source_get_serial (session->source);
  const gboolean is_shown =
      tl_display_get_page (session->display) == TL_PAGE_VOLUME;
  g_object_freeze_notify (G_OBJECT (self));
  if (self->resident != NULL && (!is_shown || is_outdated (self)))
    {
      give_back (self);
      note_bytes (self);
      notify (self, PROP_VOXELS);
      notify (self, PROP_BUSY);
    }
  if (self->scan_serial != serial)
    {
      self->scan_serial = serial;
      if (!is_completed (self))
        {
          leave_box (self);
          forget_values (self, recipe);
        }
    }
  self->was_live = tl_scan_source_is_held (session->source);
  if (has_news (self, recipe))
    take_given (self, recipe);
  if (!is_shown)
    set_problem (self, NULL);
  else if (self->resident == NULL)
    load (self);
  else
    request (self);
  if (is_shown)
    note_bytes (self);
  g_object_thaw_notify (G_OBJECT (self));
}

/* --- what is seen of it --- */

const TlVoxels *
tl_scene_get_voxels (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), NULL);
  return has_voxels (self) ? &self->voxels : NULL;
}

const TlVoxelCounts *
tl_scene_get_counts (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), NULL);
  return &self->counts;
}

guint
tl_scene_get_bin (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), 1);
  return self->box.bin;
}

const TlBox *
tl_scene_get_box (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), NULL);
  return &self->box;
}

void
tl_scene_measure_whole (TlScene *self, double *n)
{
  g_return_if_fail (TL_IS_SCENE (self) && n != NULL);
  const TlBox *box = &self->box;
  for (guint k = 0; k < 3; k++)
    n[k] = has_voxels (self)
               ? (double)self->voxels.n[k] / (box->part[k][1] - box->part[k][0])
               : 1;
}

double
tl_scene_get_ms (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), 0);
  return self->ms;
}

guint64
tl_scene_get_growth (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), 0);
  return self->live.shown;
}

guint64
tl_scene_count_bytes (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), 0);
  const size_t *n = self->voxels.n;
  return (self->budget != NULL ? tl_held_budget_get_taken (self->budget) : 0)
         + (self->voxels.values != NULL
                ? (guint64)n[0] * n[1] * n[2] * sizeof (float)
                : 0);
}

const char *
tl_scene_get_problem (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), NULL);
  return self->problem;
}

gboolean
tl_scene_is_busy (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), FALSE);
  return is_loading (self->resident) || is_loading (self->rows.resident)
         || self->is_sent || self->finest_rest.source != 0
         || self->box_rest.source != 0;
}

void
tl_scene_set_fetches (TlScene *self, gboolean fetches)
{
  g_return_if_fail (TL_IS_SCENE (self));
  self->fetches = fetches;
}

gboolean
tl_scene_is_making (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), FALSE);
  return self->is_sent;
}

const TlVolumeCamera *
tl_scene_get_camera (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), NULL);
  return &self->camera;
}

void
tl_scene_set_camera (TlScene *self, const TlVolumeCamera *camera)
{
  g_return_if_fail (TL_IS_SCENE (self) && camera != NULL);
  self->camera = *camera;
  notify (self, PROP_CAMERA);
}

const TlVolumeLook *
tl_scene_get_look (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), NULL);
  return &self->look;
}

void
tl_scene_set_look (TlScene *self, const TlVolumeLook *look)
{
  g_return_if_fail (TL_IS_SCENE (self) && look != NULL);
  self->look = *look;
  self->is_settled = FALSE;
  if (has_voxels (self))
    settle (self);
  notify (self, PROP_LOOK);
  if (self->is_in_box)
    update (self);
}

gboolean
tl_scene_shape_opacity (TlScene *self, TlVolumeShape shape)
{
  g_return_val_if_fail (TL_IS_SCENE (self), FALSE);
  TlVolumeLook look = self->look;
  if (!has_voxels (self))
    return FALSE;
  tl_volume_look_shape (&look, shape, &self->classes);
  tl_scene_set_look (self, &look);
  return TRUE;
}

/* --- the box --- */

/* Returns: the camera with the size of the volume */
static TlVolumeCamera
get_sized_camera (TlScene *self)
{
  TlVolumeCamera camera = self->camera;
  tl_scene_measure_whole (self, camera.n_voxels);
  return camera;
}

gboolean
tl_scene_is_in_box (TlScene *self)
{
  g_return_val_if_fail (TL_IS_SCENE (self), FALSE);
  return self->is_in_box;
}

/* Makes the part in the middle of the picture the box, if nothing is cut away.
 */
static void
choose_box (TlScene *self)
{
  const double side = 1 / MAX (self->camera.zoom, LEAST_CLOSER);
  double (*box)[2] = self->look.box;
  for (guint k = 0; k < 3; k++)
    if (box[k][0] > 0 || box[k][1] < 1)
      return;
  for (guint k = 0; k < 3; k++)
    {
      box[k][0] = CLAMP (self->camera.look_at[k] - side / 2, 0, 1 - side);
      box[k][1] = box[k][0] + side;
    }
}

static void
enter_box (TlScene *self)
{
  TlVolumeCamera camera = get_sized_camera (self);
  self->outside = self->camera;
  memcpy (self->outside_box, self->look.box, sizeof self->outside_box);
  choose_box (self);
  tl_volume_camera_frame (&camera, self->look.box);
  tl_scene_set_camera (self, &camera);
}

static void
return_outside (TlScene *self)
{
  TlVolumeCamera camera = self->outside;
  leave_box (self);
  camera.azimuth_deg = self->camera.azimuth_deg;
  camera.elevation_deg = self->camera.elevation_deg;
  memcpy (self->look.box, self->outside_box, sizeof self->outside_box);
  tl_scene_set_camera (self, &camera);
}

void
tl_scene_look_into_box (TlScene *self, gboolean is_in_box)
{
  g_return_if_fail (TL_IS_SCENE (self));
  if (is_in_box == self->is_in_box)
    return;
  g_object_freeze_notify (G_OBJECT (self));
  if (is_in_box)
    enter_box (self);
  else
    return_outside (self);
  self->is_in_box = is_in_box;
  notify (self, PROP_IN_BOX);
  notify (self, PROP_LOOK);
  notify (self, PROP_BUSY);
  update (self);
  g_object_thaw_notify (G_OBJECT (self));
}

/* --- the plane --- */

void
tl_scene_cut_by_plane (TlScene *self, gboolean is_cut)
{
  g_return_if_fail (TL_IS_SCENE (self));
  const TlVolumeCamera camera = get_sized_camera (self);
  self->look.n_planes = is_cut ? 1 : 0;
  if (is_cut)
    tl_cut_plane_face (&self->look.planes[0], &camera);
  notify (self, PROP_LOOK);
}

/* Returns: (nullable): the plane that the user moves */
static TlCutPlane *
get_plane (TlScene *self)
{
  const guint n = self->look.n_planes;
  return n > 0 ? &self->look.planes[n - 1] : NULL;
}

void
tl_scene_turn_plane (TlScene *self, double right_deg, double down_deg)
{
  g_return_if_fail (TL_IS_SCENE (self));
  const TlVolumeCamera camera = get_sized_camera (self);
  if (get_plane (self) == NULL)
    return;
  tl_cut_plane_turn (get_plane (self), &camera, right_deg, down_deg);
  notify (self, PROP_LOOK);
}

void
tl_scene_move_plane (TlScene *self, double part)
{
  g_return_if_fail (TL_IS_SCENE (self));
  const TlVolumeCamera camera = get_sized_camera (self);
  if (get_plane (self) == NULL)
    return;
  tl_cut_plane_move (get_plane (self), &camera, part);
  notify (self, PROP_LOOK);
}

/* --- the object --- */

static void
tl_scene_get_property (GObject *object, guint prop, GValue *value,
                       GParamSpec *pspec)
{
  TlScene *self = TL_SCENE (object);
  TlResident *loading;
  double progress = 0;
  switch (prop)
    {
    case PROP_VOXELS:
      g_value_set_pointer (value, (gpointer)tl_scene_get_voxels (self));
      break;
    case PROP_CAMERA:
      g_value_set_pointer (value, &self->camera);
      break;
    case PROP_LOOK:
      g_value_set_pointer (value, &self->look);
      break;
    case PROP_IN_BOX:
      g_value_set_boolean (value, self->is_in_box);
      break;
    case PROP_PROGRESS:
      loading = is_loading (self->rows.resident) ? self->rows.resident
                                                 : self->resident;
      if (loading != NULL)
        g_object_get (loading, "progress", &progress, NULL);
      g_value_set_double (value, progress);
      break;
    case PROP_BUSY:
      g_value_set_boolean (value, tl_scene_is_busy (self));
      break;
    case PROP_PROBLEM:
      g_value_set_string (value, self->problem);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
    }
}

static void
tl_scene_finalize (GObject *object)
{
  TlScene *self = TL_SCENE (object);
  g_clear_weak_pointer (&self->session);
  give_back (self);
  g_free (self->engine);
  g_free (self->made_for);
  g_free (self->problem);
  tl_recipe_free (self->given);
  G_OBJECT_CLASS (tl_scene_parent_class)->finalize (object);
}

static void
tl_scene_class_init (TlSceneClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = tl_scene_get_property;
  object_class->finalize = tl_scene_finalize;

  props[PROP_VOXELS] = g_param_spec_pointer ("voxels", NULL, NULL, read);
  props[PROP_CAMERA] = g_param_spec_pointer ("camera", NULL, NULL, read);
  props[PROP_LOOK] = g_param_spec_pointer ("look", NULL, NULL, read);
  props[PROP_IN_BOX] = g_param_spec_boolean ("in-box", NULL, NULL, FALSE, read);
  props[PROP_PROGRESS] =
      g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, read);
  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, read);
  props[PROP_PROBLEM] = g_param_spec_string ("problem", NULL, NULL, NULL, read);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
tl_scene_init (TlScene *self)
{
  tl_volume_camera_init (&self->camera);
  tl_volume_look_init (&self->look);
  self->given = tl_recipe_new ();
  tl_box_init_whole (&self->box, 1);
  self->counts.high = 1;
  self->box_rest.scene = self->finest_rest.scene = self;
}

TlScene *
tl_session_get_scene (TlSession *session)
{
  g_return_val_if_fail (TL_IS_SESSION (session), NULL);
  TlScene *self = g_object_get_data (G_OBJECT (session), KEY);
  if (self != NULL)
    return self;
  self = g_object_new (TL_TYPE_SCENE, NULL);
  g_set_weak_pointer (&self->session, session);
  g_object_set_data_full (G_OBJECT (session), KEY, self, g_object_unref);
  tl_follow (session->display, "picture", G_CALLBACK (update), self);
  tl_follow (session->parameters, "recipe", G_CALLBACK (update), self);
  tl_follow (session->source, "summary opening", G_CALLBACK (update), self);
  g_signal_connect_object (session->growth, "due", G_CALLBACK (on_due), self,
                           G_CONNECT_SWAPPED);
  update (self);
  return self;
}

#include "app/resident/resident.h"

#include "app/background/background.h"

#include "data/error.h"
#include "data/parallel.h"

/* How long levels wait for the memory of others. */
#define PATIENCE_US (5 * G_USEC_PER_SEC)

/* The work of the thread; reference counted. */
typedef struct
{
  gatomicrefcount n_refs;
  char *path;
  TlHeld *held; /* (nullable): in place of path */
  TlRecipe *recipe;
  guint *bins;
  size_t n_bins;
  size_t first_row, n_rows; /* of the only level; n_rows 0: all rows of all */
  TlHeldBudget *budget;
  gboolean awaits_room; /* levels that were dropped may be in use */
  GPtrArray *former;    /* (nullable): of TlHeldCopy: levels of earlier
                           projections; the thread's */
  GCancellable *cancellable;
  TlResident *owner; /* (nullable): main thread only */

  /* Guards what follows. */
  GMutex mutex;
  guint64 growth;    /* as of tl_resident_get_growth() */
  GPtrArray *levels; /* of TlHeldCopy: loaded so far */
  double progress;
  char *problem; /* (nullable) */
  gboolean is_done;
  gboolean is_told; /* a source is pending that tells the owner */
} Load;

struct _TlResident
{
  GObject parent;
  Load *load;
  Load *reload; /* (nullable): of tl_resident_reload(), until it is done */
  /* As told last. */
  GPtrArray *levels;
  guint64 growth;
  double progress;
  char *problem;
  gboolean is_busy;
};

enum
{
  PROP_0,
  PROP_N_LOADED,
  PROP_PROGRESS,
  PROP_BUSY,
  PROP_PROBLEM,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (TlResident, tl_resident, G_TYPE_OBJECT)

static GPtrArray *
levels_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify)tl_held_copy_unref);
}

static Load *
load_ref (Load *load)
{
  g_atomic_ref_count_inc (&load->n_refs);
  return load;
}

static void
load_unref (gpointer data)
{
  Load *load = data;
  if (!g_atomic_ref_count_dec (&load->n_refs))
    return;
  g_ptr_array_unref (load->levels);
  g_clear_pointer (&load->former, g_ptr_array_unref);
  g_mutex_clear (&load->mutex);
  g_object_unref (load->cancellable);
  tl_held_budget_unref (load->budget);
  tl_recipe_free (load->recipe);
  g_clear_pointer (&load->held, tl_held_unref);
  g_free (load->problem);
  g_free (load->bins);
  g_free (load->path);
  g_free (load);
}

/* --- the thread --- */

/* Copies what the thread has written. */
static void
take_state (TlResident *self, Load *load)
{
  g_mutex_lock (&load->mutex);
  load->is_told = FALSE;
  for (guint k = self->levels->len; k < load->levels->len; k++)
    g_ptr_array_add (self->levels, tl_held_copy_ref (load->levels->pdata[k]));
  self->growth = load->growth;
  self->progress = load->progress;
  self->is_busy = !load->is_done;
  if (self->problem == NULL)
    self->problem = g_strdup (load->problem);
  g_mutex_unlock (&load->mutex);
}

/* Nobody waits for @load any more. Its levels may be in use still. */
static void
abandon (Load *load)
{
  load->owner = NULL;
  g_cancellable_cancel (load->cancellable);
  g_mutex_lock (&load->mutex);
  g_ptr_array_set_size (load->levels, 0);
  g_mutex_unlock (&load->mutex);
  load_unref (load);
}

/* Replaces the levels by those that were loaded again, if there are any. */
static void
end_reload (TlResident *self)
{
  Load *reload = self->reload;
  g_mutex_lock (&reload->mutex);
  const gboolean is_done = reload->is_done, good = reload->levels->len > 0;
  g_mutex_unlock (&reload->mutex);
  if (!is_done)
    return;
  self->reload = NULL;
  g_clear_pointer (&self->problem, g_free);
  if (good)
    {
      abandon (self->load);
      self->load = reload;
      g_ptr_array_set_size (self->levels, 0);
      take_state (self, reload);
    }
  else
    {
      self->problem = g_strdup (reload->problem); /* it is done */
      abandon (reload);
    }
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_N_LOADED]);
}

static gboolean
deliver (gpointer data)
{
  Load *load = data;
  TlResident *self = load->owner;
  if (self == NULL)
    return G_SOURCE_REMOVE;
  if (load == self->reload)
    {
      g_mutex_lock (&load->mutex);
      load->is_told = FALSE;
      g_mutex_unlock (&load->mutex);
      end_reload (self);
      return G_SOURCE_REMOVE;
    }
  const guint n_before = self->levels->len;
  g_object_ref (self); /* a notified handler may drop the last reference */
  take_state (self, load);
  g_object_freeze_notify (G_OBJECT (self));
  if (self->levels->len != n_before)
    g_object_notify_by_pspec (G_OBJECT (self), props[PROP_N_LOADED]);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PROGRESS]);
  if (!self->is_busy)
    g_object_notify_by_pspec (G_OBJECT (self), props[PROP_BUSY]);
  if (self->problem != NULL)
    g_object_notify_by_pspec (G_OBJECT (self), props[PROP_PROBLEM]);
  g_object_thaw_notify (G_OBJECT (self));
  g_object_unref (self);
  return G_SOURCE_REMOVE;
}

/* Lets the main thread know of the progress, with the priority of the worker's
 * replies. Call it while the mutex is locked. */
static void
tell (Load *load)
{
  if (load->is_told)
    return;
  load->is_told = TRUE;
  g_idle_add_full (G_PRIORITY_DEFAULT, deliver, load_ref (load), load_unref);
}

static void
note_progress (double fraction, gpointer data)
{
  Load *load = data;
  g_mutex_lock (&load->mutex);
  load->progress =
      ((double)load->levels->len + fraction) / (double)load->n_bins;
  tell (load);
  g_mutex_unlock (&load->mutex);
}

/* @k: of the level. Returns: (transfer full) (nullable) */
static TlHeldCopy *
copy_rows (Load *load, size_t k, TlReader *reader, GError **error)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t n_rows = load->n_rows > 0 ? load->n_rows : info->n_rows;
  if (load->awaits_room)
    tl_held_budget_await (load->budget,
                          tl_held_copy_count_row_bytes (info, n_rows),
                          PATIENCE_US, load->cancellable);
  if (load->former != NULL && k < load->former->len)
    return tl_held_copy_new_after (load->former->pdata[k], reader, load->budget,
                                   note_progress, load, load->cancellable,
                                   error);
  if (load->n_rows == 0)
    return tl_held_copy_new (reader, load->budget, note_progress, load,
                             load->cancellable, error);
  return tl_held_copy_new_rows (reader, load->first_row, load->n_rows,
                                load->budget, note_progress, load,
                                load->cancellable, error);
}

static gboolean
load_level (Load *load, size_t k, GError **error)
{
  TlReaderOptions options;
  tl_recipe_reader_options (load->recipe, &options);
  options.bin = load->bins[k];
  options.cancellable = load->cancellable;
  g_autoptr (TlReader) reader =
      load->held != NULL ? tl_held_open_binned (load->held, &options, error)
                         : tl_reader_open (load->path, &options, error);
  TlHeldCopy *level =
      reader != NULL ? copy_rows (load, k, reader, error) : NULL;
  if (level == NULL)
    return FALSE;
  g_mutex_lock (&load->mutex);
  g_ptr_array_add (load->levels, level);
  tell (load);
  g_mutex_unlock (&load->mutex);
  return TRUE;
}

static void
finish (Load *load, const GError *error)
{
  g_mutex_lock (&load->mutex);
  load->is_done = TRUE;
  load->progress = 1;
  if (error != NULL && load->levels->len == 0)
    load->problem = g_strdup (error->message);
  else if (error != NULL)
    g_info ("no finer projections: %s", error->message);
  tell (load);
  g_mutex_unlock (&load->mutex);
}

static void
note_growth (Load *load)
{
  TlHeldState state;
  if (load->held == NULL)
    return;
  tl_held_get_state (load->held, &state);
  g_mutex_lock (&load->mutex);
  load->growth = state.serial;
  g_mutex_unlock (&load->mutex);
}

static void
run_load (GTask *task, gpointer source, gpointer data,
          GCancellable *cancellable)
{
  Load *load = data;
  g_autoptr (GError) error = NULL;
  note_growth (load);
  for (size_t k = 0; k < load->n_bins && error == NULL
                     && !g_cancellable_is_cancelled (load->cancellable);
       k++)
    {
      load_level (load, k, &error);
      tl_thread_give_way (TL_WAY_BACKGROUND); /* finer ones only improve it */
    }
  g_clear_pointer (&load->former, g_ptr_array_unref);
  if (!g_cancellable_is_cancelled (load->cancellable))
    finish (load, error);
  g_task_return_boolean (task, TRUE);
}

/* --- the object --- */

guint
tl_resident_choose_bin (const TlRecipe *recipe, size_t n_rows, size_t n_cols,
                        size_t max_cols)
{
  const size_t more = (n_cols + max_cols - 1) / max_cols;
  const size_t most = MIN (n_rows, TL_MAX_BIN / recipe->bin);
  return (guint)MIN (more, most) * recipe->bin;
}

TlHeldCopy *
tl_resident_get_level (TlResident *self, guint index)
{
  g_return_val_if_fail (TL_IS_RESIDENT (self), NULL);
  return index < self->levels->len ? self->levels->pdata[index] : NULL;
}

guint
tl_resident_get_bin (TlResident *self, guint index)
{
  g_return_val_if_fail (TL_IS_RESIDENT (self), 0);
  g_return_val_if_fail (index < self->load->n_bins, 0);
  return self->load->bins[index];
}

gboolean
tl_resident_is_reloading (TlResident *self)
{
  g_return_val_if_fail (TL_IS_RESIDENT (self), FALSE);
  return self->reload != NULL;
}

guint64
tl_resident_get_growth (TlResident *self)
{
  g_return_val_if_fail (TL_IS_RESIDENT (self), 0);
  return self->levels->len > 0 ? self->growth : 0;
}

const char *
tl_resident_get_problem (TlResident *self)
{
  g_return_val_if_fail (TL_IS_RESIDENT (self), NULL);
  return self->problem;
}

TlRecipe *
tl_resident_dup_recipe (const TlRecipe *recipe, guint bin,
                        const TlScanInfo *info, GError **error)
{
  g_autoptr (TlRecipe) level = tl_recipe_dup (recipe);
  if (!tl_recipe_set_bin (level, bin, error))
    return NULL;
  level->slice = MIN (level->slice, info->n_rows - 1);
  /* what was settled for the whole scan holds for its bins */
  level->centre_known = level->half_known = level->pixel_known = TRUE;
  level->flat_field_known = level->minus_log_known = TRUE;
  return tl_recipe_resolve (level, info, error) ? g_steal_pointer (&level)
                                                : NULL;
}

static void
tl_resident_get_property (GObject *object, guint prop, GValue *value,
                          GParamSpec *pspec)
{
  TlResident *self = TL_RESIDENT (object);
  switch (prop)
    {
    case PROP_N_LOADED:
      g_value_set_uint (value, self->levels->len);
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, self->progress);
      break;
    case PROP_BUSY:
      g_value_set_boolean (value, self->is_busy);
      break;
    case PROP_PROBLEM:
      g_value_set_string (value, self->problem);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop, pspec);
    }
}

static void
tl_resident_finalize (GObject *object)
{
  TlResident *self = TL_RESIDENT (object);
  abandon (self->load);
  g_clear_pointer (&self->reload, abandon);
  g_ptr_array_unref (self->levels);
  g_free (self->problem);
  G_OBJECT_CLASS (tl_resident_parent_class)->finalize (object);
}

static void
tl_resident_class_init (TlResidentClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags read =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = tl_resident_get_property;
  object_class->finalize = tl_resident_finalize;

  props[PROP_N_LOADED] =
      g_param_spec_uint ("n-loaded", NULL, NULL, 0, G_MAXUINT, 0, read);
  props[PROP_PROGRESS] =
      g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, read);
  props[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, TRUE, read);
  props[PROP_PROBLEM] = g_param_spec_string ("problem", NULL, NULL, NULL, read);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
tl_resident_init (TlResident *self)
{
  self->levels = levels_new ();
  self->is_busy = TRUE;
}

/* Starts a thread for @self. Returns: (transfer full): its work, @load */
static Load *
start (TlResident *self, Load *load)
{
  g_atomic_ref_count_init (&load->n_refs);
  g_mutex_init (&load->mutex);
  load->cancellable = g_cancellable_new ();
  load->levels = levels_new ();
  load->owner = self;
  GTask *task = g_task_new (NULL, NULL, NULL, NULL);
  g_task_set_task_data (task, load_ref (load), load_unref);
  /* the first level, and not one that is loaded again */
  const gboolean is_awaited = load->former == NULL;
  g_thread_unref (tl_background_run (task, "resident", is_awaited, run_load));
  return load;
}

/* @n_rows: 0: all. Returns: (transfer full): to be started */
static Load *
load_new (const char *path, TlHeld *held, const TlRecipe *recipe,
          const guint *bins, size_t n_bins, size_t first_row, size_t n_rows,
          TlHeldBudget *budget)
{
  Load *load = g_new0 (Load, 1);
  load->path = g_strdup (path);
  load->held = held != NULL ? tl_held_ref (held) : NULL;
  load->recipe = tl_recipe_dup (recipe);
  load->bins = g_memdup2 (bins, n_bins * sizeof *bins);
  load->n_bins = n_bins;
  load->first_row = first_row;
  load->n_rows = n_rows;
  load->budget = tl_held_budget_ref (budget);
  return load;
}

TlResident *
tl_resident_new (const char *path, TlHeld *held, const TlRecipe *recipe,
                 const guint *bins, size_t n_bins, TlHeldBudget *budget)
{
  g_return_val_if_fail (path != NULL && recipe != NULL && n_bins > 0, NULL);
  TlResident *self = g_object_new (TL_TYPE_RESIDENT, NULL);
  self->load =
      start (self, load_new (path, held, recipe, bins, n_bins, 0, 0, budget));
  return self;
}

TlResident *
tl_resident_new_rows (const char *path, TlHeld *held, const TlRecipe *recipe,
                      guint bin, size_t first_row, size_t n_rows,
                      TlHeldBudget *budget)
{
  g_return_val_if_fail (path != NULL && recipe != NULL && n_rows > 0, NULL);
  TlResident *self = g_object_new (TL_TYPE_RESIDENT, NULL);
  Load *load =
      load_new (path, held, recipe, &bin, 1, first_row, n_rows, budget);
  load->awaits_room = TRUE;
  self->load = start (self, load);
  return self;
}

/* Returns: whether the levels that are there were dropped for want of room */
static gboolean
make_room (TlResident *self)
{
  Load *load = self->load;
  const guint64 n_bytes = tl_held_budget_get_taken (load->budget);
  if (n_bytes <= tl_held_budget_get_max (load->budget) / 2)
    return FALSE;
  g_mutex_lock (&load->mutex);
  g_ptr_array_set_size (load->levels, 0);
  g_mutex_unlock (&load->mutex);
  g_ptr_array_set_size (self->levels, 0);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_N_LOADED]);
  return TRUE;
}

gboolean
tl_resident_reload (TlResident *self)
{
  g_return_val_if_fail (TL_IS_RESIDENT (self), FALSE);
  const Load *load = self->load;
  g_return_val_if_fail (load->held != NULL, FALSE);
  if (self->is_busy || self->reload != NULL)
    return FALSE;
  g_object_ref (self); /* who is told that there is room may drop it */
  const gboolean awaits_room = make_room (self);
  Load *reload =
      load_new (load->path, load->held, load->recipe, load->bins, load->n_bins,
                load->first_row, load->n_rows, load->budget);
  reload->awaits_room = awaits_room;
  reload->former = levels_new ();
  for (guint k = 0; k < self->levels->len; k++)
    g_ptr_array_add (reload->former, tl_held_copy_ref (self->levels->pdata[k]));
  self->reload = start (self, reload);
  g_object_unref (self);
  return TRUE;
}

#include "app/display/slice-comparison.h"

#include <glib/gi18n.h>
#include <string.h>

const char *const tl_compare_mode_names[TL_N_COMPARE_MODES + 1] = {
  [TL_COMPARE_OFF] = "off",
  [TL_COMPARE_SWIPE] = "swipe",
  [TL_COMPARE_BLINK] = "blink",
  [TL_COMPARE_SIDE_BY_SIDE] = "side-by-side",
  [TL_COMPARE_DIFFERENCE] = "difference",
};

struct _TlSliceComparison
{
  GObject parent;
  TlMessages *messages;
  TlCompareMode mode;
  TlCompared compared;

  TlFrame *held;         /* (nullable): A, in host memory */
  TlRecipe *held_recipe; /* (nullable): used to make A, or to make it with */
  gboolean is_awaited;   /* the next whole slice becomes A */
  GCancellable *copying; /* (nullable): of the copy that becomes A */

  TlFrame *slice;   /* (nullable): B */
  TlRecipe *recipe; /* (nullable): used to make B */
  guint n_slices;   /* received so far; the number of B */
  gboolean is_whole;

  TlComparedPlanes planes;
  TlRecipe *planes_recipe; /* (nullable): used to make B's planes */

  TlFrame *difference; /* (nullable): %NULL before the first one and after an
                          error */
  guint n_subtracted;  /* number of the B from which A was subtracted last, even
                          if that failed; 0: none */
  TlStats stats;       /* of the difference */
  gboolean is_subtracting;
  GAsyncQueue *subtractions; /* (nullable): tasks of the subtracting thread */
};

G_DEFINE_FINAL_TYPE (TlSliceComparison, tl_slice_comparison, G_TYPE_OBJECT)

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
note_change (TlSliceComparison *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

static gboolean
has_planes (TlSliceComparison *self)
{
  return tl_plane_set_get_first (&self->planes.held) != NULL;
}

static gboolean
have_same_size (TlFrame *a, TlFrame *b)
{
  return tl_frame_get_n_rows (a) == tl_frame_get_n_rows (b)
         && tl_frame_get_n_cols (a) == tl_frame_get_n_cols (b);
}

/* Input and result of a background task. */
typedef struct
{
  TlFrame *frame, *less; /* @less: (nullable): to subtract */
  guint number;          /* of @frame */
  TlRecipe *recipe;      /* used to make @frame */
  TlFrame *result;       /* (nullable) */
  TlStats stats;         /* of a difference */
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;
  tl_frame_unref (work->frame);
  g_clear_pointer (&work->less, tl_frame_unref);
  g_clear_pointer (&work->result, tl_frame_unref);
  tl_recipe_free (work->recipe);
  g_free (work);
}

/* Returns: (transfer full): a task that works on B
 * @less: (nullable): to subtract */
static GTask *
make_task (TlSliceComparison *self, TlFrame *less, GCancellable *cancellable,
           GAsyncReadyCallback callback)
{
  GTask *task = g_task_new (self, cancellable, callback, NULL);
  Work *work = g_new0 (Work, 1);
  work->frame = tl_frame_ref (self->slice);
  work->number = self->n_slices;
  work->less = less != NULL ? tl_frame_ref (less) : NULL;
  work->recipe = tl_recipe_dup (self->recipe);
  g_task_set_task_data (task, work, work_free);
  return task;
}

/* --- the difference B - A --- */

/* @host: (inout) (nullable): opened for the first difference */
static gboolean
subtract (Work *work, TlEngine **host, GError **error)
{
  const size_t n_rows = tl_frame_get_n_rows (work->less);
  const size_t n_cols = tl_frame_get_n_cols (work->less);
  float *pixels;
  if (!tl_frame_fetch (work->frame, error))
    return FALSE;
  work->result = tl_frame_new (n_rows, n_cols, &pixels, error);
  if (work->result == NULL)
    return FALSE;
  const float *b = tl_frame_get_pixels (work->frame);
  const float *a = tl_frame_get_pixels (work->less);
  for (size_t i = 0; i < n_rows * n_cols; i++)
    pixels[i] = b[i] - a[i];
  if (*host == NULL)
    *host = tl_engine_open ("host", error);
  return *host != NULL
         && tl_engine_measure (*host, work->result, 0, &work->stats, error);
}

/* A thread of its own makes all differences with one engine. An engine belongs
 * to the thread that opened it, and opening one starts a thread per core, so a
 * thread of the GTask pool would have to open an engine for each difference.
 * @data: (transfer full): a queue of tasks; the queue itself as an element ends
 * the thread. */
static gpointer
run_subtractions (gpointer data)
{
  g_autoptr (GAsyncQueue) queue = data;
  TlEngine *host = NULL;
  gpointer next;
  while ((next = g_async_queue_pop (queue)) != queue)
    {
      g_autoptr (GTask) task = next;
      GError *error = NULL;
      if (subtract (g_task_get_task_data (task), &host, &error))
        g_task_return_boolean (task, TRUE);
      else
        g_task_return_error (task, error);
    }
  g_clear_pointer (&host, tl_engine_close);
  return NULL;
}

static void
push_subtraction (TlSliceComparison *self, GTask *task)
{
  if (self->subtractions == NULL)
    {
      self->subtractions = g_async_queue_new ();
      g_thread_unref (g_thread_new ("difference", run_subtractions,
                                    g_async_queue_ref (self->subtractions)));
    }
  g_async_queue_push (self->subtractions, task);
}

/* Tells the thread to end. A difference in progress is finished and dropped. */
static void
end_subtractions (TlSliceComparison *self)
{
  if (self->subtractions != NULL)
    g_async_queue_push (self->subtractions, self->subtractions);
  g_clear_pointer (&self->subtractions, g_async_queue_unref);
}

static void
forget_difference (TlSliceComparison *self)
{
  g_clear_pointer (&self->difference, tl_frame_unref);
  self->n_subtracted = 0;
}

static void update_difference (TlSliceComparison *self);

static void
on_subtracted (GObject *source, GAsyncResult *result, gpointer data)
{
  TlSliceComparison *self = TL_SLICE_COMPARISON (source);
  Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  const gboolean good = g_task_propagate_boolean (G_TASK (result), &error);
  self->is_subtracting = FALSE;
  if (work->less == self->held)
    {
      forget_difference (self);
      self->n_subtracted = work->number;
      if (good)
        {
          self->difference = g_steal_pointer (&work->result);
          self->stats = work->stats;
        }
      else
        tl_messages_warn (self->messages, FALSE, "%s", error->message);
      note_change (self);
    }
  update_difference (self);
}

/* Makes one difference at a time. When it is done or has failed, the newest B
 * is next. */
static void
update_difference (TlSliceComparison *self)
{
  if (self->mode != TL_COMPARE_DIFFERENCE || self->held == NULL
      || self->is_subtracting || !self->is_whole
      || !have_same_size (self->slice, self->held)
      || self->n_subtracted == self->n_slices)
    return;
  self->is_subtracting = TRUE;
  push_subtraction (self, make_task (self, self->held, NULL, on_subtracted));
}

TlFrame *
tl_slice_comparison_get_difference (TlSliceComparison *self)
{
  g_return_val_if_fail (TL_IS_SLICE_COMPARISON (self), NULL);
  return self->is_whole && self->n_subtracted == self->n_slices
             ? self->difference
             : NULL;
}

const TlStats *
tl_slice_comparison_get_stats (TlSliceComparison *self)
{
  g_return_val_if_fail (TL_IS_SLICE_COMPARISON (self), NULL);
  if (self->compared == TL_COMPARED_PLANES)
    return has_planes (self) ? &self->planes.stats : NULL;
  return self->difference != NULL ? &self->stats : NULL;
}

/* --- planes --- */

void
tl_slice_comparison_forget_planes (TlSliceComparison *self)
{
  g_return_if_fail (TL_IS_SLICE_COMPARISON (self));
  tl_compared_planes_clear (&self->planes);
}

static gboolean
are_alike (const TlRecipe *a, const TlRecipe *b)
{
  g_autofree char *text_a = tl_recipe_to_text (a, NULL);
  g_autofree char *text_b = tl_recipe_to_text (b, NULL);
  return strcmp (text_a, text_b) == 0;
}

void
tl_slice_comparison_take_planes (TlSliceComparison *self,
                                 TlComparedPlanes *planes, const TlRecipe *held,
                                 const TlRecipe *recipe)
{
  g_return_if_fail (TL_IS_SLICE_COMPARISON (self));
  g_return_if_fail (planes != NULL && recipe != NULL);
  tl_compared_planes_clear (&self->planes);
  g_clear_pointer (&self->planes_recipe, tl_recipe_free);
  self->planes_recipe = tl_recipe_dup (recipe);
  if (held != NULL && self->held_recipe != NULL
      && are_alike (held, self->held_recipe))
    {
      self->planes = *planes;
      *planes = (TlComparedPlanes){ 0 };
    }
  else
    tl_compared_planes_clear (planes);
}

const TlComparedPlanes *
tl_slice_comparison_get_planes (TlSliceComparison *self)
{
  g_return_val_if_fail (TL_IS_SLICE_COMPARISON (self), NULL);
  return &self->planes;
}

/* --- the held slice A --- */

static void
clear (TlSliceComparison *self)
{
  g_clear_pointer (&self->held, tl_frame_unref);
  g_clear_pointer (&self->held_recipe, tl_recipe_free);
  forget_difference (self);
  tl_slice_comparison_forget_planes (self);
  self->is_awaited = FALSE;
  end_subtractions (self);
  if (self->copying != NULL)
    g_cancellable_cancel (self->copying);
  g_clear_object (&self->copying);
}

/* Slices of different size cannot be subtracted and are shown side by side
 * instead. The size of a reduced slice does not matter: the whole one follows.
 */
static void
check_size (TlSliceComparison *self)
{
  if (self->held == NULL || self->mode != TL_COMPARE_DIFFERENCE
      || self->compared == TL_COMPARED_PLANES || !self->is_whole
      || have_same_size (self->slice, self->held))
    return;
  self->mode = TL_COMPARE_SIDE_BY_SIDE;
  note_change (self);
  tl_messages_warn (
      self->messages, TRUE,
      _ ("A has %zu × %zu pixels and B %zu × %zu: they cannot be "
         "subtracted"),
      tl_frame_get_n_cols (self->held), tl_frame_get_n_rows (self->held),
      tl_frame_get_n_cols (self->slice), tl_frame_get_n_rows (self->slice));
}

static void
run_copy (GTask *task, gpointer source, gpointer data,
          GCancellable *cancellable)
{
  Work *work = data;
  GError *error = NULL;
  work->result = tl_frame_copy (work->frame, &error);
  if (work->result != NULL)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_copied (GObject *source, GAsyncResult *result, gpointer data)
{
  TlSliceComparison *self = TL_SLICE_COMPARISON (source);
  Work *work = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  const gboolean good = g_task_propagate_boolean (G_TASK (result), &error);
  if (g_task_get_cancellable (G_TASK (result)) != self->copying)
    return; /* A was released, or another slice was held, in the meantime */
  clear (self);
  if (good)
    {
      self->held = g_steal_pointer (&work->result);
      self->held_recipe = g_steal_pointer (&work->recipe);
    }
  else
    {
      self->mode = TL_COMPARE_OFF;
      tl_messages_warn (self->messages, FALSE, "%s", error->message);
    }
  check_size (self);
  update_difference (self);
  note_change (self);
}

static void
copy_slice (TlSliceComparison *self)
{
  self->is_awaited = FALSE;
  self->copying = g_cancellable_new ();
  g_autoptr (GTask) task = make_task (self, NULL, self->copying, on_copied);
  g_task_run_in_thread (task, run_copy);
}

void
tl_slice_comparison_take_slice (TlSliceComparison *self, TlFrame *frame,
                                const TlRecipe *recipe, gboolean is_whole)
{
  g_return_if_fail (TL_IS_SLICE_COMPARISON (self));
  g_return_if_fail (frame != NULL && recipe != NULL);
  g_clear_pointer (&self->slice, tl_frame_unref);
  g_clear_pointer (&self->recipe, tl_recipe_free);
  self->slice = tl_frame_ref (frame);
  self->recipe = tl_recipe_dup (recipe);
  self->n_slices++;
  self->is_whole = is_whole;
  if (self->is_awaited && is_whole)
    copy_slice (self);
  check_size (self);
  update_difference (self);
}

void
tl_slice_comparison_hold (TlSliceComparison *self, gboolean takes_present)
{
  g_return_if_fail (TL_IS_SLICE_COMPARISON (self));
  g_clear_object (&self->copying);
  self->is_awaited = TRUE;
  if (takes_present && self->is_whole)
    copy_slice (self);
  note_change (self);
}

void
tl_slice_comparison_hold_recipe (TlSliceComparison *self,
                                 const TlRecipe *recipe)
{
  g_return_if_fail (TL_IS_SLICE_COMPARISON (self) && recipe != NULL);
  clear (self);
  self->held_recipe = tl_recipe_dup (recipe);
  note_change (self);
}

const TlRecipe *
tl_slice_comparison_get_missing (TlSliceComparison *self)
{
  g_return_val_if_fail (TL_IS_SLICE_COMPARISON (self), NULL);
  return self->held == NULL && self->copying == NULL && !self->is_awaited
             ? self->held_recipe
             : NULL;
}

void
tl_slice_comparison_take_held (TlSliceComparison *self, TlFrame *frame,
                               const TlRecipe *recipe)
{
  const TlRecipe *missing = tl_slice_comparison_get_missing (self);
  g_return_if_fail (frame != NULL && recipe != NULL);
  if (missing == NULL || !are_alike (missing, recipe))
    return;
  self->held = tl_frame_ref (frame);
  check_size (self);
  update_difference (self);
  note_change (self);
}

gboolean
tl_slice_comparison_release (TlSliceComparison *self)
{
  g_return_val_if_fail (TL_IS_SLICE_COMPARISON (self), FALSE);
  if (!tl_slice_comparison_is_held (self))
    return FALSE;
  clear (self);
  self->mode = TL_COMPARE_OFF;
  note_change (self);
  return TRUE;
}

gboolean
tl_slice_comparison_is_held (TlSliceComparison *self)
{
  g_return_val_if_fail (TL_IS_SLICE_COMPARISON (self), FALSE);
  return self->held_recipe != NULL || self->is_awaited || self->copying != NULL;
}

TlFrame *
tl_slice_comparison_get_held (TlSliceComparison *self)
{
  g_return_val_if_fail (TL_IS_SLICE_COMPARISON (self), NULL);
  return self->held;
}

const TlRecipe *
tl_slice_comparison_get_recipe (TlSliceComparison *self)
{
  g_return_val_if_fail (TL_IS_SLICE_COMPARISON (self), NULL);
  return self->held_recipe;
}

guint
tl_slice_comparison_get_slice (TlSliceComparison *self)
{
  g_return_val_if_fail (self->recipe != NULL, 0);
  return (guint)self->recipe->slice;
}

/* --- the mode of the comparison --- */

void
tl_slice_comparison_set_mode (TlSliceComparison *self, TlCompareMode mode)
{
  g_return_if_fail (TL_IS_SLICE_COMPARISON (self));
  g_return_if_fail ((guint)mode < TL_N_COMPARE_MODES);
  if (self->mode == mode)
    return;
  if (!tl_slice_comparison_is_held (self))
    {
      tl_messages_warn (self->messages, FALSE, "%s",
                        _ ("There is nothing to compare with: hold a slice as "
                           "A first"));
      return;
    }
  self->mode = mode;
  if (self->difference == NULL)
    forget_difference (self); /* retries a difference that failed */
  check_size (self);
  update_difference (self);
  note_change (self);
}

TlCompareMode
tl_slice_comparison_get_mode (TlSliceComparison *self)
{
  g_return_val_if_fail (TL_IS_SLICE_COMPARISON (self), TL_COMPARE_OFF);
  return self->mode;
}

void
tl_slice_comparison_set_compared (TlSliceComparison *self, TlCompared compared)
{
  self->compared = compared;
  check_size (self);
}

TlCompareMode
tl_slice_comparison_get_shown_mode (TlSliceComparison *self)
{
  const gboolean is_shown = self->compared == TL_COMPARED_PLANES
                                ? has_planes (self)
                                : self->compared == TL_COMPARED_SLICES
                                      && self->held != NULL
                                      && self->slice != NULL;
  return is_shown ? self->mode : TL_COMPARE_OFF;
}

gboolean
tl_slice_comparison_get_place (TlSliceComparison *self, double *row,
                               double *col)
{
  if (self->held == NULL || self->slice == NULL)
    return FALSE;
  const TlGrid *grid = &self->recipe->params.grid;
  *row = ((double)grid->ny - (double)tl_frame_get_n_rows (self->held)) / 2;
  *col = ((double)grid->nx - (double)tl_frame_get_n_cols (self->held)) / 2;
  return TRUE;
}

char *
tl_slice_comparison_describe (TlSliceComparison *self)
{
  g_return_val_if_fail (TL_IS_SLICE_COMPARISON (self), NULL);
  g_autoptr (GString) words = g_string_new (NULL);
  const gboolean is_of_planes = self->compared == TL_COMPARED_PLANES;
  const TlRecipe *present = is_of_planes ? self->planes_recipe : self->recipe;
  if (self->held_recipe != NULL && present != NULL)
    {
      g_autoptr (TlRecipe) held = tl_recipe_dup (self->held_recipe);
      if (is_of_planes) /* both are shown where the panes look */
        held->slice = present->slice;
      tl_recipe_compare (held, present, G_MAXUINT, NULL, words);
    }
  return g_string_free (g_steal_pointer (&words), FALSE);
}

/* --- the object --- */

static void
tl_slice_comparison_dispose (GObject *object)
{
  TlSliceComparison *self = TL_SLICE_COMPARISON (object);
  clear (self);
  g_clear_pointer (&self->slice, tl_frame_unref);
  g_clear_pointer (&self->recipe, tl_recipe_free);
  g_clear_pointer (&self->planes_recipe, tl_recipe_free);
  self->is_whole = FALSE;
  g_clear_object (&self->messages);
  G_OBJECT_CLASS (tl_slice_comparison_parent_class)->dispose (object);
}

static void
tl_slice_comparison_class_init (TlSliceComparisonClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = tl_slice_comparison_dispose;
  signals[CHANGED] =
      g_signal_new ("changed", TL_TYPE_SLICE_COMPARISON, G_SIGNAL_RUN_LAST, 0,
                    NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
tl_slice_comparison_init (TlSliceComparison *self)
{
}

TlSliceComparison *
tl_slice_comparison_new (TlMessages *messages)
{
  TlSliceComparison *self = g_object_new (TL_TYPE_SLICE_COMPARISON, NULL);
  self->messages = g_object_ref (messages);
  return self;
}

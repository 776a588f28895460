#include "data/follow/follower.h"

#include "data/error.h"
#include "data/follow/check.h"
#include "data/stream/stream.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* How long a wait lasts, at most; it is cancelled at once. */
#define WAIT_MS 1000

/* A user reads no more; a sender may be wrong in a new way each time. */
#define MAX_TROUBLES 100

struct TlFollower
{
  char *name;
  TlFollowerOptions options;
  char *angles_file;    /* (nullable): of options */
  TlStream *stream;     /* of the thread */
  TlFollowCheck *check; /* (nullable): of the thread, of the present scan */
  TlHeldBudget *budget;
  GThread *thread;
  GCancellable *cancellable;

  GMutex mutex; /* of what follows */
  TlHeld *held; /* (nullable) */
  TlFollowNews news;
  const TlHeld *before; /* (nullable): the frames of the scan before, only to
                           be compared */
  TlFollowNews news_before; /* the last ones of that scan */
  char *beamless;           /* (nullable): of the present scan */
  char *beamless_before;    /* (nullable): of the scan before */
  char *refused;            /* (nullable): why the last frame was left out */
  GQueue *troubles;         /* of char * */
  GError *failure;          /* (nullable) */
};

/* @text: (transfer full). @follower is locked. */
static void
add_trouble (TlFollower *follower, char *text)
{
  if (follower->troubles->length < MAX_TROUBLES)
    g_queue_push_tail (follower->troubles, text);
  else
    g_free (text);
}

/* @follower is locked. */
static void
note_scan (TlFollower *follower)
{
  follower->news.scan = *tl_stream_get_scan (follower->stream);
  follower->news.scan.angles_deg = NULL;
  follower->news.counts = *tl_stream_get_counts (follower->stream);
}

/* A #TlHeldChooser, of the present scan. */
static void
choose_rows (size_t max_rows, size_t *first_row, size_t *n_rows, gpointer data)
{
  const TlFollower *follower = data;
  follower->options.rows (tl_stream_get_scan (follower->stream), max_rows,
                          first_row, n_rows, follower->options.data);
}

/* Makes room for the frames of a scan that begins. */
static gboolean
begin_scan (TlFollower *follower, const TlStreamScan *scan, GError **error)
{
  TlHeldLayout layout = {
    .name = follower->name,
    .n_rows = scan->n_rows,
    .n_cols = scan->n_cols,
    .type = scan->type,
    .n_expected = scan->n_projections,
    .angles_deg = scan->angles_deg,
    .angles_file = follower->options.stream.angles_file,
    .pixel_size_um = scan->pixel_size_um,
    .n_other_bytes = tl_stream_count_kept_bytes (follower->stream),
  };
  choose_rows (scan->n_rows, &layout.first_row, &layout.n_kept, follower);
  if (follower->options.slices != NULL)
    follower->options.slices (scan, &layout.slices, follower->options.data);
  TlHeld *held = tl_held_new (&layout, follower->budget, error);
  if (held == NULL)
    return FALSE;
  tl_held_set_chooser (held, choose_rows, follower);
  g_clear_pointer (&follower->check, tl_follow_check_free);
  follower->check = tl_follow_check_new (scan);
  g_mutex_lock (&follower->mutex);
  follower->before = follower->held;
  follower->news_before = follower->news;
  g_clear_pointer (&follower->held, tl_held_unref);
  follower->held = held;
  g_free (follower->beamless_before);
  follower->beamless_before = g_steal_pointer (&follower->beamless);
  follower->news.n_dropped = follower->news.n_without_angle = 0;
  follower->news.n_dropped_projections = 0;
  memset (follower->news.covered, 0, sizeof follower->news.covered);
  note_scan (follower);
  g_mutex_unlock (&follower->mutex);
  return TRUE;
}

/* Counts a frame that is not held. @follower is locked. */
static void
drop_frame (TlFollower *follower, TlFrameKind kind, gboolean has_angle)
{
  TlFollowNews *news = &follower->news;
  if (kind == TL_FRAMES_PROJECTIONS && has_angle)
    news->n_dropped_projections++;
  size_t *n = has_angle ? &news->n_dropped : &news->n_without_angle;
  if ((*n)++ > 0 || !has_angle) /* the stream tells of angles */
    return;
  g_autofree char *most = g_format_size (follower->options.max_bytes);
  add_trouble (follower,
               g_strdup_printf (_ ("%s: the %s that frames may take, or the "
                                   "memory of this machine, is full; further "
                                   "frames are dropped"),
                                follower->name, most));
}

void
tl_follow_cover (guint8 covered[TL_FOLLOW_DEGREES], double angle_deg)
{
  const double turned = fmod (angle_deg, TL_FOLLOW_DEGREES);
  const int degree =
      (int)floor (turned < 0 ? turned + TL_FOLLOW_DEGREES : turned);
  covered[degree % TL_FOLLOW_DEGREES] = 1;
}

/* Returns: whether the flat or dark would spoil the mean; the user is told */
static gboolean
refuse_field (TlFollower *follower, const TlStreamEvent *event)
{
  g_autofree char *why = tl_follow_check_refuse (follower->check, event);
  if (why == NULL)
    return FALSE;
  g_mutex_lock (&follower->mutex);
  follower->news.last_us = g_get_monotonic_time ();
  add_trouble (follower, g_strdup_printf ("%s: %s", follower->name, why));
  g_mutex_unlock (&follower->mutex);
  return TRUE;
}

/* Only this thread changes follower->held. */
static gboolean
take_frame (TlFollower *follower, const TlStreamEvent *event, GError **error)
{
  const TlStreamScan *scan = tl_stream_get_scan (follower->stream);
  if ((follower->held == NULL || follower->news.scan.serial != scan->serial)
      && !begin_scan (follower, scan, error))
    return FALSE;
  if (scan->is_attenuation && event->kind != TL_FRAMES_PROJECTIONS)
    return TRUE; /* what the flats and darks say is in the projections */
  const gboolean has_angle =
      event->kind != TL_FRAMES_PROJECTIONS || isfinite (event->angle_deg);
  if (event->kind != TL_FRAMES_PROJECTIONS && event->n_borrowed == 0
      && refuse_field (follower, event))
    return TRUE;
  const gboolean is_held =
      has_angle
      && (event->n_borrowed > 0
              ? tl_held_lend (follower->held, event->kind, event->n_borrowed,
                              event->pixels)
              : tl_held_put (follower->held, event->kind, event->number,
                             event->angle_deg, event->pixels));
  const gboolean is_blank = is_held && event->kind == TL_FRAMES_PROJECTIONS
                            && tl_held_is_blank (follower->held, event->number);
  g_autofree char *odd =
      tl_follow_check_take (follower->check, event, is_blank);
  const char *beamless = tl_follow_check_get_beamless (follower->check);
  g_mutex_lock (&follower->mutex);
  if (g_strcmp0 (follower->beamless, beamless) != 0)
    {
      g_free (follower->beamless);
      follower->beamless = g_strdup (beamless);
    }
  follower->news.last_us = g_get_monotonic_time ();
  if (odd != NULL)
    add_trouble (follower, g_strdup_printf ("%s: %s", follower->name, odd));
  if (!is_held)
    drop_frame (follower, event->kind, has_angle);
  else if (event->kind == TL_FRAMES_PROJECTIONS)
    tl_follow_cover (follower->news.covered, event->angle_deg);
  g_mutex_unlock (&follower->mutex);
  return TRUE;
}

/* Only this thread changes follower->held and the news of its scan. */
static void
end_scan (TlFollower *follower)
{
  TlHeldState state;
  tl_held_end (follower->held);
  tl_held_get_state (follower->held, &state);
  if (follower->options.needs_flats == NULL
      || state.n_frames[TL_FRAMES_PROJECTIONS] == 0
      || tl_follow_news_can_show (
          &follower->news, &state,
          follower->options.needs_flats (follower->options.data)))
    return;
  g_mutex_lock (&follower->mutex);
  add_trouble (follower,
               g_strdup_printf (_ ("%s: the scan has ended without flats, so "
                                   "that its counts make no slice"),
                                follower->name));
  g_mutex_unlock (&follower->mutex);
}

static gboolean
take_event (TlFollower *follower, const TlStreamEvent *event, GError **error)
{
  if (event->type == TL_STREAM_FRAME && !take_frame (follower, event, error))
    return FALSE;
  if (event->type == TL_STREAM_END && follower->held != NULL)
    end_scan (follower);
  if (follower->options.recorder != NULL)
    tl_recorder_take (follower->options.recorder,
                      tl_stream_get_scan (follower->stream), event);
  g_mutex_lock (&follower->mutex);
  if (event->type == TL_STREAM_TROUBLE)
    {
      add_trouble (follower, tl_stream_event_dup_words (
                                 event, follower->options.names_options));
      if (event->is_malformed)
        {
          g_free (follower->refused);
          follower->refused = g_strdup (event->text);
        }
    }
  follower->news.counts.n_malformed =
      tl_stream_get_counts (follower->stream)->n_malformed;
  /* the next scan begins with its first frame */
  if (tl_stream_get_scan (follower->stream)->serial
      == follower->news.scan.serial)
    note_scan (follower);
  g_mutex_unlock (&follower->mutex);
  return TRUE;
}

static void
tell (TlFollower *follower)
{
  if (follower->options.changed != NULL)
    follower->options.changed (follower->options.data);
}

static gpointer
follow (gpointer data)
{
  TlFollower *follower = data;
  TlStreamEvent event;
  GError *failure = NULL;
  while (tl_stream_next (follower->stream, WAIT_MS, follower->cancellable,
                         &event, &failure)
         && take_event (follower, &event, &failure))
    tell (follower);
  g_mutex_lock (&follower->mutex);
  follower->failure = failure;
  g_mutex_unlock (&follower->mutex);
  tell (follower);
  return NULL;
}

TlFollower *
tl_follower_new (const char *name, const TlFollowerOptions *options,
                 GError **error)
{
  TlStream *stream = tl_stream_open (name, &options->stream, error);
  if (stream == NULL)
    return NULL;
  TlFollower *follower = g_new0 (TlFollower, 1);
  follower->name = g_strdup (name);
  follower->options = *options;
  follower->angles_file = g_strdup (options->stream.angles_file);
  follower->options.stream.angles_file = follower->angles_file;
  if (options->recorder != NULL)
    tl_recorder_ref (options->recorder);
  follower->stream = stream;
  follower->budget = tl_held_budget_new (options->max_bytes);
  follower->cancellable = g_cancellable_new ();
  follower->troubles = g_queue_new ();
  follower->news.last_us = g_get_monotonic_time ();
  g_mutex_init (&follower->mutex);
  follower->thread = g_thread_new ("in", follow, follower);
  return follower;
}

void
tl_follower_free (TlFollower *follower)
{
  if (follower == NULL)
    return;
  g_cancellable_cancel (follower->cancellable);
  g_thread_join (follower->thread);
  tl_stream_close (follower->stream);
  g_clear_pointer (&follower->held, tl_held_unref);
  tl_follow_check_free (follower->check);
  tl_held_budget_unref (follower->budget);
  tl_recorder_unref (follower->options.recorder);
  g_queue_free_full (follower->troubles, g_free);
  g_free (follower->beamless);
  g_free (follower->beamless_before);
  g_free (follower->refused);
  g_clear_error (&follower->failure);
  g_object_unref (follower->cancellable);
  g_mutex_clear (&follower->mutex);
  g_free (follower->name);
  g_free (follower->angles_file);
  g_free (follower);
}

void
tl_follower_end (TlFollower *follower)
{
  g_autoptr (TlHeld) held = tl_follower_ref_held (follower);
  if (held != NULL)
    tl_held_end (held);
  if (follower->options.recorder != NULL)
    tl_recorder_end (follower->options.recorder);
}

TlHeld *
tl_follower_ref_held (TlFollower *follower)
{
  g_mutex_lock (&follower->mutex);
  TlHeld *held = follower->held != NULL ? tl_held_ref (follower->held) : NULL;
  g_mutex_unlock (&follower->mutex);
  return held;
}

gboolean
tl_follower_get_news (TlFollower *follower, const TlHeld *held,
                      TlFollowNews *news, GError **error)
{
  g_mutex_lock (&follower->mutex);
  if (held == NULL || held == follower->held)
    *news = follower->news;
  else if (held == follower->before)
    *news = follower->news_before;
  const gboolean good = follower->failure == NULL;
  if (!good)
    g_propagate_error (error, g_error_copy (follower->failure));
  g_mutex_unlock (&follower->mutex);
  return good;
}

char *
tl_follower_dup_beamless (TlFollower *follower, const TlHeld *held)
{
  g_mutex_lock (&follower->mutex);
  const char *known = held == follower->held     ? follower->beamless
                      : held == follower->before ? follower->beamless_before
                                                 : NULL;
  char *beamless = g_strdup (known != NULL ? known : "");
  g_mutex_unlock (&follower->mutex);
  return beamless;
}

char *
tl_follower_dup_refused (TlFollower *follower)
{
  g_mutex_lock (&follower->mutex);
  char *refused = g_strdup (follower->refused);
  g_mutex_unlock (&follower->mutex);
  return refused;
}

gboolean
tl_follow_news_can_show (const TlFollowNews *news, const TlHeldState *state,
                         gboolean needs_flats)
{
  const TlStreamScan *scan = &news->scan;
  if (state->n_frames[TL_FRAMES_PROJECTIONS] == 0)
    return FALSE;
  return !needs_flats || state->n_frames[TL_FRAMES_FLATS] > 0
         || scan->is_attenuation || (scan->n_flats == 0 && !scan->are_counts);
}

char *
tl_follower_take_trouble (TlFollower *follower)
{
  g_mutex_lock (&follower->mutex);
  char *text = g_queue_pop_head (follower->troubles);
  g_mutex_unlock (&follower->mutex);
  return text == NULL && follower->options.recorder != NULL
             ? tl_recorder_take_trouble (follower->options.recorder)
             : text;
}

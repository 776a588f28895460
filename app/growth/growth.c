#include "app/growth/growth.h"

#include "app/background/time-left.h"
#include "app/growth/dose.h"
#include "app/growth/sharpness.h"
#include "app/recon/rows.h"
#include "data/read/scan/frame-ranges.h"
#include "data/stream/stream.h"

#include <math.h>
#include <string.h>

/* When a scan begins, the one before is shown until it has a picture. */
#define SCANS 2

/* Assumed number of projections where the sender does not say it: rows are
 * chosen for so many, and given up when more come. */
#define FIRST_PROJECTIONS 256

/* Milliseconds between two updates of the rate. */
#define UPDATE_MS 250

/* Until a scan that could not be opened yet, or a picture that could not grow
 * because a task needs the projections as they are, is asked for again. */
#define RETRY_US G_USEC_PER_SEC

/* The rate is that of the last RATE_US at least. */
#define RATE_US (2 * G_USEC_PER_SEC)

struct _TlGrowth
{
  GObject parent;

  TlGrowthState state;
  char *name;             /* (nullable) */
  TlFollower *follower;   /* (nullable) */
  GThread *ending;        /* (nullable): ends the follower before */
  TlRecorder *ended;      /* (nullable): of that one */
  gboolean is_ending;     /* it may still be writing its file */
  guint ended_serial;     /* TlStreamScan.serial of its scan that was shown; 0:
                             none was */
  TlHeld *ended_held;     /* (nullable): the frames of that scan */
  char *record_folder;    /* (nullable) */
  char *record_problem;   /* (nullable) */
  TlRecorder *recorder;   /* (nullable): of an address */
  TlRecording *recording; /* (nullable): the next to be told */
  guint timeout_id;       /* source of on_timeout(); 0: none */
  gboolean follows, hints;
  TlHeld *held;            /* (nullable): the scan that is shown */
  gboolean is_open;        /* it could be opened */
  gboolean is_replaced;    /* by its recording, which has no later frames */
  guint64 begun, failed;   /* TlHeldState.serial when it was tried last, and
                              when it could not be; 0: never */
  gboolean is_idle;        /* a picture may be asked for */
  gboolean is_asked;       /* for a picture of more projections */
  gboolean is_awaited;     /* a handler of "due" makes it */
  guint64 shown;           /* TlHeldState.serial of the newest picture */
  gint64 asked_us, due_us; /* when it was asked for, and when the next may be */
  gint64 asked_new_us;     /* new_us, when it was asked for */
  TlFollowNews come;       /* of the scan that is shown, or waited for */
  size_t n_malformed_before, n_malformed_ended; /* until the scan before the
                               present one had ended, and this one */
  gboolean has_other_angles; /* the user has given them, for the picture */
  guint8 other_covered[TL_FOLLOW_DEGREES]; /* by them */
  TlGrowthNews news;
  char *leave_out; /* (nullable): of the recipe */
  char *beamless;  /* (nullable): of the scan that is shown, and not left out */
  char *refused;   /* (nullable) */
  GArray *sharpness; /* of TlGrowthSharpness */
  size_t n_before;   /* projections at before_us */
  gint64 before_us;  /* 0: none */
  TlTimeLeft left;   /* of a scan whose number of projections is known */

  /* Of the main and the follower's thread. */
  gint is_told;  /* atomic: on_change() will run */
  gint is_over;  /* atomic: the thread that ends a follower is */
  GMutex mutex;  /* of what follows */
  gint64 new_us; /* when the first of it came that no picture was asked for
                    since; 0: nothing has */
  TlParams params;
  gboolean slice_known;
  size_t slice; /* that is shown */
  gboolean needs_flats;
};

enum
{
  PROP_0,
  PROP_STATE,
  PROP_NEWS,
  PROP_FOLLOWS,
  PROP_HINTS,
  PROP_RECORD_FOLDER,
  PROP_RECORD_PROBLEM,
  PROP_ENDING,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

enum
{
  BEGUN,
  DUE,
  SLICE_DUE,
  ENDED,
  RECORDED,
  TOLD,
  FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TlGrowth, tl_growth, G_TYPE_OBJECT)

static void
set_state (TlGrowth *growth, TlGrowthState state)
{
  if (growth->state == state)
    return;
  growth->state = state;
  g_object_notify_by_pspec (G_OBJECT (growth), props[PROP_STATE]);
}

/* --- the follower's thread --- */

/* All rows, or as many as there is memory for around the slice. */
static void
choose_rows (const TlStreamScan *scan, size_t max_rows, size_t *first_row,
             size_t *n_rows, gpointer data)
{
  TlGrowth *growth = data;
  const size_t n =
      scan->n_projections > 0 ? scan->n_projections : FIRST_PROJECTIONS;
  const guint64 row_bytes =
      (guint64)n * scan->n_cols * tl_sample_size (scan->type);
  g_mutex_lock (&growth->mutex);
  const size_t margin = tl_rows_widen (
      tl_params_get_margin (&growth->params, scan->n_rows, scan->n_cols));
  const size_t middle = growth->slice_known && growth->slice < scan->n_rows
                            ? growth->slice
                            : (scan->n_rows - 1) / 2;
  g_mutex_unlock (&growth->mutex);
  const size_t n_room =
      (size_t)(tl_held_budget_get_usual () / SCANS / row_bytes);
  const size_t n_fit = MAX (MIN (n_room, max_rows), 2 * margin + 1);
  *n_rows = MIN (n_fit, scan->n_rows);
  *first_row = MIN (middle - MIN (*n_rows / 2, middle), scan->n_rows - *n_rows);
}

static gboolean
get_needs_flats (gpointer data)
{
  TlGrowth *growth = data;
  g_mutex_lock (&growth->mutex);
  const gboolean needs_flats = growth->needs_flats;
  g_mutex_unlock (&growth->mutex);
  return needs_flats;
}

static gboolean on_change (gpointer data);

static void
tell (gpointer data)
{
  TlGrowth *growth = data;
  g_mutex_lock (&growth->mutex);
  if (growth->new_us == 0)
    growth->new_us = g_get_monotonic_time ();
  g_mutex_unlock (&growth->mutex);
  if (g_atomic_int_compare_and_exchange (&growth->is_told, 0, 1))
    g_idle_add_full (G_PRIORITY_DEFAULT, on_change, growth, NULL);
}

/* --- what has come --- */

static void
set_ending (TlGrowth *growth, gboolean is_ending)
{
  if (growth->is_ending == is_ending)
    return;
  growth->is_ending = is_ending;
  g_object_notify_by_pspec (G_OBJECT (growth), props[PROP_ENDING]);
}

/* Returns: whether another scan than the one that is shown is taken */
static gboolean
has_later (TlGrowth *growth)
{
  g_autoptr (TlHeld) newest = tl_follower_ref_held (growth->follower);
  return newest != growth->held;
}

static void
note_problem (TlGrowth *growth)
{
  g_autofree char *problem = growth->recorder != NULL
                                 ? tl_recorder_dup_problem (growth->recorder)
                                 : NULL;
  if (g_strcmp0 (problem, growth->record_problem) == 0)
    return;
  g_free (growth->record_problem);
  growth->record_problem = g_steal_pointer (&problem);
  g_object_notify_by_pspec (G_OBJECT (growth), props[PROP_RECORD_PROBLEM]);
}

static void
tell_troubles (TlGrowth *growth)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  char *text;
  while ((text = tl_follower_take_trouble (growth->follower)) != NULL)
    g_ptr_array_add (texts, text);
  if (texts->len == 0)
    return;
  g_ptr_array_add (texts, NULL);
  g_autofree char *all = g_strjoinv ("\n", (char **)texts->pdata);
  g_signal_emit (growth, signals[TOLD], 0, all);
}

static void
note_rate (TlGrowth *growth)
{
  TlGrowthNews *news = &growth->news;
  const gint64 now_us = g_get_monotonic_time ();
  const gint64 us = now_us - growth->before_us;
  if (growth->before_us == 0 || news->n_projections < growth->n_before)
    news->rate = 0;
  else if (us >= RATE_US)
    news->rate =
        (double)(news->n_projections - growth->n_before) * 1e6 / (double)us;
  else
    return;
  growth->n_before = news->n_projections;
  growth->before_us = now_us;
}

static void
take_texts (TlGrowth *growth)
{
  g_clear_pointer (&growth->beamless, g_free);
  /* the numbers are those of the stream: not of a recording, nor of the scan
   * that is on the screen until this one is open */
  if (growth->held != NULL && growth->is_open && !growth->is_replaced)
    {
      g_autofree char *all =
          tl_follower_dup_beamless (growth->follower, growth->held);
      growth->beamless = tl_frame_ranges_remove (
          all, growth->leave_out != NULL ? growth->leave_out : "");
    }
  g_free (growth->refused);
  growth->refused = tl_follower_dup_refused (growth->follower);
}

static void
take_news (TlGrowth *growth)
{
  const TlFollowNews *come = &growth->come;
  TlGrowthNews *news = &growth->news;
  const size_t *n = come->counts.n_received;
  news->n_projections = n[TL_FRAMES_PROJECTIONS];
  news->n_flats = n[TL_FRAMES_FLATS];
  news->n_darks = n[TL_FRAMES_DARKS];
  news->n_expected = come->scan.n_projections > 0 ? come->scan.n_projections
                                                  : come->counts.n_likely;
  news->n_malformed = come->counts.n_malformed - growth->n_malformed_before;
  news->lacks_fields =
      news->n_flats < come->scan.n_flats || news->n_darks < come->scan.n_darks;
  news->n_lost = come->counts.n_lost + come->n_dropped + come->n_without_angle;
  news->n_dropped = come->n_dropped;
  news->n_without_angle = come->n_without_angle;
  if (growth->held != NULL)
    {
      TlHeldState state;
      tl_held_get_state (growth->held, &state);
      news->first_kept = state.first_kept;
      news->n_kept = state.n_kept;
      news->n_rows = state.n_rows;
    }
  news->is_stalled = come->counts.is_stalled;
  news->idle_s =
      (double)(g_get_monotonic_time () - come->last_us) / G_USEC_PER_SEC;
  news->has_later = has_later (growth);
  news->is_of_before = !growth->is_open || (growth->follows && news->has_later);
  memcpy (news->covered,
          growth->has_other_angles ? growth->other_covered : come->covered,
          sizeof news->covered);
  note_rate (growth);
  tl_time_left_note (&growth->left, g_get_monotonic_time (),
                     news->n_projections < news->n_expected
                         ? (double)news->n_projections
                               / (double)news->n_expected
                         : 0);
}

/* --- pictures --- */

/* Returns: when the first of what is new came; 0: nothing is new */
static gint64
take_new (TlGrowth *growth)
{
  g_mutex_lock (&growth->mutex);
  const gint64 new_us = growth->new_us;
  growth->new_us = 0;
  g_mutex_unlock (&growth->mutex);
  return new_us;
}

/* The slices that come now cannot be compared with those before. */
static void
forget_slices (TlGrowth *growth)
{
  g_array_set_size (growth->sharpness, 0);
  growth->news.n_finished = 0;
}

static void
begin (TlGrowth *growth, guint64 serial)
{
  growth->begun = serial;
  take_new (growth);
  growth->is_asked = FALSE;
  growth->due_us = g_get_monotonic_time () + RETRY_US;
  g_signal_emit (growth, signals[BEGUN], 0, growth->held);
}

/* Returns: (transfer full) (nullable): the scan that is taken now, if it is to
 * be shown next and has projections; @state: (out): of it; @serial: (out): its
 * TlStreamScan.serial; @needs_flats: (out): they make no picture without flats,
 * which lack */
static TlHeld *
ref_next (TlGrowth *growth, TlHeldState *state, guint *serial,
          gboolean *needs_flats)
{
  TlFollowNews come = { 0 };
  g_autoptr (TlHeld) newest =
      growth->follower != NULL ? tl_follower_ref_held (growth->follower) : NULL;
  if (newest == NULL || newest == growth->held
      || (growth->held != NULL && !growth->follows))
    return NULL;
  tl_held_get_state (newest, state);
  tl_follower_get_news (growth->follower, newest, &come, NULL);
  *serial = come.scan.serial;
  *needs_flats = !tl_follow_news_can_show (&come, state, growth->needs_flats);
  return state->n_frames[TL_FRAMES_PROJECTIONS] > 0 ? g_steal_pointer (&newest)
                                                    : NULL;
}

/* Goes to the scan that is taken now, if the user waits for nothing else. ask()
 * lets it be opened. */
static void
find_scan (TlGrowth *growth)
{
  guint serial;
  gboolean needs_flats;
  TlHeldState state;
  g_autoptr (TlHeld) next =
      growth->is_idle ? ref_next (growth, &state, &serial, &needs_flats) : NULL;
  growth->news.waits_for_flats = next != NULL && needs_flats;
  growth->news.is_over = growth->news.waits_for_flats && state.is_complete;
  growth->news.n_next = growth->news.waits_for_flats && growth->held != NULL
                            ? state.n_frames[TL_FRAMES_PROJECTIONS]
                            : 0;
  if (next == NULL || needs_flats)
    return;
  if (growth->state == TL_GROWTH_GROWING) /* the scan before was broken off */
    growth->n_malformed_ended = growth->come.counts.n_malformed;
  growth->n_malformed_before = growth->n_malformed_ended;
  g_clear_pointer (&growth->held, tl_held_unref);
  growth->held = g_steal_pointer (&next);
  growth->shown = growth->failed = 0;
  growth->is_asked = growth->is_awaited = FALSE;
  growth->has_other_angles = FALSE;
  forget_slices (growth);
  growth->is_open = growth->is_replaced = FALSE;
  growth->due_us = 0;
  set_state (growth, TL_GROWTH_GROWING);
}

static void
end_scan (TlGrowth *growth)
{
  TlHeldState state;
  if (growth->state != TL_GROWTH_GROWING)
    return;
  tl_held_get_state (growth->held, &state);
  if (!state.is_complete || growth->shown != state.serial)
    return;
  growth->n_malformed_ended = growth->come.counts.n_malformed;
  set_state (growth, TL_GROWTH_COMPLETE);
  g_signal_emit (growth, signals[ENDED], 0);
}

/* Returns: whether there is one, growth->recording */
static gboolean
find_recording (TlGrowth *growth)
{
  if (growth->recording == NULL && growth->recorder != NULL)
    growth->recording = tl_recorder_take_recording (growth->recorder);
  return growth->recording != NULL;
}

/* @held: (nullable): the frames of the scan, unless it is another one */
static void
tell_recording (TlGrowth *growth, TlRecording *recording, TlGrowthRecorded what,
                TlHeld *held)
{
  g_signal_emit (growth, signals[RECORDED], 0, recording, what,
                 what == TL_GROWTH_RECORDED_OTHER ? NULL : held);
}

/* Returns: whether the scan @serial has no picture yet, but will have one */
static gboolean
is_next (TlGrowth *growth, guint serial)
{
  TlHeldState state;
  guint next_serial;
  gboolean needs_flats;
  g_autoptr (TlHeld) next =
      ref_next (growth, &state, &next_serial, &needs_flats);
  return next != NULL && !needs_flats && serial == next_serial;
}

/* That of the shown scan, or of the next one, is told when its last picture is
 * there. */
static void
tell_recordings (TlGrowth *growth)
{
  while (find_recording (growth))
    {
      const gboolean is_shown =
          growth->held != NULL
          && growth->recording->serial == growth->come.scan.serial;
      const gboolean has_all = is_shown && growth->recording->is_complete
                               && growth->recording->n_missing == 0;
      if (growth->recording->is_complete
          && ((is_shown && growth->state == TL_GROWTH_GROWING)
              || (!is_shown && is_next (growth, growth->recording->serial))))
        return;
      g_autoptr (TlRecording) recording = g_steal_pointer (&growth->recording);
      tell_recording (growth, recording,
                      !is_shown ? TL_GROWTH_RECORDED_OTHER
                      : has_all ? TL_GROWTH_RECORDED_ALL
                                : TL_GROWTH_RECORDED_PART,
                      growth->held);
    }
}

/* Asks for a picture of what is new, unless the user has asked for one, which
 * comes first, or the last one was slow. Flats may come after the end. */
static void
ask (TlGrowth *growth)
{
  TlHeldState state;
  const gint64 now_us = g_get_monotonic_time ();
  if ((growth->state != TL_GROWTH_GROWING
       && growth->state != TL_GROWTH_COMPLETE)
      || growth->is_replaced || !growth->is_idle || now_us < growth->due_us)
    return;
  tl_held_get_state (growth->held, &state);
  if (!growth->is_open && state.serial != growth->failed)
    begin (growth, state.serial);
  else if (growth->is_open && state.serial != growth->shown
           && !growth->is_awaited)
    {
      growth->is_asked = TRUE;
      growth->asked_us = now_us;
      growth->asked_new_us = take_new (growth);
      g_signal_emit (growth, signals[DUE], 0, &growth->is_awaited);
      if (!growth->is_awaited)
        g_signal_emit (growth, signals[SLICE_DUE], 0);
    }
}

/* A handler of a signal may drop the last reference: the caller has one. */
static void
update (TlGrowth *growth)
{
  g_autoptr (GError) failure = NULL;
  note_problem (growth);
  tell_troubles (growth);
  end_scan (growth);
  tell_recordings (growth);
  if (growth->follower == NULL)
    return;
  find_scan (growth);
  const gboolean goes_on = tl_follower_get_news (growth->follower, growth->held,
                                                 &growth->come, &failure);
  take_news (growth);
  take_texts (growth);
  ask (growth);
  if (goes_on)
    return;
  g_signal_emit (growth, signals[FAILED], 0, failure->message);
  tl_growth_stop (growth);
}

static gboolean
on_change (gpointer data)
{
  g_autoptr (TlGrowth) growth = g_object_ref (data);
  g_atomic_int_set (&growth->is_told, 0);
  if (growth->follower != NULL) /* not of one that is ending */
    update (growth);
  return G_SOURCE_REMOVE;
}

static gboolean
on_timeout (gpointer data)
{
  g_autoptr (TlGrowth) growth = g_object_ref (data);
  update (growth);
  g_object_notify_by_pspec (G_OBJECT (growth), props[PROP_NEWS]);
  return growth->timeout_id != 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

void
tl_growth_set_recipe (TlGrowth *growth, const TlRecipe *recipe)
{
  g_return_if_fail (TL_IS_GROWTH (growth) && recipe != NULL);
  if (tl_params_compare (&growth->params, &recipe->params)
          < TL_STAGE_BACKPROJECT
      || growth->params.centre_col != recipe->params.centre_col
      || growth->params.tilt_deg != recipe->params.tilt_deg
      || growth->slice != recipe->slice)
    forget_slices (growth);
  g_free (growth->leave_out);
  growth->leave_out = g_strdup (recipe->leave_out);
  g_mutex_lock (&growth->mutex);
  growth->params = recipe->params;
  growth->slice_known = recipe->slice_known;
  growth->slice = recipe->slice;
  g_mutex_unlock (&growth->mutex);
  if (growth->failed != 0) /* another recipe may help */
    growth->failed = G_MAXUINT64;
}

void
tl_growth_set_needs_flats (TlGrowth *growth, gboolean needs_flats)
{
  g_return_if_fail (TL_IS_GROWTH (growth));
  g_mutex_lock (&growth->mutex);
  growth->needs_flats = needs_flats;
  g_mutex_unlock (&growth->mutex);
}

void
tl_growth_set_idle (TlGrowth *growth, gboolean is_idle)
{
  g_return_if_fail (TL_IS_GROWTH (growth));
  growth->is_idle = is_idle;
  if (growth->follower != NULL)
    ask (growth);
}

gboolean
tl_growth_has_failed (TlGrowth *growth)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), FALSE);
  return growth->failed != 0;
}

/* The sender does not know the angles that the user has given. */
static void
note_angles (TlGrowth *growth, const TlReply *reply)
{
  const TlScanSummary *scan = reply->scan;
  if (scan == NULL)
    return;
  growth->has_other_angles =
      reply->recipe->has_angles || reply->recipe->angles_file != NULL;
  memset (growth->other_covered, 0, sizeof growth->other_covered);
  for (size_t p = 0; growth->has_other_angles && p < scan->n_projections; p++)
    tl_follow_cover (growth->other_covered, scan->angles_deg[p]);
}

static void
note_sharpness (TlGrowth *growth, const TlReply *reply)
{
  if (reply->kind != TL_JOB_PREVIEW || reply->frame == NULL
      || reply->scan == NULL)
    return;
  const TlGrowthSharpness point = {
    .n_projections = reply->scan->n_projections,
    .sharpness = tl_growth_measure_sharpness (&reply->stats),
  };
  if (isfinite (point.sharpness))
    g_array_append_val (growth->sharpness, point);
  TlGrowthNews *news = &growth->news;
  if (news->n_finished == 0
      && tl_growth_is_finished (reply->unit_change, point.n_projections,
                                news->n_expected, news->covered))
    news->n_finished = point.n_projections;
}

const TlGrowthSharpness *
tl_growth_get_sharpness (TlGrowth *growth, guint *n)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth) && n != NULL, NULL);
  *n = growth->sharpness->len;
  return (const TlGrowthSharpness *)growth->sharpness->data;
}

/* If there is no picture, the time is kept for the next one. */
static void
note_delay (TlGrowth *growth, gboolean is_shown, gint64 now_us)
{
  const gint64 new_us = growth->asked_new_us;
  growth->asked_new_us = 0;
  if (new_us == 0)
    return;
  if (is_shown)
    {
      growth->news.delay_s = (double)(now_us - new_us) / G_USEC_PER_SEC;
      return;
    }
  g_mutex_lock (&growth->mutex);
  growth->new_us = new_us;
  g_mutex_unlock (&growth->mutex);
}

/* The next picture may come after half as long as the last one has taken, so
 * that a third of the time is left for others. @is_there: the last one is */
static void
note_due (TlGrowth *growth, gboolean is_there, gint64 now_us)
{
  growth->due_us =
      is_there ? now_us + (now_us - growth->asked_us) / 2 : now_us + RETRY_US;
}

void
tl_growth_take_picture (TlGrowth *growth, guint64 shown)
{
  g_return_if_fail (TL_IS_GROWTH (growth));
  const gint64 now_us = g_get_monotonic_time ();
  if (growth->held == NULL)
    return;
  if (growth->is_open)
    growth->shown = shown;
  if (!growth->is_awaited)
    return;
  growth->is_asked = growth->is_awaited = FALSE;
  note_delay (growth, shown != 0, now_us);
  note_due (growth, shown != 0, now_us);
}

void
tl_growth_take_reply (TlGrowth *growth, const TlReply *reply)
{
  g_return_if_fail (TL_IS_GROWTH (growth) && reply != NULL);
  const gint64 now_us = g_get_monotonic_time ();
  if (growth->held == NULL)
    return;
  if (reply->kind == TL_JOB_OPEN)
    {
      if (reply->held != growth->held)
        {
          growth->is_replaced |=
              growth->state == TL_GROWTH_COMPLETE && reply->error == NULL;
          return;
        }
      if (growth->is_open && reply->error != NULL) /* it is open still */
        return;
      growth->is_replaced = FALSE;
      growth->is_open = reply->error == NULL;
      growth->shown = reply->growth;
      note_angles (growth, reply);
      if (growth->is_open)
        growth->due_us = growth->failed = 0;
      else if (!g_error_matches (reply->error, G_IO_ERROR,
                                 G_IO_ERROR_CANCELLED))
        growth->failed = growth->begun;
      return;
    }
  if (growth->is_open && reply->error == NULL)
    {
      growth->shown = reply->growth;
      note_angles (growth, reply);
    }
  if (!growth->is_asked || growth->is_awaited)
    return;
  growth->is_asked = FALSE;
  note_delay (growth, reply->error == NULL, now_us);
  note_sharpness (growth, reply);
  if (reply->is_put_off
      || !g_error_matches (reply->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    note_due (growth, reply->error == NULL, now_us);
}

/* --- what is followed --- */

/* Tells what was recorded, and the troubles, of a follower that has ended. */
static void
tell_rest (TlGrowth *growth, TlRecorder *recorder)
{
  char *text;
  TlRecording *recording;
  while ((text = tl_recorder_take_trouble (recorder)) != NULL)
    {
      g_signal_emit (growth, signals[TOLD], 0, text);
      g_free (text);
    }
  while ((recording = tl_recorder_take_recording (recorder)) != NULL)
    {
      tell_recording (growth, recording,
                      recording->serial == growth->ended_serial
                          ? TL_GROWTH_RECORDED_PART
                          : TL_GROWTH_RECORDED_OTHER,
                      growth->ended_held);
      tl_recording_free (recording);
    }
}

static void
wait_for_end (TlGrowth *growth)
{
  g_clear_pointer (&growth->ending, g_thread_join);
  g_autoptr (TlRecorder) ended = g_steal_pointer (&growth->ended);
  if (ended != NULL)
    tell_rest (growth, ended);
  g_clear_pointer (&growth->ended_held, tl_held_unref);
  set_ending (growth, FALSE);
}

static gboolean
on_end (gpointer data)
{
  g_autoptr (TlGrowth) growth = g_object_ref (data);
  if (g_atomic_int_get (&growth->is_over)) /* and not another one begun */
    wait_for_end (growth);
  return G_SOURCE_REMOVE;
}

typedef struct
{
  TlGrowth *growth; /* which waits for the thread */
  TlFollower *follower;
  TlRecorder *recorder; /* (nullable) */
} Ending;

static gpointer
free_follower (gpointer data)
{
  g_autofree Ending *ending = data;
  tl_follower_free (ending->follower);
  if (ending->recorder != NULL)
    {
      tl_recorder_stop (ending->recorder);
      g_atomic_int_set (&ending->growth->is_over, TRUE);
      g_idle_add_full (G_PRIORITY_DEFAULT, on_end, ending->growth, NULL);
    }
  return NULL;
}

/* A follower ends only when it has read what it is about to read, which may
 * take long. */
static void
end_follower (TlGrowth *growth)
{
  if (growth->follower == NULL)
    return;
  wait_for_end (growth);
  g_atomic_int_set (&growth->is_over, FALSE);
  Ending *ending = g_new (Ending, 1);
  *ending = (Ending){ .growth = growth,
                      .follower = g_steal_pointer (&growth->follower),
                      .recorder = growth->recorder };
  growth->ended = g_steal_pointer (&growth->recorder);
  growth->ended_serial = growth->held != NULL ? growth->come.scan.serial : 0;
  if (growth->ended != NULL && growth->held != NULL)
    growth->ended_held = tl_held_ref (growth->held);
  set_ending (growth, growth->ended != NULL && growth->record_folder != NULL);
  growth->ending = g_thread_new ("end", free_follower, ending);
}

gboolean
tl_growth_follow (TlGrowth *growth, const char *name,
                  const TlStreamOptions *options, GError **error)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth) && name != NULL, FALSE);
  TlFollowerOptions all = {
    .max_bytes = tl_held_budget_get_usual (),
    .rows = choose_rows,
    .needs_flats = get_needs_flats,
    .changed = tell,
    .data = growth,
  };
  if (options != NULL)
    all.stream = *options;
  const TlRecorderOptions record_options = {
    .folder = growth->record_folder,
    .max_bytes = TL_RECORDER_MAX_BYTES,
    .changed = tell,
    .data = growth,
  };
  g_autoptr (TlRecorder) recorder = NULL;
  if (tl_stream_is_address (name))
    {
      all.recorder = recorder = tl_recorder_new (name, &record_options, error);
      if (recorder == NULL)
        return FALSE;
    }
  if (g_strcmp0 (growth->name, name) == 0)
    tl_growth_stop (growth);
  if (tl_stream_is_address (name)) /* it may have to be free first */
    wait_for_end (growth);
  TlFollower *follower = tl_follower_new (name, &all, error);
  if (follower == NULL)
    return FALSE;
  tl_growth_stop (growth);
  growth->follower = follower;
  growth->recorder = g_steal_pointer (&recorder);
  growth->name = g_strdup (name);
  growth->come = (TlFollowNews){ 0 };
  growth->news = (TlGrowthNews){ .is_of_before = TRUE };
  growth->n_malformed_before = growth->n_malformed_ended = 0;
  growth->has_other_angles = FALSE;
  forget_slices (growth);
  growth->n_before = 0;
  growth->before_us = growth->asked_new_us = 0;
  growth->left = (TlTimeLeft){ 0 };
  take_new (growth);
  growth->timeout_id = g_timeout_add (UPDATE_MS, on_timeout, growth);
  set_state (growth, TL_GROWTH_WAITING);
  return TRUE;
}

void
tl_growth_stop (TlGrowth *growth)
{
  g_return_if_fail (TL_IS_GROWTH (growth));
  g_clear_handle_id (&growth->timeout_id, g_source_remove);
  g_autoptr (TlRecording) recording = g_steal_pointer (&growth->recording);
  if (recording != NULL)
    tell_recording (growth, recording,
                    growth->held != NULL
                            && recording->serial == growth->come.scan.serial
                        ? TL_GROWTH_RECORDED_PART
                        : TL_GROWTH_RECORDED_OTHER,
                    growth->held);
  end_follower (growth);
  g_clear_pointer (&growth->held, tl_held_unref);
  growth->is_open = FALSE;
  growth->failed = 0;
  g_clear_pointer (&growth->beamless, g_free);
  g_clear_pointer (&growth->refused, g_free);
  g_clear_pointer (&growth->name, g_free);
  set_state (growth, TL_GROWTH_NONE);
}

gboolean
tl_growth_set_record_folder (TlGrowth *growth, const char *folder,
                             GError **error)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), FALSE);
  if (growth->recorder != NULL
      && !tl_recorder_set_folder (growth->recorder, folder, error))
    return FALSE;
  char *before = growth->record_folder;
  growth->record_folder = g_strdup (folder);
  g_free (before);
  g_object_notify_by_pspec (G_OBJECT (growth), props[PROP_RECORD_FOLDER]);
  return TRUE;
}

const char *
tl_growth_get_record_folder (TlGrowth *growth)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), NULL);
  return growth->record_folder;
}

TlGrowthState
tl_growth_get_state (TlGrowth *growth)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), TL_GROWTH_NONE);
  return growth->state;
}

const char *
tl_growth_get_name (TlGrowth *growth)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), NULL);
  return growth->name;
}

TlHeld *
tl_growth_get_held (TlGrowth *growth)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), NULL);
  return growth->held;
}

gboolean
tl_growth_has_next (TlGrowth *growth)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), FALSE);
  return growth->name != NULL && tl_stream_is_address (growth->name);
}

const char *
tl_growth_get_beamless (TlGrowth *growth)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), "");
  return growth->beamless != NULL ? growth->beamless : "";
}

char *
tl_growth_dup_time_left (TlGrowth *growth)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), NULL);
  return tl_time_left_describe (&growth->left, g_get_monotonic_time ());
}

const char *
tl_growth_get_refused (TlGrowth *growth)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), NULL);
  return growth->refused;
}

const TlGrowthNews *
tl_growth_get_news (TlGrowth *growth)
{
  g_return_val_if_fail (TL_IS_GROWTH (growth), NULL);
  return &growth->news;
}

/* --- the object --- */

static void
tl_growth_set_property (GObject *object, guint prop, const GValue *value,
                        GParamSpec *pspec)
{
  TlGrowth *growth = TL_GROWTH (object);
  gboolean *is_on = prop == PROP_HINTS ? &growth->hints : &growth->follows;
  if (*is_on == g_value_get_boolean (value))
    return;
  *is_on = !*is_on;
  g_object_notify_by_pspec (object, pspec);
}

static void
tl_growth_get_property (GObject *object, guint prop, GValue *value,
                        GParamSpec *pspec)
{
  TlGrowth *growth = TL_GROWTH (object);
  if (prop == PROP_STATE)
    g_value_set_uint (value, growth->state);
  else if (prop == PROP_NEWS)
    g_value_set_pointer (value, &growth->news);
  else if (prop == PROP_ENDING)
    g_value_set_boolean (value, growth->is_ending);
  else if (prop == PROP_RECORD_FOLDER)
    g_value_set_string (value, growth->record_folder);
  else if (prop == PROP_RECORD_PROBLEM)
    g_value_set_string (value, growth->record_problem);
  else
    g_value_set_boolean (value,
                         prop == PROP_HINTS ? growth->hints : growth->follows);
}

static void
tl_growth_dispose (GObject *object)
{
  tl_growth_stop (TL_GROWTH (object));
  G_OBJECT_CLASS (tl_growth_parent_class)->dispose (object);
}

static void
tl_growth_finalize (GObject *object)
{
  TlGrowth *growth = TL_GROWTH (object);
  g_clear_pointer (&growth->ending, g_thread_join);
  g_clear_pointer (&growth->ended, tl_recorder_unref);
  g_clear_pointer (&growth->ended_held, tl_held_unref);
  while (g_idle_remove_by_data (growth))
    ;
  g_mutex_clear (&growth->mutex);
  g_array_unref (growth->sharpness);
  g_free (growth->leave_out);
  g_free (growth->record_folder);
  g_free (growth->record_problem);
  G_OBJECT_CLASS (tl_growth_parent_class)->finalize (object);
}

static void
tl_growth_class_init (TlGrowthClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->set_property = tl_growth_set_property;
  object_class->get_property = tl_growth_get_property;
  object_class->dispose = tl_growth_dispose;
  object_class->finalize = tl_growth_finalize;
  props[PROP_STATE] = g_param_spec_uint (
      "state", NULL, NULL, 0, TL_N_GROWTH_STATES - 1, TL_GROWTH_NONE, flags);
  props[PROP_NEWS] = g_param_spec_pointer ("news", NULL, NULL, flags);
  props[PROP_FOLLOWS] = g_param_spec_boolean ("follows", NULL, NULL, TRUE,
                                              flags | G_PARAM_WRITABLE);
  props[PROP_HINTS] = g_param_spec_boolean ("hints", NULL, NULL, FALSE,
                                            flags | G_PARAM_WRITABLE);
  props[PROP_RECORD_FOLDER] =
      g_param_spec_string ("record-folder", NULL, NULL, NULL, flags);
  props[PROP_RECORD_PROBLEM] =
      g_param_spec_string ("record-problem", NULL, NULL, NULL, flags);
  props[PROP_ENDING] =
      g_param_spec_boolean ("ending", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  signals[BEGUN] =
      g_signal_new ("begun", TL_TYPE_GROWTH, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
  signals[DUE] = g_signal_new ("due", TL_TYPE_GROWTH, G_SIGNAL_RUN_LAST, 0,
                               g_signal_accumulator_true_handled, NULL, NULL,
                               G_TYPE_BOOLEAN, 0);
  signals[SLICE_DUE] =
      g_signal_new ("slice-due", TL_TYPE_GROWTH, G_SIGNAL_RUN_LAST, 0, NULL,
                    NULL, NULL, G_TYPE_NONE, 0);
  signals[ENDED] = g_signal_new ("ended", TL_TYPE_GROWTH, G_SIGNAL_RUN_LAST, 0,
                                 NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[RECORDED] = g_signal_new (
      "recorded", TL_TYPE_GROWTH, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
      G_TYPE_NONE, 3, G_TYPE_POINTER, G_TYPE_UINT, G_TYPE_POINTER);
  signals[TOLD] =
      g_signal_new ("told", TL_TYPE_GROWTH, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[FAILED] =
      g_signal_new ("failed", TL_TYPE_GROWTH, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                    NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
tl_growth_init (TlGrowth *growth)
{
  growth->follows = growth->is_idle = growth->needs_flats = TRUE;
  growth->sharpness = g_array_new (FALSE, FALSE, sizeof (TlGrowthSharpness));
  g_mutex_init (&growth->mutex);
}

TlGrowth *
tl_growth_new (void)
{
  return g_object_new (TL_TYPE_GROWTH, NULL);
}

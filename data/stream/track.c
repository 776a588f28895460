#include "data/stream/track-private.h"

#include "data/array.h"
#include "data/error.h"
#include "data/read/scan/frame-ranges.h"
#include "data/stream/expected-private.h"
#include "data/stream/last-field-private.h"
#include "data/stream/pixels-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* A message has at most these events: trouble six times, a scan, a dark and a
 * flat of the scan before, and twice a frame and its end. */
#define MAX_EVENTS 13

/* A sender that pauses for longer than this, and for several times its longest
 * pause, has stalled. */
#define STALL_US (10 * G_USEC_PER_SEC)
#define STALL_PAUSES 4

/* A scan that does not say whether it is complete counts as such after that, if
 * it may be. A beam that is filled again comes back sooner. */
#define PATIENCE_US (30 * G_USEC_PER_SEC)

/* A sender that has gone for longer than that is not just connecting again. */
#define LEFT_US (G_USEC_PER_SEC / 2)

/* If more frames are missing than the projections divided by this, they are not
 * taken for lost on the way: the sender has not finished. */
#define LOST_PARTS 10

/* So many groups of missing projections are named. */
#define MAX_NAMED 5

/* So many frames that came before, one after the other, are those of a sender
 * that has begun again. */
#define MAX_DOUBLED_RUN 8

/* On its way, a frame is overtaken by no more than these. */
#define MAX_LATE 16

/* Angles over more turns than this may be degrees sent as radians. */
#define MAX_TURNS 4

/* No sender leaves out so many projections. */
#define MAX_LEFT_OUT 65536

const TlFrameKind tl_stream_order[TL_N_FRAME_KINDS] = {
  TL_FRAMES_DARKS,
  TL_FRAMES_FLATS,
  TL_FRAMES_PROJECTIONS,
};

/* What a file or folder has of a scan, as of tl_track_set_places(). */
typedef struct
{
  guint scan;
  size_t n_places, n_likely, n_lost_ids;
  char *lost_ids; /* (nullable): which ones */
} Places;

/* The frames of one kind that have come. */
typedef struct
{
  guint8 *bits; /* [n_bytes] */
  size_t n_bytes;
  guint64 first, end; /* the smallest number; one more than the largest */
  guint64 n_leapt;    /* numbers that the sender leaves out */
} Seen;

/* Why a frame may not be of the present scan, or of none. */
typedef enum
{
  ODD_NOTHING,
  ODD_AGAIN, /* a frame 0 that came before */
  ODD_SHAPE, /* another one, or another type */
  ODD_TURN,  /* a number of another scan, of a sender that counts on */
  ODD_NUMBER /* far beyond all others */
} Oddity;

struct TlTrack
{
  char *name;
  TlExpected expected;
  TlStreamScan scan;
  TlStreamCounts counts;

  gboolean has_geometry; /* the sender has said the shape before the frames */
  gboolean is_announced; /* and of this scan, not only of an earlier one */
  TlMessage settings;    /* for the next geometry; OTHER: none */
  double *angles_deg;
  gboolean has_given_angles; /* angles_deg are those that the user gave */
  size_t series;             /* place of the present one */
  guint scan_id;
  guint64 turn; /* of a sender whose numbers go on from scan to scan */
  gboolean has_turn, is_ended;
  gboolean has_early_fields; /* flats or darks came before the end */

  Seen seen[TL_N_FRAME_KINDS];
  Seen before; /* projections of the scan before, with numbers of turn_before */
  guint64 turn_before;
  guint64 step, newest;    /* between the first two projections; the last one */
  gboolean lacks_angles;   /* of a projection, which has been told */
  gboolean has_sender;     /* and is no file or folder */
  gboolean lacks_geometry; /* the sender sends one, which was not received */
  gboolean has_numbers;    /* the sender says them */
  gboolean has_step;       /* it was the same between all of them */
  gboolean has_late;       /* one has come after much later ones */
  TlFrameKind last_kind;   /* of the last frame, and its number */
  guint64 last_number;
  guint n_doubled_run;

  /* The last frame, if it was odd: the next one decides whether it is the first
   * of another scan. */
  Oddity oddity;
  TlMessage odd;    /* its pixels are odd_pixels */
  void *odd_pixels; /* (nullable) */

  Places places;

  TlLastField last[TL_N_FRAME_KINDS]; /* of flats and darks */

  gint64 last_us, longest_us; /* when a frame came; the longest pause */
  double low_deg, high_deg;   /* of the projections; NaN: none has an angle */
  gboolean is_stalled;

  void *pixels; /* [n_bytes] */
  size_t n_bytes;

  TlStreamEvent events[MAX_EVENTS];
  guint n_events, next_event;
  GPtrArray *texts; /* of the events */
  char *last_text;  /* (nullable): of the last trouble */
};

TlTrack *
tl_track_new (const char *name, const TlStreamOptions *options, GError **error)
{
  g_autoptr (TlTrack) track = g_new0 (TlTrack, 1);
  track->name = g_strdup (name);
  track->texts = g_ptr_array_new_with_free_func (g_free);
  return tl_expected_init (&track->expected, options, error)
             ? g_steal_pointer (&track)
             : NULL;
}

void
tl_track_free (TlTrack *track)
{
  if (track == NULL)
    return;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      g_free (track->seen[kind].bits);
      tl_last_field_clear (&track->last[kind]);
    }
  g_free (track->before.bits);
  tl_expected_clear (&track->expected);
  g_ptr_array_unref (track->texts);
  g_free (track->last_text);
  g_free (track->places.lost_ids);
  g_free (track->angles_deg);
  g_free (track->pixels);
  g_free (track->odd_pixels);
  g_free (track->name);
  g_free (track);
}

const TlStreamScan *
tl_track_get_scan (TlTrack *track)
{
  return &track->scan;
}

/* Returns: whether a later pass may bring the projections between those that
 * have come */
static gboolean
has_passes (const TlTrack *track)
{
  return track->has_late || (track->has_step && track->step > 1);
}

/* Returns: what is known of the present scan */
static const Places *
get_places (const TlTrack *track)
{
  static const Places unknown;
  return track->places.scan == track->scan_id ? &track->places : &unknown;
}

static void
count_missing (TlTrack *track)
{
  track->counts.n_missing = (size_t)track->seen[TL_FRAMES_PROJECTIONS].end
                            - track->counts.n_received[TL_FRAMES_PROJECTIONS]
                            + get_places (track)->n_lost_ids;
}

const TlStreamCounts *
tl_track_get_counts (TlTrack *track)
{
  count_missing (track);
  track->counts.n_places = get_places (track)->n_places;
  track->counts.is_stalled = track->is_stalled;
  track->counts.n_lost =
      !track->is_ended && has_passes (track) ? 0 : track->counts.n_missing;
  return &track->counts;
}

/* --- events --- */

gboolean
tl_track_next (TlTrack *track, TlStreamEvent *event)
{
  if (track->next_event >= track->n_events)
    return FALSE;
  *event = track->events[track->next_event++];
  return TRUE;
}

static void
clear_events (TlTrack *track)
{
  track->n_events = track->next_event = 0;
  g_ptr_array_set_size (track->texts, 0);
}

static TlStreamEvent *
add_event (TlTrack *track, TlStreamEventType type)
{
  g_assert (track->n_events < MAX_EVENTS);
  TlStreamEvent *event = &track->events[track->n_events++];
  *event = (TlStreamEvent){ .type = type, .angle_deg = NAN };
  return event;
}

/* Says it, unless it was the last that was said of this scan: a sender that is
 * wrong is wrong with each message. @text: (transfer full) */
static void
add_trouble (TlTrack *track, char *text)
{
  if (g_strcmp0 (text, track->last_text) == 0)
    {
      g_free (text);
      return;
    }
  g_free (track->last_text);
  track->last_text = g_strdup (text);
  g_ptr_array_add (track->texts, text);
  add_event (track, TL_STREAM_TROUBLE)->text = text;
}

/* @hint: of the event */
static void
add_trouble_with_hint (TlTrack *track, char *text, const char *hint)
{
  const guint n_before = track->n_events;
  add_trouble (track, text);
  if (track->n_events > n_before)
    track->events[n_before].hint = hint;
}

static void
drop (TlTrack *track, const char *why)
{
  const guint n_before = track->n_events;
  track->counts.n_malformed++;
  add_trouble (
      track, g_strdup_printf (_ ("%s: %s; it is left out"), track->name, why));
  if (track->n_events > n_before)
    track->events[n_before].is_malformed = TRUE;
}

void
tl_track_refuse (TlTrack *track, const GError *why)
{
  clear_events (track);
  drop (track, why->message);
}

void
tl_track_tell (TlTrack *track, const GError *why)
{
  clear_events (track);
  add_trouble (track, g_strdup (why->message));
}

void
tl_track_set_places (TlTrack *track, guint scan, size_t n_places,
                     size_t n_likely, GArray *lost_ids)
{
  g_free (track->places.lost_ids);
  track->places =
      (Places){ .scan = scan, .n_places = n_places, .n_likely = n_likely };
  if (lost_ids != NULL && lost_ids->len > 0)
    {
      track->places.n_lost_ids = tl_frame_ranges_count (lost_ids);
      track->places.lost_ids = tl_frame_ranges_list (lost_ids);
    }
}

/* Where the first of the flats, or darks, begins to count is not known. */
static void
count_gaps (TlTrack *track, TlFrameKind kind)
{
  const Seen *seen = &track->seen[kind];
  const guint64 n =
      seen->n_leapt + track->counts.n_received[kind] + seen->first;
  track->counts.n_gaps[kind] = seen->end > n ? (size_t)(seen->end - n) : 0;
}

/* --- frames that have come --- */

static gboolean
was_seen (const Seen *seen, guint64 number)
{
  return number / 8 < seen->n_bytes
         && (seen->bits[number / 8] >> number % 8 & 1) != 0;
}

/* @n_come: how many have come before. A leap over more numbers than these is no
 * loss: a sender may count the frames of all kinds together.
 * @number: below TL_STREAM_MAX_FRAMES */
static void
mark_seen (Seen *seen, size_t n_come, guint64 number)
{
  if (n_come > 0 && number > seen->end + n_come)
    seen->n_leapt += number - seen->end;
  seen->first = n_come == 0 ? number : MIN (seen->first, number);
  if (number / 8 >= seen->n_bytes)
    {
      const size_t n_bytes = MAX (2 * seen->n_bytes, (size_t)number / 8 + 1);
      seen->bits = g_realloc (seen->bits, n_bytes);
      memset (seen->bits + seen->n_bytes, 0, n_bytes - seen->n_bytes);
      seen->n_bytes = n_bytes;
    }
  seen->bits[number / 8] |= (guint8)(1 << number % 8);
  seen->end = MAX (seen->end, number + 1);
}

static gboolean
has_frames (const TlTrack *track)
{
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (track->counts.n_received[kind] > 0)
      return TRUE;
  return FALSE;
}

/* Returns: whether all that is expected has come. A sender that closes each
 * series says it. */
static gboolean
is_complete (const TlTrack *track)
{
  const size_t *n = track->counts.n_received;
  return track->scan.n_projections > 0 && track->expected.n_series == 1
         && n[TL_FRAMES_PROJECTIONS] >= track->scan.n_projections
         && n[TL_FRAMES_FLATS] >= track->scan.n_flats
         && n[TL_FRAMES_DARKS] >= track->scan.n_darks;
}

/* --- scans --- */

/* Says what was wrong with the odd frame before, which was stray. That a frame
 * came again is no fault, and was counted. */
static void
drop_odd (TlTrack *track)
{
  const TlMessage *odd = &track->odd;
  const TlStreamScan *scan = &track->scan;
  g_autofree char *why = NULL;
  if (track->oddity == ODD_SHAPE)
    why = g_strdup_printf (_ ("a frame has %zu x %zu pixels of %s, and those "
                              "around it have %zu x %zu of %s"),
                           odd->n_rows, odd->n_cols,
                           tl_sample_name (odd->sample_type), scan->n_rows,
                           scan->n_cols, tl_sample_name (scan->type));
  else if (track->oddity == ODD_TURN || track->oddity == ODD_NUMBER)
    {
      const guint64 first =
          track->has_turn ? track->turn * scan->n_projections : 0;
      why = g_strdup_printf (_ ("a projection has the number %zu, which is far "
                                "from the one before it, %zu"),
                             (size_t)odd->number,
                             (size_t)(first + track->newest));
    }
  track->oddity = ODD_NOTHING;
  if (why != NULL)
    drop (track, why);
}

/* Frames of this scan may still come when the next one has begun. */
static void
keep_seen (TlTrack *track)
{
  Seen *seen = &track->seen[TL_FRAMES_PROJECTIONS];
  g_free (track->before.bits);
  track->before = track->has_turn ? *seen : (Seen){ 0 };
  track->turn_before = track->turn;
  if (track->has_turn)
    *seen = (Seen){ 0 };
}

/* Begins to count anew; the next scan is described as the last one was. */
static void
begin_scan (TlTrack *track)
{
  drop_odd (track);
  const size_t n_malformed = track->counts.n_malformed;
  g_clear_pointer (&track->last_text, g_free);
  if (track->scan.n_projections > 0 && has_frames (track) && !track->is_ended)
    add_trouble (
        track,
        g_strdup_printf (
            g_dngettext (NULL,
                         "%s: another scan begins after %zu of %zu projection",
                         "%s: another scan begins after %zu of %zu projections",
                         track->scan.n_projections),
            track->name, track->counts.n_received[TL_FRAMES_PROJECTIONS],
            track->scan.n_projections));
  track->counts = (TlStreamCounts){ .n_malformed = n_malformed };
  keep_seen (track);
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    {
      g_free (track->seen[kind].bits);
      track->seen[kind] = (Seen){ 0 };
    }
  track->has_step = track->has_late = track->lacks_angles = FALSE;
  track->scan.serial++;
  track->series = 0;
  track->n_doubled_run = 0;
  track->has_turn = track->is_ended = track->is_announced = FALSE;
  track->has_early_fields = FALSE;
  track->longest_us = 0;
  track->low_deg = track->high_deg = NAN;
}

static void
forget_geometry (TlTrack *track)
{
  g_clear_pointer (&track->angles_deg, g_free);
  track->scan = (TlStreamScan){ .serial = track->scan.serial };
  track->has_geometry = track->has_given_angles = FALSE;
}

static void
apply_settings (TlTrack *track)
{
  const gboolean is_said = track->settings.type == TL_MESSAGE_SETTINGS;
  TlStreamScan *scan = &track->scan;
  if (is_said)
    {
      scan->n_darks = track->settings.n_darks;
      scan->n_flats = track->settings.n_flats;
      scan->is_attenuation = track->settings.is_attenuation;
    }
  scan->are_counts =
      !scan->is_attenuation && (is_said || !tl_sample_is_float (scan->type));
}

static void
set_angles (TlTrack *track, const TlMessage *message)
{
  if (message->angles == NULL)
    return;
  track->angles_deg = g_new (double, message->n_projections);
  for (size_t k = 0; k < message->n_projections; k++)
    {
      guint32 bits;
      float angle;
      memcpy (&bits, message->angles + k * sizeof bits, sizeof bits);
      bits = GUINT32_FROM_LE (bits);
      memcpy (&angle, &bits, sizeof angle);
      track->angles_deg[k] = (double)angle * 180 / G_PI;
    }
  track->scan.angles_deg = track->angles_deg;
}

/* Fills in what the sender does not say, and replaces its angles. */
static void
apply_expected (TlTrack *track)
{
  TlStreamScan *scan = &track->scan;
  const size_t *n = track->expected.n;
  const size_t n_given = n[TL_FRAMES_PROJECTIONS];
  if (scan->n_projections > 0 && n_given > 0 && n_given != scan->n_projections)
    add_trouble (
        track, g_strdup_printf (
                   g_dngettext (NULL,
                                "%s: %zu projection is announced, and not %zu "
                                "as expected; what the sender says counts",
                                "%s: %zu projections are announced, and not "
                                "%zu as expected; what the sender says counts",
                                scan->n_projections),
                   track->name, scan->n_projections, n_given));
  if (scan->n_projections == 0)
    scan->n_projections = n_given;
  if (scan->n_flats == 0)
    scan->n_flats = n[TL_FRAMES_FLATS];
  if (scan->n_darks == 0)
    scan->n_darks = n[TL_FRAMES_DARKS];
  double *angles_deg =
      tl_expected_dup_angles (&track->expected, scan->n_projections);
  if (angles_deg == NULL)
    return;
  g_free (track->angles_deg);
  scan->angles_deg = track->angles_deg = angles_deg;
  track->has_given_angles = TRUE;
}

/* Says that the announced angles may not be what they should be: those of a
 * turn, or of half of one, but in degrees. */
static void
check_units (TlTrack *track)
{
  const size_t n = track->scan.n_projections;
  double low = INFINITY, high = -INFINITY;
  for (size_t k = 0; k < n; k++)
    {
      low = fmin (low, track->angles_deg[k]);
      high = fmax (high, track->angles_deg[k]);
    }
  const double turns = (high - low) / 360;
  const double span = (high - low) * G_PI / 180; /* as it was sent */
  const double step = n > 1 ? span / (double)(n - 1) : 0;
  if (turns < MAX_TURNS
      || (fabs (span + step / 2 - 180) > step
          && fabs (span + step / 2 - 360) > step))
    return;
  add_trouble (
      track,
      g_strdup_printf (_ ("%s: the angles of the geometry are taken as "
                          "radians, which makes %.0f turns; they look like "
                          "degrees, and then the sender has to convert them"),
                       track->name, turns));
}

static void
take_geometry (TlTrack *track, const TlMessage *message)
{
  if (track->scan.serial == 0 || has_frames (track))
    begin_scan (track);
  forget_geometry (track);
  track->has_geometry = track->is_announced = TRUE;
  track->scan.n_rows = message->n_rows;
  track->scan.n_cols = message->n_cols;
  track->scan.type = message->sample_type;
  track->scan.n_projections = message->n_projections;
  set_angles (track, message);
  apply_settings (track);
  apply_expected (track);
  if (track->angles_deg != NULL && !track->has_given_angles)
    check_units (track);
  add_event (track, TL_STREAM_SCAN);
}

static void
take_settings (TlTrack *track, const TlMessage *message)
{
  track->settings = *message;
  if (!track->has_geometry || has_frames (track))
    return;
  apply_settings (track);
  add_event (track, TL_STREAM_SCAN);
}

/* --- frames --- */

static gboolean
has_same_shape (const TlMessage *message, size_t n_rows, size_t n_cols,
                TlSampleType type)
{
  return message->n_rows == n_rows && message->n_cols == n_cols
         && message->sample_type == type;
}

static gboolean
has_shape (const TlTrack *track, const TlMessage *message)
{
  const TlStreamScan *scan = &track->scan;
  return has_same_shape (message, scan->n_rows, scan->n_cols, scan->type);
}

/* Returns: whether frames of this shape can come */
static gboolean
check_geometry (TlTrack *track, const TlMessage *message)
{
  const TlStreamScan *scan = &track->scan;
  if (!track->has_geometry || has_shape (track, message))
    return TRUE;
  g_autofree char *why = g_strdup_printf (
      _ ("a frame has %zu x %zu pixels, and the geometry says %zu x %zu; a "
         "sender whose frames change their size sends a geometry before them"),
      message->n_rows, message->n_cols, scan->n_rows, scan->n_cols);
  drop (track, why);
  return FALSE;
}

/* Begins a scan as the last one was, or with frames of another shape. */
static void
begin_with (TlTrack *track, const TlMessage *message)
{
  begin_scan (track);
  track->scan_id = message->scan;
  if (!has_shape (track, message))
    {
      forget_geometry (track);
      track->scan.n_rows = message->n_rows;
      track->scan.n_cols = message->n_cols;
      track->scan.type = message->sample_type;
      apply_settings (track);
      apply_expected (track);
    }
  add_event (track, TL_STREAM_SCAN);
}

/* Returns: whether the sender has sent its last flats, or darks, before the
 * projections */
static gboolean
sends_first (const TlTrack *track, TlFrameKind kind)
{
  const TlLastField *last = &track->last[kind];
  return last->n_frames > 0 && last->n_projections == 0;
}

/* Returns: whether the frame, without a number, is a late flat or dark: the
 * scan has all its projections, and had no flats or darks before them, and the
 * sender is not known to send them first */
static gboolean
is_late_field (const TlTrack *track, const TlMessage *message)
{
  return message->has_kind && message->kind != TL_FRAMES_PROJECTIONS
         && is_complete (track) && !track->has_early_fields
         && !track->scan.is_attenuation && !sends_first (track, TL_FRAMES_FLATS)
         && !sends_first (track, TL_FRAMES_DARKS);
}

/* Begins a scan if it is certain that the frame is the first of one. */
static void
begin_if_certain (TlTrack *track, const TlMessage *message)
{
  const gboolean is_other = message->scan != track->scan_id
                            || (!message->has_number && track->is_ended
                                && !is_late_field (track, message));
  if (has_frames (track) ? is_other : !has_shape (track, message))
    begin_with (track, message);
  track->scan_id = message->scan;
}

static gboolean
copy_pixels (TlTrack *track, const TlMessage *message)
{
  g_autoptr (GError) error = NULL;
  const size_t n_bytes =
      message->n_rows * message->n_cols * tl_sample_size (message->sample_type);
  if (track->n_bytes != n_bytes)
    {
      g_free (track->pixels);
      track->pixels = tl_try_alloc (message->n_rows, message->n_cols, 1,
                                    tl_sample_size (message->sample_type),
                                    _ ("one projection"), &error);
      track->n_bytes = track->pixels != NULL ? n_bytes : 0;
    }
  if (track->pixels == NULL || !tl_pixels_copy (message, track->pixels, &error))
    {
      drop (track, error->message);
      return FALSE;
    }
  return TRUE;
}

/* Returns: (nullable): the pixels of @message, until the next one */
static const void *
read_pixels (TlTrack *track, const TlMessage *message)
{
  const void *ready = tl_pixels_find_ready (message);
  return ready != NULL                  ? ready
         : copy_pixels (track, message) ? track->pixels
                                        : NULL;
}

static void
keep_time (TlTrack *track, gint64 now_us)
{
  if (has_frames (track))
    track->longest_us = MAX (track->longest_us, now_us - track->last_us);
  track->last_us = now_us;
  track->is_stalled = FALSE;
}

/* Projections may be taken in several passes: each has every @step-th, and a
 * later pass goes back to those between. */
static void
note_order (TlTrack *track, guint64 number)
{
  const size_t n = track->counts.n_received[TL_FRAMES_PROJECTIONS];
  const guint64 step = number - track->newest;
  if (n == 1)
    {
      track->step = step;
      track->has_step = TRUE;
    }
  track->has_step &= n == 0 || step == track->step;
  track->has_late |= number + MAX_LATE < track->seen[TL_FRAMES_PROJECTIONS].end;
  track->newest = number;
}

static void
count_frame (TlTrack *track, TlFrameKind kind, guint64 number)
{
  if (kind == TL_FRAMES_PROJECTIONS)
    note_order (track, number);
  else
    track->has_early_fields |= !track->is_ended;
  mark_seen (&track->seen[kind], track->counts.n_received[kind], number);
  track->counts.n_received[kind]++;
  if (kind == TL_FRAMES_PROJECTIONS)
    count_missing (track);
  else
    count_gaps (track, kind);
  track->n_doubled_run = 0;
}

/* Says once in a scan that a projection has no angle. */
static void
note_no_angle (TlTrack *track)
{
  static const char hint[] = "by --expect N with --angles FIRST:LAST, or by "
                             "--angles-file FILE";
  if (track->lacks_angles)
    return;
  track->lacks_angles = TRUE;
  if (track->lacks_geometry)
    {
      add_trouble_with_hint (
          track,
          g_strdup_printf (
              _ ("%s: the sender does not say the angle of a projection: the "
                 "geometry was sent before this program started, so that this "
                 "scan cannot be shown unless its number of projections and "
                 "their angles are given; the next one can"),
              track->name),
          hint);
      return;
    }
  add_trouble_with_hint (
      track,
      g_strdup_printf (
          track->has_sender
              ? _ ("%s: the sender does not say the angle of a projection, so "
                   "that it cannot be used; the number of projections and "
                   "their first and last angle, or a file of angles, can be "
                   "given")
              : _ ("%s: a projection has no angle, so that it cannot be used "
                   "while the scan is taken; the number of projections and "
                   "their first and last angle, or a file of angles, can be "
                   "given"),
          track->name),
      hint);
}

static void
add_frame (TlTrack *track, TlFrameKind kind, guint64 number, double angle_deg,
           const void *pixels)
{
  TlStreamEvent *event = add_event (track, TL_STREAM_FRAME);
  event->kind = kind;
  event->number = (size_t)number;
  event->pixels = pixels;
  event->angle_deg = angle_deg;
  if ((isnan (event->angle_deg) || track->has_given_angles)
      && kind == TL_FRAMES_PROJECTIONS && track->angles_deg != NULL)
    event->angle_deg = track->angles_deg[number];
  track->low_deg = fmin (track->low_deg, event->angle_deg);
  track->high_deg = fmax (track->high_deg, event->angle_deg);
  if (kind == TL_FRAMES_PROJECTIONS && isnan (event->angle_deg))
    note_no_angle (track);
  if (!track->is_ended && is_complete (track))
    {
      track->is_ended = TRUE;
      add_event (track, TL_STREAM_END);
    }
}

/* --- where a frame belongs --- */

static TlFrameKind
get_kind (const TlTrack *track, const TlMessage *message)
{
  return message->has_kind ? message->kind
                           : track->expected.series[track->series];
}

/* Returns: whether the sender goes on counting in the next scan, so that the
 * number says which scan the frame is of */
static gboolean
has_turns (const TlTrack *track, const TlMessage *message)
{
  return message->counts_on && message->kind == TL_FRAMES_PROJECTIONS
         && track->scan.n_projections > 0;
}

static guint64
get_turn (const TlTrack *track, const TlMessage *message)
{
  return message->number / track->scan.n_projections;
}

/* Returns: the number within the scan */
static guint64
get_number (const TlTrack *track, const TlMessage *message)
{
  return !message->has_number ? track->seen[get_kind (track, message)].end
         : has_turns (track, message)
             ? message->number % track->scan.n_projections
             : message->number;
}

/* Returns: whether the frame is of the scan before, and was overtaken: it is
 * one of the last in number, or has not come then */
static gboolean
is_late (const TlTrack *track, const TlMessage *message)
{
  if (!has_turns (track, message) || !track->has_turn
      || get_turn (track, message) + 1 != track->turn)
    return FALSE;
  const guint64 number = get_number (track, message);
  return number + MAX_LATE >= track->scan.n_projections
         || (track->before.end > 0
             && track->turn_before == get_turn (track, message)
             && !was_seen (&track->before, number));
}

static Oddity
find_oddity (const TlTrack *track, const TlMessage *message)
{
  const Seen *seen = &track->seen[TL_FRAMES_PROJECTIONS];
  if (!has_shape (track, message))
    return ODD_SHAPE;
  if (has_turns (track, message))
    return track->has_turn && get_turn (track, message) != track->turn
                   && !is_late (track, message)
               ? ODD_TURN
               : ODD_NOTHING;
  return get_kind (track, message) == TL_FRAMES_PROJECTIONS && seen->end > 0
                 && track->scan.n_projections == 0
                 && get_number (track, message) < TL_STREAM_MAX_FRAMES
                 && get_number (track, message) > seen->end + MAX_LEFT_OUT
             ? ODD_NUMBER
             : ODD_NOTHING;
}

/* Returns: whether the frame is the last one once more */
static gboolean
is_repeated (const TlTrack *track, const TlMessage *message)
{
  return track->last_kind == get_kind (track, message)
         && track->last_number == get_number (track, message);
}

/* Returns: whether the frame goes on from the frame 0 before it, as the second
 * one of a scan that begins. Some frames may have been lost. */
static gboolean
goes_on (const TlTrack *track, const TlMessage *message)
{
  const TlFrameKind kind = get_kind (track, message);
  const guint64 number = get_number (track, message);
  const gboolean was_here = was_seen (&track->seen[kind], number);
  return kind == track->odd.kind
             ? number == 1 || (was_here && number < MAX_DOUBLED_RUN)
             : was_here && number == 0;
}

/* Returns: whether the frame is the odd one before it once more */
static gboolean
is_odd_again (const TlTrack *track, const TlMessage *message)
{
  const TlMessage *odd = &track->odd;
  return track->oddity > ODD_AGAIN && message->has_number
         && message->number == odd->number
         && get_kind (track, message) == odd->kind
         && has_same_shape (message, odd->n_rows, odd->n_cols,
                            odd->sample_type);
}

/* Returns: whether the frame is odd in the same way as the odd one before it,
 * so that this one was not stray */
static gboolean
agrees (const TlTrack *track, const TlMessage *message, Oddity oddity)
{
  const TlMessage *odd = &track->odd;
  if (track->oddity == ODD_AGAIN)
    return !is_repeated (track, message) && goes_on (track, message)
           && has_same_shape (message, odd->n_rows, odd->n_cols,
                              odd->sample_type);
  if (oddity == ODD_NOTHING || oddity != track->oddity)
    return FALSE;
  return oddity == ODD_SHAPE ? has_same_shape (message, odd->n_rows,
                                               odd->n_cols, odd->sample_type)
         : oddity == ODD_TURN
             ? get_turn (track, message) == get_turn (track, odd)
             : MAX (message->number, odd->number)
                       - MIN (message->number, odd->number)
                   <= MAX_LEFT_OUT;
}

/* Keeps the frame until the next one. */
static void
keep_odd (TlTrack *track, const TlMessage *message, Oddity oddity)
{
  drop_odd (track);
  if (!copy_pixels (track, message))
    return;
  g_free (track->odd_pixels);
  track->odd_pixels = g_steal_pointer (&track->pixels);
  track->n_bytes = 0;
  track->oddity = oddity;
  track->odd = *message;
  track->odd.kind = get_kind (track, message);
  track->odd.pixels = track->odd_pixels;
  track->odd.pixels_stay = TRUE;
  track->odd.is_packed = track->odd.is_mirrored = FALSE;
  track->odd.n_quarter_turns = 0;
  track->odd.is_big_endian = G_BYTE_ORDER == G_BIG_ENDIAN;
}

/* Returns: whether the frame is new, in this scan or in one that begins. A
 * sender that has said the geometry says it again when it begins. */
static gboolean
check_new (TlTrack *track, const TlMessage *message)
{
  const TlFrameKind kind = get_kind (track, message);
  const guint64 number = get_number (track, message);
  if (is_late (track, message))
    {
      track->counts.n_doubled++;
      return FALSE;
    }
  if (!was_seen (&track->seen[kind], number))
    return TRUE;
  if (++track->n_doubled_run > MAX_DOUBLED_RUN)
    {
      begin_with (track, message);
      return TRUE;
    }
  track->counts.n_doubled++;
  if (number == 0 && !is_repeated (track, message)
      && (!track->has_geometry || track->is_ended))
    keep_odd (track, message, ODD_AGAIN);
  return FALSE;
}

/* Returns: whether there can be such a frame */
static gboolean
check_number (TlTrack *track, TlFrameKind kind, guint64 number)
{
  const size_t n = track->scan.n_projections;
  if (number >= TL_STREAM_MAX_FRAMES)
    {
      g_autofree char *text = g_strdup_printf (
          _ ("a frame has the number %llu; no scan has so many"),
          (unsigned long long)number);
      drop (track, text);
      return FALSE;
    }
  if (kind != TL_FRAMES_PROJECTIONS || n == 0 || number < n)
    return TRUE;
  g_autofree char *why =
      g_strdup_printf (g_dngettext (NULL,
                                    "a projection has the number %zu, counted "
                                    "from 0, and %zu is expected",
                                    "a projection has the number %zu, counted "
                                    "from 0, and %zu are expected",
                                    n),
                       (size_t)number, n);
  drop (track, why);
  return FALSE;
}

/* Adds the mean of the newest flats, or darks, which came with another scan.
 * Returns: whether there are any that fit */
static gboolean
add_last_field (TlTrack *track, TlFrameKind kind)
{
  const void *pixels = tl_last_field_get (&track->last[kind], &track->scan);
  if (pixels == NULL || track->counts.n_received[kind] > 0)
    return FALSE;
  TlStreamEvent *event = add_event (track, TL_STREAM_FRAME);
  event->kind = kind;
  event->pixels = pixels;
  event->n_borrowed = track->last[kind].n_frames;
  return TRUE;
}

/* Uses the flats and darks of an earlier scan for one that begins without, and
 * of which none are announced. */
static void
use_last_fields (TlTrack *track)
{
  TlStreamScan *scan = &track->scan;
  const size_t *n_expected = track->expected.n;
  const gboolean will_come = n_expected[TL_FRAMES_FLATS] > 0
                             || (track->is_announced && scan->n_flats > 0);
  if (track->counts.n_received[TL_FRAMES_PROJECTIONS] > 0
      || scan->is_attenuation || will_come
      || !add_last_field (track, TL_FRAMES_FLATS))
    return;
  add_last_field (track, TL_FRAMES_DARKS);
  scan->n_flats = n_expected[TL_FRAMES_FLATS];
  scan->n_darks = n_expected[TL_FRAMES_DARKS];
  add_trouble (
      track, g_strdup_printf (_ ("%s: this scan begins without flats, so that "
                                 "those of an earlier scan, and its darks, "
                                 "are used until others come"),
                              track->name));
}

/* A list of angles that is written with the projections, none or one ahead of
 * them, says nothing. */
static void
note_likely (TlTrack *track)
{
  TlStreamCounts *counts = &track->counts;
  const size_t n = get_places (track)->n_likely;
  if (n != counts->n_likely)
    counts->n_likely =
        n > counts->n_received[TL_FRAMES_PROJECTIONS] + 1 ? n : 0;
}

/* Takes a frame of the present scan. */
static void
place_frame (TlTrack *track, const TlMessage *message, gint64 now_us)
{
  if (!check_number (track, get_kind (track, message),
                     get_number (track, message)))
    return;
  const gboolean is_new = check_new (track, message);
  const TlFrameKind kind = get_kind (track, message);
  const guint64 number = get_number (track, message);
  const void *pixels = is_new ? read_pixels (track, message) : NULL;
  if (is_new && has_turns (track, message))
    {
      track->turn = get_turn (track, message);
      track->has_turn = TRUE;
    }
  if (pixels != NULL)
    {
      if (kind == TL_FRAMES_PROJECTIONS)
        use_last_fields (track);
      else if (message->may_lack_fields && !track->scan.is_attenuation)
        tl_last_field_add (&track->last[kind], &track->scan,
                           track->counts.n_received[TL_FRAMES_PROJECTIONS],
                           pixels);
      keep_time (track, now_us);
      track->scan.pixel_size_um = message->pixel_size_um;
      count_frame (track, kind, number);
      note_likely (track);
      track->has_sender = message->may_lack_fields;
      track->lacks_geometry = message->counts_on && !track->has_geometry;
      add_frame (track, kind, number, message->angle_deg, pixels);
    }
  track->has_numbers = message->has_number;
  track->last_kind = kind;
  track->last_number = number;
}

/* Takes the odd frame before as the first of another scan, or of what follows
 * a leap. */
static void
place_odd (TlTrack *track, gint64 now_us)
{
  const Oddity oddity = track->oddity;
  track->oddity = ODD_NOTHING;
  if (oddity != ODD_NUMBER)
    begin_with (track, &track->odd);
  place_frame (track, &track->odd, now_us);
}

/* Returns: whether it remains open, after the frame, if the odd one before it
 * was stray */
static gboolean
says_nothing (const TlTrack *track, const TlMessage *message)
{
  return track->oddity == ODD_AGAIN
             ? is_repeated (track, message)
             : track->oddity != ODD_SHAPE
                   && get_kind (track, message) != TL_FRAMES_PROJECTIONS;
}

static void
take_frame (TlTrack *track, const TlMessage *message, gint64 now_us)
{
  if (!check_geometry (track, message))
    return;
  begin_if_certain (track, message);
  const Oddity oddity = find_oddity (track, message);
  if (is_odd_again (track, message))
    {
      track->counts.n_doubled++;
      return;
    }
  if (agrees (track, message, oddity))
    place_odd (track, now_us);
  else if (oddity != ODD_NOTHING)
    {
      keep_odd (track, message, oddity);
      return;
    }
  else if (!says_nothing (track, message))
    drop_odd (track);
  place_frame (track, message, now_us);
}

/* Returns: (transfer full): which of the frames from @from to before @end have
 * not come, as "3, 5–7" */
static char *
name_missing (const Seen *seen, size_t from, size_t end)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint n_named = 0;
  for (size_t k = from; k < end; k++)
    {
      const size_t first = k;
      while (k < end && !was_seen (seen, k))
        k++;
      if (k == first)
        continue;
      if (n_named++ == MAX_NAMED)
        {
          g_string_append (names, ", …");
          break;
        }
      g_string_append_printf (names, "%s%zu", n_named > 1 ? ", " : "", first);
      if (k - first > 1)
        g_string_append_printf (names, "–%zu", k - 1);
    }
  return g_string_free (g_steal_pointer (&names), FALSE);
}

/* Returns: the words for @n frames of the kind that will not come any more */
static const char *
choose_words (TlFrameKind kind, size_t n)
{
  if (kind == TL_FRAMES_PROJECTIONS)
    return g_dngettext (NULL, "%s: %zu of %zu projections is missing%s",
                        "%s: %zu of %zu projections are missing%s", n);
  if (kind == TL_FRAMES_FLATS)
    return g_dngettext (NULL, "%s: %zu of %zu flats is missing%s",
                        "%s: %zu of %zu flats are missing%s", n);
  return g_dngettext (NULL, "%s: %zu of %zu darks is missing%s",
                      "%s: %zu of %zu darks are missing%s", n);
}

/* Says how many frames of the kind are missing, and which ones where they have
 * numbers. */
static void
tell_missing (TlTrack *track, TlFrameKind kind)
{
  const Seen *seen = &track->seen[kind];
  const gboolean are_fields = kind != TL_FRAMES_PROJECTIONS;
  const size_t n_announced = tl_stream_count_announced (&track->scan, kind);
  const size_t n_come = track->counts.n_received[kind];
  const size_t n_known =
      are_fields ? n_come + track->counts.n_gaps[kind]
                 : MAX ((size_t)seen->end, get_places (track)->n_places);
  const size_t n = MAX (n_announced, n_known);
  if (n == n_come)
    return;
  const size_t from = are_fields && n > n_announced ? (size_t)seen->first : 0;
  g_autofree char *names = name_missing (seen, from, from + n);
  g_autofree char *which =
      track->has_numbers && (!are_fields || seen->n_leapt == 0)
          ? g_strdup_printf (_ (" (counted from 0: %s)"), names)
          : g_strdup ("");
  add_trouble (track, g_strdup_printf (choose_words (kind, n - n_come),
                                       track->name, n - n_come, n, which));
}

static void
tell_lost_ids (TlTrack *track)
{
  const Places *places = get_places (track);
  const size_t n = places->n_lost_ids;
  if (n == 0)
    return;
  add_trouble (
      track, g_strdup_printf (
                 g_dngettext (NULL,
                              "%s: %zu projection has not come into the file "
                              "(unique id: %s)",
                              "%s: %zu projections have not come into the file "
                              "(unique ids: %s)",
                              n),
                 track->name, n, places->lost_ids));
}

/* Ends the scan, and says which frames are missing. */
static void
end_scan (TlTrack *track)
{
  drop_odd (track);
  track->is_ended = TRUE;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    tell_missing (track, kind);
  tell_lost_ids (track);
  add_event (track, TL_STREAM_END);
}

/* A series is closed. */
static void
take_end (TlTrack *track)
{
  const gboolean is_last = track->series + 1 == track->expected.n_series;
  if (track->is_ended || !has_frames (track))
    return;
  drop_odd (track);
  track->series = is_last ? 0 : track->series + 1;
  if (!is_last || track->counts.n_received[TL_FRAMES_PROJECTIONS] == 0)
    return;
  end_scan (track);
}

void
tl_track_take (TlTrack *track, const TlMessage *message, gint64 now_us)
{
  clear_events (track);
  switch (message->type)
    {
    case TL_MESSAGE_SETTINGS:
      take_settings (track, message);
      break;
    case TL_MESSAGE_GEOMETRY:
      take_geometry (track, message);
      break;
    case TL_MESSAGE_FRAME:
      take_frame (track, message, now_us);
      break;
    case TL_MESSAGE_END:
      take_end (track);
      break;
    case TL_MESSAGE_OTHER:
      break;
    }
}

/* Returns: whether the projections cover half a turn, with the step that the
 * last one stands for */
static gboolean
covers_half_turn (const TlTrack *track)
{
  const size_t n = track->counts.n_received[TL_FRAMES_PROJECTIONS];
  const double span_deg = track->high_deg - track->low_deg;
  return n > 1 && span_deg * (double)n / (double)(n - 1) >= 180 - 1e-6;
}

/* Returns: whether the last projection has come, and those before it that have
 * not are lost */
static gboolean
has_last (const TlTrack *track)
{
  return track->scan.n_projections > 0 && !has_passes (track)
         && track->seen[TL_FRAMES_PROJECTIONS].end >= track->scan.n_projections;
}

/* Returns: how many frames of the kind that were announced have not come */
static size_t
count_awaited (const TlTrack *track, TlFrameKind kind)
{
  const size_t n = tl_stream_count_announced (&track->scan, kind);
  return n - MIN (n, track->counts.n_received[kind]);
}

/* Returns: whether flats or darks that were announced have not come, or series
 * of frames that the sender closes may follow */
static gboolean
awaits_fields (const TlTrack *track)
{
  return track->expected.n_series > 1
         || count_awaited (track, TL_FRAMES_FLATS) > 0
         || count_awaited (track, TL_FRAMES_DARKS) > 0;
}

static size_t
count_all_awaited (const TlTrack *track)
{
  size_t n = 0;
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    n += count_awaited (track, kind);
  return n;
}

/* Returns: whether the sender has finished, although frames were lost */
static gboolean
has_lost (const TlTrack *track, gint64 pause_us)
{
  const size_t n = track->scan.n_projections;
  if (n == 0 || track->expected.n_series > 1)
    return FALSE;
  return (has_last (track) && !awaits_fields (track))
         || (pause_us >= PATIENCE_US
             && count_all_awaited (track) * LOST_PARTS <= n);
}

static gboolean
has_ended (const TlTrack *track, TlTrackRest rest, gint64 pause_us)
{
  if (rest == TL_REST_LOST)
    return has_lost (track, pause_us);
  if (rest == TL_REST_CLOSED)
    return track->counts.n_received[TL_FRAMES_PROJECTIONS] > 0;
  return rest == TL_REST_UNKNOWN && pause_us >= PATIENCE_US
         && track->scan.n_projections == 0 && covers_half_turn (track);
}

gboolean
tl_track_is_late (const TlTrack *track, gint64 now_us)
{
  return track->next_event >= track->n_events && !track->is_ended
         && has_frames (track)
         && now_us - track->last_us
                >= MAX (STALL_US, STALL_PAUSES * track->longest_us);
}

/* @pause: what is known, before what is waited for */
static void
tell_wait (TlTrack *track, const char *pause)
{
  const size_t n = count_all_awaited (track);
  add_trouble (
      track,
      g_strdup_printf (
          g_dngettext (NULL,
                       "%s: %s; %zu frame has not come, and the scan ends "
                       "without it %d s after the last one",
                       "%s: %s; %zu frames have not come, and the scan ends "
                       "without them %d s after the last one",
                       n),
          track->name, pause, n, (int)(PATIENCE_US / G_USEC_PER_SEC)));
}

void
tl_track_wait (TlTrack *track, TlTrackRest rest, gint64 now_us)
{
  const gint64 pause_us = now_us - track->last_us;
  const int seconds = (int)(pause_us / G_USEC_PER_SEC);
  if (!tl_track_is_late (track, now_us))
    return;
  clear_events (track);
  if (has_ended (track, rest, pause_us))
    end_scan (track);
  else if (!track->is_stalled)
    {
      track->is_stalled = TRUE;
      if (rest == TL_REST_LOST && has_lost (track, PATIENCE_US))
        {
          g_autofree char *pause =
              g_strdup_printf (_ ("nothing has come for %d s"), seconds);
          tell_wait (track, pause);
          return;
        }
      add_trouble (
          track,
          rest == TL_REST_LOST
              ? g_strdup_printf (_ ("%s: nothing has come for %d s; the sender "
                                    "has stopped, or the connection is lost"),
                                 track->name, seconds)
              : g_strdup_printf (_ ("%s: nothing has been written for %d s; it "
                                    "is watched further"),
                                 track->name, seconds));
    }
}

void
tl_track_leave (TlTrack *track, gint64 now_us)
{
  if (track->is_ended || track->is_stalled || !has_frames (track)
      || now_us - track->last_us
             < MAX (LEFT_US, STALL_PAUSES * track->longest_us))
    return;
  clear_events (track);
  if (has_last (track) && !awaits_fields (track))
    {
      end_scan (track);
      return;
    }
  track->is_stalled = TRUE;
  if (has_lost (track, PATIENCE_US))
    tell_wait (track, _ ("the sender has closed the connection"));
  else
    add_trouble (
        track,
        g_strdup_printf (
            track->scan.n_projections == 0 /* it may have sent all */
                ? _ ("%s: the sender has closed the connection; frames are "
                     "taken again when a sender connects")
                : _ ("%s: the sender has closed the connection, or it is lost; "
                     "frames are taken again when a sender connects"),
            track->name));
}

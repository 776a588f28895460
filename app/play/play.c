#include "app/play/play.h"

#include "app/play/way-private.h"
#include "data/array.h"
#include "data/error.h"
#include "data/read/format/image-format.h"

#include <glib/gi18n.h>
#include <string.h>

/* A delay up to this is made up for. */
#define MAX_LATE_US G_USEC_PER_SEC

static const TlPlayWayClass *const ways[] = { &tl_play_packets, &tl_play_tcp,
                                              &tl_play_json, &tl_play_file,
                                              &tl_play_folder };

static gboolean
has_hdf5_name (const char *path)
{
  static const char *const extensions[] = { ".h5", ".hdf5", ".hdf", ".nxs" };
  g_autofree char *lower = g_ascii_strdown (path, -1);
  for (size_t k = 0; k < G_N_ELEMENTS (extensions); k++)
    if (g_str_has_suffix (lower, extensions[k]))
      return TRUE;
  return FALSE;
}

static const TlPlayWayClass *
find_class (const char *to, GError **error)
{
  for (size_t k = 0; k < G_N_ELEMENTS (ways); k++)
    if (ways[k]->scheme != NULL && g_str_has_prefix (to, ways[k]->scheme))
      return ways[k];
  if (strstr (to, "://") != NULL)
    return tl_fail_null (error, TL_ERROR_VALUE,
                         _ ("%s: unknown kind of address; it begins with "
                            "zmq+tomopackets://, zmq+json:// or tcp://, or is "
                            "a file or folder"),
                         to);
  if (has_hdf5_name (to))
    return &tl_play_file;
  if (tl_image_format_by_name (to) != NULL
      && !g_file_test (to, G_FILE_TEST_IS_DIR))
    return tl_fail_null (error, TL_ERROR_VALUE,
                         _ ("%s: this would be a folder of images; give it a "
                            "name that is not one of an image, or for a file "
                            "one that ends in .h5"),
                         to);
  return &tl_play_folder;
}

gboolean
tl_play_find_way (const char *to, TlPlayWay *way, GError **error)
{
  const TlPlayWayClass *found = find_class (to, error);
  if (found != NULL)
    *way = found->way;
  return found != NULL;
}

/* One detector takes all frames; where a file has stored some in another type,
 * as flats that are already means, all become floats. */
static TlSampleType
choose_type (TlReader *reader)
{
  const TlScanInfo *info = tl_reader_get_info (reader);
  const size_t n_frames[TL_N_FRAME_KINDS] = { info->n_projections,
                                              info->n_flats, info->n_darks };
  for (int kind = 0; kind < TL_N_FRAME_KINDS; kind++)
    if (n_frames[kind] > 0 && tl_reader_get_type (reader, kind) != info->type)
      return TL_SAMPLE_F32;
  return info->type;
}

/* A scan that is being played. */
typedef struct
{
  TlReader *reader;
  const TlPlayWayClass *way;
  gpointer to;
  TlPlayTarget target;
  void *stored;  /* one frame as it is in the file */
  float *floats; /* (nullable): the same, where the type differs */
  gint64 begin_us, due_us, first_us; /* of all; of the next frame; of the
                                        projections */
  size_t n_projections;              /* taken so far */
} Playback;

static const void *
read_frame (Playback *playback, const TlPlayStep *step, GError **error)
{
  const TlScanInfo *info = playback->target.info;
  const TlSampleType type = tl_reader_get_type (playback->reader, step->kind);
  if (!tl_reader_read_frames (playback->reader, step->kind, step->source, 1, 0,
                              info->n_rows, playback->stored, error))
    return NULL;
  if (type == playback->target.type)
    return playback->stored;
  tl_samples_to_float (type, playback->stored, info->n_rows * info->n_cols,
                       playback->floats);
  return playback->floats;
}

/* Sets when the frame after this one is due, and what this one says about the
 * rate. */
static void
keep_time (Playback *playback, const TlPlayStep *step, TlPlayReport *report)
{
  const gint64 now_us = g_get_monotonic_time ();
  const double period_us = G_USEC_PER_SEC / playback->target.job->rate;
  if (step->kind == TL_FRAMES_PROJECTIONS && playback->n_projections++ == 0)
    playback->first_us = now_us;
  else if (step->kind == TL_FRAMES_PROJECTIONS)
    report->rate = (double)(playback->n_projections - 1) * G_USEC_PER_SEC
                   / (double)MAX (now_us - playback->first_us, 1);
  report->seconds =
      (double)(now_us - playback->begin_us) / (double)G_USEC_PER_SEC;
  playback->due_us =
      MAX (playback->due_us, now_us - MAX_LATE_US) + (gint64)period_us;
}

static gboolean
play_step (Playback *playback, const TlPlayStep *step, TlPlayReport *report,
           GError **error)
{
  const TlPlayJob *job = playback->target.job;
  const void *pixels =
      step->is_lost ? NULL : read_frame (playback, step, error);
  if ((pixels == NULL && !step->is_lost)
      || !tl_play_sleep (playback->due_us, playback->target.cancellable, error)
      || (!step->is_lost
          && !playback->way->send (playback->to, step, pixels, error)))
    return FALSE;
  report->n_done++;
  report->n_lost += step->is_lost;
  report->n_sent[step->kind] += !step->is_lost;
  keep_time (playback, step, report);
  if (job->progress != NULL)
    job->progress (report, job->data);
  return TRUE;
}

static gboolean
play_steps (Playback *playback, TlPlayReport *report, GError **error)
{
  const GArray *steps = playback->target.steps;
  playback->begin_us = playback->due_us = g_get_monotonic_time ();
  for (guint k = 0; k < steps->len; k++)
    if (!play_step (playback, &g_array_index (steps, TlPlayStep, k), report,
                    error))
      return FALSE;
  return TRUE;
}

static gboolean
run (Playback *playback, TlPlayReport *report, GError **error)
{
  playback->to = playback->way->open (&playback->target, error);
  if (playback->to == NULL)
    return FALSE;
  const gboolean good = play_steps (playback, report, error);
  return playback->way->close (playback->to, good ? error : NULL) && good;
}

gboolean
tl_play (TlReader *reader, const TlPlayJob *job, GCancellable *cancellable,
         TlPlayReport *report, GError **error)
{
  g_return_val_if_fail (reader != NULL && job->to != NULL && job->rate > 0,
                        FALSE);
  const TlScanInfo *info = tl_reader_get_info (reader);
  g_autoptr (GArray) steps = tl_play_plan (info, &job->plan);
  Playback playback = { .reader = reader,
                        .target = { .job = job,
                                    .info = info,
                                    .steps = steps,
                                    .type = choose_type (reader),
                                    .cancellable = cancellable } };
  *report = (TlPlayReport){ .n_steps = steps->len };
  playback.way = find_class (job->to, error);
  if (playback.way == NULL)
    return FALSE;
  g_autofree void *stored =
      tl_try_alloc (info->n_rows, info->n_cols, 1, sizeof (double),
                    _ ("one projection"), error);
  g_autofree float *floats =
      tl_try_alloc (info->n_rows, info->n_cols, 1, sizeof *floats,
                    _ ("one projection"), error);
  playback.stored = stored;
  playback.floats = floats;
  return stored != NULL && floats != NULL && run (&playback, report, error);
}

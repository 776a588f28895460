#include "app/volume/maker.h"

#include "data/array.h"
#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

/* Values from which the look and the histogram are made. */
#define MAX_SAMPLES ((size_t)1 << 21)

/* Of a volume on a device about so many rows are read: to be judged it must not
 * take much of the time in which it is made. */
#define N_READ_ROWS 256

/* Of the width of the colours: how far the histogram goes beyond their ends.
 * What is further away are a few points of noise or metal. */
#define BELOW 0.25
#define ABOVE 0.5

struct TlVolumeMaker
{
  gatomicrefcount n_refs;
  TlHeldCopy *level; /* of recon */
  TlRecon *recon; /* (nullable): before the first step; engine's thread only */
  gboolean is_at_once;      /* all rows stay in the engine, which is a device */
  size_t first_row, n_rows; /* of the detector, in the level */
};

/* The state of the task. */
typedef struct
{
  TlVolumeMaker *maker;
  TlBox box;
  gboolean is_quick, fetches;
} Work;

TlVolumeMaker *
tl_volume_maker_new (TlHeldCopy *level, const TlBox *box)
{
  TlVolumeMaker *maker = g_new0 (TlVolumeMaker, 1);
  maker->first_row = box->first_row;
  maker->n_rows = box->n_rows;
  g_atomic_ref_count_init (&maker->n_refs);
  maker->level = tl_held_copy_ref (level);
  return maker;
}

void
tl_volume_maker_unref (TlVolumeMaker *maker)
{
  if (maker == NULL || !g_atomic_ref_count_dec (&maker->n_refs))
    return;
  g_clear_pointer (&maker->recon, tl_recon_free);
  tl_held_copy_unref (maker->level);
  g_free (maker);
}

static void
free_work (gpointer data)
{
  Work *work = data;
  tl_volume_maker_unref (work->maker);
  g_free (work);
}

static void
free_made (gpointer data)
{
  TlMadeVolume *made = data;
  tl_voxels_clear (&made->voxels);
  g_free (made);
}

/* Returns: whether the engine of @scan is a device with room for all rows that
 * @box is made of */
static gboolean
has_room (const TlBox *box, TlRecon *scan, const TlRecipe *recipe)
{
  const guint64 free_bytes = tl_engine_get_free (tl_recon_get_engine (scan));
  if (free_bytes == 0)
    return FALSE;
  g_autoptr (TlScanSummary) summary =
      tl_scan_summary_new (tl_reader_get_info (tl_recon_get_reader (scan)));
  return tl_box_fits (box, recipe, summary, free_bytes);
}

/* Makes the reconstruction of the level use the engine of @scan. */
static gboolean
prepare (TlVolumeMaker *maker, const TlBox *box, TlRecon *scan,
         const TlRecipe *recipe, GError **error)
{
  TlEngine *engine = tl_recon_get_engine (scan);
  if (maker->recon == NULL)
    {
      TlReader *reader = tl_held_copy_open (maker->level, error);
      if (reader == NULL)
        return FALSE;
      maker->recon = tl_recon_new (reader, engine);
    }
  else if (tl_recon_get_engine (maker->recon) != engine)
    tl_recon_set_engine (maker->recon, engine);
  else
    return TRUE;
  maker->is_at_once = has_room (box, scan, recipe);
  return TRUE;
}

/* @level: resolved for the projections of @maker */
static gboolean
make_voxels (TlVolumeMaker *maker, const TlBox *box, const TlRecipe *level,
             TlVoxels *voxels, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) reason = NULL;
  if (maker->is_at_once
      && tl_box_make (box, voxels, maker->recon, level, TRUE, cancellable,
                      &reason))
    return TRUE;
  if (reason != NULL && !g_error_matches (reason, TL_ERROR, TL_ERROR_MEMORY))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  maker->is_at_once = FALSE;
  return tl_box_make (box, voxels, maker->recon, level, FALSE, cancellable,
                      error);
}

/* A voxel is as long as @bin pixels. */
static void
scale (TlVoxels *voxels, guint bin)
{
  const size_t n = voxels->n[0] * voxels->n[1] * voxels->n[2];
  const float factor = 1 / (float)bin;
  voxels->factor /= bin;
  for (size_t k = 0; voxels->values != NULL && k < n; k++)
    voxels->values[k] *= factor;
}

static size_t
find_common_divisor (size_t a, size_t b)
{
  while (b > 0)
    {
      const size_t rest = a % b;
      a = b;
      b = rest;
    }
  return a;
}

/* Returns: the distance between the rows of a volume on a device that are read,
 * counted through all slices. It has no divisor in common with the rows of a
 * slice, so that every row of a slice comes up */
static size_t
choose_every (const TlVoxels *voxels)
{
  const size_t n = voxels->n[1];
  size_t every = MAX (n * voxels->n[2] / N_READ_ROWS, 1);
  if (every >= n) /* the next one in another part of a slice */
    every = every / n * n + (size_t)(0.618 * (double)n);
  while (find_common_divisor (n, every) > 1)
    every++;
  return every;
}

/* Copies what is within the circle of a row to @values, which may be @row.
 * @row: [columns], number @index of its slice. Returns: the number of values */
static size_t
take_row (const TlVoxels *voxels, size_t index, const float *row, float *values)
{
  const TlCircle *circle = &voxels->circle;
  const double y = (double)index - circle->row;
  size_t n = 0;
  if (fabs (y) > circle->radius)
    return 0;
  const double half = sqrt (circle->radius * circle->radius - y * y);
  const double from = fmax (ceil (circle->col - half), 0);
  const double to = fmin (circle->col + half, (double)voxels->n[0] - 1);
  for (size_t col = (size_t)from; (double)col <= to; col++)
    values[n++] = (float)voxels->factor * row[col];
  return n;
}

/* As sample(), of a volume on a device. */
static float *
sample_frame (const TlVoxels *voxels, size_t *n, GError **error)
{
  const size_t n_cols = voxels->n[0], every = choose_every (voxels);
  const size_t first = every / 2 % (voxels->n[1] * voxels->n[2]);
  const size_t n_read = (voxels->n[1] * voxels->n[2] - first - 1) / every + 1;
  g_autofree float *values =
      tl_try_alloc (1, n_read, n_cols, sizeof (float), _ ("the volume"), error);
  *n = 0;
  if (values == NULL
      || !tl_frame_read_rows (voxels->frame, first, every, values, error))
    return NULL;
  for (size_t k = 0; k < n_read; k++)
    *n += take_row (voxels, (first + k * every) % voxels->n[1],
                    values + k * n_cols, values + *n);
  return g_steal_pointer (&values);
}

/* Returns: (transfer full): [@n] values from all of the volume, as many as one
 * of 128 x 128 x 128 voxels has at most */
static float *
sample (const TlVoxels *voxels, size_t *n, GError **error)
{
  if (voxels->frame != NULL)
    return sample_frame (voxels, n, error);
  const size_t all = voxels->n[0] * voxels->n[1] * voxels->n[2];
  /* odd, so that columns and rows do not repeat */
  const size_t every = (all + MAX_SAMPLES - 1) / MAX_SAMPLES | 1;
  *n = (all + every - 1) / every;
  float *values =
      tl_try_alloc (*n, 1, 1, sizeof (float), _ ("the volume"), error);
  for (size_t k = 0; values != NULL && k < *n; k++)
    values[k] = voxels->values[k * every];
  return values;
}

/* @values: [@n] */
static void
count_values (const float *values, size_t n, const TlVolumeClasses *classes,
              TlVoxelCounts *counts)
{
  const double width = classes->high - classes->low;
  *counts = (TlVoxelCounts){ .low = classes->low - BELOW * width,
                             .high = classes->high + ABOVE * width };
  const float low = (float)counts->low;
  const float per_value =
      (float)(TL_N_VOXEL_BINS / (counts->high - counts->low));
  for (size_t k = 0; k < n; k++)
    {
      const float at = (values[k] - low) * per_value;
      if (at >= 0 && at < TL_N_VOXEL_BINS) /* NaN is not */
        counts->bins[(int)at]++;
    }
}

/* Looks at the values of @voxels, which are taken. */
static TlMadeVolume *
classify (TlVoxels *voxels, const TlBox *box, GError **error)
{
  size_t n;
  g_autofree float *values = sample (voxels, &n, error);
  if (values == NULL)
    {
      tl_voxels_clear (voxels);
      return NULL;
    }
  TlMadeVolume *made = g_new (TlMadeVolume, 1);
  made->voxels = *voxels;
  made->box = *box;
  tl_volume_find_classes (values, n, &made->classes);
  count_values (values, n, &made->classes, &made->counts);
  return made;
}

/* Returns: milliseconds of the last run, or of its last block, that another
 * centre does not take again */
static double
count_spared (TlRecon *recon)
{
  TlReconTimes times;
  tl_recon_get_times (recon, &times);
  return times.read_ms + times.load_ms + times.compute_ms
         - times.stage_ms[TL_STAGE_FILTER]
         - times.stage_ms[TL_STAGE_BACKPROJECT];
}

static gboolean
make (gpointer state, TlRecon *scan, const TlRecipe *recipe,
      GCancellable *cancellable, gpointer *result, gboolean *is_done,
      GError **error)
{
  const gint64 start_us = g_get_monotonic_time ();
  const Work *work = state;
  const TlBox *box = &work->box;
  TlVolumeMaker *maker = work->maker;
  TlVoxels voxels;
  if (!prepare (maker, box, scan, recipe, error))
    return FALSE;
  const TlScanInfo *info =
      tl_reader_get_info (tl_recon_get_reader (maker->recon));
  g_autoptr (TlRecipe) level =
      tl_resident_dup_recipe (recipe, box->bin, info, error);
  if (level == NULL)
    return FALSE;
  if (work->is_quick)
    level->params.precision = TL_PRECISION_FAST;
  if (!make_voxels (maker, box, level, &voxels, cancellable, error))
    return FALSE;
  if (work->fetches && voxels.frame != NULL
      && !tl_frame_fetch (voxels.frame, error))
    {
      tl_voxels_clear (&voxels);
      return FALSE;
    }
  scale (&voxels, box->bin / recipe->bin);
  TlMadeVolume *made = classify (&voxels, box, error);
  if (made != NULL)
    {
      made->is_quick = work->is_quick;
      made->follow_ms = (double)(g_get_monotonic_time () - start_us) / 1e3
                        - count_spared (maker->recon);
    }
  *result = made;
  *is_done = TRUE;
  return made != NULL;
}

gboolean
tl_volume_maker_has (const TlVolumeMaker *maker, const TlHeldCopy *level)
{
  return maker->level == level;
}

gboolean
tl_volume_maker_serves (const TlVolumeMaker *maker, const TlHeldCopy *level,
                        const TlBox *box)
{
  return tl_volume_maker_has (maker, level)
         && maker->first_row == box->first_row && maker->n_rows == box->n_rows;
}

TlTask
tl_volume_maker_get_task (TlVolumeMaker *maker, const TlBox *box,
                          gboolean is_quick, gboolean fetches)
{
  Work *work = g_new (Work, 1);
  g_atomic_ref_count_inc (&maker->n_refs);
  *work = (Work){ maker, *box, is_quick, fetches };
  return (TlTask){ .kind = TL_TASK_VOLUME,
                   .step = make,
                   .state = work,
                   .free_state = free_work,
                   .free_result = free_made };
}

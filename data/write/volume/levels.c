#include "data/write/volume/volume-private.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <string.h>

/* The coarsest level has at most so many voxels along each axis. */
#define COARSE_SIZE ((size_t)256)

/* The number of parts of at most @max in @size. */
static size_t
count_parts (size_t size, size_t max)
{
  return (size + max - 1) / max;
}

static void
set_tiles (TlLevel *level, size_t max_tile)
{
  level->n_down = count_parts (level->n_rows, max_tile);
  level->n_across = count_parts (level->n_cols, max_tile);
  level->tile_rows = count_parts (level->n_rows, level->n_down);
  level->tile_cols = count_parts (level->n_cols, level->n_across);
}

static void
halve (size_t *size, size_t *step)
{
  if (*size > 1)
    *step *= 2;
  *size = count_parts (*size, 2);
}

TlLevel *
tl_levels_plan (const TlVolumeInfo *info, size_t max_tile, gboolean has_coarse,
                size_t *n_levels)
{
  GArray *levels = g_array_new (FALSE, TRUE, sizeof (TlLevel));
  TlLevel level = { .n_slices = info->n_slices,
                    .n_rows = info->n_rows,
                    .n_cols = info->n_cols,
                    .step = { 1, 1, 1 } };

  set_tiles (&level, max_tile);
  g_array_append_val (levels, level);
  while (has_coarse
         && MAX (MAX (level.n_slices, level.n_rows), level.n_cols)
                > COARSE_SIZE)
    {
      level.first_record += level.n_slices;
      halve (&level.n_slices, &level.step[0]);
      halve (&level.n_rows, &level.step[1]);
      halve (&level.n_cols, &level.step[2]);
      set_tiles (&level, max_tile);
      g_array_append_val (levels, level);
    }
  *n_levels = levels->len;
  return (TlLevel *)g_array_free (levels, FALSE);
}

const void *
tl_level_cut (const TlLevel *level, size_t sample_bytes, const void *samples,
              size_t tile, void *buffer)
{
  const size_t first_row = tile / level->n_across * level->tile_rows;
  const size_t first_col = tile % level->n_across * level->tile_cols;
  const size_t n_rows = MIN (level->tile_rows, level->n_rows - first_row);
  const size_t n_cols = MIN (level->tile_cols, level->n_cols - first_col);

  if (level->n_down * level->n_across == 1)
    return samples;
  if (n_rows < level->tile_rows || n_cols < level->tile_cols)
    memset (buffer, 0, level->tile_rows * level->tile_cols * sample_bytes);
  for (size_t row = 0; row < n_rows; row++)
    memcpy ((char *)buffer + row * level->tile_cols * sample_bytes,
            (const char *)samples
                + ((first_row + row) * level->n_cols + first_col)
                      * sample_bytes,
            n_cols * sample_bytes);
  return buffer;
}

float *
tl_level_reduce (const TlLevel *level, const TlLevel *coarse,
                 const float *pixels, GError **error)
{
  float *means = tl_try_alloc (coarse->n_rows, coarse->n_cols, 1, sizeof *means,
                               _ ("a slice at half the resolution"), error);

  if (means == NULL)
    return NULL;
  for (size_t row = 0; row < coarse->n_rows; row++)
    {
      /* At an odd end the last pixel counts twice: the mean of those there. */
      const float *upper = pixels + 2 * row * level->n_cols;
      const float *lower =
          upper + (2 * row + 1 < level->n_rows ? level->n_cols : 0);
      float *mean = means + row * coarse->n_cols;

      for (size_t col = 0; col < level->n_cols / 2; col++)
        mean[col] = 0.25f
                    * ((upper[2 * col] + upper[2 * col + 1])
                       + (lower[2 * col] + lower[2 * col + 1]));
      if (level->n_cols % 2 == 1)
        mean[coarse->n_cols - 1] =
            0.5f * (upper[level->n_cols - 1] + lower[level->n_cols - 1]);
    }
  return means;
}

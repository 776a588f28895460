/* Makes volumes in the engine's thread, and looks at their values: for a first
 * look and for the histogram. */
#pragma once

#include "app/volume/box.h"
#include "app/worker/task.h"
#include "render/look/volume-look.h"

#define TL_N_VOXEL_BINS 256

/* How often values of a volume occur, in bins of equal widths from @low to
 * @high; the few beyond are left out. Plain value. */
typedef struct
{
  double low, high;
  guint32 bins[TL_N_VOXEL_BINS];
} TlVoxelCounts;

/* Makes volumes of the rows of a box. It is kept between them, so that the
 * engine keeps the rows and what it has corrected. Reference counted, any
 * thread: a task that runs has a reference of its own. */
typedef struct TlVolumeMaker TlVolumeMaker;

/* The result of the task, which owns it. */
typedef struct
{
  TlVoxels voxels;
  TlBox box; /* of them */
  TlVolumeClasses classes;
  TlVoxelCounts counts;
  gboolean is_quick; /* in fast precision, whatever the recipe says */
  double follow_ms;  /* what they take again with another centre */
} TlMadeVolume;

/** tl_volume_maker_new: @level: projections in bins of @box; a reference is
 * taken. Returns: (transfer full): for any box of these rows */
TlVolumeMaker *tl_volume_maker_new (TlHeldCopy *level, const TlBox *box);
void tl_volume_maker_unref (TlVolumeMaker *maker);

/** tl_volume_maker_has: Returns: whether it makes volumes of @level (nullable)
 */
gboolean tl_volume_maker_has (const TlVolumeMaker *maker,
                              const TlHeldCopy *level);

/** tl_volume_maker_serves: Returns: whether it is for the rows of @box in
 * @level */
gboolean tl_volume_maker_serves (const TlVolumeMaker *maker,
                                 const TlHeldCopy *level, const TlBox *box);

/**
 * tl_volume_maker_get_task:
 * @maker: the task takes a reference
 * @is_quick: in fast precision, whatever the recipe says
 * @fetches: the voxels are wanted in host memory
 *
 * Returns: a task whose result is a TlMadeVolume of @box
 */
TlTask tl_volume_maker_get_task (TlVolumeMaker *maker, const TlBox *box,
                                 gboolean is_quick, gboolean fetches);

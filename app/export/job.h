#pragma once

#include "app/export/settings.h"
#include "app/recipe/recipe.h"

/* What is exported, and where to. Plain value; all pointers are borrowed. */
typedef struct
{
  const char *scan; /* its path */
  /* Resolved for the scan, and settled by tl_export_settle_method(); its slice
   * is ignored. */
  const TlRecipe *recipe;
  const char *path; /* of the volume: a folder or a file */
  TlExportSettings settings;
  /* The part to make, 1 … n_parts, where several machines share the export
   * (app/export/part.h); n_parts 0: all of it. */
  guint part, n_parts;
  guint n_devices;      /* GPUs, ignored on host; 0: all of the same kind */
  guint64 budget_bytes; /* of memory; 0: the default */
  gboolean overwrites;  /* a volume at the path, or an unfinished one, may be
                           replaced */
  /* (nullable): the tl_export_dup_state() that the user agreed to replace;
   * %NULL: whatever the export finds when it starts */
  const char *agreed;
  gboolean resumes;   /* goes on with an unfinished volume if there is one */
  gboolean is_strict; /* the first slice that cannot be made ends the export */
  gboolean names_options; /* questions speak of options of the command line */
  gboolean gives_way; /* leaves processors and devices to pictures; from then on
                         the calling thread does, too */
} TlExportJob;

/* The options of "export". */
#pragma once

#include "app/cli/cli-private.h"
#include "app/export/export.h"

/* All strings are owned by the line. */
typedef struct
{
  char *path, *slices, *slice, *devices;                   /* (nullable) */
  char *format, *sample, *range, *plane, *region, *memory; /* (nullable) */
  char *log;    /* (nullable): path */
  char *share;  /* (nullable): of --part */
  char *sbatch; /* (nullable): more options of sbatch */
  gboolean overwrite, resume, strict, submit;
  double rotation_deg;
  gboolean masks;
  int binning, compression;
  int join, slurm; /* how many parts; 0: none; -1 before the check */
  guint part, n_parts;
  guint n_devices; /* 0: all */
  guint64 budget_bytes;
  TlCliRange rows;           /* if slices were given */
  TlExportSettings settings; /* without these rows */
} TlCliExport;

/** tl_cli_export_add_options: @options must outlive @line. */
void tl_cli_export_add_options (TlCliExport *options, TlCliLine *line);

/** tl_cli_export_check: Sets what the strings say. Returns: %FALSE with a
 * G_OPTION_ERROR */
gboolean tl_cli_export_check (TlCliExport *options, GError **error);

/* What an export will take: memory, room on the disk, passes over the scan. Any
 * thread but the main one where GPUs or the disk are asked. */
#pragma once

#include "app/pipeline/pipeline.h"
#include "app/export/settings.h"
#include "data/read/reader.h"

typedef struct
{
  size_t n_slices; /* of the volume */
  /* What fills no bin: detector rows, rows and columns of the slice. */
  size_t n_left_out[3];
  guint64 budget_bytes; /* of memory */
  guint64 memory_bytes; /* the most that the process takes, about */
  guint64 gpu_bytes;    /* the same, of each GPU; 0: none is used */
  guint64 disk_bytes;   /* at most: compressed volumes are smaller */
  guint n_engines;
  size_t block_rows;  /* of the pipeline */
  guint n_writers;    /* the most threads that write at once */
  gboolean ascends;   /* reads with tl_reader_ascend(), keeping no rows */
  guint64 kept_bytes; /* memory of the reader: to ascend, or for rows */
  size_t n_passes;    /* over the scan, see TlOutput */
  guint64 pass_bytes; /* of the slices of a pass, see tl_output_new() */
  /* Seconds for the whole export: first estimated from earlier exports
   * (app/export/rates.h), or from a few slices, then measured at its first
   * blocks; 0: not known yet. */
  double expected_s;
  gboolean is_of_slice; /* without reading and writing */
  gboolean is_measured;
  /* What holds up the export now; TL_N_PIPELINE_STAGES: nothing is written yet.
   */
  TlPipelineStage limit;
  guint64 lacking_bytes; /* on the disk, for the rest of the volume, now */
} TlExportPlan;

/** tl_export_plan_get_default_budget: Returns: most of the memory that the
 * machine has available, in bytes */
guint64 tl_export_plan_get_default_budget (void);

/** tl_export_plan_count_gpu_free: Returns: bytes of memory that are free on
 * each of the GPUs among @engines that can tell; 0: there is none */
guint64 tl_export_plan_count_gpu_free (const char *const *engines);

/**
 * tl_export_plan_make:
 * @params: with the grid of the whole slice
 * @engines: names of the engines
 * @budget_bytes: 0: the default
 * @gpu_free_bytes: tl_export_plan_count_gpu_free()
 * @plan: (out caller-allocates)
 *
 * Returns: %FALSE with TL_ERROR_MEMORY if the budget is too small, with the
 *   smallest that would do, or if the GPUs have too little memory; both with
 *   the largest region that would fit
 */
gboolean tl_export_plan_make (const TlExportSettings *settings,
                              const TlParams *params, const TlScanInfo *info,
                              const char *const *engines, guint64 budget_bytes,
                              guint64 gpu_free_bytes, TlExportPlan *plan,
                              GError **error);

/** tl_export_plan_expect: Without earlier exports, expects the time from
 * @slice_s, seconds for each slice with all engines; 0: unknown */
void tl_export_plan_expect (TlExportPlan *plan, double slice_s, size_t n_rows);

/** tl_export_plan_check_room: Returns: %FALSE with TL_ERROR_FILE if the disk of
 * @path has too little room for the volume; the message says how many slices,
 * or which samples, would fit */
gboolean tl_export_plan_check_room (const char *path, const TlVolumeInfo *info,
                                    GError **error);

/** tl_export_plan_describe: @says_time: without it the expected time is left
 * out. Returns: (transfer full): "up to 1.2 GB of memory (8.0 GB allowed), up
 * to 512 MB on the disk, 1 pass over the scan, about 47 s" */
char *tl_export_plan_describe (const TlExportPlan *plan, gboolean says_time);

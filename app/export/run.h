/* One export of the queue: what it makes, how far it is, and how it ended. It
 * keeps the scan and the parameters that it was made with, and has its own
 * thread, reader and engines. Main thread only. */
#pragma once

#include "app/export/export.h"
#include "app/recon/summary.h"

typedef enum
{
  TL_EXPORT_WAITING,
  TL_EXPORT_ASKING, /* nothing is written before the user agrees */
  TL_EXPORT_RUNNING,
  TL_EXPORT_FINISHED,
  TL_EXPORT_FAILED,
  TL_EXPORT_CANCELLED
} TlExportState;

/* What happens to a volume that is there already. */
typedef enum
{
  TL_EXPORT_ASK,
  TL_EXPORT_REPLACE, /* begin, and replace what is there at the end */
  TL_EXPORT_RESUME   /* go on with the unfinished volume, and replace what is
                        there at the end */
} TlExportConsent;

#define TL_TYPE_EXPORT_RUN (tl_export_run_get_type ())
G_DECLARE_FINAL_TYPE (TlExportRun, tl_export_run, TL, EXPORT_RUN, GObject)

/* Properties, read-only with explicit notify:
 *   "state"      uint: TlExportState
 *   "progress"   double: 0 … 1
 *   "status"     string: what it does or how it ended, one sentence; a finished
 *                one may need further lines for what is missing or clipped
 *   "plan"       string, nullable: what it takes, known soon after it begins;
 *                says no time where the status does
 *   "question"   string, nullable: what the user has to agree to; only while
 *                asking
 *   "can-resume" boolean: there is an unfinished volume to go on with
 */

/** tl_export_run_new: Returns: (transfer full): an export that waits. @scan:
 * that is open; everything is copied */
TlExportRun *tl_export_run_new (const TlScanSummary *scan,
                                const TlRecipe *recipe, const char *path,
                                const TlExportSettings *settings,
                                TlExportConsent consent);

/** tl_export_run_get_path: Returns: (transfer none): of the volume */
const char *tl_export_run_get_path (TlExportRun *run);
/** tl_export_run_get_what: Returns: (transfer none): "512 slices of 2048 × 2048
 * of scan.h5, one TIFF file, a page for each slice, uint16" */
const char *tl_export_run_get_what (TlExportRun *run);
TlExportState tl_export_run_get_state (TlExportRun *run);
double tl_export_run_get_progress (TlExportRun *run);
size_t tl_export_run_get_n_slices (TlExportRun *run);
/** tl_export_run_dup_missing: Returns: (transfer full) (nullable): which slices
 * a finished volume lacks, in one sentence; %NULL if it lacks none */
char *tl_export_run_dup_missing (TlExportRun *run);

/** tl_export_run_has_volume: Returns: whether it was finished once; until a
 * later one is, that volume stays */
gboolean tl_export_run_has_volume (TlExportRun *run);

/** tl_export_run_has_ended: Returns: whether it is finished, failed or
 * cancelled */
gboolean tl_export_run_has_ended (TlExportRun *run);

/** tl_export_run_begin: Starts the thread of an export that waits. It ends by
 * one of the other states. */
void tl_export_run_begin (TlExportRun *run);

/** tl_export_run_examine: Looks in a thread at what is at the path of an export
 * that waits. @callback: calls tl_export_run_take_findings() */
void tl_export_run_examine (TlExportRun *run, GAsyncReadyCallback callback,
                            gpointer user_data);

/** tl_export_run_take_findings: If the export still waits without consent, it
 * asks at once what it would ask when it begins, or fails. */
void tl_export_run_take_findings (TlExportRun *run, GAsyncResult *result);

/** tl_export_run_wait: An export that asks or has ended waits again. */
void tl_export_run_wait (TlExportRun *run, TlExportConsent consent);

/** tl_export_run_cancel: Ends an export that has not ended; one that runs ends
 * a little later. */
void tl_export_run_cancel (TlExportRun *run);

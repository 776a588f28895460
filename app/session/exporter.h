/* Exports volumes in the background, one after the other: each takes the scan
 * and the parameters as they were when it was started. The exports that wait,
 * run, ask something or have ended are a list. Main thread only. */
#pragma once

#include "app/export/run.h"
#include "app/parameters/parameters.h"

#define TL_TYPE_EXPORTER (tl_exporter_get_type ())
G_DECLARE_FINAL_TYPE (TlExporter, tl_exporter, TL, EXPORTER, GObject)

/* Properties, read-only with explicit notify:
 *   "running"   boolean: an export runs or waits
 *   "progress"  double: of the running or last export, 0 … 1
 *
 * Signals:
 *   "ended"     (TlExportRun *run): it is finished or has failed
 */
TlExporter *tl_exporter_new (TlParameters *parameters, TlScanSource *source,
                             TlMessages *messages);

/** tl_exporter_get_runs: Returns: (transfer none): of TlExportRun, in the order
 * of their start */
GListModel *tl_exporter_get_runs (TlExporter *exporter);

/** tl_exporter_has_target: Returns: whether an export to @path has not ended */
gboolean tl_exporter_has_target (TlExporter *exporter, const char *path);

/** tl_exporter_withdraw_refusal: Clears the message if it says why the last
 * export was refused. */
void tl_exporter_withdraw_refusal (TlExporter *exporter);

/** tl_exporter_dup_objection: Returns: (transfer full) (nullable): why nothing
 * of the open scan can be exported, and what to do */
char *tl_exporter_dup_objection (TlExporter *exporter);

/** tl_exporter_start: Exports the open scan to @path, after the exports that
 * wait already. A message reports the result. If something is there, the export
 * asks at once, also while another one runs.
 *
 * Returns: (transfer none) (nullable): %NULL with a message if the open scan
 *   cannot be exported like this, or if an export to @path has not ended */
TlExportRun *tl_exporter_start (TlExporter *exporter, const char *path,
                                const TlExportSettings *settings,
                                TlExportConsent consent);

/** tl_exporter_answer: @run, which asks, is the next one. */
void tl_exporter_answer (TlExporter *exporter, TlExportRun *run,
                         TlExportConsent consent);

/** tl_exporter_run_again: @run, which has ended, waits again, after the others.
 * It makes the same, of the same scan, and asks again before it replaces
 * anything. A message says so if another export to its path has not ended. */
void tl_exporter_run_again (TlExporter *exporter, TlExportRun *run);

/** tl_exporter_remove: Takes @run, which has ended, from the list. */
void tl_exporter_remove (TlExporter *exporter, TlExportRun *run);

/** tl_exporter_cancel: Ends the running export; the next one begins. */
void tl_exporter_cancel (TlExporter *exporter);

/** tl_exporter_stop: Cancels all exports, and waits until no thread works any
 * more. */
void tl_exporter_stop (TlExporter *exporter);

/** tl_exporter_count_bytes: Returns: the most that the volume takes on the
 * disk; 0 without a scan */
guint64 tl_exporter_count_bytes (TlExporter *exporter,
                                 const TlExportSettings *settings);

/** tl_exporter_dup_progress: Returns: (transfer full): the progress in words,
 * in slices */
char *tl_exporter_dup_progress (TlExporter *exporter);

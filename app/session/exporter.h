/* Exports volumes in the background, one after the other: each takes the scan
 * and the parameters as they were when it was started, and has its own reader
 * and engines. Main thread only. */
#pragma once

#include "app/export/export.h"
#include "app/session/parameters.h"

#define TL_TYPE_EXPORTER (tl_exporter_get_type ())
G_DECLARE_FINAL_TYPE (TlExporter, tl_exporter, TL, EXPORTER, GObject)

/* Properties, read-only with explicit notify:
 *   "running"   boolean: an export runs or waits
 *   "progress"  double: of the running or last export, 0 … 1
 *   "question"  string, nullable: what the user has to agree to before the next
 *               export; tl_exporter_answer() answers it
 *   "can-resume" boolean: TL_EXPORT_RESUME is an answer to it
 */
TlExporter *tl_exporter_new (TlParameters *parameters, TlScanSource *source,
                             TlMessages *messages);

/** tl_exporter_start: Exports the open scan to @path, after the exports that
 * were started before. A message reports the result. */
void tl_exporter_start (TlExporter *self, const char *path,
                        const TlExportSettings *settings);

typedef enum
{
  TL_EXPORT_GIVE_UP,
  TL_EXPORT_REPLACE, /* begin, and replace what is there at the end */
  TL_EXPORT_RESUME   /* go on with the unfinished volume, and replace what is
                        there at the end */
} TlExportAnswer;

/** tl_exporter_answer: Answers the question, if there is one. */
void tl_exporter_answer (TlExporter *self, TlExportAnswer answer);

/** tl_exporter_cancel: Ends the running export and drops the waiting ones. */
void tl_exporter_cancel (TlExporter *self);

/** tl_exporter_stop: Cancels, and waits until no thread works any more. */
void tl_exporter_stop (TlExporter *self);

/** tl_exporter_count_bytes: Returns: the most that the volume takes on the
 * disk; 0 without a scan */
guint64 tl_exporter_count_bytes (TlExporter *self,
                                 const TlExportSettings *settings);
/** tl_exporter_has_room: Returns: whether the volume fits on the disk of @path
 */
gboolean tl_exporter_has_room (TlExporter *self, const char *path,
                               const TlExportSettings *settings);
/** tl_exporter_dup_progress: Returns: (transfer full): the progress in words,
 * in slices */
char *tl_exporter_dup_progress (TlExporter *self);

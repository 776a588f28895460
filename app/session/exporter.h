/* Exports ranges of slices to folders in the background, one after the other:
 * each takes the scan and the parameters as they were when it was started, and
 * has its own reader and engines. Main thread only. */
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

/** tl_exporter_start: Exports slices @first … @last of the open scan to
 * @folder, after the exports that were started before. A message reports the
 * result. */
void tl_exporter_start (TlExporter *self, const char *folder, guint first,
                        guint last);

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

/** tl_exporter_has_room: Returns: whether slices @first … @last fit on the disk
 * of @folder */
gboolean tl_exporter_has_room (TlExporter *self, const char *folder,
                               guint first, guint last);
/** tl_exporter_get_slice_bytes: Returns: the size of an exported slice in
 * bytes; 0 without a scan */
double tl_exporter_get_slice_bytes (TlExporter *self);
/** tl_exporter_dup_progress: Returns: (transfer full): the progress in words,
 * in slices */
char *tl_exporter_dup_progress (TlExporter *self);

/* Exports a range of slices to a folder in the background. Main thread only. */
#pragma once

#include "app/session/parameters.h"

#define TL_TYPE_EXPORTER (tl_exporter_get_type ())
G_DECLARE_FINAL_TYPE (TlExporter, tl_exporter, TL, EXPORTER, GObject)

/* Properties, read-only with explicit notify:
 *   "running"   boolean
 *   "progress"  double: of the last export, 0 … 1
 */
TlExporter *tl_exporter_new (TlParameters *parameters, TlScanSource *source,
                             TlRequests *requests, TlMessages *messages);

/** tl_exporter_start: Exports slices @first … @last to @folder. A message
 * reports the result. */
void tl_exporter_start (TlExporter *self, const char *folder, guint first,
                        guint last);
void tl_exporter_cancel (TlExporter *self);
/** tl_exporter_has_room: Returns: whether slices @first … @last fit on the disk
 * of @folder, counting the space of existing slices that they replace */
gboolean tl_exporter_has_room (TlExporter *self, const char *folder,
                               guint first, guint last);
/** tl_exporter_get_slice_bytes: Returns: the size of an exported slice in
 * bytes; 0 without a scan */
double tl_exporter_get_slice_bytes (TlExporter *self);
/** tl_exporter_dup_progress: Returns: (transfer full): the progress in words,
 * in slices */
char *tl_exporter_dup_progress (TlExporter *self);

void tl_exporter_take_reply (TlExporter *self, TlReply *reply);

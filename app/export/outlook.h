/* What would come of an export, before it starts. */
#pragma once

#include "app/export/export.h"
#include "app/recon/summary.h"

typedef struct
{
  guint64 free_bytes;  /* on the disk; 0: unknown, or none */
  gboolean can_resume; /* there is an unfinished volume */
  char *question;      /* (nullable): what the user has to agree to */
  char *plan;          /* what it takes */
} TlExportOutlook;

void tl_export_outlook_free (TlExportOutlook *outlook);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TlExportOutlook, tl_export_outlook_free)

/**
 * tl_export_outlook_ask:
 * @recipe: resolved for the scan
 * @settings: tl_export_settings_check() accepts them
 * @slice_s: seconds that one engine takes to compute a slice of the region; 0:
 *   unknown
 * @callback: calls tl_export_outlook_finish()
 *
 * Looks at the disk and the memory in a thread. Everything is copied.
 */
void tl_export_outlook_ask (const TlScanSummary *scan, const TlRecipe *recipe,
                            const char *path, const TlExportSettings *settings,
                            double slice_s, GAsyncReadyCallback callback,
                            gpointer user_data);

/** tl_export_outlook_finish: Returns: (transfer full): %NULL with the reason if
 * nothing can be exported there */
TlExportOutlook *tl_export_outlook_finish (GAsyncResult *result,
                                           GError **error);

#include "data/read/draft-private.h"

char *
tl_path_dup_name (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  return g_filename_display_name (base);
}

void
tl_scan_draft_init (TlScanDraft *draft)
{
  *draft = (TlScanDraft){ .notes = g_ptr_array_new_with_free_func (g_free) };
}

void
tl_scan_draft_clear (TlScanDraft *draft)
{
  g_clear_pointer (&draft->angles_deg, g_free);
  g_clear_pointer (&draft->angles_source, g_free);
  g_clear_pointer (&draft->used, g_free);
  g_clear_pointer (&draft->notes, g_ptr_array_unref);
  g_clear_pointer (&draft->within, g_free);
}

void
tl_scan_draft_note (TlScanDraft *draft, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_ptr_array_add (draft->notes, g_strdup_vprintf (format, args));
  va_end (args);
}

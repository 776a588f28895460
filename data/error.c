#include "data/error.h"

/* G_DEFINE_QUARK() is not used: its first argument is not a C expression,
 * and formatters break it. */
GQuark
tl_error_quark (void)
{
  return g_quark_from_static_string ("tl-error-quark");
}

gboolean
tl_fail (GError **error, TlError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_propagate_error (error,
                     g_error_new_valist (TL_ERROR, (int)code, format, args));
  va_end (args);
  return FALSE;
}

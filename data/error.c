#include "data/error.h"

/* G_DEFINE_QUARK() is not used: its first argument is not a C expression,
 * and formatters break it. */
GQuark
tl_error_quark (void)
{
  return g_quark_from_static_string ("tl-error-quark");
}

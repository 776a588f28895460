#include "data/error.h"

/* Not G_DEFINE_QUARK(): its first argument is not C, and formatters break it.
 */
GQuark
tl_error_quark (void)
{
  return g_quark_from_static_string ("tl-error-quark");
}

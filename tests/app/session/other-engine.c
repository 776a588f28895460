#include "tests/app/session/other-engine.h"

#include "gpu/engine.h"

const char *__real_tl_engine_get_name (TlEngine *engine);
const char *__wrap_tl_engine_get_name (TlEngine *engine);
static gint is_other_engine; /* atomic */

const char *
__wrap_tl_engine_get_name (TlEngine *engine)
{
  return g_atomic_int_get (&is_other_engine)
             ? "other"
             : __real_tl_engine_get_name (engine);
}

void
tl_play_other_engine (gboolean plays)
{
  g_atomic_int_set (&is_other_engine, plays);
}

/* The host plays another engine: where a test wraps tl_engine_get_name()
 * (meson.build), it has another name. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** tl_play_other_engine: Any thread. @plays: not at first */
void tl_play_other_engine (gboolean plays);

G_END_DECLS

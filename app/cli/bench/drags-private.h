/* The drags that "bench interactive" simulates. */
#pragma once

#include "app/session/session.h"

#define TL_BENCH_EVENTS_PER_S 120

/* One drag. */
typedef struct
{
  const char *name;
  void (*move) (TlSession *session, size_t event);
  const char *settings[8]; /* "key=value" to set before; %NULL-terminated */
} TlBenchDrag;

/** tl_bench_list_drags: Returns: (transfer none): [@n] */
const TlBenchDrag *tl_bench_list_drags (size_t *n);

/** tl_bench_drag_prepare: Applies the settings of @drag to a session with a
 * scan. Returns: %FALSE if the settings do not suit the scan */
gboolean tl_bench_drag_prepare (const TlBenchDrag *drag, TlSession *session,
                                GError **error);

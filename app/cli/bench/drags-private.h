/* The drags that "bench interactive" plays. */
#pragma once

#include "app/session/session.h"

G_BEGIN_DECLS

#define TL_BENCH_EVENTS_PER_S 120

/* What "bench interactive" drags. */
typedef struct
{
  const char *name;
  void (*move) (TlSession *session, size_t event);
  const char *settings[8]; /* "key=value" before it, ended by %NULL */
} TlBenchDrag;

/** tl_bench_list_drags: Returns: (transfer none): [@n] */
const TlBenchDrag *tl_bench_list_drags (size_t *n);

/** tl_bench_drag_prepare: Its settings into a session with a scan. Returns:
 * %FALSE where the scan is not for them. */
gboolean tl_bench_drag_prepare (const TlBenchDrag *drag, TlSession *session,
                                GError **error);

G_END_DECLS

/* How the picture that is shown was made, for the status line. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A plain value; strings are lent until the next change. */
typedef struct
{
  const char *engine, *device, *kernel; /* (nullable): nothing done yet */
  guint n_folded;       /* pixels done together by symmetry: 1, 2 or 4 */
  const char *fallback; /* (nullable): one sentence, where another kernel should
                           have been used */
  const char *precision;
  double frame_ms;       /* the last frame, from request taken up to finished */
  const char *slow_step; /* (nullable): what it was waited for longest, where it
                            was long: "read", "zingers", "back-project" … */
  double slow_ms;        /* of that */
  double read_ms;        /* of that: reading the file */
  double backproject_ms, filter_ms; /* of a slice */
  double correct_ms;                /* of what is no slice */
  size_t memory_bytes;
  size_t n_angles;
  size_t n_dead;       /* dead pixels replaced in this row */
  gboolean is_preview; /* reduced: the whole picture is to follow */
} TlStatus;

G_END_DECLS

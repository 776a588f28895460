/* How the shown picture was made, for the status line. */
#pragma once

#include <glib.h>

/* A plain value; the strings are valid until the next change. */
typedef struct
{
  const char *engine, *device,
      *kernel;    /* (nullable): %NULL before the first picture */
  guint n_folded; /* pixels computed together by symmetry: 1, 2 or 4 */
  const char *
      fallback; /* (nullable): one sentence if a slower kernel had to be used */
  const char *precision;
  double frame_ms;       /* from taking the request to the finished frame */
  const char *slow_step; /* (nullable): the slowest step, if the frame was slow:
                            "read", "zingers", "back-project" … */
  double slow_ms;        /* duration of slow_step */
  double read_ms;        /* reading the file, part of frame_ms */
  double backproject_ms, filter_ms; /* slices only */
  double correct_ms;                /* measured views only */
  size_t memory_bytes;
  size_t n_angles;
  size_t n_dead;       /* dead pixels replaced in this row */
  gboolean is_preview; /* reduced; the whole picture follows */
} TlStatus;

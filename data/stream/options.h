/* What the user says of a stream, because its sender does not. */
#pragma once

#include "data/read/scan/scan-info.h"

/* No scan is longer. */
#define TL_STREAM_MAX_FRAMES ((guint64)1 << 24)

/* No scan has more series of frames. */
#define TL_STREAM_MAX_SERIES 16

/* "projection", "flat" and "dark" */
extern const char *const tl_stream_kind_names[TL_N_FRAME_KINDS + 1];

/* Plain value; zero: nothing is said. */
typedef struct
{
  /* Frames of each scan, up to TL_STREAM_MAX_FRAMES; 0: unknown. */
  size_t n_expected[TL_N_FRAME_KINDS];

  /* Those of the projections replace those of the sender. The angles of the
   * first and the last one, or a text as of TlReaderOptions. */
  gboolean has_angles;
  double angles_deg[2];
  const char *angles_file; /* (nullable) */

  /* Where the sender does not say what its frames are, but closes each series
   * of them: the kind of each series of a scan. */
  TlFrameKind series[TL_STREAM_MAX_SERIES];
  size_t n_series; /* 0: one series of projections */
} TlStreamOptions;

/** tl_stream_options_take_expected: @text: "N[,FLATS[,DARKS]]", with nothing in
 * the place of a number that is not known. Returns: %FALSE if it is another
 * text */
gboolean tl_stream_options_take_expected (TlStreamOptions *options,
                                          const char *text);

/** tl_stream_options_take_kinds: @text: a name of tl_stream_kind_names, or one
 * for each series, as "dark,flat,projection". Returns: %FALSE if it is another
 * text */
gboolean tl_stream_options_take_kinds (TlStreamOptions *options,
                                       const char *text);

/* What comes of a scan while it is being taken, and what is known of it. */
#pragma once

#include "data/read/scan/scan-info.h"

typedef enum
{
  TL_STREAM_QUIET,  /* nothing came within the timeout */
  TL_STREAM_SCAN,   /* a scan begins, or more is known of it */
  TL_STREAM_FRAME,  /* a frame that is not yet known */
  TL_STREAM_END,    /* all of the scan has come, or the sender says so */
  TL_STREAM_TROUBLE /* the stream goes on, and the user should know why it may
                       not */
} TlStreamEventType;

/* Plain value; what it points to lives until the next event. */
typedef struct
{
  TlStreamEventType type;
  /* FRAME */
  TlFrameKind kind;
  size_t number;      /* within the kind and the scan, in any order */
  double angle_deg;   /* NaN: unknown */
  const void *pixels; /* [n_rows][n_cols] of the scan's type, native byte order
                       */
  size_t n_borrowed;  /* the pixels are the mean of so many frames of an earlier
                         scan, until there is a frame of this kind; 0: they are
                         of this scan */
  /* TROUBLE */
  gboolean is_malformed; /* it says why a frame or message cannot be used */
  const char *text;      /* one sentence, which begins with the stream's name */
  const char *hint; /* (nullable): what helps on the command line, a part of a
                       sentence that names options */
} TlStreamEvent;

/* What is known of the scan that is being taken. */
typedef struct
{
  guint serial;          /* counts the scans from 1; 0: none yet */
  size_t n_rows, n_cols; /* 0: not yet known */
  TlSampleType type;     /* of all frames; known with the first one */
  size_t n_projections, n_flats, n_darks; /* expected; 0: unknown */
  gboolean is_attenuation;                /* as in TlScanInfo */
  gboolean are_counts;      /* integers, or the sender says so: they need flats
                             */
  const double *angles_deg; /* (nullable): [n_projections]; %NULL: unknown */
  double pixel_size_um;     /* as the last frame says; 0: unknown */
} TlStreamScan;

/* What became of the frames of the scan. Plain value. */
typedef struct
{
  size_t n_received[TL_N_FRAME_KINDS]; /* each frame once */
  size_t n_missing; /* projections before the last one that have not come */
  size_t n_gaps[TL_N_FRAME_KINDS]; /* flats and darks between the numbers of
                                      others that have not come */
  size_t n_places;    /* projections for which a file has room, or a folder an
                         angle, whether they have come or not; 0: unknown */
  size_t n_likely;    /* projections, as a dataset that cannot grow or a list of
                         angles that is ahead of them makes likely; 0: unknown
                       */
  size_t n_lost;      /* projections that will not come any more; 0 as long as
                         they may still come in another order */
  size_t n_doubled;   /* came again, and were dropped */
  size_t n_malformed; /* messages that are none; of all scans */
  gboolean is_stalled; /* it has been told that nothing comes */
} TlStreamCounts;

/** tl_stream_event_dup_words: @event: a TL_STREAM_TROUBLE. @names_options:
 * whether the user is on the command line. Returns: (transfer full): the
 * sentence, with the hint if that helps */
char *tl_stream_event_dup_words (const TlStreamEvent *event,
                                 gboolean names_options);

/** tl_stream_count_announced: Returns: how many frames of the kind the sender,
 * the file or the user has announced; 0: unknown */
size_t tl_stream_count_announced (const TlStreamScan *scan, TlFrameKind kind);

/** tl_stream_count_expected: Returns: how many frames of the kind the scan has,
 * as far as is known: those that are announced, that have a place or that come
 * before another one; also projections that did not come into a file */
size_t tl_stream_count_expected (const TlStreamScan *scan,
                                 const TlStreamCounts *counts,
                                 TlFrameKind kind);

/** tl_stream_count_missing: Returns: how many of these have not come, of all
 * kinds */
size_t tl_stream_count_missing (const TlStreamScan *scan,
                                const TlStreamCounts *counts);

/* The frames of a scan in the order in which they would be taken. */
#pragma once

#include "data/read/scan/scan-info.h"

typedef enum
{
  TL_PLAY_SEQUENTIAL, /* as in the scan */
  TL_PLAY_INTERLACED, /* in passes, each between the angles of the others */
  TL_PLAY_GOLDEN,     /* by the golden ratio: each where the gap is large */
  TL_PLAY_RANDOM,
  TL_N_PLAY_ORDERS
} TlPlayOrder;

/* The names "sequential", "interlaced" and so on; %NULL-terminated. */
extern const char *const tl_play_order_names[TL_N_PLAY_ORDERS + 1];

/* A frame that is taken. Plain value. */
typedef struct
{
  TlFrameKind kind;
  size_t source; /* its frame in the scan, within the kind */
  size_t index; /* within the kind: as source, but flats that are repeated count
                   on */
  size_t number;    /* from 0, in the order in which all frames are taken, those
                       that are lost too */
  double angle_deg; /* of the stage */
  gboolean is_after; /* taken after the projections */
  gboolean is_lost;  /* taken, and not sent */
} TlPlayStep;

/* Plain value. */
typedef struct
{
  TlPlayOrder order;
  guint32 seed;            /* of the random order */
  gboolean fields_last;    /* all darks and flats after the projections */
  gboolean repeats_flats;  /* the flats once more after the projections */
  const gboolean *is_lost; /* (nullable): [n_projections] */
} TlPlayPlan;

/**
 * tl_play_plan:
 *
 * Darks, flats taken before, projections, flats taken after.
 *
 * Returns: (transfer full) (element-type TlPlayStep): the frames as they are
 *   taken
 */
GArray *tl_play_plan (const TlScanInfo *info, const TlPlayPlan *plan);

/**
 * tl_play_lose:
 * @text: "5%", which are chosen at random, or a list such as "0,17,20:29", both
 *   ends included
 * @n: projections of the scan
 *
 * Returns: (transfer full): [@n]: which projections are lost; %NULL with
 *   TL_ERROR_VALUE
 */
gboolean *tl_play_lose (const char *text, size_t n, guint32 seed,
                        GError **error);

/* What is to be played where, and what was played so far. */
#pragma once

#include "app/play/plan.h"

/* Where the frames go. */
typedef enum
{
  TL_PLAY_FILE,    /* an HDF5 file, as areaDetector writes it */
  TL_PLAY_FOLDER,  /* TIFF images, and a list of angles */
  TL_PLAY_PACKETS, /* ZeroMQ, the messages of TomoPackets */
  TL_PLAY_JSON     /* ZeroMQ, the messages of PSI's std_daq */
} TlPlayWay;

/* What was played so far. Plain value. */
typedef struct
{
  size_t n_steps;                  /* of the plan */
  size_t n_done;                   /* of these, those that were lost too */
  size_t n_sent[TL_N_FRAME_KINDS]; /* without those that were lost */
  size_t n_lost;
  double rate;    /* projections taken per second; 0: not yet known */
  double seconds; /* since the first frame */
} TlPlayReport;

/* Plain value. */
typedef struct
{
  const char *to; /* as of tl_play_find_way() */
  TlPlayPlan plan;
  double rate;            /* projections, or other frames, per second */
  gboolean replaces;      /* whether a file or images may be replaced */
  gboolean lacks_swmr;    /* FILE: written without SWMR */
  const char *angle_name; /* FILE: of the attribute with the angle */
  gboolean in_place;      /* FOLDER: images grow under their names, instead of
                             appearing whole */
  gboolean requests;      /* PACKETS: REQ instead of PUSH: each is answered */
  gboolean
      publishes; /* JSON: PUB instead of PUSH: to any number of receivers */

  /* (nullable): called in the calling thread: after each frame, and when a
   * receiver is waited for */
  void (*progress) (const TlPlayReport *report, gpointer data);
  void (*waits) (gpointer data);
  gpointer data;
} TlPlayJob;

/* The interface that each way of playing a scan implements. */
#pragma once

#include "app/play/job.h"

#include <gio/gio.h>

/* What a way is opened for. Outlives it. */
typedef struct
{
  const TlPlayJob *job;
  const TlScanInfo *info;
  const GArray *steps; /* of TlPlayStep: all that will be played */
  TlSampleType type;   /* of all frames */
  GCancellable *cancellable;
} TlPlayTarget;

/* The functions return %FALSE or %NULL with an error, or with
 * %G_IO_ERROR_CANCELLED where they wait. */
typedef struct
{
  const char *scheme; /* (nullable): the address without "HOST:PORT" */
  TlPlayWay way;

  /* Returns: (transfer full) */
  gpointer (*open) (const TlPlayTarget *target, GError **error);
  /* @pixels: [n_rows][n_cols], native byte order */
  gboolean (*send) (gpointer to, const TlPlayStep *step, const void *pixels,
                    GError **error);
  /* After an error of the other two, as well. */
  gboolean (*close) (gpointer to, GError **error);
} TlPlayWayClass;

extern const TlPlayWayClass tl_play_file;
extern const TlPlayWayClass tl_play_folder;
extern const TlPlayWayClass tl_play_packets;
extern const TlPlayWayClass tl_play_tcp; /* the same, by another scheme */
extern const TlPlayWayClass tl_play_json;

/** tl_play_sleep: Returns: %FALSE with %G_IO_ERROR_CANCELLED if @cancellable
 * was cancelled before @until_us of g_get_monotonic_time() */
gboolean tl_play_sleep (gint64 until_us, GCancellable *cancellable,
                        GError **error);

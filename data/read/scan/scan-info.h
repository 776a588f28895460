/* What is known of a scan, and what the user states about it. */
#pragma once

#include "data/read/scan/note.h"
#include "data/samples.h"

#include <gio/gio.h>

typedef enum
{
  TL_FRAMES_PROJECTIONS,
  TL_FRAMES_FLATS,
  TL_FRAMES_DARKS,
  TL_N_FRAME_KINDS,
  TL_FRAMES_LEFT_OUT = TL_N_FRAME_KINDS /* not used in the scan */
} TlFrameKind;

/* What is known of a flat or dark field when it is compared with the others. */
typedef enum
{
  TL_FIELD_GOOD,
  TL_FIELD_WITHOUT_BEAM, /* a flat as dark as the darks; not in the mean */
  TL_FIELD_COVERED,      /* a flat with something in the beam that is not in
                            others; not in the mean */
  TL_FIELD_WITH_BEAM,    /* a dark as bright as a flat; not in the mean */
  TL_FIELD_DIM,          /* a flat less than half as bright as others */
  TL_FIELD_EMPTY_FLAT,   /* without any finite value; not in the mean */
  TL_FIELD_EMPTY_DARK,   /* the same */
  TL_N_FIELD_STATES
} TlFieldState;

/* Images of a folder whose names differ only in their running number. */
typedef struct
{
  char *pattern;         /* of their names, as #TlReaderOptions takes it */
  GPtrArray *paths;      /* of char *, in natural order, at least one */
  TlFrameKind kind;      /* what they are in the scan */
  size_t n_images;       /* in all files, judged by the first one; 0: unknown */
  size_t n_rows, n_cols; /* of the first image; 0: unknown */
  gboolean is_unreadable; /* of a known format, and no image can be read */
} TlImageGroup;

/* The most pixels and projections that are read as one. */
#define TL_MAX_BIN 64

/* What the user states about a scan because the file does not, and how it is
 * opened. A zeroed struct states nothing. */
typedef struct
{
  /* (nullable) Names of files in the folder, or else in the only sub-folder
   * that has such files; may begin with a folder. "*" stands for any letters,
   * "?" for one, "#" for a number, with or without a sign; several patterns are
   * separated by ";", and "none" is no file. */
  const char *projections, *flats, *darks;
  /* Paths in an HDF5 file, where its layout is not known or not meant. */
  const char
      *data_path; /* (nullable) the projections, or a group with a scan */
  const char *keys_path; /* (nullable) this and the others, too: "FILE:/path",
                            FILE as in the current folder, else in that
                            of the scan */
  const char *angles_path, *flats_path, *darks_path; /* (nullable) */
  const char *raw; /* (nullable) layout of the file, or of the files of a folder
                      whose names say no format, as
                      "2048x2048x1800:uint16le:header=0": columns, rows,
                      projections, type and byte order, bytes before them */
  const char *angles_file; /* (nullable) text file of angles in degrees */
  gboolean has_angles;     /* angles_deg replace the angles of the file */
  double angles_deg[2];    /* angles of the first and the last projection, also
                              where these are left out */
  const char *leave_out;   /* (nullable) projections that are not used, as of
                              tl_frame_ranges_parse() */
  guint bin;               /* 0, 1: each sample as it is; more: the means of
                              bin x bin pixels of as many projections, whose
                              columns, rows and projections are then those of
                              the scan */
  gboolean grows;          /* another program may be writing the HDF5 file: its
                              angles are those of all frames, also while there
                              are just as many as projections, and its first
                              projection may not be there yet */
  gboolean replace_nan;    /* TRUE: samples that are NaN or infinite are
                              interpolated; FALSE: they are an error */
  GCancellable
      *cancellable; /* (nullable): lent until the scan is open: ends the
                       opening between two files, folders or reads */
} TlReaderOptions;

/* Memory with which each image is read once. All 0 where each row of an image
 * can be read alone. Plain value. */
typedef struct
{
  guint64 fields_bytes; /* of the mean fields: of a budget, and to ascend */
  guint64 row_bytes; /* of tl_reader_set_budget(), for each row that is kept */
  gboolean can_ascend;     /* tl_reader_ascend() is possible, and of use */
  guint64 ascending_bytes; /* if can_ascend: to inflate, beside the fields; 0:
                              the images are not compressed */
} TlDecoding;

/* The most frames of a kind: at 1000 in a second, more than an hour. A damaged
 * file, or one that pretends, is refused before its frames fill the memory. */
#define TL_MAX_FRAMES ((size_t)1 << 22)

/* Whether another program may still write the file. */
typedef enum
{
  TL_WRITER_UNKNOWN, /* the format does not say it */
  TL_WRITER_PRESENT, /* has the file open, or was killed */
  TL_WRITER_GONE     /* has closed the file */
} TlWriter;

/* The description of a scan; owned by the reader, constant after opening. */
typedef struct
{
  const char
      *path; /* of the scan, which may lie inside the folder that was opened */
  const char
      *format; /* "NXtomo HDF5": the layout and the kind, "TIFF folder" … */
  size_t n_projections, n_rows, n_cols;
  TlSampleType type;   /* of the projections */
  gboolean are_counts; /* they are integers in the file */
  size_t n_flats, n_darks;
  size_t n_flats_before;    /* how many of n_flats were taken before the
                               projections; n_flats where the file does not say */
  size_t n_scans;           /* that data_path may choose from; 0: no choice */
  gboolean is_of_series;    /* an image opened by itself, beside others of its
                               group */
  gboolean is_attenuation;  /* TRUE without flats: the samples are used as they
                               are, without -log, unless the user asks for it */
  const double *angles_deg; /* [n_projections] */
  double ends_deg[2];   /* the angles of the first and the last projection of
                           the scan, also where these are left out; NaN where
                           unknown */
  const size_t *frames; /* [n_projections], ascending: which projection of
                           the file each one is, because some may be left
                           out */
  GPtrArray *files;     /* (nullable): of char *, the names of the files of all
                           projections; %NULL where they have no numbers that differ
                           from those of the projections */
  gboolean covers_turn; /* see tl_angles_cover_turn() */
  const char *angles_source;  /* where the angles come from, in words */
  gboolean angles_are_spread; /* over the projections, because only the first
                                 and the last one are given, or nothing is
                                 known */
  GArray *lost_ids;     /* (nullable): of TlFrameRange: the detector's ids of
                           projections that are not in the HDF5 file */
  size_t n_likely;      /* of an HDF5 file that grows: projections that it will
                           have, because its dataset has room for them and cannot
                           grow, or its list of angles cannot; 0: unknown */
  TlWriter writer;      /* when the scan was opened */
  double pixel_size_um; /* 0 where unknown */
  const GPtrArray *notes; /* of TlNote */
  gint64 changed_us;      /* when the newest image or chunk was written, as of
                             change.h; 0: not looked at; of chunks only after
                             tl_reader_look_for_change() */
  GPtrArray *groups;  /* (nullable): of TlImageGroup, projections first; %NULL:
                         not of a folder */
  gboolean has_paths; /* flats and darks are chosen by paths of datasets (HDF5,
                         Zarr), not by names of files */
  TlDecoding decoding;
  /* (nullable) [n_projections], radians, of a scan that is still being taken:
   * see tl_angle_weights_growing(); of half a turn, and of a turn if the scan
   * will cover one. %NULL: those of tl_angle_weights() */
  const double *weights, *turn_weights;
} TlScanInfo;

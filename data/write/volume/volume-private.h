/* What the formats share, and what each of them implements. */
#pragma once

#include "data/write/volume/volume.h"

/* --- levels and tiles --- */

/* Half of a slice of the next coarser level, waiting for its neighbour. */
typedef struct
{
  float *pixels; /* reduced within the slice */
  size_t slice;  /* of the finer level */
} TlHalfSlice;

/* The volume at one resolution; level 0 is the volume itself. */
typedef struct
{
  size_t n_slices, n_rows, n_cols;
  size_t step[3]; /* voxels of level 0 in one of this level, along z, y, x */
  /* Slices are stored in tiles of equal size. What a tile has outside the
   * slice is 0. */
  size_t tile_rows, tile_cols;
  size_t n_down, n_across;
  size_t first_record;
  TlHalfSlice *halves; /* [n_slices] */
} TlLevel;

/**
 * tl_levels_plan:
 * @max_tile: rows or columns of a tile, at most
 * @has_coarse: whether there are other levels than the volume itself
 *
 * Returns: (transfer full): [@n_levels], without halves
 */
TlLevel *tl_levels_plan (const TlVolumeInfo *info, size_t max_tile,
                         gboolean has_coarse, size_t *n_levels);

/** tl_level_cut: @buffer: of the size of a tile. Returns: (transfer none): the
 * samples of a tile, in @buffer or, if the slice is one tile, @samples */
const void *tl_level_cut (const TlLevel *level, size_t sample_bytes,
                          const void *samples, size_t tile, void *buffer);

/** tl_level_reduce: Returns: (transfer full): the means of 2 x 2 pixels, or of
 * those that are there, for the next level @coarse; %NULL with TL_ERROR_MEMORY
 */
float *tl_level_reduce (const TlLevel *level, const TlLevel *coarse,
                        const float *pixels, GError **error);

/* --- the volume --- */

/* Where a stored tile lies in an HDF5 file. */
typedef struct
{
  guint64 offset, n_bytes;
} TlPlace;

typedef struct
{
  guint32 own_crc32; /* of the bytes that follow; a torn record has another */
  guint32 crc32;     /* of the slice, as it is stored */
  TlVolumeTally tally;
  TlPlace places[]; /* of each tile; in compressed HDF5 files only */
} TlSliceRecord;

typedef struct TlVolumeClass TlVolumeClass;

struct TlVolume
{
  const TlVolumeClass *class;
  TlVolumeInfo info; /* strings owned */
  char *path;
  size_t sample_bytes, slice_bytes; /* of level 0 */
  TlLevel *levels;
  size_t n_levels;
  int fd;             /* of the file at path; -1 if it is a folder */
  guint64 data_start; /* raw, BigTIFF: where slice 0 begins in fd */
  gpointer state;     /* of the format */

  char *records_path;
  int records_fd;
  size_t record_bytes;
  gboolean was_closed;   /* a resumed volume: by tl_volume_free() */
  gboolean is_read_only; /* a finished volume, without records */
  GMutex lock;           /* guards the halves */
};

struct TlVolumeClass
{
  TlVolumeFormatInfo info;
  /* Rows or columns of a tile, at most; 0: any number. */
  size_t max_tile, max_packed_tile;
  gboolean has_levels;
  gboolean has_places; /* the records of compressed slices keep the places */

  /* (nullable): the bytes of memory that store takes besides all samples of a
   * slice; 0, as %NULL: it converts in parts, see tl_volume_write_samples() */
  guint64 (*count_work) (const TlVolumeInfo *info, const TlLevel *level);
  /* (nullable): reads a text from the metadata of a finished volume, see
   * tl_facts_list(). Returns: (transfer full) (nullable) */
  char *(*read_fact) (const char *path, const char *key);
  /* (nullable): see tl_volume_find_foreign() */
  char *(*find_foreign) (const char *path);
  /* (nullable): see tl_volume_find_missing() */
  char *(*find_missing) (const TlVolume *volume);
  /* Opens or creates what the slices are written to, or read from. */
  gboolean (*open) (TlVolume *volume, gboolean is_new, GError **error);
  /* Stores a slice of @level. @pixels: [n_rows][n_cols]. @record: (inout):
   * empty, with a tally of no pixels; receives tally, checksum and places. Any
   * thread. */
  gboolean (*store) (TlVolume *volume, const TlLevel *level, size_t slice,
                     const float *pixels, TlSliceRecord *record,
                     GError **error);
  /* Continues @crc32 over what is stored. Any thread. */
  gboolean (*sum) (TlVolume *volume, const TlLevel *level, size_t slice,
                   const TlSliceRecord *record, guint32 *crc32);
  /* Completes the metadata and closes all but fd; may be called again after a
   * resume. */
  gboolean (*finish) (TlVolume *volume, const TlVolumeTally *tally,
                      GError **error);
  /* (nullable): closes an unfinished volume, also after open has failed.
   * Returns: whether all is in the files that was written */
  gboolean (*close) (TlVolume *volume);
};

extern const TlVolumeClass tl_tiff_stack_class, tl_bigtiff_class, tl_hdf5_class,
    tl_nexus_class, tl_zarr_class, tl_raw_class;

/** tl_volume_new_record: Returns: (transfer full): zeros */
TlSliceRecord *tl_volume_new_record (const TlVolume *volume);

/** tl_volume_read_record: @index: first_record of its level + slice. Returns:
 * whether the record is there and valid */
gboolean tl_volume_read_record (TlVolume *volume, size_t index,
                                TlSliceRecord *record);

gboolean tl_volume_write_record (TlVolume *volume, size_t index,
                                 TlSliceRecord *record, GError **error);

/** tl_volume_clear_record: Makes the record invalid. */
gboolean tl_volume_clear_record (TlVolume *volume, size_t index,
                                 GError **error);

/**
 * tl_volume_convert_slice:
 * @pixels: [n_rows][n_cols] of @level
 * @tally: (inout): the pixels are added to it
 * @buffer: (out) (transfer full) (nullable): memory of the samples; %NULL for
 *   float32, where the pixels are the samples
 *
 * For formats that need all samples of a slice at once, because they cut it
 * into tiles or compress it. Any thread.
 *
 * Returns: (transfer none): [n_rows][n_cols] samples, valid as long as @pixels
 *   and @buffer; %NULL with TL_ERROR_MEMORY
 */
const void *tl_volume_convert_slice (const TlVolume *volume,
                                     const TlLevel *level, const float *pixels,
                                     TlVolumeTally *tally, gpointer *buffer,
                                     GError **error);

/**
 * tl_volume_write_samples:
 * @fd: a file that is open for writing
 * @path: its name, for the message
 * @pixels: [n_rows][n_cols] of level 0
 * @offset: where the samples go, in bytes
 * @record: (inout): the samples are added to its tally and its checksum
 *
 * For formats that keep the samples of a slice together in a file. Any thread.
 *
 * Returns: %FALSE with TL_ERROR_FILE
 */
gboolean tl_volume_write_samples (const TlVolume *volume, int fd,
                                  const char *path, const float *pixels,
                                  guint64 offset, TlSliceRecord *record,
                                  GError **error);

/* open, store and sum of files that hold the slices one after the other, from
 * data_start on. */
gboolean tl_plain_open (TlVolume *volume, gboolean is_new, GError **error);
gboolean tl_plain_store (TlVolume *volume, const TlLevel *level, size_t slice,
                         const float *pixels, TlSliceRecord *record,
                         GError **error);
gboolean tl_plain_sum (TlVolume *volume, const TlLevel *level, size_t slice,
                       const TlSliceRecord *record, guint32 *crc32);

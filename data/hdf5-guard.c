#include "data/hdf5-guard.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif
#include <string.h>
#include <unistd.h>

/* A collection: "GCOL", version 1 and three zeros; its size; objects. An
 * object: its number and a count, two bytes each; four zeros; its size. Sizes
 * have as many bytes as the superblock says; heads and contents are padded to
 * multiples of 8 bytes. Object 0 is free space, whose size includes its head,
 * and a rest that is too small for a head is free space, too. */
enum
{
  HEAD_BYTES = 8, /* before the size, of both */
  MAX_SIZE_BYTES = 8,
  MAX_HEAD_BYTES = HEAD_BYTES + MAX_SIZE_BYTES
};

/* At the end of the program HDF5 1.10 crashes if a file could not be written,
 * when it closes what is open. The program closes its files itself. Before
 * main(), because HDF5 must not have begun. */
__attribute__ ((constructor)) static void
end_without_closing (void)
{
  H5dont_atexit ();
}

static const guint8 signature[HEAD_BYTES] = { 'G', 'C', 'O', 'L', 1, 0, 0, 0 };

/* HDF5's own driver, and the same with read_guarded() */
static H5FD_class_t plain, guarded;
static hid_t driver = H5I_UNINIT; /* the latter; negative: there is none */

static guint64
get_number (const guint8 *bytes, size_t n)
{
  guint64 number = 0;
  for (size_t i = n; i-- > 0;)
    number = number << 8 | bytes[i];
  return number;
}

static guint64
pad (guint64 n)
{
  return (n + 7) & ~(guint64)7;
}

/* Returns: how many bytes the sizes in the file have; 0: that cannot be read */
static size_t
get_size_bytes (H5FD_t *file, hid_t list)
{
  guint8 superblock[16];
  if (plain.read (file, H5FD_MEM_SUPER, list, file->base_addr,
                  sizeof superblock, superblock)
      < 0)
    return 0;
  return superblock[superblock[8] < 2 ? 14 : 10];
}

/* @head: [MAX_HEAD_BYTES] of the collection at @start. Returns: whether its
 * objects lie one behind the other, up to its end */
static gboolean
is_sound (H5FD_t *file, hid_t list, haddr_t start, const guint8 *head)
{
  const size_t size_bytes = get_size_bytes (file, list);
  if (size_bytes == 0 || size_bytes > MAX_SIZE_BYTES)
    return FALSE;
  const guint64 head_bytes = pad (HEAD_BYTES + size_bytes);
  const guint64 size = get_number (head + HEAD_BYTES, size_bytes);
  guint64 at = head_bytes;
  while (at < size && size - at >= head_bytes)
    {
      guint8 object[MAX_HEAD_BYTES];
      if (plain.read (file, H5FD_MEM_DRAW, list, start + at, sizeof object,
                      object)
          < 0)
        return FALSE;
      const gboolean is_free = get_number (object, 2) == 0;
      const guint64 own = get_number (object + HEAD_BYTES, size_bytes);
      if (own > size || (is_free && own < head_bytes))
        return FALSE;
      const guint64 whole = is_free ? own : head_bytes + pad (own);
      if (whole > size - at)
        return FALSE;
      at += whole;
    }
  return TRUE;
}

/* HDF5 reads the beginning of a collection first, as raw data. Samples that
 * begin as a collection does are no concern: eight bytes would have to agree.
 */
static herr_t
read_guarded (H5FD_t *file, H5FD_mem_t type, hid_t list, haddr_t at,
              size_t size, void *buffer)
{
  if (plain.read (file, type, list, at, size, buffer) < 0)
    return -1;
  if (size < MAX_HEAD_BYTES || memcmp (buffer, signature, sizeof signature) != 0
      || is_sound (file, list, at, buffer))
    return 0;
  H5Epush2 (H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_HEAP,
            H5E_BADVALUE, "the sizes in a global heap are wrong");
  return -1;
}

/* HDF5 1.10 keeps the metadata that it has read last, and takes what is near it
 * from there. After a read beyond the end of the file, which a damaged address
 * causes, it has no such copy, and HDF5 copies from NULL. */
static herr_t
query_guarded (const H5FD_t *file, unsigned long *features)
{
  if (plain.query (file, features) < 0)
    return -1;
  *features &= ~(unsigned long)H5FD_FEAT_ACCUMULATE_METADATA;
  return 0;
}

static void
register_driver (void)
{
  hid_t access = H5Pcreate (H5P_FILE_ACCESS);
  H5Pset_fapl_sec2 (access);
  H5FD_t *file = H5FDopen ("/dev/null", H5F_ACC_RDONLY, access, HADDR_UNDEF);
  driver = -1;
  if (file != NULL)
    {
      plain = guarded = *file->cls;
      guarded.read = read_guarded;
      guarded.query = query_guarded;
      driver = H5FDregister (&guarded);
      H5FDclose (file);
    }
  H5Pclose (access);
}

void
tl_hdf5_guard (hid_t access)
{
  if (driver == H5I_UNINIT)
    register_driver ();
  if (driver >= 0)
    H5Pset_driver (access, driver, NULL);
}

gboolean
tl_hdf5_is_one_file (hid_t access)
{
  const hid_t used = H5Pget_driver (access);
  return used == H5FD_SEC2 || (used >= 0 && used == driver);
}

/* --- texts of variable length --- */

/* What a look may take: a file can be made so that each text is in another
 * collection than the last one, or behind many others. */
#define MAX_HEAP_BYTES ((guint64)64 << 20)
#define MAX_STEPS ((guint64)1 << 28)
#define MAX_TEXTS ((size_t)1 << 22) /* HDF5 needs 20 bytes for each */

/* A file whose texts are looked at, and the collection of the last one. */
typedef struct
{
  int fd;
  guint64 start, size; /* of the file in front of HDF5's bytes, and with it */
  size_t address_bytes, size_bytes;
  guint64 address; /* of the collection */
  guint8 *heap;    /* (nullable): [heap_size] */
  guint64 heap_size;
  guint64 n_read, n_steps; /* until now: bytes of collections, objects */
} Texts;

static gboolean
begin_texts (Texts *texts, hid_t data)
{
  hid_t file = H5Iget_file_id (data);
  hid_t made = H5Fget_create_plist (file);
  int *fd;
  hsize_t start, size;
  const gboolean is_known =
      H5Fget_vfd_handle (file, H5P_DEFAULT, (void **)&fd) >= 0
      && H5Fget_filesize (file, &size) >= 0
      && H5Pget_userblock (made, &start) >= 0
      && H5Pget_sizes (made, &texts->address_bytes, &texts->size_bytes) >= 0;
  if (is_known)
    {
      texts->fd = *fd;
      texts->start = start;
      texts->size = size;
    }
  H5Pclose (made);
  H5Fclose (file);
  return is_known && texts->address_bytes <= 8
         && texts->size_bytes <= MAX_SIZE_BYTES;
}

static gboolean
read_at (const Texts *texts, guint64 at, void *bytes, size_t n)
{
  return at <= texts->size && n <= texts->size - at
         && pread (texts->fd, bytes, n, (off_t)at) == (ssize_t)n;
}

/* Reads the collection at @address, unless it is there already. */
static gboolean
read_heap (Texts *texts, guint64 address)
{
  const guint64 at = texts->start + address;
  guint8 head[MAX_HEAD_BYTES];
  if (texts->heap != NULL && address == texts->address)
    return TRUE;
  g_clear_pointer (&texts->heap, g_free);
  if (address > texts->size || !read_at (texts, at, head, sizeof head)
      || memcmp (head, signature, sizeof signature) != 0)
    return FALSE;
  texts->address = address;
  texts->heap_size = get_number (head + HEAD_BYTES, texts->size_bytes);
  if (texts->heap_size > texts->size
      || texts->heap_size > MAX_HEAP_BYTES - texts->n_read)
    return FALSE;
  texts->n_read += texts->heap_size;
  texts->heap = g_try_malloc (texts->heap_size);
  return texts->heap != NULL
         && read_at (texts, at, texts->heap, texts->heap_size);
}

/* Returns: whether the collection has object @number, with @length bytes */
static gboolean
has_object (Texts *texts, guint64 number, guint64 length)
{
  const guint64 head_bytes = pad (HEAD_BYTES + texts->size_bytes);
  guint64 at = head_bytes;
  while (number != 0 && at < texts->heap_size
         && texts->heap_size - at >= head_bytes && texts->n_steps++ < MAX_STEPS)
    {
      const guint8 *object = texts->heap + at;
      const guint64 found = get_number (object, 2);
      const guint64 own = get_number (object + HEAD_BYTES, texts->size_bytes);
      if (found == number)
        return own == length && own <= texts->heap_size - at - head_bytes;
      const guint64 whole = found == 0 ? own : head_bytes + pad (own);
      if (own > texts->heap_size || whole < head_bytes
          || whole > texts->heap_size - at)
        return FALSE;
      at += whole;
    }
  return FALSE;
}

/* @text: length, address of a collection (0: no text), number of the object */
static gboolean
is_text_sound (Texts *texts, const guint8 *text)
{
  const guint64 address = get_number (text + 4, texts->address_bytes);
  return address == 0
         || (read_heap (texts, address)
             && has_object (texts,
                            get_number (text + 4 + texts->address_bytes, 4),
                            get_number (text, 4)));
}

/* Takes the place of HDF5's conversion, which follows the heap: the texts stay
 * as they are in the file. */
static herr_t
leave_texts (hid_t from, hid_t to, H5T_cdata_t *conversion, size_t n,
             size_t stride, size_t background_stride, void *texts,
             void *background, hid_t list)
{
  return conversion->command != H5T_CONV_INIT
                 || H5Tget_size (from) == H5Tget_size (to)
             ? 0
             : -1;
}

/* From now on HDF5 can read texts of variable length as opaque bytes. */
static void
allow_stored_texts (void)
{
  static gboolean is_allowed;
  if (is_allowed)
    return;
  hid_t text = H5Tcopy (H5T_C_S1), opaque = H5Tcreate (H5T_OPAQUE, 1);
  H5Tset_size (text, H5T_VARIABLE);
  is_allowed =
      H5Tregister (H5T_PERS_SOFT, "texts", text, opaque, leave_texts) >= 0;
  H5Tclose (opaque);
  H5Tclose (text);
}

/* @all: (out caller-allocates): [texts of @data][@text_bytes] */
static gboolean
read_stored (hid_t data, size_t text_bytes, guint8 *all)
{
  allow_stored_texts ();
  hid_t stored = H5Tcreate (H5T_OPAQUE, text_bytes);
  const herr_t status =
      H5Iget_type (data) == H5I_ATTR
          ? H5Aread (data, stored, all)
          : H5Dread (data, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
  H5Tclose (stored);
  return status >= 0;
}

static gboolean
are_texts_sound (hid_t data, size_t n)
{
  Texts texts = { 0 };
  if (!begin_texts (&texts, data))
    return FALSE;
  const size_t text_bytes = 4 + texts.address_bytes + 4;
  g_autofree guint8 *all =
      n <= MAX_TEXTS ? g_try_malloc0 (n * text_bytes) : NULL;
  gboolean is_sound = all != NULL && read_stored (data, text_bytes, all);
  for (size_t k = 0; is_sound && k < n; k++)
    is_sound = is_text_sound (&texts, all + k * text_bytes);
  g_free (texts.heap);
  return is_sound;
}

static gboolean
is_in_one_file (hid_t data)
{
  hid_t file = H5Iget_file_id (data);
  hid_t access = H5Fget_access_plist (file);
  const gboolean is_one = tl_hdf5_is_one_file (access);
  H5Pclose (access);
  H5Fclose (file);
  return is_one;
}

/* The heap of its texts is that of other files. */
static gboolean
is_virtual (hid_t data)
{
  if (H5Iget_type (data) == H5I_ATTR)
    return FALSE;
  hid_t made = H5Dget_create_plist (data);
  const gboolean is = H5Pget_layout (made) == H5D_VIRTUAL;
  H5Pclose (made);
  return is;
}

gboolean
tl_hdf5_has_sound_texts (hid_t data)
{
  const gboolean is_attribute = H5Iget_type (data) == H5I_ATTR;
  hid_t type = is_attribute ? H5Aget_type (data) : H5Dget_type (data);
  hid_t space = is_attribute ? H5Aget_space (data) : H5Dget_space (data);
  const gboolean is_variable = type >= 0 && H5Tis_variable_str (type) > 0;
  const hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints (space) : -1;
  if (space >= 0)
    H5Sclose (space);
  if (type >= 0)
    H5Tclose (type);
  return !is_variable || !is_in_one_file (data)
         || (n > 0 && !is_virtual (data) && are_texts_sound (data, (size_t)n));
}

gboolean
tl_hdf5_read_number (hid_t data, double *number)
{
  hid_t space = H5Dget_space (data);
  const gboolean is_one =
      space >= 0 && H5Sget_simple_extent_npoints (space) == 1;

  if (space >= 0)
    H5Sclose (space);
  return is_one && tl_hdf5_has_sound_chunks (data, H5S_ALL)
         && H5Dread (data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     number)
                >= 0;
}

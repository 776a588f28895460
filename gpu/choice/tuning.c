#include "gpu/choice/tuning.h"

#include "data/error.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <math.h>

/* The version of the file format. Increase it when the meaning of the content
 * changes. */
#define FORMAT 3

struct TlTuning
{
  char *engine, *machine;
  GArray *rows; /* of TlTuningRow; the names in the rows are interned */
};

TlTuning *
tl_tuning_new (const char *engine, const char *machine)
{
  g_return_val_if_fail (engine != NULL && machine != NULL, NULL);

  TlTuning *tuning = g_new (TlTuning, 1);
  tuning->engine = g_strdup (engine);
  tuning->machine = g_strdup (machine);
  tuning->rows = g_array_new (FALSE, FALSE, sizeof (TlTuningRow));
  return tuning;
}

TlTuning *
tl_tuning_dup (const TlTuning *tuning)
{
  g_return_val_if_fail (tuning != NULL, NULL);

  TlTuning *copy = tl_tuning_new (tuning->engine, tuning->machine);
  g_array_append_vals (copy->rows, tuning->rows->data, tuning->rows->len);
  return copy;
}

void
tl_tuning_free (TlTuning *tuning)
{
  if (tuning == NULL)
    return;
  g_free (tuning->engine);
  g_free (tuning->machine);
  g_array_unref (tuning->rows);
  g_free (tuning);
}

/* Returns: whether @a and @b are equal except for the size. */
static gboolean
is_alike (const TlTuningCase *a, const TlTuningCase *b)
{
  return a->kernel == b->kernel && a->interpolation == b->interpolation
         && a->precision == b->precision && a->n_slices == b->n_slices
         && a->is_fourier == b->is_fourier;
}

void
tl_tuning_set (TlTuning *tuning, const TlTuningRow *row)
{
  g_return_if_fail (tuning != NULL && row != NULL && row->variant != NULL);

  TlTuningRow copy = *row;
  copy.variant = g_intern_string (row->variant);
  for (guint i = 0; i < tuning->rows->len; i++)
    {
      TlTuningRow *old = &g_array_index (tuning->rows, TlTuningRow, i);

      if (is_alike (&old->asked, &row->asked)
          && old->asked.size == row->asked.size)
        {
          *old = copy;
          return;
        }
    }
  g_array_append_val (tuning->rows, copy);
}

const TlTuningRow *
tl_tuning_get_rows (const TlTuning *tuning, size_t *n)
{
  g_return_val_if_fail (tuning != NULL && n != NULL, NULL);

  *n = tuning->rows->len;
  return (const TlTuningRow *)(void *)tuning->rows->data;
}

const TlTuningRow *
tl_tuning_find (const TlTuningRow *rows, size_t n, const TlTuningCase *asked)
{
  const TlTuningRow *best = NULL;
  double best_distance = INFINITY;

  for (size_t i = 0; i < n; i++)
    {
      const double distance =
          fabs (log2 (rows[i].asked.size) - log2 (asked->size));

      if (is_alike (&rows[i].asked, asked)
          && (distance < best_distance
              || (distance == best_distance
                  && rows[i].asked.size < best->asked.size)))
        {
          best = &rows[i];
          best_distance = distance;
        }
    }
  return best;
}

/* More projections take proportionally longer. */
#define MAX_PROJECTIONS 512

size_t
tl_tuning_get_n_projections (guint size)
{
  return MIN (size, MAX_PROJECTIONS);
}

guint
tl_tuning_get_class (size_t nx, size_t ny)
{
  const double exact = 0.5 * (log2 ((double)nx) + log2 ((double)ny));
  const double rounded = exp2 (round (exact));

  return (guint)CLAMP (rounded, TL_TUNING_SMALLEST, TL_TUNING_LARGEST);
}

/* --- the file --- */

/* Returns: (transfer full): the path of the file. Characters of engine and
 * machine that file names do not allow are replaced. */
static char *
make_path (const char *engine, const char *machine)
{
  g_autofree char *words =
      g_strdup_printf ("tuning-%s-%s-%s", engine, TL_VERSION, machine);

  g_strcanon (words, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS ".-", '_');
  g_autofree char *name = g_strconcat (words, ".ini", NULL);
  return g_build_filename (g_get_user_cache_dir (), "tomolens", name, NULL);
}

static gboolean
check_word (GKeyFile *file, const char *key, const char *wanted, GError **error)
{
  g_autofree char *word = g_key_file_get_string (file, "tuning", key, error);

  if (word == NULL)
    return FALSE;
  if (g_str_equal (word, wanted))
    return TRUE;
  return tl_fail (error, TL_ERROR_FORMAT,
                  _ ("it is for the %s \"%s\", not \"%s\""), key, word, wanted);
}

/* Reads one of @names as its index. */
static gboolean
read_name (GKeyFile *file, const char *group, const char *key,
           const char *const *names, int *value, GError **error)
{
  g_autofree char *word = g_key_file_get_string (file, group, key, error);

  return word != NULL && tl_name_find (names, key, word, value, error);
}

static gboolean
read_row (GKeyFile *file, const char *group, TlTuning *tuning, GError **error)
{
  int kernel, interpolation, precision, method;
  g_autoptr (GError) reason = NULL;
  guint64 n_slices, size = 0;
  double gups = 0.0, many_gups = 0.0;

  if (!read_name (file, group, "kernel", tl_kernel_names, &kernel, error)
      || !read_name (file, group, "interpolation", tl_interpolation_names,
                     &interpolation, error)
      || !read_name (file, group, "precision", tl_precision_names, &precision,
                     error)
      || !read_name (file, group, "method", tl_method_names, &method, error))
    return FALSE;
  g_autofree char *variant =
      g_key_file_get_string (file, group, "variant", error);
  if (variant == NULL)
    return FALSE;
  n_slices = g_key_file_get_uint64 (file, group, "slices", &reason);
  if (reason == NULL)
    size = g_key_file_get_uint64 (file, group, "size", &reason);
  if (reason == NULL)
    gups = g_key_file_get_double (file, group, "gups", &reason);
  if (reason == NULL && method == TL_METHOD_FOURIER)
    many_gups = g_key_file_get_double (file, group, "many_gups", &reason);
  if (reason != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  if (n_slices == 0 || n_slices > G_MAXUINT || size < TL_TUNING_SMALLEST
      || size > TL_TUNING_LARGEST)
    return tl_fail (error, TL_ERROR_FORMAT,
                    _ ("%llu slices of size %llu are out of range"),
                    (unsigned long long)n_slices, (unsigned long long)size);
  if (!isfinite (gups + many_gups) || fmin (gups, many_gups) < 0.0)
    return tl_fail (error, TL_ERROR_FORMAT, _ ("%g GU/s is not a valid speed"),
                    gups < 0.0 || !isfinite (gups) ? gups : many_gups);
  tl_tuning_set (tuning, &(TlTuningRow){ { kernel, interpolation, precision,
                                           (guint)n_slices, (guint)size,
                                           method == TL_METHOD_FOURIER },
                                         variant,
                                         gups,
                                         many_gups });
  return TRUE;
}

static gboolean
read_rows (GKeyFile *file, TlTuning *tuning, GError **error)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);

  for (char **group = groups; *group != NULL; group++)
    if (g_str_has_prefix (*group, "choice ")
        && !read_row (file, *group, tuning, error))
      return FALSE;
  return TRUE;
}

TlTuning *
tl_tuning_load (const char *engine, const char *machine)
{
  g_autoptr (TlTuning) tuning = tl_tuning_new (engine, machine);
  g_autofree char *path = make_path (engine, machine);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;

  if (g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &error)
      && check_word (file, "format", G_STRINGIFY (FORMAT), &error)
      && check_word (file, "engine", engine, &error)
      && check_word (file, "machine", machine, &error)
      && check_word (file, "version", TL_VERSION, &error)
      && read_rows (file, tuning, &error))
    {
      g_info ("kernels are chosen as measured: %s", path);
      return g_steal_pointer (&tuning);
    }
  if (!g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    g_info ("%s: the choice of kernels is not used: %s", path, error->message);
  return NULL;
}

static void
write_row (GKeyFile *file, guint i, const TlTuningRow *row)
{
  g_autofree char *group = g_strdup_printf ("choice %u", i);
  const TlTuningCase *asked = &row->asked;

  g_key_file_set_string (file, group, "kernel", tl_kernel_names[asked->kernel]);
  g_key_file_set_string (file, group, "interpolation",
                         tl_interpolation_names[asked->interpolation]);
  g_key_file_set_string (file, group, "precision",
                         tl_precision_names[asked->precision]);
  g_key_file_set_string (
      file, group, "method",
      tl_method_names[asked->is_fourier ? TL_METHOD_FOURIER
                                        : TL_METHOD_BACKPROJECTION]);
  g_key_file_set_uint64 (file, group, "slices", asked->n_slices);
  g_key_file_set_uint64 (file, group, "size", asked->size);
  g_key_file_set_string (file, group, "variant", row->variant);
  g_key_file_set_double (file, group, "gups", row->gups);
  if (asked->is_fourier)
    g_key_file_set_double (file, group, "many_gups", row->many_gups);
}

char *
tl_tuning_save (const TlTuning *tuning, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) reason = NULL;
  gsize length;

  g_return_val_if_fail (tuning != NULL, NULL);

  g_key_file_set_integer (file, "tuning", "format", FORMAT);
  g_key_file_set_string (file, "tuning", "engine", tuning->engine);
  g_key_file_set_string (file, "tuning", "machine", tuning->machine);
  g_key_file_set_string (file, "tuning", "version", TL_VERSION);
  for (guint i = 0; i < tuning->rows->len; i++)
    write_row (file, i, &g_array_index (tuning->rows, TlTuningRow, i));

  g_autofree char *path = make_path (tuning->engine, tuning->machine);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *text = g_key_file_to_data (file, &length, NULL);
  if (g_mkdir_with_parents (folder, 0700) != 0)
    return tl_fail_null (error, TL_ERROR_FILE,
                         _ ("%s: the folder cannot be made: %s"), folder,
                         g_strerror (errno));
  if (!g_file_set_contents (path, text, (gssize)length, &reason))
    return tl_fail_null (error, TL_ERROR_FILE,
                         _ ("%s: the choice of kernels cannot be written: %s"),
                         path, reason->message);
  return g_steal_pointer (&path);
}

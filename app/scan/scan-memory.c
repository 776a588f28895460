#include "app/scan/scan-memory.h"

#include "data/write/file-lock.h"
#include "data/write/part-file.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Older ones are forgotten. */
#define MAX_SCANS 200

/* How many times, and how long each time, to wait for another window. */
#define N_WAITS 400
#define WAIT_US 5000

static const char *const keys[] = { "angles", "angles-file", "projections",
                                    "flats",  "darks",       "leave-out",
                                    "raw",    "changed-us" };

/* Those of a recipe; the last one is when the file was written, if something is
 * left out of it. */
#define N_KEYS (G_N_ELEMENTS (keys) - 1)
#define CHANGED (keys[N_KEYS])

/* Which keys are one thing. */
static const struct
{
  TlScanMemory what;
  guint first, end;
} parts[] = { { TL_SCAN_MEMORY_ANGLES, 0, 2 },
              { TL_SCAN_MEMORY_FILES, 2, 5 },
              { TL_SCAN_MEMORY_LEFT_OUT, 5, 6 },
              { TL_SCAN_MEMORY_RAW, 6, N_KEYS } };

char *
tl_scan_memory_dup_file (void)
{
  return g_build_filename (g_get_user_state_dir (), "tomolens", "scans.ini",
                           NULL);
}

static GKeyFile *
load (void)
{
  GKeyFile *scans = g_key_file_new ();
  g_autofree char *file = tl_scan_memory_dup_file ();
  g_key_file_load_from_file (scans, file, G_KEY_FILE_NONE, NULL);
  return scans;
}

static void
save (GKeyFile *scans)
{
  g_autofree char *file = tl_scan_memory_dup_file ();
  g_autofree char *text = g_key_file_to_data (scans, NULL, NULL);
  g_autoptr (GError) error = NULL;
  if (!tl_write_file (file, text, strlen (text), TRUE, &error))
    g_info ("what was said of the scan is not kept: %s", error->message);
}

/* Waits while another window changes the file. That takes a moment; for a
 * window that was stopped meanwhile it waits 2 s at most. The lock is on a
 * second file beside it, because the file itself is replaced.
 *
 * Returns: the descriptor, to be closed after saving, or -1 */
static int
lock (void)
{
  g_autofree char *file = tl_scan_memory_dup_file ();
  g_autofree char *folder = g_path_get_dirname (file);
  g_autofree char *name = g_strconcat (file, ".lock", NULL);
  g_mkdir_with_parents (folder, 0700);
  const int fd = g_open (name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  for (int k = 0; k < N_WAITS && fd >= 0 && tl_file_is_locked (fd, F_OFD_SETLK);
       k++)
    g_usleep (WAIT_US);
  return fd;
}

/* Returns: (transfer full) (nullable): the name of the group of the scan that
 * @recipe reads from @path; it has no brackets */
static char *
dup_group (const char *path, const TlRecipe *recipe)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *file = g_filename_to_uri (absolute, NULL, NULL);
  if (file == NULL || recipe->data_path == NULL)
    return g_steal_pointer (&file);
  g_autofree char *inside = g_uri_escape_string (recipe->data_path, "/", FALSE);
  return g_strdup_printf ("%s:%s", file, inside);
}

/* Returns: (transfer full): the name of the address's group, which has no
 * brackets */
static char *
dup_address_group (const char *address)
{
  return g_uri_escape_string (address, ":/+*", TRUE);
}

/* Returns: whether values of the keys were noted; they are set unless @recipe
 * has one of them */
static gboolean
recall (GKeyFile *scans, const char *group, guint first, guint end,
        TlRecipe *recipe)
{
  gboolean found = FALSE;
  for (guint k = first; k < end; k++)
    {
      g_autofree char *given = tl_recipe_get (recipe, keys[k]);
      if (*given != '\0')
        return FALSE;
    }
  for (guint k = first; k < end; k++)
    {
      g_autofree char *value =
          g_key_file_get_string (scans, group, keys[k], NULL);
      found |= value != NULL && tl_recipe_set (recipe, keys[k], value, NULL);
    }
  return found;
}

TlScanMemory
tl_scan_memory_recall (const char *path, TlScanMemory wanted, TlRecipe *recipe)
{
  g_autoptr (GKeyFile) scans = load ();
  g_autofree char *group = dup_group (path, recipe);
  TlScanMemory found = 0;
  for (guint k = 0; group != NULL && k < G_N_ELEMENTS (parts); k++)
    if ((wanted & parts[k].what) != 0
        && recall (scans, group, parts[k].first, parts[k].end, recipe))
      found |= parts[k].what;
  return found;
}

static void
change (const char *group, const char *const *names, const char *const *values,
        guint n)
{
  g_autoptr (GKeyFile) scans = load ();
  /* removed first, so that the newest is the last one */
  const gboolean was_there = g_key_file_remove_group (scans, group, NULL);
  for (guint k = 0; k < n; k++)
    if (*values[k] != '\0')
      g_key_file_set_string (scans, group, names[k], values[k]);
  if (!was_there && !g_key_file_has_group (scans, group))
    return;
  gsize n_groups;
  g_auto (GStrv) groups = g_key_file_get_groups (scans, &n_groups);
  for (gsize k = 0; k + MAX_SCANS < n_groups; k++)
    g_key_file_remove_group (scans, groups[k], NULL);
  save (scans);
}

/* Notes the values, of which "" are none, or forgets the group.
 *
 * @names, @values: [@n] */
static void
note (const char *group, const char *const *names, const char *const *values,
      guint n)
{
  const int fd = lock ();
  change (group, names, values, n);
  if (fd >= 0)
    close (fd);
}

void
tl_scan_memory_note (const char *path, const TlRecipe *recipe,
                     gint64 changed_us)
{
  g_autofree char *group = dup_group (path, recipe);
  g_auto (GStrv) values = g_new0 (char *, N_KEYS + 2);
  for (guint k = 0; k < N_KEYS; k++)
    values[k] = tl_recipe_get (recipe, keys[k]);
  values[N_KEYS] = recipe->leave_out != NULL
                       ? g_strdup_printf ("%" G_GINT64_FORMAT, changed_us)
                       : g_strdup ("");
  if (group != NULL)
    note (group, keys, (const char *const *)values, N_KEYS + 1);
}

gboolean
tl_scan_memory_has_changed (const char *path, const TlRecipe *recipe,
                            gint64 changed_us)
{
  g_autoptr (GKeyFile) scans = load ();
  g_autofree char *group = dup_group (path, recipe);
  return group != NULL && g_key_file_has_key (scans, group, CHANGED, NULL)
         && g_key_file_get_int64 (scans, group, CHANGED, NULL) != changed_us;
}

/* --- addresses --- */

static const char *const address_keys[] = { "expected", "angles", "kinds" };
static const char *const no_words[] = { ",,", "", "" };

void
tl_address_words_clear (TlAddressWords *words)
{
  g_clear_pointer (&words->expected, g_free);
  g_clear_pointer (&words->angles, g_free);
  g_clear_pointer (&words->kinds, g_free);
}

static char *
recall_word (GKeyFile *scans, const char *group, guint k)
{
  char *value = g_key_file_get_string (scans, group, address_keys[k], NULL);
  return value != NULL ? value : g_strdup (no_words[k]);
}

gboolean
tl_scan_memory_recall_address (const char *address, TlAddressWords *words)
{
  g_autoptr (GKeyFile) scans = load ();
  g_autofree char *group = dup_address_group (address);
  if (!g_key_file_has_group (scans, group))
    return FALSE;
  *words = (TlAddressWords){ recall_word (scans, group, 0),
                             recall_word (scans, group, 1),
                             recall_word (scans, group, 2) };
  return TRUE;
}

void
tl_scan_memory_note_address (const char *address, const char *expected,
                             const char *angles, const char *kinds)
{
  g_autofree char *group = dup_address_group (address);
  /* commas alone say nothing */
  const gboolean has_numbers = strspn (expected, ", ") < strlen (expected);
  const char *const values[] = { has_numbers ? expected : "", angles, kinds };
  note (group, address_keys, values, G_N_ELEMENTS (values));
}

void
tl_scan_memory_forget (void)
{
  g_autofree char *file = tl_scan_memory_dup_file ();
  const int fd = lock ();
  g_unlink (file);
  if (fd >= 0)
    close (fd);
}

/* The command "try": opens an HDF5 file, or lists what is in it, as
 * tl_trial_pass() wants. It says nothing, and succeeds unless HDF5 ends it. */
#include "app/cli/cli-private.h"
#include "data/read/format/contents.h"
#include "data/read/reader.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static void
open_scan (const char *path, char **places, gboolean grows,
           GCancellable *cancellable)
{
  const TlReaderOptions options = {
    .data_path = *places[0] != '\0' ? places[0] : NULL,
    .keys_path = *places[1] != '\0' ? places[1] : NULL,
    .angles_path = *places[2] != '\0' ? places[2] : NULL,
    .flats_path = *places[3] != '\0' ? places[3] : NULL,
    .darks_path = *places[4] != '\0' ? places[4] : NULL,
    .grows = grows,
    .cancellable = cancellable,
  };
  tl_reader_close (tl_reader_open (path, &options, NULL));
}

static void
list_contents (const char *path)
{
  GPtrArray *datasets = tl_contents_list_datasets (path, NULL);
  g_clear_pointer (&datasets, g_ptr_array_unref);
  g_strfreev (tl_contents_list_scans (path, NULL));
  g_strfreev (tl_contents_list_sources (path));
}

/* Nobody waits for it any more when the program that started it has ended, and
 * a damaged file may keep HDF5 busy for ever. */
static void
limit_life (void)
{
  enum
  {
    MOST_S = 300
  };
  const struct rlimit limit = { MOST_S, MOST_S };
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  setrlimit (RLIMIT_CPU, &limit);
}

gboolean
tl_cli_try (char **args, GCancellable *cancellable, GError **error)
{
  enum
  {
    N_LISTED = 2,
    N_OPENED = 7
  };
  const guint n = g_strv_length (args);
  const gboolean grows =
      n == N_OPENED + 1 && strcmp (args[N_OPENED], "grows") == 0;
  limit_life ();
  if (n == N_OPENED || grows)
    open_scan (args[1], args + 2, grows, cancellable);
  else if (n == N_LISTED)
    list_contents (args[1]);
  else
    return tl_cli_usage_error (
        error, "try takes FILE, and nothing or DATA KEYS ANGLES FLATS DARKS, "
               "and grows or not");
  return TRUE;
}

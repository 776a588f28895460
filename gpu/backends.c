/* The list of backends, the search for the CUDA module, and the choice among
 * them when an engine is opened. */
#include "gpu/engine.h"

#include "data/error.h"
#include "data/installation.h"
#include "gpu/engine-private.h"
#include "gpu/host/host.h"

#include <glib/gi18n.h>
#include <gmodule.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* Returns: (transfer full): the folder that has the module of this program:
 * that of the build folder for a program in it, and that of the installation
 * for any other. No file beside a program that lies elsewhere is taken for its
 * module. */
static char *
find_folder (void)
{
  const char *wanted = g_getenv ("TOMOLENS_MODULE_DIR");
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *build = realpath (TL_BUILD_DIR, NULL);

  if (wanted != NULL && *wanted != '\0')
    return g_strdup (wanted);
  return program != NULL && build != NULL && g_str_has_prefix (program, build)
                 && program[strlen (build)] == G_DIR_SEPARATOR
             ? g_strdup (TL_BUILD_DIR "/gpu/cuda")
             : tl_installation_dup_folder (TL_MODULE_DIR);
}

/* The system's loader ends the program (SIGBUS) with a library that was not
 * copied to its end.
 *
 * Returns: whether all parts that are loaded lie in the file; %TRUE for what is
 * no library of this machine, which the loader refuses */
static gboolean
is_whole (const char *path)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, NULL);
  const char *bytes = file != NULL ? g_mapped_file_get_contents (file) : NULL;
  const guint64 size = bytes != NULL ? g_mapped_file_get_length (file) : 0;
  ElfW (Ehdr) head;

  if (size < sizeof head || memcmp (bytes, ELFMAG, SELFMAG) != 0)
    return TRUE;
  memcpy (&head, bytes, sizeof head);
  for (guint i = 0; i < head.e_phnum; i++)
    {
      const guint64 at = head.e_phoff + i * sizeof (ElfW (Phdr));
      ElfW (Phdr) part;

      if (at > size || size - at < sizeof part)
        return FALSE;
      memcpy (&part, bytes + at, sizeof part);
      if (part.p_type == PT_LOAD
          && (part.p_offset > size || size - part.p_offset < part.p_filesz))
        return FALSE;
    }
  return TRUE;
}

/* @data: (out): a GError * if the module cannot be used */
static gpointer
load_module (gpointer data)
{
  GError **reason = data;
  g_autofree char *folder = find_folder ();
  g_autofree char *path =
      g_build_filename (folder, TL_CUDA_MODULE "." G_MODULE_SUFFIX, NULL);
  gpointer entry = NULL;

  (void)TL_ERROR; /* data/error.c: the program registers it before the module */
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return tl_fail_null (reason, TL_ERROR_UNSUPPORTED,
                         _ ("this installation has no CUDA module (%s)"), path);
  if (!is_whole (path))
    return tl_fail_null (reason, TL_ERROR_UNSUPPORTED,
                         _ ("the CUDA module does not load: %s was not copied "
                            "to its end: install the program again"),
                         path);
  GModule *module =
      g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (module == NULL)
    return tl_fail_null (reason, TL_ERROR_UNSUPPORTED,
                         _ ("the CUDA module does not load: %s"),
                         g_module_error ());
  /* The module stays loaded: frames may outlive every engine, and CUDA's
   * libraries do not support unloading. */
  g_module_make_resident (module);

  if (!g_module_symbol (module, TL_CUDA_ENTRY, &entry) || entry == NULL)
    return tl_fail_null (reason, TL_ERROR_UNSUPPORTED,
                         _ ("%s is not a module of this program"), path);
  const TlBackend *backend = ((TlGetBackend)entry) (TL_BACKEND_VERSION);
  if (backend == NULL)
    tl_fail (reason, TL_ERROR_UNSUPPORTED,
             _ ("%s belongs to another version of this program"), path);
  return (gpointer)backend;
}

/* All engines of a process share one module, which is opened on the first call.
 */
static const TlBackend *
get_cuda (GError **error)
{
  static GOnce once = G_ONCE_INIT;
  static GError *reason;
  const TlBackend *backend = g_once (&once, load_module, &reason);

  if (backend == NULL)
    g_propagate_error (error, g_error_copy (reason));
  return backend;
}

static const TlBackend *
get_host (GError **error)
{
  return &tl_host_backend;
}

/* --- names --- */

/* The backends, in order of preference. */
static const struct
{
  const char *name;
  const TlBackend *(*get) (GError **error); /* returns NULL with a reason if the
                                               machine lacks the backend */
} backends[] = { { "cuda", get_cuda }, { "host", get_host } };

/* Returns: whether @name selects backend @i. "cuda" is its device number 0 and
 * "cuda:1" the next one; "auto" selects every backend. */
static gboolean
parse_name (const char *name, guint i, guint *device)
{
  guint64 number = 0;

  *device = 0;
  if (g_str_equal (name, "auto"))
    return TRUE;
  if (!g_str_has_prefix (name, backends[i].name))
    return FALSE;
  const char *rest = name + strlen (backends[i].name);
  if (*rest != '\0'
      && (*rest != ':'
          || !g_ascii_string_to_unsigned (rest + 1, 10, 0, G_MAXUINT16, &number,
                                          NULL)))
    return FALSE;
  *device = (guint)number;
  return TRUE;
}

char *
tl_engine_format_name (const char *backend, guint device)
{
  return device == 0 ? g_strdup (backend)
                     : g_strdup_printf ("%s:%u", backend, device);
}

static const TlBackend *
find_backend (guint i, guint device, char **description, GError **error)
{
  const TlBackend *backend = backends[i].get (error);

  return backend != NULL && backend->probe (device, description, error)
             ? backend
             : NULL;
}

/* Returns: the backend that @name selects; for "auto", the first backend that
 * works. */
static const TlBackend *
choose_backend (const char *name, guint *device, char **description,
                GError **error)
{
  const gboolean is_auto = g_str_equal (name, "auto");

  for (guint i = 0; i < G_N_ELEMENTS (backends); i++)
    {
      g_autoptr (GError) reason = NULL;

      if (!parse_name (name, i, device))
        continue;
      const TlBackend *backend =
          find_backend (i, *device, description, &reason);
      if (backend != NULL)
        return backend;
      if (!is_auto)
        {
          g_propagate_prefixed_error (error, g_steal_pointer (&reason),
                                      _ ("engine %s cannot be used: "), name);
          return NULL;
        }
      g_info ("engine %s cannot be used: %s", backends[i].name,
              reason->message);
    }
  return tl_fail_null (
      error, TL_ERROR_UNSUPPORTED,
      _ ("there is no engine \"%s\"; there are auto, cuda, host, and "
         "cuda:1 and so on where there are more devices than one"),
      name);
}

static TlEngine *
open_engine (const char *name, gboolean gives_way, GError **error)
{
  g_autofree char *description = NULL;
  guint device;
  g_autoptr (GError) reason = NULL;

  g_return_val_if_fail (name != NULL, NULL);

  const TlBackend *backend =
      choose_backend (name, &device, &description, error);
  if (backend == NULL)
    return NULL;
  TlEngine *engine =
      tl_engine_open_backend (backend, device, gives_way, description, &reason);
  if (engine != NULL)
    return engine;
  /* Probing found a device that cannot be opened, so "auto" tries the next
   * backend. */
  if (g_str_equal (name, "auto") && backend != &tl_host_backend)
    {
      g_info ("engine %s cannot be used: %s", backend->name, reason->message);
      return open_engine ("host", gives_way, error);
    }
  return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                       _ ("engine %s cannot be used: %s"), backend->name,
                       reason->message);
}

TlEngine *
tl_engine_open (const char *name, GError **error)
{
  return open_engine (name, FALSE, error);
}

TlEngine *
tl_engine_open_behind (const char *name, GError **error)
{
  return open_engine (name, TRUE, error);
}

TlInflater *
tl_engine_open_inflater (const char *name, gboolean gives_way)
{
  guint device;
  g_autofree char *description = NULL;
  g_autoptr (GError) reason = NULL;
  g_return_val_if_fail (name != NULL, NULL);
  const TlBackend *backend = choose_backend (name, &device, &description, NULL);
  TlInflater *inflater =
      backend != NULL && backend->open_inflater != NULL
          ? backend->open_inflater (device, gives_way, &reason)
          : NULL;
  if (reason != NULL)
    g_info ("engine %s cannot inflate: %s", name, reason->message);
  return inflater;
}

gboolean
tl_engine_pin (const char *name, void *memory, size_t bytes)
{
  g_autofree char *description = NULL;
  guint device;

  g_return_val_if_fail (name != NULL && memory != NULL, FALSE);

  const TlBackend *backend = choose_backend (name, &device, &description, NULL);
  return backend != NULL && backend->pin != NULL
         && backend->pin (device, memory, bytes);
}

void
tl_engine_unpin (const char *name, void *memory)
{
  g_autofree char *description = NULL;
  guint device;

  g_return_if_fail (name != NULL && memory != NULL);

  const TlBackend *backend = choose_backend (name, &device, &description, NULL);
  if (backend != NULL && backend->unpin != NULL)
    backend->unpin (device, memory);
}

/* Appends the names of the usable devices of backend @i. */
static void
list_devices (guint i, GStrvBuilder *names)
{
  const TlBackend *backend = backends[i].get (NULL);
  const guint n = backend != NULL ? backend->count_devices () : 0;

  for (guint device = 0; device < n; device++)
    {
      g_autofree char *description = NULL;
      g_autofree char *name = tl_engine_format_name (backends[i].name, device);

      if (backend->probe (device, &description, NULL))
        g_strv_builder_add (names, name);
    }
}

char **
tl_engine_list_devices (const char *name)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autofree char *description = NULL;
  guint device;

  g_return_val_if_fail (name != NULL, NULL);

  const TlBackend *backend = choose_backend (name, &device, &description, NULL);
  for (guint i = 0; backend != NULL && i < G_N_ELEMENTS (backends); i++)
    {
      if (backend != backends[i].get (NULL))
        continue;
      if (strchr (name, ':') != NULL)
        g_strv_builder_add (names, name);
      else
        list_devices (i, names);
    }
  return g_strv_builder_end (names);
}

char *
tl_engine_describe_device (const char *name)
{
  char *description = NULL;
  guint device;

  g_return_val_if_fail (name != NULL, NULL);

  choose_backend (name, &device, &description, NULL);
  return description;
}

gboolean
tl_engine_settle_method (const char *name, const TlParams *params,
                         size_t n_projections, size_t n_cols, TlMethod *method,
                         const char **note, GError **error)
{
  g_autofree char *description = NULL;
  guint device;

  g_return_val_if_fail (name != NULL && params != NULL, FALSE);
  g_return_val_if_fail (method != NULL && note != NULL, FALSE);

  *method = params->method;
  *note = NULL;
  if (params->method != TL_METHOD_AUTO)
    return TRUE;
  const TlBackend *backend =
      choose_backend (name, &device, &description, error);
  return backend != NULL
         && tl_engine_settle_on_backend (backend, description, params,
                                         n_projections, n_cols, method, note,
                                         error);
}

guint64
tl_engine_count_free (const char *name)
{
  g_autofree char *description = NULL;
  guint device;

  g_return_val_if_fail (name != NULL, 0);

  const TlBackend *backend = choose_backend (name, &device, &description, NULL);
  return backend != NULL && backend->count_free != NULL
             ? backend->count_free (device)
             : 0;
}

/* Appends one line about the device. Returns: whether the device can be used.
 */
static gboolean
describe_device (guint i, guint device, gboolean is_first, GString *text)
{
  g_autofree char *name = tl_engine_format_name (backends[i].name, device);
  g_autofree char *description = NULL;
  g_autoptr (GError) error = NULL;

  if (find_backend (i, device, &description, &error) == NULL)
    {
      g_string_append_printf (text, _ ("%s: cannot be used: %s\n"), name,
                              error->message);
      return FALSE;
    }
  g_string_append_printf (text, "%s: %s; %s\n", name, description,
                          is_first ? _ ("the automatic choice")
                                   : _ ("used on request"));
  return TRUE;
}

char *
tl_engine_describe_machine (void)
{
  GString *text = g_string_new (NULL);
  gboolean chosen = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (backends); i++)
    {
      const TlBackend *backend = backends[i].get (NULL);
      const guint n = backend != NULL ? backend->count_devices () : 0;

      /* Without any device, the line of device 0 says why there is none. */
      for (guint device = 0; device < MAX (n, 1); device++)
        chosen |= describe_device (i, device, !chosen, text);
    }
  return g_string_free (text, FALSE);
}

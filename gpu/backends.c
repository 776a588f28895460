/* The list of backends, and the search for the CUDA module. */
#include "gpu/backends-private.h"

#include "data/error.h"

#include <gmodule.h>
#include <string.h>

typedef struct
{
  const TlBackend *backend; /* NULL: see reason */
  char *reason;
} Module;

/* Returns: (transfer full): folders to look in, NULL-terminated. */
static char **
list_folders (void)
{
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  const char *wanted = g_getenv ("TOMOLENS_MODULE_DIR");

  if (wanted != NULL && *wanted != '\0')
    g_strv_builder_add (folders, wanted);
  if (program != NULL)
    {
      /* a build folder has gpu/cuda beside app/ and beside tests/gpu/ */
      g_autofree char *bin = g_path_get_dirname (program);
      g_autofree char *up_1 = g_build_filename (bin, "..", "gpu", "cuda", NULL);
      g_autofree char *up_2 =
          g_build_filename (bin, "..", "..", "gpu", "cuda", NULL);

      g_strv_builder_add (folders, up_1);
      g_strv_builder_add (folders, up_2);
    }
  g_strv_builder_add (folders, TL_MODULE_DIR);
  return g_strv_builder_end (folders);
}

/* Returns: (transfer full): the module's file; its bare name, for the system
 * loader's own search, where it is in none of the folders. */
static char *
find_module_file (void)
{
  static const char name[] = TL_CUDA_MODULE "." G_MODULE_SUFFIX;
  g_auto (GStrv) folders = list_folders ();

  for (char **folder = folders; *folder != NULL; folder++)
    {
      g_autofree char *path = g_build_filename (*folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
  return g_strdup (name);
}

static gpointer
load_module (gpointer data)
{
  Module *result = g_new0 (Module, 1);
  g_autofree char *path = find_module_file ();
  GModule *module;
  gpointer entry = NULL;

  module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  if (module == NULL)
    {
      if (strchr (path, G_DIR_SEPARATOR) != NULL)
        result->reason = g_strdup_printf ("the CUDA module does not load: %s",
                                          g_module_error ());
      else
        result->reason =
            g_strdup_printf ("this installation has no CUDA module (%s)", path);
      return result;
    }
  /* frames may live longer than any engine, and CUDA's libraries do not like
   * to be unloaded */
  g_module_make_resident (module);

  if (!g_module_symbol (module, TL_CUDA_ENTRY, &entry) || entry == NULL)
    result->reason =
        g_strdup_printf ("%s is not a module of this program", path);
  else
    {
      result->backend = ((TlGetBackend)entry) (TL_BACKEND_VERSION);
      if (result->backend == NULL)
        result->reason = g_strdup_printf (
            "%s belongs to another version of this program", path);
    }
  return result;
}

/* A process opens a module once, whatever the number of engines. */
static const Module *
get_module (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, load_module, NULL);
}

const char *
tl_backend_name (guint i)
{
  static const char *const names[TL_N_BACKENDS] = { "cuda", "host" };

  g_return_val_if_fail (i < TL_N_BACKENDS, NULL);
  return names[i];
}

const TlBackend *
tl_backend_find (guint i, char **device, GError **error)
{
  const TlBackend *backend = &tl_host_backend;
  g_autoptr (GError) reason = NULL;

  g_return_val_if_fail (i < TL_N_BACKENDS, NULL);
  g_return_val_if_fail (device != NULL, NULL);

  if (g_str_equal (tl_backend_name (i), "cuda"))
    {
      const Module *module = get_module ();

      if (module->backend == NULL)
        {
          g_set_error_literal (error, TL_ERROR, TL_ERROR_UNSUPPORTED,
                               module->reason);
          return NULL;
        }
      backend = module->backend;
    }
  if (!backend->probe (device, &reason))
    {
      g_set_error_literal (error, TL_ERROR, TL_ERROR_UNSUPPORTED,
                           reason->message);
      return NULL;
    }
  return backend;
}

char *
tl_engine_describe_machine (void)
{
  GString *text = g_string_new (NULL);
  gboolean chosen = FALSE;

  for (guint i = 0; i < TL_N_BACKENDS; i++)
    {
      g_autofree char *device = NULL;
      g_autoptr (GError) error = NULL;

      if (tl_backend_find (i, &device, &error) == NULL)
        g_string_append_printf (text, "%s: cannot be used: %s\n",
                                tl_backend_name (i), error->message);
      else
        {
          g_string_append_printf (
              text, "%s: %s; %s\n", tl_backend_name (i), device,
              chosen ? "used when asked for" : "the automatic choice");
          chosen = TRUE;
        }
    }
  return g_string_free (text, FALSE);
}

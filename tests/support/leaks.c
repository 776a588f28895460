/* Preloaded under the leak sanitizer, see ./check: for what cannot be said in
 * leaks.supp. Built by ./check, not by Meson. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* An OpenGL driver that was unloaded before the leaks are counted can neither
 * be named nor have its caches found. */
int
dlclose (void *handle)
{
  return 0;
}

/* Absent from programs without the sanitizer. */
void __lsan_ignore_object (const void *memory) __attribute__ ((weak));

/* With each file dialog, libcloudproviders up to 0.3.1 makes the path of a
 * folder of each XDG_DATA_DIRS and never frees it (load_cloud_providers() in
 * cloudproviderscollector.c). Paths are made in GLib, which has no frame
 * pointers: the stack of the leak ends there, and has no name of theirs. */
void *
g_file_new_for_path (const char *path)
{
  static void *(*real) (const char *);
  Dl_info caller;

  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "g_file_new_for_path");
  if (__lsan_ignore_object != NULL
      && dladdr (__builtin_return_address (0), &caller) != 0
      && strstr (caller.dli_fname, "libcloudproviders.so") != NULL)
    __lsan_ignore_object (path);
  return real (path);
}

/* Suppressions that leaks.supp cannot express. ./check builds this library, not
 * Meson, and preloads it under the leak sanitizer. */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Libraries stay loaded: if an OpenGL driver is unloaded before the leaks are
 * counted, its caches cannot be found and its frames have no names. */
int
dlclose (void *handle)
{
  return 0;
}

/* NULL in programs without the sanitizer. */
void __lsan_ignore_object (const void *memory) __attribute__ ((weak));

/* GLib allocates the strings below and has no frame pointers, so the stacks of
 * their leaks end in GLib and leaks.supp cannot name the library that asks for
 * them. Each function that allocates or takes such a string is replaced by one
 * that looks at its caller. */

/* Called for each string that GTK copies, thousands for its style sheet.
 * dladdr() is too slow for this: it searches all names of a library. */
static int
is_within (const char *library, const void *caller)
{
  struct dl_find_object found;

  return _dl_find_object ((void *)caller, &found) == 0
         && strstr (found.dlfo_link_map->l_name, library) != NULL;
}

static void
ignore_from (const char *library, const void *memory, const void *caller)
{
  if (__lsan_ignore_object != NULL && memory != NULL
      && is_within (library, caller))
    __lsan_ignore_object (memory);
}

/* With each file dialog, libcloudproviders up to 0.3.1 makes the path of a
 * folder of each XDG_DATA_DIRS and never frees it (load_cloud_providers() in
 * cloudproviderscollector.c). */
void *
g_file_new_for_path (const char *path)
{
  static void *(*real) (const char *);

  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "g_file_new_for_path");
  ignore_from ("libcloudproviders.so", path, __builtin_return_address (0));
  return real (path);
}

/* When Tab completes the text of a file dialog's entry, GTK 4.8 frees neither
 * the text nor its completion (explicitly_complete() in gtkfilechooserentry.c).
 * The text comes from gtk_editable_get_chars(), which ends in a jump to
 * g_strndup(): the caller here is whoever called gtk_editable_get_chars(). */
char *
g_strndup (const char *text, size_t n)
{
  static char *(*real) (const char *, size_t);
  char *copy;

  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "g_strndup");
  copy = real (text, n);
  ignore_from ("libgtk-4.so", copy, __builtin_return_address (0));
  return copy;
}

/* The function of GTK that never frees what g_strdup() below returns to it. */
static const char *compute_prefix;
#define COMPUTE_PREFIX_BYTES 512 /* of code, or a little more */

__attribute__ ((constructor)) static void
find_compute_prefix (void)
{
  compute_prefix = dlsym (RTLD_DEFAULT, "gtk_entry_completion_compute_prefix");
}

char *
g_strdup (const char *text)
{
  static char *(*real) (const char *);
  const char *caller = __builtin_return_address (0);
  char *copy;

  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "g_strdup");
  copy = real (text);
  if (__lsan_ignore_object != NULL && copy != NULL && compute_prefix != NULL
      && caller > compute_prefix
      && caller < compute_prefix + COMPUTE_PREFIX_BYTES)
    __lsan_ignore_object (copy);
  return copy;
}

/* When a file of a folder that a file dialog shows disappears, GTK 4.8 frees
 * the row of the file without the row's values (remove_file() in
 * gtkfilesystemmodel.c). GTK does without where folders cannot be watched. */
void *
g_file_monitor_directory (void *folder, int flags, void *cancellable,
                          void *error)
{
  static void *(*real) (void *, int, void *, void *);

  if (is_within ("libgtk-4.so", __builtin_return_address (0)))
    return NULL;
  if (real == NULL)
    *(void **)&real = dlsym (RTLD_NEXT, "g_file_monitor_directory");
  return real (folder, flags, cancellable, error);
}

/* When GLib enlarges its table of quarks, it leaks the old table by intent,
 * because other threads may read it without a lock (quark_new() in gquark.c).
 * This pointer keeps the first table reachable. */
void *volatile tl_quarks;

/* Returns: whether @memory, which may be any address, is the table of quarks:
 * its first entries decide. */
static int
is_quarks (void *memory, const char *(*to_string) (uint32_t))
{
  const char *first[3];
  struct iovec here = { first, sizeof first };
  struct iovec there = { memory, sizeof first };

  return process_vm_readv (getpid (), &here, 1, &there, 1, 0) == sizeof first
         && first[0] == NULL && first[1] == to_string (1)
         && first[2] == to_string (2);
}

/* Searches GLib's variables for the table of quarks. */
static int
find_quarks (struct dl_phdr_info *library, size_t size, void *data)
{
  const char *(*to_string) (uint32_t);

  if (strstr (library->dlpi_name, "libglib-2.0.so") == NULL)
    return 0;
  *(void **)&to_string = dlsym (RTLD_DEFAULT, "g_quark_to_string");
  if (to_string == NULL || to_string (2) == NULL)
    return 1;
  for (unsigned i = 0; i < library->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *part = &library->dlpi_phdr[i];
      void **variables = (void **)(library->dlpi_addr + part->p_vaddr);

      if (part->p_type != PT_LOAD || (part->p_flags & PF_W) == 0)
        continue;
      for (size_t k = 0; k < part->p_memsz / sizeof *variables; k++)
        if (variables[k] != NULL && is_quarks (variables[k], to_string))
          tl_quarks = variables[k];
    }
  return 1;
}

__attribute__ ((constructor)) static void
keep_quarks (void)
{
  dl_iterate_phdr (find_quarks, NULL);
}

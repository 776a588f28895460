/* Preloaded under the leak sanitizer, see ./check: for what cannot be said in
 * leaks.supp. Built by ./check, not by Meson. */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

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

/* Where GLib needs a larger table of quarks it leaks the old one, by intent
 * (quark_new() in gquark.c): it may be read without a lock. Here a pointer to
 * the first is kept. */
void *volatile tl_quarks;

/* Returns: whether it is that table, by its first quarks; @memory may be
 * anything. */
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

/* Among GLib's variables. */
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

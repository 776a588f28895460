#include "app/cli/slurm-private.h"

#include "app/cli/cli-private.h"
#include "app/export/part.h"
#include "data/error.h"
#include "data/write/part-file.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

/* --- what no job can make --- */

static gboolean
check_part (const TlExportJob *job, const TlScanInfo *info,
            const char *const *engines, GError **error)
{
  const TlParams *params = &job->recipe->params;
  g_autofree char *path = tl_export_dup_part_path (job);
  g_autofree char *question = NULL; /* the jobs say --overwrite */
  TlExportJob asked = *job;
  TlExportSettings settings;
  TlExportPlan plan;
  gboolean can_resume;
  asked.path = path;
  if (!tl_export_check_target (&asked, &question, &can_resume, error)
      || !tl_export_take_part (job, &settings, error))
    return FALSE;
  if (!tl_export_settings_check (&settings, &params->grid, info->n_rows, error))
    {
      g_autofree char *name = g_filename_display_basename (job->scan);
      g_prefix_error (error, "%s: ", name);
      return FALSE;
    }
  return job->budget_bytes == 0
         || tl_export_plan_make (&settings, params, info, engines,
                                 job->budget_bytes, 0, &plan, error);
}

gboolean
tl_cli_slurm_check (const TlExportJob *job, const TlScanInfo *info,
                    const char *const *engines, GError **error)
{
  TlExportJob part = *job;
  for (part.part = 1; part.part <= part.n_parts; part.part++)
    if (!check_part (&part, info, engines, error))
      return FALSE;
  return TRUE;
}

/* --- the scripts --- */

/* The lines that sbatch reads. */
static gboolean
append_options (GString *script, const char *options, GError **error)
{
  g_auto (GStrv) words = NULL;
  if (options == NULL || *options == '\0')
    return TRUE;
  if (!g_shell_parse_argv (options, NULL, &words, NULL))
    return tl_fail (error, TL_ERROR_VALUE,
                    "--sbatch: no shell takes \"%s\": check the quotes",
                    options);
  for (char **word = words; *word != NULL; word++)
    {
      g_autofree char *quoted = g_shell_quote (*word);
      g_string_append_printf (script, "#SBATCH %s\n", quoted);
    }
  return TRUE;
}

/* Returns: (transfer full): the folder for the scripts */
static char *
make_folder (const TlExportJob *job, GError **error)
{
  g_autofree char *parts = tl_export_dup_parts_folder (job);
  if (g_mkdir_with_parents (parts, 0777) == 0)
    return g_steal_pointer (&parts);
  return tl_fail_null (error, TL_ERROR_FILE,
                       "%s: the folder cannot be made: %s", parts,
                       g_strerror (errno));
}

/* Returns: (transfer full): the options of the volume and of the work */
static char *
dup_options (const TlExportJob *job, const char *log)
{
  g_autofree char *volume = tl_export_settings_to_options (&job->settings);
  g_autoptr (GString) options = g_string_new (volume);
  if (job->budget_bytes > 0)
    g_string_append_printf (options, " --memory %" G_GUINT64_FORMAT,
                            job->budget_bytes);
  if (job->n_devices > 0)
    g_string_append_printf (options, " --devices %u", job->n_devices);
  if (job->is_strict)
    g_string_append (options, " --strict");
  if (log != NULL)
    {
      g_autofree char *path = g_canonicalize_filename (log, NULL);
      g_autofree char *quoted = g_shell_quote (path);
      g_string_append_printf (options, " --log %s", quoted);
    }
  return g_string_free (g_steal_pointer (&options), FALSE);
}

/* @what: "part" or "join"
 * @directives: the lines for sbatch, each with a line end
 * @share: the options that say which part
 *
 * Returns: (transfer full): the path of the script */
static char *
write_script (const TlExportJob *job, const char *log, const char *parts,
              const char *what, const char *directives, const char *share,
              GError **error)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *quoted_program =
      g_shell_quote (program != NULL ? program : "tomolens-cli");
  g_autofree char *scan = g_canonicalize_filename (job->scan, NULL);
  g_autofree char *quoted_scan = g_shell_quote (scan);
  g_autofree char *recipe = g_build_filename (parts, TL_EXPORT_RECIPE, NULL);
  g_autofree char *quoted_recipe = g_shell_quote (recipe);
  g_autofree char *volume = g_canonicalize_filename (job->path, NULL);
  g_autofree char *quoted_volume = g_shell_quote (volume);
  g_autofree char *options = dup_options (job, log);
  g_autofree char *name = g_path_get_basename (volume);
  g_autofree char *file = g_strdup_printf ("%s.sbatch", what);
  g_autofree char *path = g_build_filename (parts, file, NULL);
  g_autofree char *script =
      g_strdup_printf ("#!/bin/sh\n#SBATCH --job-name='%s of %s'\n%s"
                       "exec %s export %s --recipe %s%s -o %s %s\n",
                       what, name, directives, quoted_program, quoted_scan,
                       quoted_recipe, options, quoted_volume, share);
  return tl_write_file (path, script, strlen (script), TRUE, error)
             ? g_steal_pointer (&path)
             : NULL;
}

/* Returns: (transfer full): the number that Slurm gives the job */
static char *
submit (const char *dependency, const char *script, GError **error)
{
  const char *const args[] = { "sbatch", "--parsable",
                               dependency != NULL ? dependency : script,
                               dependency != NULL ? script : NULL, NULL };
  g_autoptr (GError) failed = NULL;
  g_autoptr (GSubprocess) process = g_subprocess_newv (
      args, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
      &failed);
  char *out = NULL;
  g_autofree char *err = NULL;
  if (process != NULL
      && g_subprocess_communicate_utf8 (process, NULL, NULL, &out, &err,
                                        &failed)
      && g_subprocess_get_successful (process))
    {
      out[strcspn (out, ";\n")] = '\0';
      return out;
    }
  g_free (out);
  return tl_fail_null (error, TL_ERROR_UNSUPPORTED,
                       "sbatch does not take %s: %s", script,
                       failed != NULL ? failed->message
                       : err != NULL  ? g_strchomp (err)
                                      : "no reason given");
}

/* Writes both scripts, and the recipe that they name. */
static gboolean
write_scripts (const TlExportJob *job, const char *log, const char *options,
               char **part, char **join, GError **error)
{
  g_autofree char *parts = make_folder (job, error);
  if (parts == NULL)
    return FALSE;
  g_autofree char *recipe = g_build_filename (parts, TL_EXPORT_RECIPE, NULL);
  g_autofree char *part_share = g_strdup_printf (
      "--part \"$SLURM_ARRAY_TASK_ID\"/%u --resume --overwrite", job->n_parts);
  g_autofree char *join_share = g_strdup_printf (
      "--join %u%s", job->n_parts, job->overwrites ? " --overwrite" : "");
  g_autoptr (GString) part_lines = g_string_new (NULL);
  g_autoptr (GString) join_lines = g_string_new (NULL);
  g_string_printf (part_lines,
                   "#SBATCH --array=1-%u\n#SBATCH --output='%s/part-%%a.log'\n",
                   job->n_parts, parts);
  g_string_printf (join_lines, "#SBATCH --output='%s/join.log'\n", parts);
  if (!append_options (part_lines, options, error)
      || !append_options (join_lines, options, error)
      || !tl_recipe_save (job->recipe, job->scan, recipe, error))
    return FALSE;
  *part = write_script (job, log, parts, "part", part_lines->str, part_share,
                        error);
  *join = *part != NULL ? write_script (job, log, parts, "join",
                                        join_lines->str, join_share, error)
                        : NULL;
  return *join != NULL;
}

gboolean
tl_cli_slurm_write (const TlExportJob *job, const char *log,
                    const char *options, gboolean submits, GError **error)
{
  g_autofree char *part_script = NULL;
  g_autofree char *join_script = NULL;
  g_autofree char *joined = tl_export_dup_joined (job);
  if (joined != NULL)
    return tl_fail (error, TL_ERROR_FILE,
                    "%s: this volume shows the files of its parts, which the "
                    "jobs would make anew: remove it, or choose another name",
                    joined);
  if (!write_scripts (job, log, options, &part_script, &join_script, error))
    return FALSE;
  if (!submits)
    {
      printf ("job=$(sbatch --parsable '%s')\n"
              "sbatch --dependency=afterok:$job '%s'\n",
              part_script, join_script);
      return TRUE;
    }
  g_autofree char *first = submit (NULL, part_script, error);
  if (first == NULL)
    return FALSE;
  g_autofree char *dependency =
      g_strconcat ("--dependency=afterok:", first, NULL);
  g_autofree char *second = submit (dependency, join_script, error);
  if (second == NULL)
    return FALSE;
  g_autofree char *parts = tl_cli_dup_count (job->n_parts, "part");
  printf ("%s to job %s; job %s joins %s to %s\n", parts, first, second,
          job->n_parts == 1 ? "it" : "them", job->path);
  return TRUE;
}

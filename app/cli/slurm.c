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

/* --- the options of sbatch --- */

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

/* --- files that may be there already --- */

/* Begins the last line of a script, which has the checksum of those above. */
#define MARK "# written by tomolens-cli, checksum "

/* Returns: (transfer full): @length: of @text; -1: all */
static char *
dup_sum (const char *text, gssize length)
{
  g_autofree char *sum =
      g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, length);
  return g_strndup (sum, 16);
}

/* Returns: whether @text is a script that is as it was written */
static gboolean
is_own_script (const char *text)
{
  const char *mark = g_strrstr (text, MARK);
  if (mark == NULL)
    return FALSE;
  g_autofree char *sum = dup_sum (text, mark - text);
  g_autofree char *line = g_strconcat (MARK, sum, "\n", NULL);
  return strcmp (mark, line) == 0;
}

static gboolean
has_text (const char *path, const char *text)
{
  g_autofree char *there = NULL;
  return g_file_test (path, G_FILE_TEST_IS_REGULAR)
         && g_file_get_contents (path, &there, NULL, NULL)
         && strcmp (there, text) == 0;
}

/* A recipe of other contents is never replaced: its name has the checksum of
 * what was written. */
static gboolean
check_file (const char *path, const char *text, gboolean overwrites,
            GError **error)
{
  g_autofree char *there = NULL;
  if (!tl_export_check_outside (path, error))
    return FALSE;
  if (!g_file_test (path, G_FILE_TEST_EXISTS) || has_text (path, text))
    return TRUE;
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    g_file_get_contents (path, &there, NULL, NULL);
  if (there == NULL || !is_own_script (there))
    return tl_fail (error, TL_ERROR_FILE,
                    "%s: this is not as tomolens-cli writes it, and is not "
                    "replaced: move it away, or choose another name",
                    path);
  return overwrites
         || tl_fail (
             error, TL_ERROR_FILE,
             "%s: this script belongs to other jobs for the same volume; "
             "say --overwrite to replace it, or choose another name",
             path);
}

/* Without @overwrites two programs that write at once do not replace the file
 * of each other. */
static gboolean
write_file (const char *path, const char *text, gboolean overwrites,
            GError **error)
{
  return has_text (path, text)
         || tl_write_file (path, text, strlen (text), overwrites, error);
}

/* --- the scripts --- */

/* Returns: (transfer full): "/a/volume.h5.slurm" for "/a/volume.h5" */
static char *
dup_folder (const TlExportJob *job)
{
  g_autofree char *volume = g_canonicalize_filename (job->path, NULL);
  return g_strconcat (volume, ".slurm", NULL);
}

/* A queued script never reads the recipe of other jobs, because the names
 * differ.
 *
 * Returns: (transfer full): "recipe-0123456789abcdef.ini", with its folder */
static char *
dup_recipe_path (const char *folder, const char *recipe)
{
  g_autofree char *sum = dup_sum (recipe, -1);
  g_autofree char *name = g_strdup_printf ("recipe-%s.ini", sum);
  return g_build_filename (folder, name, NULL);
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

/* @recipe: its path
 * @what: "part" or "join"
 * @directives: the lines for sbatch, each with a line end
 * @share: the options that say which part
 *
 * Returns: (transfer full): the text of the script */
static char *
dup_script (const TlExportJob *job, const char *log, const char *recipe,
            const char *what, const char *directives, const char *share)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *quoted_program =
      g_shell_quote (program != NULL ? program : "tomolens-cli");
  g_autofree char *scan = g_canonicalize_filename (job->scan, NULL);
  g_autofree char *quoted_scan = g_shell_quote (scan);
  g_autofree char *quoted_recipe = g_shell_quote (recipe);
  g_autofree char *volume = g_canonicalize_filename (job->path, NULL);
  g_autofree char *quoted_volume = g_shell_quote (volume);
  g_autofree char *options = dup_options (job, log);
  g_autofree char *name = g_path_get_basename (volume);
  g_autofree char *script =
      g_strdup_printf ("#!/bin/sh\n#SBATCH --job-name='%s of %s'\n%s"
                       "exec %s export %s --recipe %s%s -o %s %s\n",
                       what, name, directives, quoted_program, quoted_scan,
                       quoted_recipe, options, quoted_volume, share);
  g_autofree char *sum = dup_sum (script, -1);
  return g_strconcat (script, MARK, sum, "\n", NULL);
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

/* The files of an array and of the job that joins its parts. */
typedef struct
{
  char *folder;
  char *path[3]; /* recipe, part, join */
  char *text[3];
} Submission;

static void
submission_clear (Submission *submission)
{
  g_free (submission->folder);
  for (guint k = 0; k < G_N_ELEMENTS (submission->path); k++)
    {
      g_free (submission->path[k]);
      g_free (submission->text[k]);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Submission, submission_clear)

/* Slurm puts its own numbers into the names of the logs, so that no job
 * replaces the log of an earlier one. */
static gboolean
compose (const TlExportJob *job, const char *log, const char *options,
         Submission *submission, GError **error)
{
  g_autofree char *part_share = g_strdup_printf (
      "--part \"$SLURM_ARRAY_TASK_ID\"/%u --resume --overwrite", job->n_parts);
  g_autofree char *join_share = g_strdup_printf (
      "--join %u%s", job->n_parts, job->overwrites ? " --overwrite" : "");
  g_autoptr (GString) part_lines = g_string_new (NULL);
  g_autoptr (GString) join_lines = g_string_new (NULL);
  char *folder = submission->folder = dup_folder (job);
  char **path = submission->path, **text = submission->text;
  g_string_printf (
      part_lines,
      "#SBATCH --array=1-%u\n#SBATCH --output='%s/part-%%A_%%a.log'\n",
      job->n_parts, folder);
  g_string_printf (join_lines, "#SBATCH --output='%s/join-%%j.log'\n", folder);
  if (!append_options (part_lines, options, error)
      || !append_options (join_lines, options, error))
    return FALSE;
  text[0] = tl_recipe_to_text (job->recipe, job->scan);
  path[0] = dup_recipe_path (folder, text[0]);
  path[1] = g_build_filename (folder, "part.sbatch", NULL);
  path[2] = g_build_filename (folder, "join.sbatch", NULL);
  text[1] = dup_script (job, log, path[0], "part", part_lines->str, part_share);
  text[2] = dup_script (job, log, path[0], "join", join_lines->str, join_share);
  return TRUE;
}

static gboolean
write_files (const Submission *submission, gboolean overwrites, GError **error)
{
  for (guint k = 0; k < G_N_ELEMENTS (submission->path); k++)
    if (!check_file (submission->path[k], submission->text[k], overwrites,
                     error))
      return FALSE;
  if (g_mkdir_with_parents (submission->folder, 0777) != 0)
    return tl_fail (error, TL_ERROR_FILE, "%s: the folder cannot be made: %s",
                    submission->folder, g_strerror (errno));
  for (guint k = 0; k < G_N_ELEMENTS (submission->path); k++)
    if (!write_file (submission->path[k], submission->text[k], overwrites,
                     error))
      return FALSE;
  return TRUE;
}

gboolean
tl_cli_slurm_write (const TlExportJob *job, const char *log,
                    const char *options, gboolean submits, GError **error)
{
  g_auto (Submission) submission = { 0 };
  g_autofree char *joined = tl_export_dup_joined (job);
  if (joined != NULL)
    return tl_fail (error, TL_ERROR_FILE,
                    "%s: this volume shows the files of its parts, which the "
                    "jobs would make anew: remove it, or choose another name",
                    joined);
  if (!compose (job, log, options, &submission, error)
      || !write_files (&submission, job->overwrites, error))
    return FALSE;
  const char *part_script = submission.path[1];
  const char *join_script = submission.path[2];
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

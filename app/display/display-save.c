/* Saves the picture that is shown, in the background. */
#include "app/display/display-private.h"

#include "app/export/export.h"
#include "app/recon/recon.h"
#include "data/error.h"
#include "data/write/part-file.h"
#include "data/write/writer.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

/* The data of the background task. */
typedef struct
{
  GWeakRef display; /* may be finalized first; main thread only */
  TlFinishedPicture picture;
  char *name; /* "Slice 12", for the notice */
  char *path;
  char *recipe_path; /* set by the thread */
} Saving;

void
tl_finished_picture_clear (TlFinishedPicture *picture)
{
  g_clear_pointer (&picture->frame, tl_frame_unref);
  g_clear_pointer (&picture->recipe, tl_recipe_free);
  g_clear_pointer (&picture->scan, g_free);
  g_clear_pointer (&picture->what, g_free);
}

static void
saving_free (gpointer data)
{
  Saving *saving = data;
  g_weak_ref_clear (&saving->display);
  tl_finished_picture_clear (&saving->picture);
  g_free (saving->name);
  g_free (saving->path);
  g_free (saving->recipe_path);
  g_free (saving);
}

/* Returns: (transfer full): the path for a recipe, "slice.ini" for
 * "slice.tiff", and "slice-2.ini" for @number 2 */
static char *
name_recipe (const char *path, guint number)
{
  static const char *const suffixes[] = { ".tiff", ".tif" };
  g_autofree char *count =
      number > 1 ? g_strdup_printf ("-%u", number) : g_strdup ("");
  size_t length = strlen (path);
  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_has_suffix (path, suffixes[i]))
      {
        length -= strlen (suffixes[i]);
        break;
      }
  return g_strdup_printf ("%.*s%s.ini", (int)length, path, count);
}

static gboolean
has_text (const char *path, const char *text)
{
  g_autofree char *there = NULL;
  return g_file_get_contents (path, &there, NULL, NULL)
         && strcmp (there, text) == 0;
}

/* The user has agreed to replace the picture, but knows nothing of a recipe or
 * of notes beside it: the recipe takes the first name that is free.
 *
 * @is_new: (out): whether a file was made; the same recipe is not written
 *   twice */
static gboolean
save_recipe (Saving *saving, gboolean *is_new, GError **error)
{
  g_autofree char *text =
      tl_recipe_to_text (saving->picture.recipe, saving->picture.scan);
  GStatBuf status;
  for (guint number = 1;; number++)
    {
      g_free (saving->recipe_path);
      saving->recipe_path = name_recipe (saving->path, number);
      if (g_lstat (saving->recipe_path, &status) != 0)
        return *is_new = tl_write_file (saving->recipe_path, text,
                                        strlen (text), FALSE, error);
      if (has_text (saving->recipe_path, text))
        return TRUE;
    }
}

/* The recipe comes first: it can be taken back, the picture that is replaced
 * cannot. */
static void
save (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Saving *saving = data;
  TlFrame *frame = saving->picture.frame;
  GError *error = NULL;
  gboolean is_new = FALSE;
  if (tl_check_output (saving->picture.scan, saving->path, &error)
      && tl_export_check_outside (saving->path, &error)
      && tl_frame_fetch (frame, &error) && save_recipe (saving, &is_new, &error)
      && tl_write_tiff (saving->path, tl_frame_get_pixels (frame),
                        tl_frame_get_n_rows (frame),
                        tl_frame_get_n_cols (frame), saving->picture.what,
                        &error))
    {
      g_task_return_boolean (task, TRUE);
      return;
    }
  if (is_new)
    g_unlink (saving->recipe_path);
  g_task_return_error (task, error);
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  Saving *saving = g_task_get_task_data (G_TASK (result));
  g_autoptr (TlDisplay) display = g_weak_ref_get (&saving->display);
  g_autoptr (GError) error = NULL;
  if (display == NULL)
    return;
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      tl_messages_warn (display->messages, TRUE, "%s", error->message);
      return;
    }
  tl_messages_clear_warning (display->messages, TRUE);
  g_autofree char *usual = name_recipe (saving->path, 1);
  if (strcmp (usual, saving->recipe_path) == 0)
    tl_messages_tell (display->messages, _ ("%s written to %s"), saving->name,
                      saving->path);
  else
    /* translators: "Slice 12", its file, the file of the recipe */
    tl_messages_tell (display->messages,
                      _ ("%s written to %s, its recipe to %s"), saving->name,
                      saving->path, saving->recipe_path);
}

static const char *
describe_slice (TlDisplay *display)
{
  if (tl_slice_comparison_get_shown_mode (display->comparison)
      == TL_COMPARE_DIFFERENCE)
    return "the slice minus slice A, attenuation per pixel length";
  return tl_display_shows_differences (display)
             ? "fast minus full precision, attenuation per pixel length"
             : "attenuation per pixel length";
}

static char *
describe_plane (TlDisplay *display)
{
  g_autofree char *plane = tl_recon_describe_plane (
      &tl_display_get_view (display)->shown.planes.planes[display->pane]);
  return tl_display_get_difference (display) != NULL
             ? g_strdup_printf ("the plane minus plane A: %s", plane)
             : g_steal_pointer (&plane);
}

static char *
describe_values (TlDisplay *display)
{
  switch (display->choice.picture)
    {
    case TL_PICTURE_SINOGRAM:
      return g_strdup ("sinogram as the filter is given it: "
                       "[projection][column]");
    case TL_PICTURE_PROJECTION:
      return g_strdup ("corrected projection: [row][column]");
    case TL_PICTURE_PLANES:
      return describe_plane (display);
    case TL_PICTURE_OVERLAY:
      return display->composite != NULL
                 ? TL_COMPOSITE_GET_IFACE (display->composite)
                       ->describe_values (display->composite)
                 : g_strdup ("corrected projection: [row][column]");
    default:
      return g_strdup (describe_slice (display));
    }
}

/* Returns: the number in the file of the projection that is shown */
static guint
get_shown_number (TlDisplay *display)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (display->source);
  return (guint)scan->frames[tl_display_get_view (display)->shown.projection];
}

static char *
name_picture (TlDisplay *display, const TlRecipe *shown)
{
  switch (display->choice.picture)
    {
    case TL_PICTURE_SINOGRAM:
      return g_strdup_printf (_ ("Sinogram of slice %zu"), shown->slice);
    case TL_PICTURE_PROJECTION:
      return g_strdup_printf (_ ("Projection %u"), get_shown_number (display));
    case TL_PICTURE_OVERLAY:
      return g_strdup_printf (_ ("Overlay of projection %u"),
                              get_shown_number (display));
    case TL_PICTURE_PLANES:
      /* translators: the difference of planes, as in "Plane minus A written to
       * x.tiff" */
      if (tl_display_get_difference (display) != NULL)
        return g_strdup (_ ("Plane minus A"));
      /* translators: the plane of a pane, as in "Plane written to x.tiff" */
      return g_strdup (_ ("Plane"));
    default:
      if (tl_slice_comparison_get_shown_mode (display->comparison)
          == TL_COMPARE_DIFFERENCE)
        return g_strdup_printf (
            _ ("Slice %zu minus A, slice %zu,"), shown->slice,
            (size_t)tl_slice_comparison_get_recipe (display->comparison)
                ->slice);
      return g_strdup_printf (_ ("Slice %zu"), shown->slice);
    }
}

/* Returns: (transfer none) (nullable): the plane of the pane to save, or the
 * difference from that of A */
static TlFrame *
find_plane (TlDisplay *display)
{
  const TlPlaneSet *set = &tl_display_get_view (display)->shown.planes;
  if (tl_display_get_difference (display) != NULL)
    set = &tl_slice_comparison_get_planes (display->comparison)->difference;
  return set->frames[display->pane];
}

/* Returns: (transfer none) (nullable): the frame to write
 * @why: (out): the reason where there is none */
static TlFrame *
find_frame (TlDisplay *display, const char **why)
{
  TlFrame *frame = tl_display_get_frame (display);
  const TlStats *stats;
  *why = NULL;
  if (frame == NULL || !tl_scan_source_is_open (display->source))
    *why = _ ("There is no slice to save: no scan is open");
  else if (display->page == TL_PAGE_VOLUME && tl_display_is_slice_old (display))
    *why = _ ("There is no slice of the present parameters, because none is "
              "made while the volume is shown; show the slice first");
  else if (tl_display_shows_preview (display))
    *why = _ ("A preview is not saved; wait for the full picture");
  else if (display->choice.picture != TL_PICTURE_PLANES
           && tl_slice_comparison_get_shown_mode (display->comparison)
                  == TL_COMPARE_DIFFERENCE)
    {
      frame = tl_display_get_difference (display);
      if (frame == NULL)
        *why = _ ("The difference is not saved: it is still being computed; "
                  "try again in a moment");
    }
  else if (display->choice.picture == TL_PICTURE_OVERLAY
           && display->composite != NULL)
    {
      TlCompositeInterface *iface = TL_COMPOSITE_GET_IFACE (display->composite);
      if (!iface->is_exact (display->composite))
        *why = _ ("The overlay is not saved: it is still being computed for "
                  "the present axis; try again in a moment");
      iface->get_picture (display->composite, &frame, &stats);
    }
  else if (display->choice.picture == TL_PICTURE_PLANES)
    {
      frame = find_plane (display);
      if (frame == NULL)
        *why = _ ("There is no plane to save in this pane: it shows nothing of "
                  "the sample");
    }
  return *why == NULL ? frame : NULL;
}

/* Returns: (transfer full): the parameters used to make the picture */
static TlRecipe *
copy_recipe (TlDisplay *display)
{
  const TlShownMeasuredView *view = tl_display_get_view (display);
  TlRecipe *recipe =
      tl_recipe_dup (view != NULL ? view->shown.recipe : display->shown);
  if (display->choice.picture == TL_PICTURE_OVERLAY
      && display->composite != NULL)
    TL_COMPOSITE_GET_IFACE (display->composite)
        ->complete_recipe (display->composite, recipe);
  return recipe;
}

gboolean
tl_display_is_composing (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  return display->choice.picture == TL_PICTURE_OVERLAY
         && display->composite != NULL
         && !TL_COMPOSITE_GET_IFACE (display->composite)
                 ->is_exact (display->composite);
}

gboolean
tl_display_get_finished (TlDisplay *display, TlFinishedPicture *picture,
                         GError **error)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  const char *why;
  TlFrame *frame = find_frame (display, &why);
  if (frame == NULL)
    return tl_fail (error, TL_ERROR_VALUE, "%s", why);
  *picture = (TlFinishedPicture){
    .frame = tl_frame_ref (frame),
    .recipe = copy_recipe (display),
    .scan = g_strdup (tl_scan_source_get_origin (display->source)),
    .what = describe_values (display),
  };
  return TRUE;
}

gboolean
tl_display_check_save (TlDisplay *display)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), FALSE);
  const char *why;
  if (find_frame (display, &why) != NULL)
    return TRUE;
  tl_messages_warn (display->messages, FALSE, "%s", why);
  return FALSE;
}

void
tl_display_save (TlDisplay *display, const char *path)
{
  g_return_if_fail (TL_IS_DISPLAY (display));
  g_return_if_fail (path != NULL);
  TlFinishedPicture picture;
  g_autoptr (GError) error = NULL;
  if (!tl_display_get_finished (display, &picture, &error))
    {
      tl_messages_warn (display->messages, FALSE, "%s", error->message);
      return;
    }
  g_autoptr (GTask) task = g_task_new (NULL, NULL, on_saved, NULL);
  Saving *saving = g_new0 (Saving, 1);
  g_weak_ref_init (&saving->display, display);
  saving->picture = picture;
  saving->name = name_picture (display, picture.recipe);
  saving->path = g_strdup (path);
  g_task_set_task_data (task, saving, saving_free);
  g_task_run_in_thread (task, save);
}

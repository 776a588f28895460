/* The main window: picture, panel, status line. */
#pragma once

#include "app/session/last-recipe.h"
#include "ui/picture/slice-view.h"

#define TL_TYPE_WINDOW (tl_window_get_type ())
G_DECLARE_FINAL_TYPE (TlWindow, tl_window, TL, WINDOW, GtkApplicationWindow)

/**
 * tl_window_new:
 * @application: with the actions of ui/actions/actions.h
 *
 * Its own actions: zoom-in, zoom-out, fit, open-dialog, open-folder-dialog,
 * save-recipe, record, export-page, recent, history, back, leave-field, help,
 * help-page (s), demonstration, shortcuts, preferences, about, about-machine;
 * and those of tl_keep_actions_add().
 */
TlWindow *tl_window_new (GtkApplication *application, TlMeasure *measure,
                         TlCompare *compare, TlLastRecipe *last_recipe);

TlSliceView *tl_window_get_slice_view (TlWindow *window);

/** tl_window_get_banner: Returns: (nullable) (transfer none): the error
 * message shown. */
const char *tl_window_get_banner (TlWindow *window);

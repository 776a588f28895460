#include "ui/picture/readout.h"

#include "app/axis/overlay/overlay.h"

#include <glib/gi18n.h>

static char *
describe_compared (size_t col, size_t row, double a, double b)
{
  /* translators: pixel position, the values of both pictures there, and by how
   * much the second is larger */
  return g_strdup_printf (_ ("column %zu · row %zu · A %.6g · B %.6g · "
                             "B − A %.4g"),
                          col, row, a, b, b - a);
}

char *
tl_readout_describe (TlSession *session, const TlCamera *camera, double x,
                     double y)
{
  TlDisplay *display = session->display;
  size_t row, col;
  float value, a;

  if (!tl_camera_find_pixel (camera, x, y, &col, &row))
    return NULL;
  if (tl_overlay_read (tl_session_get_overlay (session), row, col, &a, &value))
    return describe_compared (col, row, (double)a, (double)value);
  if (!tl_display_read_pixel (display, row, col, &value))
    return NULL;
  if (tl_display_get_picture (display) == TL_PICTURE_SINOGRAM)
    return g_strdup_printf (_ ("column %zu · projection %zu · %.6g"), col, row,
                            (double)value);
  if (tl_slice_comparison_get_shown_mode (session->comparison) != TL_COMPARE_OFF
      && tl_display_read_compared (display, row, col, &a, &value))
    return describe_compared (col, row, (double)a, (double)value);
  /* translators: pixel position and value under the pointer */
  return g_strdup_printf (_ ("column %zu · row %zu · %.6g"), col, row,
                          (double)value);
}

GtkWidget *
tl_readout_new_label (void)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_widget_set_halign (label, GTK_ALIGN_START);
  gtk_widget_set_valign (label, GTK_ALIGN_END);
  gtk_widget_set_can_target (label, FALSE);
  gtk_widget_set_visible (label, FALSE);
  gtk_widget_add_css_class (label, "readout");
  return label;
}

gboolean
tl_readout_show (GtkLabel *label, const char *words)
{
  if (g_strcmp0 (words, gtk_label_get_text (label)) == 0)
    return FALSE;
  gtk_label_set_text (label, words != NULL ? words : "");
  gtk_widget_set_visible (GTK_WIDGET (label), words != NULL);
  return TRUE;
}

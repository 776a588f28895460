#include "ui/window/status-text.h"

#include <glib/gi18n.h>

char *
tl_status_describe_engine (const TlStatus *status)
{
  g_autoptr (GString) text = g_string_new (status->engine);

  if (status->device != NULL)
    g_string_append_printf (text, " · %s", status->device);
  if (status->kernel != NULL)
    g_string_append_printf (text, " · %s (%s)",
                            status->is_fourier ? _ ("Fourier method")
                                               : _ ("back-projection"),
                            status->kernel);
  if (status->n_folded > 1)
    g_string_append_printf (text, _ (", %u pixels at once by symmetry"),
                            status->n_folded);
  if (status->fallback != NULL)
    g_string_append (text, _ (" (not the first choice)"));
  if (status->precision != NULL)
    g_string_append_printf (text, " · %s", status->precision);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Returns: the slowest step as a part of the work */
static const char *
name_slow_step (const TlStatus *status)
{
  static const struct
  {
    const char *step, *name;
  } names[] = {
    { "read", N_ ("reading") },
    { "upload", N_ ("transfer to the engine") },
    { "correct", N_ ("correction") },
    { "zingers", N_ ("zingers") },
    { "phase", N_ ("phase retrieval") },
    { "tilt", N_ ("tilt correction") },
    { "rings", N_ ("rings") },
    { "transform", N_ ("filter") },
    { "filter", N_ ("filter") },
    { "back-project", N_ ("back-projection") },
  };

  if (status->is_fourier && g_str_equal (status->slow_step, "back-project"))
    return _ ("Fourier method");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].step, status->slow_step))
      return _ (names[i].name);
  return status->slow_step;
}

char *
tl_status_describe_time (const TlStatus *status)
{
  if (status->slow_step == NULL)
    return g_strdup_printf (status->is_preview ? _ ("preview, %.1f ms")
                                               : _ ("%.1f ms"),
                            status->frame_ms);
  /* translators: the time of the picture, that of the longest step, its name */
  return g_strdup_printf (
      status->is_preview ? _ ("preview, %.1f ms, %.1f of them %s")
                         : _ ("%.1f ms, %.1f of them %s"),
      status->frame_ms, status->slow_ms, name_slow_step (status));
}

char *
tl_status_describe_steps (const TlStatus *status)
{
  if (status->kernel == NULL)
    return g_strdup_printf (
        _ ("Last picture: reading %.1f ms, correction %.2f ms"),
        status->read_ms, status->correct_ms);
  return g_strdup_printf (
      status->is_fourier ? _ ("Last picture: reading %.1f ms, filter %.2f "
                              "ms, Fourier method %.2f ms")
                         : _ ("Last picture: reading %.1f ms, filter %.2f "
                              "ms, back-projection %.2f ms"),
      status->read_ms, status->filter_ms, status->backproject_ms);
}

char *
tl_status_describe_angles (const TlStatus *status)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (
      text, g_dngettext (NULL, "%zu angle", "%zu angles", status->n_angles),
      status->n_angles);
  if (status->n_dead > 0)
    g_string_append_printf (text,
                            g_dngettext (NULL, " · %zu dead pixel",
                                         " · %zu dead pixels", status->n_dead),
                            status->n_dead);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
tl_status_describe_memory (const TlStatus *status, guint64 held_bytes)
{
  g_autofree char *engine =
      g_format_size_full (status->memory_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *held =
      g_format_size_full (held_bytes, G_FORMAT_SIZE_IEC_UNITS);

  if (held_bytes == 0)
    return g_strdup (_ ("Memory that the engine holds"));
  /* translators: two sizes, such as 12.5 MiB */
  return g_strdup_printf (_ ("Memory: the engine holds %s, the view and its "
                             "projections in bins %s"),
                          engine, held);
}

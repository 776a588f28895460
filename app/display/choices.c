/* What can be chosen, and why something cannot. */
#include "app/display/display-private.h"

#include "data/array.h"

#include <glib/gi18n.h>
#include <string.h>

/* The parameters that choose a variant. */
enum
{
  KERNEL,
  INTERPOLATION,
  PRECISION,
  N_AXES
};

static const struct
{
  const char *key;
  const char *const *names;
} axes[N_AXES] = { { "kernel", tl_kernel_names },
                   { "interpolation", tl_interpolation_names },
                   { "precision", tl_precision_names } };

static int
get_value (const TlVariant *variant, int axis)
{
  const int values[N_AXES] = { (int)variant->kernel,
                               (int)variant->interpolation,
                               (int)variant->precision };
  return values[axis];
}

static gboolean
fits_axis (const TlVariant *variant, int axis, int value)
{
  return get_value (variant, axis) == value
         || (axis == KERNEL && value == TL_KERNEL_AUTO)
         || (axis == PRECISION && value == TL_PRECISION_FAST
             && variant->serves_fast);
}

/* @skipped: an axis on which any value is good, or N_AXES */
static gboolean
fits_but (const TlVariant *variant, const int wanted[N_AXES], int skipped)
{
  if (variant->is_reference || variant->is_fourier)
    return FALSE;
  for (int axis = 0; axis < N_AXES; axis++)
    if (axis != skipped && !fits_axis (variant, axis, wanted[axis]))
      return FALSE;
  return TRUE;
}

/* Returns: (transfer full) (nullable): "needs linear or cubic interpolation",
 *   if another value on @axis alone is enough */
static char *
explain_axis (TlDisplay *display, const int wanted[N_AXES], int axis)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (int value = 0; axes[axis].names[value] != NULL; value++)
    for (size_t k = 0; k < display->n_variants; k++)
      if (fits_but (display->variants[k], wanted, axis)
          && get_value (display->variants[k], axis) == value)
        {
          g_string_append_printf (text, "%s%s", text->len > 0 ? _ (" or ") : "",
                                  axes[axis].names[value]);
          break;
        }
  if (text->len == 0)
    return NULL;
  return g_strdup_printf (_ ("needs %s %s"), text->str, axes[axis].key);
}

/* Returns: (transfer full): the other choices without which no variant fits */
static char *
explain (TlDisplay *display, const int wanted[N_AXES], int chosen)
{
  const TlVariant *other = NULL;
  for (size_t k = 0; k < display->n_variants && other == NULL; k++)
    if (!display->variants[k]->is_fourier
        && fits_axis (display->variants[k], chosen, wanted[chosen]))
      other = display->variants[k];
  if (other == NULL)
    return g_strdup (_ ("not in this engine"));
  /* first the precision, whose change matters least to the user */
  for (int axis = N_AXES - 1; axis >= 0; axis--)
    {
      char *text = axis != chosen ? explain_axis (display, wanted, axis) : NULL;
      if (text != NULL)
        return text;
    }
  const int a = chosen == PRECISION ? INTERPOLATION : PRECISION;
  const int b = chosen == KERNEL ? INTERPOLATION : KERNEL;
  return g_strdup_printf (_ ("needs %s %s and %s %s"),
                          axes[a].names[get_value (other, a)], axes[a].key,
                          axes[b].names[get_value (other, b)], axes[b].key);
}

/* Returns: (transfer full) (nullable): why a choice that fits has no use */
static char *
explain_use (TlDisplay *display, int axis, int value)
{
  if (axis == PRECISION && value == TL_PRECISION_FAST
      && g_strcmp0 (display->engine, "host") == 0)
    return g_strdup (_ ("no faster on this engine"));
  return NULL;
}

static gboolean
has_fourier (TlDisplay *display)
{
  for (size_t k = 0; k < display->n_variants; k++)
    if (display->variants[k]->is_fourier)
      return TRUE;
  return FALSE;
}

/* Returns: (transfer full) (nullable): why @value has no effect with the
 * Fourier method, which has one kernel and interpolates in its own way */
static char *
explain_fourier (TlDisplay *display, int axis, int value)
{
  return axis == PRECISION ? explain_use (display, axis, value)
                           : g_strdup (_ ("no effect with method fourier"));
}

char *
tl_display_explain_choice (TlDisplay *display, const char *key,
                           const char *value)
{
  g_return_val_if_fail (TL_IS_DISPLAY (display), NULL);
  const TlParams *params =
      &tl_parameters_get_recipe (display->parameters)->params;
  int wanted[N_AXES] = { (int)params->kernel, (int)params->interpolation,
                         (int)params->precision };
  int axis = 0;
  while (axis < N_AXES && strcmp (axes[axis].key, key) != 0)
    axis++;
  if (display->n_variants == 0)
    return NULL;
  if (strcmp (key, "method") == 0)
    return tl_names_index (tl_method_names, value) != TL_METHOD_FOURIER
                   || has_fourier (display)
               ? NULL
               : g_strdup (_ ("not in this engine"));
  if (axis == N_AXES)
    return NULL;
  wanted[axis] = tl_names_index (axes[axis].names, value);
  if (params->method == TL_METHOD_FOURIER)
    return explain_fourier (display, axis, wanted[axis]);
  for (size_t k = 0; k < display->n_variants; k++)
    if (fits_but (display->variants[k], wanted, N_AXES))
      return explain_use (display, axis, wanted[axis]);
  return explain (display, wanted, axis);
}

/* The list has one of several GPUs only while it is chosen. */
static const char *const *
list_engines (TlDisplay *display)
{
  static const char *const engines[] = { "auto", "cuda", "host" };
  const char *wanted = tl_parameters_get_recipe (display->parameters)->engine;
  const char **list = display->engines;
  memset (list, 0, sizeof display->engines);
  memcpy (list, engines, sizeof engines);
  if (!g_strv_contains (list, wanted))
    list[G_N_ELEMENTS (engines)] = wanted;
  return list;
}

const char *const *
tl_display_list_choices (TlDisplay *display, const char *key)
{
  static const char *const half_names[] = { "auto", "on", "off", NULL };
  g_return_val_if_fail (TL_IS_DISPLAY (display), NULL);
  const TlParamSpec *parameter = tl_recipe_find_key (key, NULL);
  g_return_val_if_fail (parameter != NULL, NULL);
  if (parameter->type == TL_PARAMETER_ENGINE)
    return list_engines (display);
  return parameter->says_automatic ? half_names : parameter->names;
}

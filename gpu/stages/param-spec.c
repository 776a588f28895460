#include "gpu/stages/param-spec.h"

#include "data/error.h"

#include <glib/gi18n.h>
#include <math.h>

static gboolean
is_double (const TlParamSpec *parameter)
{
  return parameter->type == TL_PARAMETER_NUMBER
         || parameter->type == TL_PARAMETER_QUANTITY;
}

double
tl_param_spec_get_number (const TlParamSpec *parameter, gconstpointer base)
{
  const char *field = (const char *)base + parameter->offset;

  if (parameter->type == TL_PARAMETER_ROW)
    return (double)*(const size_t *)field;
  return is_double (parameter) ? *(const double *)field
                               : (double)*(const guint *)field;
}

void
tl_param_spec_set_number (const TlParamSpec *parameter, gpointer base,
                          double number)
{
  char *field = (char *)base + parameter->offset;

  if (parameter->type == TL_PARAMETER_ROW)
    *(size_t *)field = (size_t)number;
  else if (is_double (parameter))
    *(double *)field = number;
  else
    *(guint *)field = (guint)number;
}

static gboolean
is_in_range (const TlParamSpec *parameter, double number)
{
  /* the comparisons are written so that NaN fails them */
  if (!(isfinite (number) && number >= parameter->min
        && (parameter->max == 0.0 || number <= parameter->max))
      || (parameter->is_above && number == parameter->min))
    return FALSE;
  return parameter->type != TL_PARAMETER_COUNT
         || fmod (number - parameter->min, parameter->step) == 0.0;
}

gboolean
tl_param_spec_check (const TlParamSpec *parameter, double number,
                     GError **error)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if ((parameter->type == TL_PARAMETER_QUANTITY && number == 0.0)
      || is_in_range (parameter, number))
    return TRUE;
  return tl_param_spec_refuse (
      parameter, g_ascii_formatd (text, sizeof text, "%.15g", number), error);
}

gboolean
tl_param_spec_refuse (const TlParamSpec *parameter, const char *value,
                      GError **error)
{
  g_autofree char *values = tl_param_spec_describe_values (parameter, TRUE);

  return tl_fail (error, TL_ERROR_VALUE, _ ("%s takes %s, not \"%s\""),
                  parameter->key, values, value);
}

/* --- descriptions of the values --- */

/* Returns: in English */
static const char *
get_noun (const TlParamSpec *parameter)
{
  if (parameter->noun != NULL)
    return parameter->noun;
  if (parameter->type != TL_PARAMETER_COUNT)
    return N_ ("a number");
  return parameter->step == 2.0 ? N_ ("an odd number") : N_ ("a whole number");
}

char *
tl_param_spec_describe_values (const TlParamSpec *parameter,
                               gboolean is_translated)
{
#define SAY(text) (is_translated ? _ (text) : (text))
  g_autofree char *words = NULL;
  char min[G_ASCII_DTOSTR_BUF_SIZE], max[G_ASCII_DTOSTR_BUF_SIZE];

  if (parameter->takes != NULL)
    return g_strdup (SAY (parameter->takes));
  if (parameter->type == TL_PARAMETER_SWITCH)
    return g_strconcat ("on|off", parameter->automatic != NULL ? "|" : NULL,
                        parameter->automatic, NULL);
  if (parameter->names != NULL)
    return g_strjoinv ("|", (char **)parameter->names);
  g_ascii_formatd (min, sizeof min, "%g", parameter->min);
  g_ascii_formatd (max, sizeof max, "%g", parameter->max);
  g_autofree char *noun =
      parameter->noun == NULL && parameter->unit != NULL
          ? g_strdup_printf (SAY (N_ ("a number of %s")), SAY (parameter->unit))
          : g_strdup (SAY (get_noun (parameter)));
  if (parameter->max == 0.0)
    words = g_strdup_printf (SAY (N_ ("%s above %s")), noun, min);
  else if (parameter->is_above)
    words =
        g_strdup_printf (SAY (N_ ("%s above %s and up to %s")), noun, min, max);
  else
    words = g_strdup_printf (SAY (N_ ("%s from %s to %s")), noun, min, max);
  return parameter->note != NULL
             ? g_strdup_printf ("%s (%s)", words, SAY (parameter->note))
             : g_steal_pointer (&words);
#undef SAY
}

#include "ui/actions/parameter.h"

static const TlParameter parameters[] = {
  { .key = "slice", .type = "u" },
  { .key = "angles", .type = "s", .is_free = TRUE },
  { .key = "nan", .type = "b", .yes = "replace", .no = "refuse" },
  { .key = "centre", .type = "d" },
  { .key = "tilt", .type = "d" },
  { .key = "half", .type = "s" },
  { .key = "feather", .type = "d" },
  { .key = "flat-field", .type = "b", .yes = "on", .no = "off" },
  { .key = "minus-log", .type = "b", .yes = "on", .no = "off" },
  { .key = "zingers", .type = "b", .yes = "on", .no = "off" },
  { .key = "zinger-threshold", .type = "d" },
  { .key = "phase", .type = "b", .yes = "on", .no = "off" },
  { .key = "energy", .type = "d" },
  { .key = "distance", .type = "d" },
  { .key = "pixel-size", .type = "d" },
  { .key = "delta-beta", .type = "d" },
  { .key = "rings", .type = "s" },
  { .key = "ring-size", .type = "u" },
  { .key = "ring-levels", .type = "u" },
  { .key = "ring-sigma", .type = "d" },
  { .key = "preset", .type = "s" },
  { .key = "filter", .type = "s" },
  { .key = "cutoff", .type = "d" },
  { .key = "butterworth-order", .type = "u" },
  { .key = "padding", .type = "s" },
  { .key = "interpolation", .type = "s" },
  { .key = "precision", .type = "s" },
  { .key = "kernel", .type = "s" },
  { .key = "engine", .type = "s" },
};

const TlParameter *
tl_parameter_list (guint *n)
{
  *n = G_N_ELEMENTS (parameters);
  return parameters;
}

const TlParameter *
tl_parameter_find (const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (parameters); i++)
    if (strcmp (parameters[i].key, key) == 0)
      return &parameters[i];
  g_return_val_if_reached (NULL);
}

/* What "auto" means for the open scan. */
static gboolean
get_automatic (TlSession *session, const char *key)
{
  const TlScanSummary *scan = tl_session_get_summary (session);

  if (scan == NULL)
    return TRUE;
  if (strcmp (key, "flat-field") == 0)
    return scan->n_flats > 0;
  return !scan->is_attenuation;
}

GVariant *
tl_parameter_get_state (const TlParameter *parameter, TlSession *session)
{
  g_autofree char *text = NULL;

  if (strcmp (parameter->key, "slice") == 0)
    return g_variant_new_uint32 (tl_session_get_slice (session));
  if (strcmp (parameter->key, "centre") == 0)
    return g_variant_new_double (tl_session_get_centre (session));

  text = tl_session_get (session, parameter->key);
  switch (*parameter->type)
    {
    case 's':
      return g_variant_new_string (text != NULL ? text : "");
    case 'd':
      return g_variant_new_double (text != NULL ? g_ascii_strtod (text, NULL)
                                                : 0);
    case 'u':
      return g_variant_new_uint32 (
          text != NULL ? (guint32)g_ascii_strtoull (text, NULL, 10) : 0);
    default:
      if (g_strcmp0 (text, "auto") == 0)
        return g_variant_new_boolean (get_automatic (session, parameter->key));
      return g_variant_new_boolean (g_strcmp0 (text, parameter->yes) == 0);
    }
}

/* Pairs of a word and why it cannot be chosen, "" where it can. */
static GVariant *
list_choices (TlSession *session, const char *key)
{
  const char *const *words = tl_session_list_choices (session, key);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(ss)"));
  for (guint i = 0; words[i] != NULL; i++)
    {
      g_autofree char *why = tl_session_explain_choice (session, key, words[i]);

      g_variant_builder_add (&builder, "(ss)", words[i],
                             why != NULL ? why : "");
    }
  return g_variant_builder_end (&builder);
}

GVariant *
tl_parameter_get_hint (const TlParameter *parameter, TlSession *session)
{
  const TlScanSummary *scan = tl_session_get_summary (session);

  if (*parameter->type == 's' && !parameter->is_free)
    return list_choices (session, parameter->key);
  if (strcmp (parameter->key, "slice") == 0)
    return g_variant_new ("(uu)", 0,
                          scan != NULL ? (guint32)scan->n_rows - 1 : 0);
  if (strcmp (parameter->key, "centre") == 0)
    /* from edge to edge */
    return g_variant_new ("(dd)", -0.5,
                          scan != NULL ? (double)scan->n_cols - 0.5 : 0.5);
  return NULL;
}

char *
tl_parameter_to_text (const TlParameter *parameter, GVariant *value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  switch (*parameter->type)
    {
    case 's':
      return g_variant_dup_string (value, NULL);
    case 'd':
      return g_strdup (
          g_ascii_dtostr (buffer, sizeof buffer, g_variant_get_double (value)));
    case 'u':
      return g_strdup_printf ("%u", g_variant_get_uint32 (value));
    default:
      return g_strdup (g_variant_get_boolean (value) ? parameter->yes
                                                     : parameter->no);
    }
}

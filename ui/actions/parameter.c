#include "ui/actions/parameter.h"

gboolean
tl_parameter_has_action (const TlParameter *parameter)
{
  return parameter->type != TL_PARAMETER_TEXT
         && parameter->type != TL_PARAMETER_BOUNDARY;
}

GVariant *
tl_parameter_get_state (const TlParameter *parameter, TlSession *session)
{
  return tl_recipe_get_value (
      tl_parameters_get_recipe (tl_session_get_parameters (session)),
      parameter);
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
  const TlScanSummary *scan =
      tl_scan_source_get_summary (tl_session_get_source (session));

  if (parameter->type != TL_PARAMETER_ANGLES
      && g_variant_type_equal (tl_recipe_get_value_type (parameter),
                               G_VARIANT_TYPE_STRING))
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

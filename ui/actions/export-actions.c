/* The export: for scripts, and the button that ends it. The page of the window
 * starts exports by the exporter itself. */
#include "ui/actions/actions-private.h"

#include "data/error.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* --- the settings of a script --- */

/* Returns: the key of a field in the dictionary: the option of the command
 * line */
static const char *
get_key (TlExportField field)
{
  return tl_export_field_get_info (field)->option;
}

static gboolean
refuse (GError **error, const char *key, const char *why)
{
  return tl_fail (error, TL_ERROR_VALUE, "%s: %s", key, why);
}

static gboolean
take_names (GVariantDict *dict, const char *path, TlExportSettings *s,
            TlExportConsent *consent, GError **error)
{
  const char *word;

  s->format = tl_volume_format_from_path (path);
  if (g_variant_dict_lookup (dict, get_key (TL_EXPORT_FIELD_FORMAT), "&s",
                             &word)
      && !tl_volume_format_from_name (word, &s->format))
    return refuse (error, get_key (TL_EXPORT_FIELD_FORMAT), word);
  if (!tl_volume_check_suffix (s->format, path, error))
    return FALSE;
  if (g_variant_dict_lookup (dict, get_key (TL_EXPORT_FIELD_SAMPLES), "&s",
                             &word)
      && !tl_volume_sample_from_name (word, &s->sample))
    return refuse (error, get_key (TL_EXPORT_FIELD_SAMPLES), word);
  if (g_variant_dict_lookup (dict, get_key (TL_EXPORT_FIELD_PLANE), "&s", &word)
      && !tl_volume_plane_from_name (word, &s->plane))
    return refuse (error, get_key (TL_EXPORT_FIELD_PLANE), word);
  *consent = TL_EXPORT_ASK;
  if (!g_variant_dict_lookup (dict, "existing", "&s", &word))
    return TRUE;
  if (strcmp (word, "replace") == 0)
    *consent = TL_EXPORT_REPLACE;
  else if (strcmp (word, "resume") == 0)
    *consent = TL_EXPORT_RESUME;
  else if (strcmp (word, "ask") != 0)
    return refuse (error, "existing", word);
  return TRUE;
}

static gboolean
take_rows (GVariantDict *dict, TlExportSettings *s, GError **error)
{
  guint32 first = 0, last = (guint32)s->n_rows - 1, step = 1;

  g_variant_dict_lookup (dict, "first", "u", &first);
  g_variant_dict_lookup (dict, "last", "u", &last);
  g_variant_dict_lookup (dict, "step", "u", &step);
  if (step == 0)
    return refuse (error, "step", "0");
  return tl_export_settings_set_rows (s, first, last, step, s->n_rows, error);
}

static gboolean
take_place (GVariantDict *dict, TlExportSettings *s, GError **error)
{
  guint32 col, row, n_cols, n_rows;
  double low, high;
  gboolean masks;

  if (g_variant_dict_lookup (dict, get_key (TL_EXPORT_FIELD_REGION), "(uuuu)",
                             &col, &row, &n_cols, &n_rows))
    {
      s->region_col = col;
      s->region_row = row;
      s->region_n_cols = n_cols;
      s->region_n_rows = n_rows;
    }
  if (g_variant_dict_lookup (dict, get_key (TL_EXPORT_FIELD_MASK), "b", &masks))
    s->masks = masks;
  g_variant_dict_lookup (dict, get_key (TL_EXPORT_FIELD_ROTATION), "d",
                         &s->rotation_deg);
  g_variant_dict_lookup (dict, get_key (TL_EXPORT_FIELD_BINNING), "u",
                         &s->binning);
  if (g_variant_dict_lookup (dict, "percentiles", "(dd)", &low, &high)
      && !tl_export_settings_set_range (s, TRUE, low, high, error))
    return FALSE;
  if (g_variant_dict_lookup (dict, get_key (TL_EXPORT_FIELD_RANGE), "(dd)",
                             &low, &high)
      && !tl_export_settings_set_range (s, FALSE, low, high, error))
    return FALSE;
  g_variant_dict_lookup (dict, get_key (TL_EXPORT_FIELD_COMPRESSION), "i",
                         &s->compression);
  if (s->compression < 0 || s->compression > 9)
    return refuse (error, get_key (TL_EXPORT_FIELD_COMPRESSION),
                   _ ("this is not from 0 to 9"));
  return isfinite (s->rotation_deg)
         || refuse (error, get_key (TL_EXPORT_FIELD_ROTATION),
                    _ ("this is not a number"));
}

/* Starts an export with the settings of the dictionary; the others are those
 * of tl_export_settings_init(). */
static void
export_volume (GSimpleAction *action, GVariant *value, gpointer data)
{
  TlSession *session = data;
  const TlScanSummary *scan = tl_scan_source_get_summary (session->source);
  g_autoptr (GVariantDict) dict = g_variant_dict_new (value);
  g_autoptr (GError) error = NULL;
  TlExportSettings settings;
  TlExportConsent consent;
  const char *given;
  g_autofree char *path = NULL;

  if (scan == NULL)
    return;
  tl_export_settings_init (&settings, scan->n_rows);
  if (g_variant_dict_lookup (dict, "path", "&s", &given))
    path = g_canonicalize_filename (given, NULL); /* without "/" at its end */
  if (path == NULL)
    refuse (&error, "path", _ ("the name of the volume is missing"));
  else if (take_names (dict, path, &settings, &consent, &error)
           && take_rows (dict, &settings, &error)
           && take_place (dict, &settings, &error))
    tl_exporter_start (session->exporter, path, &settings, consent);
  if (error != NULL)
    tl_messages_warn (session->messages, FALSE,
                      _ ("The slices cannot be exported: %s"), error->message);
}

/* --- setting up --- */

static void
update_enabled (GActionMap *map)
{
  TlSession *session = tl_actions_get_session (map);
  gboolean exporting;

  g_object_get (session->exporter, "running", &exporting, NULL);
  tl_actions_enable (map, "export", tl_scan_source_is_open (session->source));
  tl_actions_enable (map, "cancel-export", exporting);
}

void
tl_export_actions_add (GActionMap *map, TlSession *session)
{
  static const GActionEntry entries[] = {
    { "export", export_volume, "a{sv}", NULL, NULL, { 0 } },
  };

  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   session);
  tl_add_call (map, "cancel-export", G_CALLBACK (tl_exporter_cancel),
               session->exporter);
  tl_follow (session->exporter, "running", G_CALLBACK (update_enabled), map);
  tl_follow (session->source, "summary", G_CALLBACK (update_enabled), map);
  update_enabled (map);
}

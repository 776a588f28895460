#include "gpu/choice/fallback.h"

#include "data/error.h"

#include <glib/gi18n.h>

void
tl_fallback_init (TlFallback *fallback)
{
  *fallback = (TlFallback){
    .failed =
        g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)g_error_free),
  };
}

void
tl_fallback_clear (TlFallback *fallback)
{
  g_clear_pointer (&fallback->failed, g_hash_table_unref);
}

void
tl_fallback_forget (TlFallback *fallback)
{
  g_hash_table_remove_all (fallback->failed);
}

void
tl_fallback_add (TlFallback *fallback, const TlVariant *variant, GError *reason)
{
  g_info ("the kernel %s could not be started: %s", variant->name,
          reason->message);
  g_hash_table_insert (fallback->failed, (gpointer)variant, reason);
}

/* The text is interned, so that reports stay plain values that any thread may
 * keep. */
static void
set_text (TlFallback *fallback, const TlVariant *wanted, gboolean is_tuned,
          const TlVariant *got)
{
  const GError *reason = g_hash_table_lookup (fallback->failed, wanted);
  g_autofree char *text = g_strdup_printf (
      is_tuned
          ? _ ("the kernel %s that was tuned for this machine could not be "
               "started (%s); %s is used instead")
          : _ ("the kernel %s could not be started (%s); %s is used "
               "instead"),
      wanted->name, reason->message, got->name);

  fallback->text = g_intern_string (text);
}

gboolean
tl_fallback_choose (TlFallback *fallback, const TlChooser *chooser,
                    const TlParams *params, size_t n_rows, TlChoice *choice,
                    GError **error)
{
  TlChooser others = *chooser, untuned = *chooser;
  TlChoice wanted, plain;
  g_autoptr (GError) reason = NULL;

  fallback->text = NULL;
  if (!tl_choose (chooser, params, n_rows, &wanted, error))
    return FALSE;
  *choice = wanted;
  if (chooser->forced != NULL
      || !g_hash_table_contains (fallback->failed, wanted.variant))
    return TRUE;

  others.failed = fallback->failed;
  if (!tl_choose (&others, params, n_rows, choice, &reason))
    {
      if (!g_error_matches (reason, TL_ERROR, TL_ERROR_UNSUPPORTED))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return FALSE;
        }
      g_propagate_error (error, g_error_copy (g_hash_table_lookup (
                                    fallback->failed, wanted.variant)));
      tl_fallback_forget (fallback);
      return FALSE;
    }
  untuned.tuning = NULL;
  set_text (fallback, wanted.variant,
            tl_choose (&untuned, params, n_rows, &plain, NULL)
                && plain.variant != wanted.variant,
            choice->variant);
  return TRUE;
}

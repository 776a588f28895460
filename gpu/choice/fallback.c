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

/* Interned texts let reports stay plain values that any thread may keep.
 *
 * @text: (transfer full) */
static void
set_text (TlFallback *fallback, char *text)
{
  fallback->text = g_intern_string (text);
  g_free (text);
}

static void
explain_kernel (TlFallback *fallback, const TlVariant *wanted,
                gboolean is_tuned, const TlVariant *got)
{
  const GError *reason = g_hash_table_lookup (fallback->failed, wanted);

  set_text (fallback,
            g_strdup_printf (
                is_tuned
                    ? _ ("the kernel %s that was tuned for this machine could "
                         "not be started (%s); %s is used instead")
                    : _ ("the kernel %s could not be started (%s); %s is used "
                         "instead"),
                wanted->name, reason->message, got->name));
}

/* @why: why the method is not the one that the engine prefers */
static void
explain_method (TlFallback *fallback, const char *why)
{
  set_text (fallback, g_strdup_printf (_ ("back-projected, because the Fourier "
                                          "method cannot be used: %s"),
                                       why));
}

/* Sets the text about @choice, which replaces the variant that has failed. */
static void
explain (TlFallback *fallback, const TlChooser *chooser, const TlParams *params,
         size_t n_rows, const TlVariant *wanted, const TlChoice *choice)
{
  const GError *reason = g_hash_table_lookup (fallback->failed, wanted);
  TlChooser untuned = *chooser;
  TlChoice plain;

  untuned.tuning = NULL;
  if (wanted->is_fourier != choice->variant->is_fourier)
    explain_method (fallback, reason->message);
  else
    explain_kernel (fallback, wanted,
                    tl_choose (&untuned, params, n_rows, &plain, NULL)
                        && plain.variant != wanted,
                    choice->variant);
}

gboolean
tl_fallback_choose (TlFallback *fallback, const TlChooser *chooser,
                    const TlParams *params, size_t n_rows, TlChoice *choice,
                    GError **error)
{
  TlChooser others = *chooser;
  TlChoice wanted;
  g_autoptr (GError) reason = NULL;

  fallback->text = NULL;
  if (!tl_choose (chooser, params, n_rows, &wanted, error))
    return FALSE;
  *choice = wanted;
  if (wanted.objection != NULL)
    explain_method (fallback, wanted.objection);
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
  explain (fallback, chooser, params, n_rows, wanted.variant, choice);
  return TRUE;
}

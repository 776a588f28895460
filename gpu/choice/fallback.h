/* Which variant to use instead of one that cannot be started. */
#pragma once

#include "gpu/choice/choice.h"

/* Owner thread only. */
typedef struct
{
  /* From a lent TlVariant to the owned GError of its failure. */
  GHashTable *failed;
  const char *text; /* (nullable), interned: which variant, or method, the last
                       choice replaced, and why */
} TlFallback;

void tl_fallback_init (TlFallback *fallback);
void tl_fallback_clear (TlFallback *fallback);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TlFallback, tl_fallback_clear)

/** tl_fallback_forget: Variants that failed before may be chosen again. */
void tl_fallback_forget (TlFallback *fallback);

/** tl_fallback_add: @reason: (transfer full): why @variant failed.
 */
void tl_fallback_add (TlFallback *fallback, const TlVariant *variant,
                      GError *reason);

/**
 * tl_fallback_choose:
 * @chooser: its member failed must be %NULL
 *
 * As tl_choose(), but considers only the variants that have not failed. Sets
 * the member text if the choice replaces another variant. A forced variant is
 * chosen even if it failed.
 *
 * Returns: %FALSE as tl_choose(). If all variants have failed, the error is
 * that of the first choice, and the failures are forgotten, because the
 * variants are then not their cause
 */
gboolean tl_fallback_choose (TlFallback *fallback, const TlChooser *chooser,
                             const TlParams *params, size_t n_rows,
                             TlChoice *choice, GError **error);

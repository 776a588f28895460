/* What to go on with when a variant does not start on this machine. */
#pragma once

#include "gpu/choice/choice.h"

G_BEGIN_DECLS

/* Owner thread only. */
typedef struct
{
  GHashTable *failed; /* variant to the GError that says why */
  const char *text;   /* (nullable), interned: of the last choice */
} TlFallback;

void tl_fallback_init (TlFallback *fallback);
void tl_fallback_clear (TlFallback *fallback);

/** tl_fallback_forget: The next choice may be a variant that failed before. */
void tl_fallback_forget (TlFallback *fallback);

/** tl_fallback_add: @reason: (transfer full): why @variant is not to be chosen.
 */
void tl_fallback_add (TlFallback *fallback, const TlVariant *variant,
                      GError *reason);

/**
 * tl_fallback_choose:
 * @chooser: knows of no failures
 *
 * As tl_choose(), among those that have not failed; says in text what the
 * choice stands in for. A variant that is forced is chosen whatever it did.
 *
 * Returns: %FALSE as tl_choose(); where all have failed, with what the first
 *   choice said, and then they are forgotten, for it was not the variants'
 *   fault
 */
gboolean tl_fallback_choose (TlFallback *fallback, const TlChooser *chooser,
                             const TlParams *params, size_t n_rows,
                             TlChoice *choice, GError **error);

G_END_DECLS

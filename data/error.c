#include "data/error.h"

typedef struct
{
  char *hint; /* (nullable) */
} TlErrorPrivate;

static void
tl_error_private_init (TlErrorPrivate *priv)
{
  priv->hint = NULL;
}

static void
tl_error_private_copy (const TlErrorPrivate *from, TlErrorPrivate *to)
{
  to->hint = g_strdup (from->hint);
}

static void
tl_error_private_clear (TlErrorPrivate *priv)
{
  g_free (priv->hint);
}

G_DEFINE_EXTENDED_ERROR (TlError, tl_error)

static void
propagate (GError **error, GError *made, const char *hint)
{
  tl_error_get_private (made)->hint = g_strdup (hint);
  g_propagate_error (error, made);
}

gboolean
tl_fail (GError **error, TlError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  propagate (error, g_error_new_valist (TL_ERROR, (int)code, format, args),
             NULL);
  va_end (args);
  return FALSE;
}

gboolean
tl_fail_with_hint (GError **error, TlError code, const char *hint,
                   const char *format, ...)
{
  va_list args;

  va_start (args, format);
  propagate (error, g_error_new_valist (TL_ERROR, (int)code, format, args),
             hint);
  va_end (args);
  return FALSE;
}

const char *
tl_error_get_hint (const GError *error)
{
  return error->domain == TL_ERROR ? tl_error_get_private (error)->hint : NULL;
}

/* Errors of an engine after which host repeats the search. */
#include "app/axis/centre-thread-private.h"

#include "data/error.h"

#include <gio/gio.h>

static gint n_asked; /* atomic, as is the next */
static GError *reason;

gboolean __wrap_tl_find_centre_in_row (TlEngine *engine,
                                       const TlCentreData *data,
                                       const TlCentreQuestion *question,
                                       TlCentreAnswer *answer, GError **error);

/* Fails with the reason the first time. */
gboolean
__wrap_tl_find_centre_in_row (TlEngine *engine, const TlCentreData *data,
                              const TlCentreQuestion *question,
                              TlCentreAnswer *answer, GError **error)
{
  *answer = (TlCentreAnswer){ .row = question->row };
  if (g_atomic_int_add (&n_asked, 1) > 0 || reason == NULL)
    return TRUE;
  g_propagate_error (error, g_error_copy (reason));
  return FALSE;
}

typedef struct
{
  gboolean is_over, has_failed;
} End;

static void
on_part (GObject *source, TlCentreAnswer *answer)
{
}

static void
end (GObject *source, GAsyncResult *result, gpointer user_data)
{
  End *e = user_data;
  g_auto (TlCentreAnswer) answer = { 0 };
  e->has_failed = !tl_centre_thread_finish (result, &answer, NULL);
  e->is_over = TRUE;
}

/* Returns: the number of searches; @has_failed: (out): whether the last one
 * failed */
static gint
ask (const char *engine, GQuark domain, gint code, gboolean *has_failed)
{
  End e = { 0 };
  TlCentreRow *row = g_new0 (TlCentreRow, 1);
  row->n_cols = 16;
  g_clear_error (&reason);
  if (domain != 0)
    reason = g_error_new_literal (domain, code, "as it were");
  g_atomic_int_set (&n_asked, 0);
  GThread *thread =
      tl_centre_thread_start (NULL, row, engine, NULL, on_part, end, &e);
  while (!e.is_over)
    g_main_context_iteration (NULL, TRUE);
  g_thread_join (thread);
  g_clear_error (&reason);
  *has_failed = e.has_failed;
  return g_atomic_int_get (&n_asked);
}

static void
test_host (void)
{
  const struct
  {
    const char *engine;
    GQuark domain;
    gint code, n_asked;
  } cases[] = {
    { "auto", 0, 0, 1 },
    { "auto", TL_ERROR, TL_ERROR_DEVICE, 2 },
    { "auto", TL_ERROR, TL_ERROR_MEMORY, 2 },
    { "auto", TL_ERROR, TL_ERROR_VALUE, 1 },
    { "auto", TL_ERROR, TL_ERROR_UNSUPPORTED, 1 },
    { "auto", G_IO_ERROR, G_IO_ERROR_CANCELLED, 1 },
    { "host", TL_ERROR, TL_ERROR_MEMORY, 1 },
    { "none such", 0, 0, 1 },
  };
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      gboolean has_failed;
      const gint n =
          ask (cases[k].engine, cases[k].domain, cases[k].code, &has_failed);
      g_assert_cmpint (n, ==, cases[k].n_asked);
      g_assert_true (has_failed
                     == (cases[k].domain != 0 && cases[k].n_asked == 1));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/centre-thread/host", test_host);
  return g_test_run ();
}

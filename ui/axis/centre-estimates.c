#include "ui/axis/centre-estimates.h"

#include "ui/actions/actions.h"
#include "ui/axis/centre-curve.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlCentreEstimates
{
  GtkBox parent_instance;

  TlSession *session;
  TlCentreSearch *search; /* not owned: the session's */
  GtkButton *find_button;
  GtkSpinner *spinner;
  GtkMenuButton *copy_button;
  TlCentreCurve *curve;
  GtkLabel *verdict_label, *note_label;
  GtkButton *candidates_button, *angles_button;
  GtkExpander *estimates_expander, *silent_expander;
  GtkLabel *silent_label;
};

G_DEFINE_FINAL_TYPE (TlCentreEstimates, tl_centre_estimates, GTK_TYPE_BOX)

/* --- descriptions --- */

static gboolean
is_old (TlCentreEstimates *self)
{
  gboolean old;

  g_object_get (self->search, "old", &old, NULL);
  return old;
}

/* Returns: (transfer full) */
static char *
describe_agreement (TlCentreEstimates *self, const TlCentreAgreement *agreement)
{
  if (is_old (self))
    return g_strdup (
        _ ("Angles, projections or tilt have changed since; find the axis "
           "again"));
  /* translators: a slice, and what the estimates say together */
  return g_strdup_printf (_ ("Slice %u: %s"),
                          tl_centre_search_get_row (self->search),
                          agreement->sentence);
}

/* Returns: (transfer full): always a line, so that what lies below stays at its
 * place when the axis is found */
static char *
describe (TlCentreEstimates *self)
{
  TlCentreAgreement agreement;

  switch (tl_centre_search_get_state (self->search))
    {
    case TL_CENTRE_SEARCH_READING:
    case TL_CENTRE_SEARCH_ESTIMATING:
      return g_strdup_printf (_ ("Looking for the axis in slice %u…"),
                              tl_centre_search_get_row (self->search));
    case TL_CENTRE_SEARCH_DONE:
      tl_centre_search_get_agreement (self->search, &agreement);
      return describe_agreement (self, &agreement);
    case TL_CENTRE_SEARCH_FAILED:
      return g_strdup (tl_centre_search_get_note (self->search));
    default:
      return g_strdup (_ ("The axis has not been searched"));
    }
}

/* The button does what the note proposes. */
static void
update_angles (TlCentreEstimates *self)
{
  g_autofree char *angles = tl_centre_search_dup_angles (self->search);
  const gboolean is_shown =
      angles != NULL && gtk_widget_get_visible (GTK_WIDGET (self->note_label));

  if (is_shown)
    {
      /* translators: first and last angle, as 0:180 */
      g_autofree char *label = g_strdup_printf (_ ("Use Angles %s"), angles);

      gtk_button_set_label (self->angles_button, label);
      gtk_actionable_set_action_target (GTK_ACTIONABLE (self->angles_button),
                                        "s", angles);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->angles_button), is_shown);
}

/* What makes it doubtful. */
static void
update_note (TlCentreEstimates *self)
{
  const char *note = tl_centre_search_get_note (self->search);
  gboolean is_known =
      tl_centre_search_get_state (self->search) == TL_CENTRE_SEARCH_DONE;

  gtk_widget_set_visible (GTK_WIDGET (self->note_label),
                          is_known && note != NULL && !is_old (self));
  gtk_label_set_text (self->note_label, note != NULL ? note : "");
  update_angles (self);
}

static void
update_verdict (TlCentreEstimates *self)
{
  TlCentreSearchState state = tl_centre_search_get_state (self->search);
  gboolean is_at_work =
      state == TL_CENTRE_SEARCH_READING || state == TL_CENTRE_SEARCH_ESTIMATING;
  TlCentreAgreement agreement = { 0 };
  gboolean is_known = tl_centre_search_get_agreement (self->search, &agreement);
  gboolean asks =
      (is_known && !agreement.is_certain) || state == TL_CENTRE_SEARCH_FAILED;
  g_autofree char *words = describe (self);

  gtk_spinner_set_spinning (self->spinner, is_at_work);
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), is_at_work);
  gtk_label_set_text (self->verdict_label, words);
  tl_widget_name (self->estimates_expander, words);
  tl_widget_set_class (self->verdict_label, "asks", asks || is_old (self));
  gtk_widget_set_visible (GTK_WIDGET (self->candidates_button),
                          is_known && !agreement.is_certain);
}

/* Lists the estimators that have failed, and why, in a dim label. */
static void
update_silent (TlCentreEstimates *self)
{
  g_autoptr (GString) words = g_string_new (NULL);
  g_autofree char *title = NULL;
  guint n = 0;

  for (guint k = 0; k < tl_centre_search_count (self->search); k++)
    {
      TlCentreFound found;

      tl_centre_search_get (self->search, k, &found);
      if (!found.is_found)
        g_string_append_printf (words, "%s%s: %s", n++ > 0 ? "\n" : "",
                                found.label, found.reason);
    }
  title = g_strdup_printf (
      g_dngettext (NULL, "%u without a result", "%u without a result", n), n);
  gtk_label_set_text (self->silent_label, words->str);
  gtk_expander_set_label (self->silent_expander, title);
  tl_widget_name (self->silent_expander, title);
  gtk_widget_set_visible (GTK_WIDGET (self->silent_expander), n > 0);
}

static void
update (TlCentreEstimates *self)
{
  update_verdict (self);
  update_note (self);
  update_silent (self);
  gtk_widget_set_visible (GTK_WIDGET (self->curve),
                          tl_centre_search_count (self->search) > 0
                              && tl_centre_search_find_next (self->search, 0, 1)
                                     >= 0);
}

/* --- the widget --- */

static void
tl_centre_estimates_dispose (GObject *object)
{
  g_clear_object (&TL_CENTRE_ESTIMATES (object)->session);
  G_OBJECT_CLASS (tl_centre_estimates_parent_class)->dispose (object);
}

static void
tl_centre_estimates_class_init (TlCentreEstimatesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_centre_estimates_dispose;
  g_type_ensure (TL_TYPE_CENTRE_CURVE);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/centre-estimates.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlCentreEstimates, name)
  BIND (find_button);
  BIND (spinner);
  BIND (copy_button);
  BIND (curve);
  BIND (estimates_expander);
  BIND (verdict_label);
  BIND (note_label);
  BIND (candidates_button);
  BIND (angles_button);
  BIND (silent_expander);
  BIND (silent_label);
#undef BIND
}

static void
tl_centre_estimates_init (TlCentreEstimates *self)
{
  g_autoptr (GMenu) programs = tl_centre_actions_build_menu ();

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_menu_model (self->copy_button, G_MENU_MODEL (programs));
}

void
tl_centre_estimates_set_session (TlCentreEstimates *self, TlSession *session)
{
  g_return_if_fail (self->session == NULL);

  self->session = g_object_ref (session);
  self->search = tl_session_get_centre_search (session);
  tl_centre_curve_set_session (self->curve, session);
  tl_follow (self->search, "state old", G_CALLBACK (update), self);
  g_signal_connect_object (self->search, "changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
}

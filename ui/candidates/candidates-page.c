#include "ui/candidates/candidates-page.h"

#include "app/measure/ruler.h"
#include "ui/candidates/candidate-text.h"
#include "ui/controls/control.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>
#include <math.h>

/* Numbers that fill rows and columns, with a tile in the middle. */
static const guint numbers[] = { 5, 9, 15, 25, 49, 81, TL_CANDIDATES_MAX };

/* Increment of the spin button, as a part of the step. */
#define FINE_STEP 0.1
#define MAX_DIGITS 3

struct _TlCandidatesPage
{
  GtkBox parent_instance;

  TlView *view;
  TlCandidates *candidates;
  GtkDropDown *n_drop, *region_drop, *metric_drop;
  GtkSpinButton *step_spin;
  GtkAdjustment *step_adjustment;
  GtkLabel *words_label;
  GtkProgressBar *progress_bar;
  TlCandidatesGrid *grid;
  gboolean is_updating; /* the drop-downs change by code, not by the user */
};

G_DEFINE_FINAL_TYPE (TlCandidatesPage, tl_candidates_page, GTK_TYPE_BOX)

/* --- state of the controls --- */

static void
select_row (TlCandidatesPage *self, GtkDropDown *drop, guint row)
{
  GListModel *rows = gtk_drop_down_get_model (drop);
  g_autoptr (GtkStringObject) item = g_list_model_get_item (rows, row);

  self->is_updating = TRUE;
  gtk_drop_down_set_selected (drop, row);
  self->is_updating = FALSE;
  tl_control_name_choice (drop, gtk_string_object_get_string (item));
}

/* Returns: the row of @n, or the number of rows if @n is not listed */
static guint
find_n (GListModel *rows, guint n)
{
  guint n_rows = rows != NULL ? g_list_model_get_n_items (rows) : 0;

  for (guint row = 0; row < n_rows; row++)
    {
      g_autoptr (GtkStringObject) item = g_list_model_get_item (rows, row);

      if (g_ascii_strtoull (gtk_string_object_get_string (item), NULL, 10) == n)
        return row;
    }
  return n_rows;
}

/* Returns: (transfer full): the usual numbers and @n, ascending */
static GListModel *
list_numbers (guint n)
{
  GtkStringList *list = gtk_string_list_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", numbers[i]);
      g_autofree char *other = g_strdup_printf ("%u", n);

      if (n < numbers[i] && n > (i > 0 ? numbers[i - 1] : 0))
        gtk_string_list_append (list, other);
      gtk_string_list_append (list, number);
    }
  return G_LIST_MODEL (list);
}

/* An action may set a number that the list lacks; it is added then. A list that
 * has the number stays, because replacing the model would close its popover. */
static void
update_n (TlCandidatesPage *self)
{
  guint n = tl_candidates_get_n (self->candidates);
  GListModel *rows = gtk_drop_down_get_model (self->n_drop);
  guint row = find_n (rows, n);

  if (rows == NULL || row == g_list_model_get_n_items (rows))
    {
      g_autoptr (GListModel) list = list_numbers (n);

      self->is_updating = TRUE;
      gtk_drop_down_set_model (self->n_drop, list);
      self->is_updating = FALSE;
      row = find_n (list, n);
    }
  select_row (self, self->n_drop, row);
}

static void
update_region (TlCandidatesPage *self)
{
  select_row (self, self->region_drop,
              tl_candidates_get_region (self->candidates));
}

static void
update_metric (TlCandidatesPage *self)
{
  select_row (self, self->metric_drop,
              tl_candidates_get_metric (self->candidates));
}

static void
update_step (TlCandidatesPage *self)
{
  double step = tl_candidates_get_step (self->candidates);
  double parts = step;
  guint digits = 0;

  while (digits < MAX_DIGITS && fabs (parts - round (parts)) > 1e-6)
    {
      digits++;
      parts *= 10;
    }
  gtk_spin_button_set_digits (self->step_spin, digits);
  gtk_adjustment_set_step_increment (
      self->step_adjustment,
      fmax (tl_ruler_floor (step) * FINE_STEP, TL_CANDIDATES_MIN_STEP));
}

/* Returns: whether all have their figures, and those are not the same. */
static gboolean
do_differ (TlCandidates *candidates)
{
  double most = 0;

  for (guint i = 0; i < tl_candidates_get_n (candidates); i++)
    {
      const TlCandidate *candidate = tl_candidates_get (candidates, i);

      if (!candidate->has_value)
        return FALSE;
      most = fmax (most, candidate->score);
    }
  return most > 0;
}

/* Returns: (transfer full): one line */
static char *
describe (TlCandidatesPage *self)
{
  int best = tl_candidates_get_best (self->candidates);
  g_autofree char *centre = NULL;

  if (best < 0 && !tl_candidates_metric_tells (self->candidates))
    return g_strdup (_ ("This figure does not show the axis in a scan of this "
                        "kind; choose another"));
  if (best < 0)
    return g_strdup (do_differ (self->candidates) ? _ (
                         "None stands out: the quarters of the slice disagree. "
                         "Compare by eye, or take a coarser step")
                                                  : "");
  centre = tl_candidate_text_centre (self->candidates, (guint)best);
  if (best == 0 || best + 1 == (int)tl_candidates_get_n (self->candidates))
    /* translators: a centre */
    return g_strdup_printf (_ ("★ The sharpest is %s, at the end: search "
                               "further with a coarser step"),
                            centre);
  /* translators: a centre */
  return g_strdup_printf (_ ("★ The sharpest of these is %s"), centre);
}

static void
update_words (TlCandidatesPage *self)
{
  g_autofree char *words = describe (self);

  gtk_label_set_text (self->words_label, words);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->words_label),
                               *words != '\0' ? words : NULL);
}

/* --- handlers of the controls --- */

static void
on_n_selected (TlCandidatesPage *self)
{
  GtkStringObject *item = gtk_drop_down_get_selected_item (self->n_drop);

  if (!self->is_updating && item != NULL)
    gtk_widget_activate_action (
        GTK_WIDGET (self), "app.candidates", "u",
        (guint32)g_ascii_strtoull (gtk_string_object_get_string (item), NULL,
                                   10));
}

static void
on_region_selected (TlCandidatesPage *self)
{
  guint row = gtk_drop_down_get_selected (self->region_drop);

  if (!self->is_updating && row < TL_N_CANDIDATES_REGIONS)
    gtk_widget_activate_action (GTK_WIDGET (self), "app.candidates-region", "s",
                                tl_candidates_region_names[row]);
}

static void
on_metric_selected (TlCandidatesPage *self)
{
  guint row = gtk_drop_down_get_selected (self->metric_drop);

  if (!self->is_updating && row < TL_N_CANDIDATE_METRICS)
    gtk_widget_activate_action (GTK_WIDGET (self), "app.candidates-metric", "s",
                                tl_candidate_metric_names[row]);
}

static void
on_finer (TlCandidatesPage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "app.finer", "i",
                              tl_candidates_grid_get_focused (self->grid));
}

static void
on_coarser (TlCandidatesPage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "app.coarser", "i",
                              tl_candidates_grid_get_focused (self->grid));
}

/* --- the widget --- */

static void
tl_candidates_page_dispose (GObject *object)
{
  TlCandidatesPage *self = TL_CANDIDATES_PAGE (object);

  g_clear_object (&self->candidates);
  g_clear_object (&self->view);
  G_OBJECT_CLASS (tl_candidates_page_parent_class)->dispose (object);
}

static void
tl_candidates_page_class_init (TlCandidatesPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = tl_candidates_page_dispose;
  g_type_ensure (TL_TYPE_CANDIDATES_GRID);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/candidates-page.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlCandidatesPage, name)
  BIND (n_drop);
  BIND (region_drop);
  BIND (metric_drop);
  BIND (step_spin);
  BIND (step_adjustment);
  BIND (words_label);
  BIND (progress_bar);
  BIND (grid);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_finer);
  gtk_widget_class_bind_template_callback (widget_class, on_coarser);
  gtk_widget_class_set_accessible_role (widget_class,
                                        GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
tl_candidates_page_init (TlCandidatesPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  tl_widget_name (self, _ ("Candidates for the axis"));
}

void
tl_candidates_page_bind (TlCandidatesPage *self, TlView *view,
                         GActionGroup *actions)
{
  TlCandidates *candidates =
      tl_session_get_candidates (tl_view_get_session (view));

  g_return_if_fail (self->view == NULL);

  self->view = g_object_ref (view);
  self->candidates = g_object_ref (candidates);
  tl_candidates_grid_set_view (self->grid, view);
  tl_control_adopt (GTK_WIDGET (self), view);
  tl_control_bind_number (self->step_adjustment, actions, "candidates-step");
  tl_control_name_rows (self->n_drop);
  tl_control_name_rows (self->region_drop);
  tl_control_name_rows (self->metric_drop);
  tl_follow (candidates, "n", G_CALLBACK (update_n), self);
  tl_follow (candidates, "region", G_CALLBACK (update_region), self);
  tl_follow (candidates, "metric", G_CALLBACK (update_metric), self);
  tl_follow (candidates, "step", G_CALLBACK (update_step), self);
  tl_follow (candidates, "metric step best middle busy",
             G_CALLBACK (update_words), self);
  update_n (self);
  update_region (self);
  update_metric (self);
  update_step (self);
  update_words (self);
  g_object_bind_property (candidates, "progress", self->progress_bar,
                          "fraction", G_BINDING_SYNC_CREATE);
  g_object_bind_property (candidates, "time-left", self->progress_bar, "text",
                          G_BINDING_SYNC_CREATE);
  g_object_bind_property (candidates, "busy", self->progress_bar, "visible",
                          G_BINDING_SYNC_CREATE);
  tl_follow (self->n_drop, "selected", G_CALLBACK (on_n_selected), self);
  tl_follow (self->region_drop, "selected", G_CALLBACK (on_region_selected),
             self);
  tl_follow (self->metric_drop, "selected", G_CALLBACK (on_metric_selected),
             self);
}

TlCandidatesGrid *
tl_candidates_page_get_grid (TlCandidatesPage *self)
{
  return self->grid;
}

#include "ui/export/export-page.h"

#include "app/export/outlook.h"
#include "ui/export/export-form.h"
#include "ui/export/export-row.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

struct _TlExportPage
{
  GtkBox parent_instance;

  TlSession *session; /* of the view, which the page keeps */
  TlExportForm *form;
  GtkBox *rows;
  GtkLabel *estimate_label, *plan_label, *note_label, *problem_label;
  GtkLabel *notice_label;
  GtkWidget *export_button;
  GtkScrolledWindow *form_scroller, *queue;
  gboolean shows_end;    /* of the queue, also when it has grown */
  gboolean is_scrolling; /* to the end, as soon as the rows are laid out */

  gboolean is_asking;       /* for the outlook */
  gboolean is_stale;        /* the answer will be about older settings */
  TlExportOutlook *outlook; /* (nullable) */
  char *objection;          /* (nullable): why nothing can be exported there */
  gboolean is_wanted;       /* the export, if the answer allows it */
};

G_DEFINE_FINAL_TYPE (TlExportPage, tl_export_page, GTK_TYPE_BOX)

static void update (TlExportPage *self);
static void on_export (TlExportPage *self);

/* --- what comes of it --- */

static char *
describe_estimate (TlExportPage *self, const TlExportSettings *s)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (self->session->parameters);
  g_autofree char *size =
      g_format_size (tl_exporter_count_bytes (self->session->exporter, s));
  g_autofree char *text = NULL;
  g_autofree char *room = NULL;
  TlVolumeInfo info;

  tl_export_settings_describe (s, &recipe->params.grid, 0, &info);
  /* translators: slices, their rows and columns, the bytes of all */
  text = g_strdup_printf (g_dngettext (NULL, "%zu slice of %zu × %zu, %s",
                                       "%zu slices of %zu × %zu, %s",
                                       info.n_slices),
                          info.n_slices, info.n_rows, info.n_cols, size);
  if (self->outlook == NULL || self->outlook->free_bytes == 0)
    return g_steal_pointer (&text);
  room = g_format_size (self->outlook->free_bytes);
  /* translators: how much is free on the disk */
  return g_strdup_printf (_ ("%s; %s are free"), text, room);
}

static char *
describe_note (const TlExportOutlook *outlook)
{
  return g_strdup_printf (
      outlook->can_resume
          ? _ ("%s. The export asks whether to go on with it or to begin again")
          : _ ("%s. The export asks before it replaces anything"),
      outlook->question);
}

/* @reason: (nullable): why the settings cannot be used */
static void
show_prospects (TlExportPage *self, const TlExportSettings *s,
                const char *reason)
{
  g_autofree char *refusal =
      tl_exporter_dup_objection (self->session->exporter);
  const char *objection = refusal != NULL  ? refusal
                          : reason != NULL ? reason
                                           : self->objection;
  const gboolean has_outlook = objection == NULL && self->outlook != NULL;
  g_autofree char *estimate =
      reason == NULL && refusal == NULL ? describe_estimate (self, s) : NULL;
  g_autofree char *path = tl_export_form_dup_path (self->form);
  g_autofree char *note =
      has_outlook && self->outlook->question != NULL
              && !tl_exporter_has_target (self->session->exporter, path)
          ? describe_note (self->outlook)
          : NULL;
  /* translators: why */
  g_autofree char *problem =
      objection != NULL
          ? g_strdup_printf (_ ("This cannot be exported: %s"), objection)
          : NULL;

  tl_label_show (self->estimate_label, estimate);
  tl_label_show (self->plan_label, has_outlook ? self->outlook->plan : NULL);
  tl_label_show (self->note_label, note);
  tl_label_show (self->problem_label, problem);
  gtk_widget_set_sensitive (self->export_button, objection == NULL);
}

/* Returns: seconds that a slice of the export takes to compute, as the pictures
 * did; 0: there was none */
static double
estimate_slice_s (TlExportPage *self, const TlExportSettings *s)
{
  const TlRecipe *recipe = tl_parameters_get_recipe (self->session->parameters);
  const TlGrid *whole = &recipe->params.grid;
  const TlGrid grid = tl_export_settings_get_grid (s, whole);

  return tl_display_estimate_slice_s (self->session->display,
                                      (double)(grid.nx * grid.ny)
                                          / (double)(whole->nx * whole->ny));
}

static void on_outlook (GObject *source, GAsyncResult *result, gpointer data);

/* One question at a time: another one follows if the settings have changed
 * meanwhile. The thread must not keep the page alive. */
static void
ask_outlook (TlExportPage *self, const TlExportSettings *s)
{
  g_autofree char *path = NULL;
  GWeakRef *asker;

  self->is_stale = self->is_asking;
  if (self->is_asking)
    return;
  path = tl_export_form_dup_path (self->form);
  asker = g_new (GWeakRef, 1);
  g_weak_ref_init (asker, self);
  self->is_asking = TRUE;
  tl_export_outlook_ask (tl_scan_source_get_summary (self->session->source),
                         tl_parameters_get_recipe (self->session->parameters),
                         path, s, estimate_slice_s (self, s), on_outlook,
                         asker);
}

static void
on_outlook (GObject *source, GAsyncResult *result, gpointer data)
{
  GWeakRef *asker = data;
  g_autoptr (TlExportPage) self = g_weak_ref_get (asker);
  g_autoptr (GError) error = NULL;
  g_autoptr (TlExportOutlook) outlook =
      tl_export_outlook_finish (result, &error);
  TlExportSettings settings;
  g_autofree char *reason = NULL;

  g_weak_ref_clear (asker);
  g_free (asker);
  if (self == NULL)
    return;
  self->is_asking = FALSE;
  if (self->is_stale)
    {
      update (self);
      return;
    }
  g_clear_pointer (&self->outlook, tl_export_outlook_free);
  g_free (self->objection);
  self->outlook = g_steal_pointer (&outlook);
  self->objection = error != NULL ? g_strdup (error->message) : NULL;
  reason = tl_export_form_read (self->form, &settings);
  show_prospects (self, &settings, reason);
  if (self->is_wanted)
    on_export (self);
}

/* Who leaves the page, or changes what is asked for, has to ask again. */
static void
withdraw (TlExportPage *self)
{
  self->is_wanted = FALSE;
}

static void
on_changed (TlExportPage *self)
{
  withdraw (self);
  update (self);
}

static void
update (TlExportPage *self)
{
  TlExportSettings settings;
  g_autofree char *reason = NULL;

  if (!tl_export_form_is_ready (self->form)
      || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  reason = tl_export_form_read (self->form, &settings);
  show_prospects (self, &settings, reason);
  if (reason == NULL)
    ask_outlook (self, &settings);
}

static void
on_export (TlExportPage *self)
{
  g_autofree char *path = NULL;
  TlExportSettings settings;
  g_autofree char *reason = NULL;

  if (!tl_export_form_is_ready (self->form))
    return;
  reason = tl_export_form_read (self->form, &settings);
  /* The objection is to what was typed before. */
  self->is_wanted =
      reason == NULL && self->objection != NULL && self->is_asking;
  if (reason != NULL || self->objection != NULL)
    return;
  path = tl_export_form_dup_path (self->form);
  tl_export_form_note_export (self->form, &settings);
  tl_exporter_start (self->session->exporter, path, &settings, TL_EXPORT_ASK);
}

/* --- the queue --- */

static void
show_part (TlExportPage *self, double top, double bottom)
{
  gtk_adjustment_clamp_page (gtk_scrolled_window_get_vadjustment (self->queue),
                             top, bottom);
}

static gboolean
show_end (gpointer data)
{
  TlExportPage *self = data;
  const double end = gtk_adjustment_get_upper (
      gtk_scrolled_window_get_vadjustment (self->queue));

  self->is_scrolling = FALSE;
  if (self->shows_end)
    show_part (self, end, end);
  return G_SOURCE_REMOVE;
}

/* A row was added or has grown, or the queue has less room. GTK ignores what is
 * scrolled while it lays out the rows, so scroll afterwards. */
static void
on_room (TlExportPage *self)
{
  if (!self->shows_end)
    return;
  self->is_scrolling = TRUE;
  g_idle_add_full (G_PRIORITY_HIGH_IDLE, show_end, g_object_ref (self),
                   g_object_unref);
}

static void
on_scroll (TlExportPage *self, GtkAdjustment *adjustment)
{
  if (!self->is_scrolling) /* GTK moves the rows, too, while it lays them out */
    self->shows_end = gtk_adjustment_get_value (adjustment)
                          + gtk_adjustment_get_page_size (adjustment)
                      >= gtk_adjustment_get_upper (adjustment);
}

/* A question must be seen, also in a long queue. */
static void
on_state (TlExportRun *run, GParamSpec *pspec, GtkWidget *row)
{
  TlExportPage *self =
      TL_EXPORT_PAGE (gtk_widget_get_ancestor (row, TL_TYPE_EXPORT_PAGE));
  graphene_rect_t place;

  if (tl_export_run_get_state (run) != TL_EXPORT_ASKING
      || !gtk_widget_compute_bounds (row, GTK_WIDGET (self->rows), &place))
    return;
  /* The row grows with its question, which must not show the end again. */
  self->shows_end = FALSE;
  show_part (self, (double)place.origin.y,
             (double)place.origin.y + (double)place.size.height);
}

/* The queue takes what the form leaves, so that a further row moves neither the
 * form nor the buttons, and scrolls what it has no room for. */
static void
show_queue (TlExportPage *self, gboolean is_shown)
{
  gtk_widget_set_visible (GTK_WIDGET (self->queue), is_shown);
  gtk_widget_set_vexpand (GTK_WIDGET (self->form_scroller), !is_shown);
}

static void
on_runs (TlExportPage *self, guint place, guint n_removed, guint n_added,
         GListModel *runs)
{
  GtkWidget *before = NULL;
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->rows));

  for (guint k = 0; k < place; k++)
    {
      before = row;
      row = gtk_widget_get_next_sibling (row);
    }
  /* what is removed cannot keep the focus */
  if (n_removed > 0
      && gtk_widget_get_focus_child (GTK_WIDGET (self->queue)) != NULL)
    gtk_widget_grab_focus (self->export_button);
  for (guint k = 0; k < n_removed; k++)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (row);

      gtk_box_remove (self->rows, row);
      row = next;
    }
  for (guint k = 0; k < n_added; k++)
    {
      g_autoptr (TlExportRun) run = g_list_model_get_item (runs, place + k);
      GtkWidget *added = tl_export_row_new (self->session->exporter, run);

      g_signal_connect_object (run, "notify::state", G_CALLBACK (on_state),
                               added, 0);
      gtk_box_insert_child_after (self->rows, added, before);
      before = added;
    }
  self->shows_end = self->shows_end || n_added > 0;
  show_queue (self, g_list_model_get_n_items (runs) > 0);
}

/* --- the widget --- */

static gboolean
tl_export_page_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (TL_EXPORT_PAGE (widget)->form));
}

static void
tl_export_page_dispose (GObject *object)
{
  TlExportPage *self = TL_EXPORT_PAGE (object);

  g_clear_pointer (&self->outlook, tl_export_outlook_free);
  g_clear_pointer (&self->objection, g_free);
  G_OBJECT_CLASS (tl_export_page_parent_class)->dispose (object);
}

/* Arrows stay on the page: in the panel they would change a parameter. */
static gboolean
tl_export_page_focus (GtkWidget *widget, GtkDirectionType direction)
{
  const gboolean has_moved =
      GTK_WIDGET_CLASS (tl_export_page_parent_class)->focus (widget, direction);

  return has_moved
         || (direction != GTK_DIR_TAB_FORWARD
             && direction != GTK_DIR_TAB_BACKWARD
             && gtk_widget_get_focus_child (widget) != NULL);
}

static void
tl_export_page_class_init (TlExportPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (TL_TYPE_EXPORT_FORM);
  G_OBJECT_CLASS (klass)->dispose = tl_export_page_dispose;
  widget_class->focus = tl_export_page_focus;
  widget_class->grab_focus = tl_export_page_grab_focus;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/export-page.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlExportPage, name)
  BIND (form);
  BIND (rows);
  BIND (estimate_label);
  BIND (plan_label);
  BIND (note_label);
  BIND (notice_label);
  BIND (problem_label);
  BIND (export_button);
  BIND (form_scroller);
  BIND (queue);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_export);
  gtk_widget_class_bind_template_callback (widget_class, on_changed);
}

static void
tl_export_page_init (TlExportPage *self)
{
  GtkAdjustment *adjustment;

  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect (self, "unmap", G_CALLBACK (withdraw), NULL);
  adjustment = gtk_scrolled_window_get_vadjustment (self->queue);
  g_signal_connect_object (adjustment, "notify::upper", G_CALLBACK (on_room),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (adjustment, "notify::page-size",
                           G_CALLBACK (on_room), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (on_scroll),
                           self, G_CONNECT_SWAPPED);
}

void
tl_export_page_bind (TlExportPage *self, TlMeasure *measure)
{
  TlView *view = tl_measure_get_view (measure);
  TlSession *session = tl_view_get_session (view);
  GListModel *runs = tl_exporter_get_runs (session->exporter);

  g_return_if_fail (self->session == NULL);

  tl_keep (self, view);
  self->session = session;
  tl_export_form_bind (self->form, measure);
  tl_follow (session->exporter, "running", G_CALLBACK (update), self);
  g_signal_connect_object (runs, "items-changed", G_CALLBACK (on_runs), self,
                           G_CONNECT_SWAPPED);
  on_runs (self, 0, 0, g_list_model_get_n_items (runs), runs);
}

void
tl_export_page_show_notice (TlExportPage *self, const char *text)
{
  g_return_if_fail (TL_IS_EXPORT_PAGE (self));
  tl_label_show (self->notice_label, text);
}

#include "ui/growth/growth-bar.h"

#include "app/axis/centre-search.h"
#include "app/axis/overlay/overlay.h"
#include "ui/growth/angle-dial.h"
#include "ui/growth/sharpness-plot.h"
#include "ui/view/widget.h"

#include <glib/gi18n.h>

G_STATIC_ASSERT (TL_DIAL_DEGREES == TL_FOLLOW_DEGREES);

struct _TlGrowthBar
{
  GtkBox parent_instance;

  TlSession *session;
  TlGrowth *growth; /* of session */
  GtkRevealer *revealer;
  TlAngleDial *dial;
  GtkProgressBar *progress;
  GtkLabel *line_label, *axis_label, *problem_label;
  TlSharpnessPlot *sharpness;
  GtkWidget *next_button, *skip_button;
  GtkButton *record_button;
};

G_DEFINE_FINAL_TYPE (TlGrowthBar, tl_growth_bar, GTK_TYPE_BOX)

/* @text: gets how many have come */
static void
append_count (GString *text, const TlGrowthNews *news)
{
  if (news->n_expected > 0)
    g_string_append_printf (
        /* translators: have come, of so many */
        text,
        g_dngettext (NULL, "%zu of %zu projection", "%zu of %zu projections",
                     news->n_expected),
        news->n_projections, news->n_expected);
  else
    g_string_append_printf (text,
                            g_dngettext (NULL, "%zu projection",
                                         "%zu projections",
                                         news->n_projections),
                            news->n_projections);
}

/* Says how many frames cannot be used. */
static void
append_faults (GString *text, TlGrowth *growth)
{
  const TlGrowthNews *news = tl_growth_get_news (growth);
  const char *beamless = tl_growth_get_beamless (growth);

  if (news->n_malformed > 0)
    /* translators: frames that could not be used */
    g_string_append_printf (text,
                            g_dngettext (NULL, " · %zu unusable",
                                         " · %zu unusable", news->n_malformed),
                            news->n_malformed);
  if (*beamless != '\0')
    /* translators: numbers of projections, as 120:135,400 */
    g_string_append_printf (text, _ (" · no beam in %s"), beamless);
}

/* Says that nothing comes, as long as that is so. */
static void
append_idle (GString *text, const TlGrowthNews *news)
{
  if (news->is_stalled)
    g_string_append_printf (text, _ (" · nothing has come for %.0f s"),
                            news->idle_s);
}

static char *
describe_waiting (TlGrowth *growth)
{
  const TlGrowthNews *news = tl_growth_get_news (growth);
  GString *text = g_string_new (NULL);

  if (news->n_projections == 0)
    g_string_append_printf (text,
                            _ ("Waiting for the first projection from %s"),
                            tl_growth_get_name (growth));
  else
    append_count (text, news);
  if (news->waits_for_flats)
    g_string_append (text, news->is_over ? _ (" · ended without flat fields")
                                         : _ (" · waiting for flat fields"));
  else if (news->n_projections > 0
           && news->n_projections == news->n_without_angle)
    g_string_append (text, _ (" · without an angle"));
  append_faults (text, growth);
  append_idle (text, news);
  return g_string_free (text, FALSE);
}

/* Returns: projections that the scan has ended without */
static size_t
count_missing (const TlGrowthNews *news)
{
  size_t n_expected = MAX (news->n_expected, news->n_projections);

  return MAX (news->n_lost, n_expected - news->n_projections);
}

/* @is_over: the scan has ended */
static void
append_lost (GString *text, const TlGrowthNews *news, gboolean is_over)
{
  size_t n = is_over ? count_missing (news) : news->n_lost;

  if (n == 0)
    return;
  g_string_append_printf (
      text,
      is_over
          /* translators: projections that have not come */
          ? g_dngettext (NULL, " · %zu missing", " · %zu missing", n)
          : g_dngettext (NULL, " · %zu lost", " · %zu lost", n),
      n);
}

/* Says that the scan has ended, and what becomes of the next one. */
static void
append_end (GString *text, TlGrowth *growth)
{
  const TlGrowthNews *news = tl_growth_get_news (growth);
  gboolean follows;

  g_object_get (growth, "follows", &follows, NULL);
  g_string_append (text, count_missing (news) > 0 || news->lacks_fields
                             ? _ (" · ended")
                             : _ (" · complete"));
  g_string_append (text, news->is_of_before ? _ ("; the next scan has begun")
                         : follows          ? _ ("; waiting for the next scan")
                         : news->has_later
                             ? _ ("; another scan is being taken, and is not "
                                  "shown")
                             : _ ("; the next scan is not shown"));
  if (news->n_next > 0)
    g_string_append_printf (
        text,
        news->is_over
            ? g_dngettext (NULL, ": %zu projection, ended without flat fields",
                           ": %zu projections, ended without flat fields",
                           news->n_next)
            : g_dngettext (NULL, ": %zu projection, waiting for flat fields",
                           ": %zu projections, waiting for flat fields",
                           news->n_next),
        news->n_next);
}

/* Says which rows there was room for, if not for all. */
static void
append_kept (GString *text, const TlGrowthNews *news)
{
  if (news->n_kept == news->n_rows)
    return;
  if (news->n_kept == 1)
    g_string_append_printf (text, _ (" · of %zu rows, only row %zu is kept"),
                            news->n_rows, news->first_kept);
  else
    /* translators: the first and the last one */
    g_string_append_printf (
        text, _ (" · of %zu rows, only rows %zu to %zu are kept"), news->n_rows,
        news->first_kept, news->first_kept + news->n_kept - 1);
}

static void
append_rate (GString *text, TlGrowth *growth)
{
  const TlGrowthNews *news = tl_growth_get_news (growth);
  g_autofree char *left = tl_growth_dup_time_left (growth);

  append_idle (text, news);
  if (news->is_stalled)
    return;
  if (news->rate > 0)
    /* translators: projections per second */
    g_string_append_printf (text, _ (" · %.3g per second"), news->rate);
  if (news->rate > 0 && news->delay_s > 0)
    /* translators: seconds until a projection that has come is in the picture
     */
    g_string_append_printf (text, _ (" · shown after %.2g s"), news->delay_s);
  if (left != NULL)
    g_string_append_printf (text, " · %s", left);
}

static void
append_hint (GString *text, TlGrowth *growth)
{
  const TlGrowthNews *news = tl_growth_get_news (growth);
  gboolean hints;

  g_object_get (growth, "hints", &hints, NULL);
  if (!hints || news->n_finished == 0)
    return;
  if (news->n_expected > 0)
    g_string_append_printf (
        text, _ (" · looks finished at %.0f %% of the projections"),
        100 * (double)news->n_finished / (double)news->n_expected);
  else
    g_string_append_printf (text, _ (" · looks finished with %zu projections"),
                            news->n_finished);
}

static char *
describe (TlGrowth *growth)
{
  const TlGrowthNews *news = tl_growth_get_news (growth);
  TlGrowthState state = tl_growth_get_state (growth);
  GString *text = NULL;
  gboolean is_over;

  if (state == TL_GROWTH_WAITING)
    return describe_waiting (growth);
  text = g_string_new (NULL);
  /* a scan that another one follows was broken off */
  is_over = state == TL_GROWTH_COMPLETE || news->has_later;
  append_count (text, news);
  append_lost (text, news, is_over);
  append_kept (text, news);
  append_hint (text, growth);
  if (is_over)
    append_end (text, growth);
  else
    append_rate (text, growth);
  append_faults (text, growth);
  return g_string_free (text, FALSE);
}

/* Returns: whether the scan that is taken now, or comes next, has no picture */
static gboolean
is_of_before (TlGrowth *growth)
{
  return tl_growth_get_state (growth) != TL_GROWTH_NONE
         && tl_growth_get_news (growth)->is_of_before;
}

/* Returns: (transfer full) (nullable): where the axis is, of the scan that is
 * taken now; marked if that is complete, and the next one is waited for */
static char *
dup_axis_line (TlGrowthBar *self)
{
  g_autofree char *line = is_of_before (self->growth)
                              ? NULL
                              : tl_session_dup_centre_line (self->session);

  return line != NULL
                 && tl_growth_get_state (self->growth) == TL_GROWTH_COMPLETE
             /* translators: where its axis is follows */
             ? g_strdup_printf (_ ("Last scan: %s"), line)
             : g_steal_pointer (&line);
}

/* What was found last stays while the axis is searched again. */
static void
update_axis (TlGrowthBar *self)
{
  TlCentreSearchState state =
      tl_centre_search_get_state (tl_session_get_centre_search (self->session));
  g_autofree char *line = NULL;

  if (!is_of_before (self->growth)
      && (state == TL_CENTRE_SEARCH_READING
          || state == TL_CENTRE_SEARCH_ESTIMATING))
    return;
  line = dup_axis_line (self);
  if (g_strcmp0 (line, gtk_label_get_text (self->axis_label)) != 0)
    tl_label_set_line (self->axis_label, line != NULL ? line : "");
  gtk_widget_set_visible (GTK_WIDGET (self->axis_label), line != NULL);
}

static void
update_problem (TlGrowthBar *self)
{
  g_autofree char *problem = NULL;

  g_object_get (self->growth, "record-problem", &problem, NULL);
  tl_label_set_line (self->problem_label, problem != NULL ? problem : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem_label), problem != NULL);
}

/* Files and folders keep their scans themselves. */
static void
update_record (TlGrowthBar *self)
{
  const char *folder = tl_growth_get_record_folder (self->growth);
  g_autofree char *hint =
      folder != NULL
          ? g_strdup_printf (_ ("The scans are recorded in %s"), folder)
          : g_strdup (_ ("Keep the scans that begin from now on as files"));

  gtk_button_set_label (self->record_button,
                        folder != NULL ? _ ("Stop Recording") : _ ("Record…"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->record_button), hint);
  gtk_widget_set_visible (GTK_WIDGET (self->record_button),
                          tl_growth_has_next (self->growth));
}

/* Returns: (transfer full): the tooltip of the line */
static char *
describe_more (TlGrowth *growth)
{
  const TlGrowthNews *news = tl_growth_get_news (growth);
  const char *refused = tl_growth_get_refused (growth);
  GString *text = g_string_new (NULL);

  g_string_printf (text, _ ("flat fields: %zu, dark fields: %zu"),
                   news->n_flats, news->n_darks);
  if (news->n_malformed > 0 && refused != NULL)
    /* translators: a sentence about a frame that could not be used follows */
    g_string_append_printf (text, _ ("\nThe last that was unusable: %s"),
                            refused);
  return g_string_free (text, FALSE);
}

static void
update (TlGrowthBar *self)
{
  const TlGrowthNews *news = tl_growth_get_news (self->growth);
  TlGrowthState state = tl_growth_get_state (self->growth);
  g_autofree char *text = NULL;
  g_autofree char *more = NULL;
  const TlGrowthSharpness *points;
  gboolean is_ending;
  double part = 0;
  guint n;

  g_object_get (self->growth, "ending", &is_ending, NULL);
  gtk_revealer_set_reveal_child (self->revealer,
                                 state != TL_GROWTH_NONE || is_ending);
  if (state == TL_GROWTH_NONE && is_ending)
    gtk_label_set_text (
        self->line_label,
        _ ("No longer followed; the rest of the recording is being written"));
  if (state == TL_GROWTH_NONE)
    return;
  if (news->n_expected > 0)
    part = MIN (1, (double)news->n_projections / (double)news->n_expected);
  else if (state == TL_GROWTH_COMPLETE)
    part = 1;
  text = describe (self->growth);
  more = describe_more (self->growth);
  tl_angle_dial_set_covered (self->dial, news->covered);
  points = tl_growth_get_sharpness (self->growth, &n);
  if (news->is_of_before)
    n = 0;
  tl_sharpness_plot_set_points (self->sharpness, points, n, news->n_expected);
  gtk_label_set_text (self->line_label, text);
  gtk_progress_bar_set_fraction (self->progress, part);
  gtk_widget_set_visible (self->next_button, tl_growth_has_next (self->growth));
  gtk_widget_set_visible (self->skip_button,
                          tl_growth_get_news (self->growth)->waits_for_flats);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->line_label), more);
}

static void
tl_growth_bar_class_init (TlGrowthBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/growth-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, TlGrowthBar, revealer);
  gtk_widget_class_bind_template_child (widget_class, TlGrowthBar, dial);
  gtk_widget_class_bind_template_child (widget_class, TlGrowthBar, progress);
  gtk_widget_class_bind_template_child (widget_class, TlGrowthBar, line_label);
  gtk_widget_class_bind_template_child (widget_class, TlGrowthBar, axis_label);
  gtk_widget_class_bind_template_child (widget_class, TlGrowthBar,
                                        problem_label);
  gtk_widget_class_bind_template_child (widget_class, TlGrowthBar, sharpness);
  gtk_widget_class_bind_template_child (widget_class, TlGrowthBar, next_button);
  gtk_widget_class_bind_template_child (widget_class, TlGrowthBar, skip_button);
  gtk_widget_class_bind_template_child (widget_class, TlGrowthBar,
                                        record_button);
}

static void
tl_growth_bar_init (TlGrowthBar *self)
{
  g_type_ensure (TL_TYPE_ANGLE_DIAL);
  g_type_ensure (TL_TYPE_SHARPNESS_PLOT);
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
tl_growth_bar_bind (TlGrowthBar *self, TlSession *session)
{
  g_return_if_fail (self->session == NULL);

  self->session = tl_keep (self, session);
  self->growth = session->growth;
  tl_follow (self->growth, "state news hints follows ending",
             G_CALLBACK (update), self);
  tl_follow (self->growth, "state news", G_CALLBACK (update_axis), self);
  tl_follow (self->growth, "state record-folder", G_CALLBACK (update_record),
             self);
  tl_follow (self->growth, "record-problem", G_CALLBACK (update_problem), self);
  tl_follow (session->parameters, "recipe", G_CALLBACK (update_axis), self);
  g_signal_connect_object (tl_session_get_centre_search (session), "changed",
                           G_CALLBACK (update_axis), self, G_CONNECT_SWAPPED);
  update (self);
  update_axis (self);
  update_record (self);
}

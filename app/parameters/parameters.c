#include "app/parameters/parameters.h"

#include "data/geometry.h"
#include "gpu/stages/filter.h"
#include "gpu/stages/tilt.h"

#include <math.h>
#include <string.h>

struct _TlParameters
{
  GObject parent;
  TlScanSource *source;
  TlRequests *requests;
  TlMessages *messages;

  TlRecipe *recipe;
  TlHistory *history;        /* empty before the first scan */
  double assumed_centre_col; /* the open scan's centre if it was not given; else
                                NaN */
  double found_centre_col; /* the last one that the program found; NaN: none */
  double certain_centre_col; /* the last of these that was certain */
};

enum
{
  PROP_0,
  PROP_RECIPE,
  PROP_SLICE,
  PROP_CENTRE,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

enum
{
  REQUESTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (TlParameters, tl_parameters, G_TYPE_OBJECT)

const TlRecipe *
tl_parameters_get_recipe (TlParameters *self)
{
  return self->recipe;
}

guint
tl_parameters_get_slice (TlParameters *self)
{
  return (guint)self->recipe->slice;
}

double
tl_parameters_get_centre (TlParameters *self)
{
  return self->recipe->params.centre_col;
}

/* Returns: whether parameters are those of an open scan */
static gboolean
is_settled (TlParameters *self)
{
  return tl_scan_source_is_open (self->source)
         && !tl_scan_source_is_opening (self->source);
}

static void
request (TlParameters *self)
{
  if (is_settled (self))
    g_signal_emit (self, signals[REQUESTED], 0);
}

void
tl_parameters_take_recipe (TlParameters *self, TlRecipe *recipe)
{
  GObject *object = G_OBJECT (self);
  g_autoptr (TlRecipe) old = self->recipe;
  self->recipe = recipe;
  if (is_settled (self))
    tl_history_note (self->history, recipe, g_get_monotonic_time ());
  g_object_freeze_notify (object);
  g_object_notify_by_pspec (object, props[PROP_RECIPE]);
  if (old->slice != recipe->slice)
    g_object_notify_by_pspec (object, props[PROP_SLICE]);
  if (old->params.centre_col != recipe->params.centre_col)
    g_object_notify_by_pspec (object, props[PROP_CENTRE]);
  g_object_thaw_notify (object);
}

/* --- one parameter --- */

/* Lets @recipe, of the scan at @path, mean the same place in its bins as before
 * in those of @from. The last rows of a scan may be too few for one. */
static void
convert_bin (TlParameters *self, const char *path, TlRecipe *recipe, guint from)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (self->source);
  if (recipe->bin == from)
    return;
  tl_recipe_convert_bin (recipe, from);
  if (scan == NULL || strcmp (scan->path, path) != 0)
    return;
  const size_t n_bins = scan->n_rows * self->recipe->bin / recipe->bin;
  recipe->slice = MIN (recipe->slice, MAX (n_bins, 1) - 1);
}

/* @recipe: (nullable): changed */
static gboolean
set_for_opening (TlParameters *self, TlRecipe *recipe, const TlParamSpec *key,
                 GVariant *value, GError **error)
{
  if (recipe == NULL)
    return TRUE;
  const guint from = recipe->bin;
  if (key->picks_files) /* other files may have other flat fields */
    recipe->flat_field_known = recipe->minus_log_known = FALSE;
  if (!tl_recipe_set_value (recipe, key, value, error))
    return FALSE;
  convert_bin (self, tl_scan_source_get_newest_path (self->source), recipe,
               from);
  return TRUE;
}

static gboolean
set_and_reopen (TlParameters *self, const TlParamSpec *key, GVariant *value,
                GError **error)
{
  const TlRecipe *opening = tl_scan_source_get_opening (self->source);
  const TlRecipe *anew = tl_scan_source_get_anew (self->source);
  g_autoptr (TlRecipe) recipe =
      tl_recipe_dup (opening != NULL ? opening : self->recipe);
  g_autoptr (TlRecipe) recipe_anew = anew != NULL ? tl_recipe_dup (anew) : NULL;
  if (!set_for_opening (self, recipe, key, value, error)
      || !set_for_opening (self, recipe_anew, key, value, error))
    return FALSE;
  const char *path = tl_scan_source_get_newest_path (self->source);
  tl_messages_dismiss (self->messages);
  tl_scan_source_start (self->source, path, g_steal_pointer (&recipe),
                        g_steal_pointer (&recipe_anew),
                        tl_scan_source_find_held (self->source, path));
  return TRUE;
}

/* Parameters set while a scan is being opened are applied to the open scan and
 * noted, to be applied to the new one as well. */
gboolean
tl_parameters_set_value (TlParameters *self, const char *word, GVariant *value,
                         GError **error)
{
  g_return_val_if_fail (TL_IS_PARAMETERS (self), FALSE);
  g_return_val_if_fail (word != NULL && value != NULL, FALSE);
  g_autoptr (GVariant) owned = g_variant_ref_sink (value);
  const TlParamSpec *key = tl_recipe_find_key (word, error);
  if (key == NULL)
    return FALSE;
  if (key->reopens && tl_scan_source_get_newest_path (self->source) != NULL)
    return set_and_reopen (self, key, owned, error);

  g_autoptr (TlRecipe) recipe = tl_recipe_dup (self->recipe);
  if (!tl_recipe_set_value (recipe, key, owned, error)
      || (tl_scan_source_is_open (self->source)
          && !tl_scan_source_resolve (self->source, recipe, error)))
    return FALSE;
  if (tl_scan_source_is_opening (self->source))
    tl_scan_source_note_change (self->source, key->key, owned);
  if (tl_recipe_is_equal (self->recipe, recipe, key))
    return TRUE;
  tl_parameters_take_recipe (self, g_steal_pointer (&recipe));
  request (self);
  return TRUE;
}

gboolean
tl_parameters_set (TlParameters *self, const char *key, const char *value,
                   GError **error)
{
  g_return_val_if_fail (value != NULL, FALSE);
  return tl_parameters_set_value (self, key, g_variant_new_string (value),
                                  error);
}

gboolean
tl_parameters_set_and_reopen (TlParameters *self, const char *key,
                              const char *value, GError **error)
{
  g_return_val_if_fail (TL_IS_PARAMETERS (self), FALSE);
  g_return_val_if_fail (key != NULL && value != NULL, FALSE);
  g_autoptr (GVariant) text = g_variant_ref_sink (g_variant_new_string (value));
  const TlParamSpec *parameter = tl_recipe_find_key (key, error);
  return parameter != NULL && set_and_reopen (self, parameter, text, error);
}

void
tl_parameters_set_slice (TlParameters *self, guint slice)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (self->source);
  if (scan != NULL)
    slice = MIN (slice, (guint)scan->n_rows - 1);
  tl_parameters_set_value (self, "slice", g_variant_new_uint32 (slice), NULL);
}

/* The notification resets the control of a centre that was refused. */
void
tl_parameters_set_centre (TlParameters *self, double centre_col)
{
  g_autoptr (GError) error = NULL;
  if (tl_parameters_set_value (self, "centre",
                               g_variant_new_double (centre_col), &error))
    return;
  tl_messages_warn (self->messages, FALSE, "%s", error->message);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_CENTRE]);
}

gboolean
tl_parameters_set_as_step (TlParameters *self, const char *key, GVariant *value,
                           const char *words, GError **error)
{
  g_return_val_if_fail (TL_IS_PARAMETERS (self), FALSE);
  g_object_freeze_notify (G_OBJECT (self));
  const guint step = tl_history_get_present (self->history);
  tl_history_end_burst (self->history);
  const gboolean good = tl_parameters_set_value (self, key, value, error);
  if (good && tl_history_get_present (self->history) != step)
    tl_history_name (self->history, words);
  g_object_thaw_notify (G_OBJECT (self));
  return good;
}

/* --- all parameters --- */

gboolean
tl_parameters_set_recipe (TlParameters *self, const TlRecipe *recipe)
{
  g_return_val_if_fail (TL_IS_PARAMETERS (self) && recipe != NULL, FALSE);
  g_autoptr (TlRecipe) wanted = tl_recipe_dup (recipe);
  g_autoptr (GError) error = NULL;
  if (tl_scan_source_is_opening (self->source)
      || !tl_recipe_reads_alike (self->recipe, wanted))
    {
      tl_scan_source_forget_changes (self->source); /* @recipe has them all */
      tl_messages_dismiss (self->messages);
      const char *path = tl_scan_source_get_summary (self->source)->path;
      tl_scan_source_start (self->source, path, g_steal_pointer (&wanted), NULL,
                            tl_scan_source_find_held (self->source, path));
      return FALSE;
    }
  if (!tl_scan_source_resolve (self->source, wanted, &error))
    {
      tl_history_drop_aim (self->history);
      tl_messages_warn (self->messages, tl_requests_is_busy (self->requests),
                        "%s", error->message);
      return FALSE;
    }
  tl_parameters_take_recipe (self, g_steal_pointer (&wanted));
  request (self);
  return TRUE;
}

gboolean
tl_parameters_set_recipe_as_step (TlParameters *self, const TlRecipe *recipe)
{
  if (recipe == NULL)
    return FALSE;
  tl_history_end_burst (self->history);
  const gboolean is_done = tl_parameters_set_recipe (self, recipe);
  tl_history_end_burst (self->history);
  return is_done;
}

gboolean
tl_parameters_set_axis (TlParameters *self, double centre_col, double tilt_deg)
{
  g_autoptr (TlRecipe) recipe = tl_recipe_dup (self->recipe);
  g_autoptr (GError) error = NULL;
  if (tl_recipe_set_number (recipe, tl_params_find ("centre"), centre_col,
                            &error)
      && (!isfinite (tilt_deg)
          || tl_recipe_set_number (recipe, tl_params_find ("tilt"), tilt_deg,
                                   &error)))
    return tl_parameters_set_recipe_as_step (self, recipe);
  tl_messages_warn (self->messages, FALSE, "%s", error->message);
  return FALSE;
}

/* --- values derived from the parameters --- */

guint
tl_parameters_get_centre_digits (TlParameters *self)
{
  const double centre_col = self->recipe->params.centre_col;
  guint digits = 2;
  double n_parts = 100;
  for (; digits < 6 && tl_round_to_parts (centre_col, n_parts) != centre_col;
       digits++)
    n_parts *= 10;
  return digits;
}

double
tl_parameters_get_axis_col (TlParameters *self, double row)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (self->source);
  const TlParams *params = &self->recipe->params;
  if (scan == NULL
      || tl_tilt_resamples (params->tilt_deg, params->centre_col, scan->n_cols))
    return params->centre_col;
  return tl_tilt_get_axis_col (params->tilt_deg, params->centre_col,
                               row - ((double)scan->n_rows - 1) / 2);
}

double
tl_parameters_limit_centre (TlParameters *self, double centre_col,
                            guint n_parts)
{
  g_return_val_if_fail (n_parts > 0, centre_col);
  const TlScanSummary *scan = tl_scan_source_get_summary (self->source);
  centre_col = tl_round_to_parts (centre_col, n_parts);
  return scan != NULL ? CLAMP (centre_col, -0.5, (double)scan->n_cols - 0.5)
                      : centre_col;
}

gboolean
tl_parameters_is_centre_assumed (TlParameters *self)
{
  return tl_scan_source_is_open (self->source)
         && self->recipe->params.centre_col == self->assumed_centre_col;
}

void
tl_parameters_note_found_centre (TlParameters *self, double centre_col,
                                 gboolean is_certain)
{
  g_return_if_fail (TL_IS_PARAMETERS (self));
  self->found_centre_col = centre_col;
  if (is_certain)
    self->certain_centre_col = self->found_centre_col;
}

gboolean
tl_parameters_is_centre_found (TlParameters *self)
{
  return tl_scan_source_is_open (self->source)
         && self->recipe->params.centre_col == self->found_centre_col;
}

gboolean
tl_parameters_is_centre_certain (TlParameters *self)
{
  return tl_parameters_is_centre_found (self)
         && self->found_centre_col == self->certain_centre_col;
}

void
tl_parameters_drop_uncertain_centre (TlParameters *self, TlRecipe *recipe)
{
  g_return_if_fail (TL_IS_PARAMETERS (self) && recipe != NULL);
  if (!tl_parameters_is_centre_found (self)
      || tl_parameters_is_centre_certain (self))
    return;
  recipe->centre_known = isfinite (self->certain_centre_col);
  if (recipe->centre_known)
    recipe->params.centre_col = self->certain_centre_col;
}

gboolean
tl_parameters_is_centre_given (TlParameters *self)
{
  return !tl_parameters_is_centre_assumed (self)
         && !tl_parameters_is_centre_found (self);
}

void
tl_parameters_get_filter_curve (TlParameters *self, float *curve, size_t n)
{
  g_return_if_fail (n > 1);
  const TlParams *params = &self->recipe->params;
  float peak = 0;
  for (size_t k = 0; k < n; k++)
    {
      const double nyquist_part = (double)k / (double)(n - 1);
      curve[k] =
          (float)(nyquist_part
                  * tl_filter_window (params->filter, params->butterworth_order,
                                      nyquist_part / params->cutoff));
      peak = MAX (peak, curve[k]);
    }
  for (size_t k = 0; k < n && peak > 0; k++)
    curve[k] /= peak;
}

gboolean
tl_parameters_save (TlParameters *self, const char *path, GError **error)
{
  return tl_recipe_save (self->recipe, tl_scan_source_get_origin (self->source),
                         path, error);
}

char *
tl_parameters_dup_command (TlParameters *self)
{
  const TlScanSummary *scan = tl_scan_source_get_summary (self->source);
  g_autoptr (TlRecipe) defaults = tl_recipe_new ();
  if (scan == NULL)
    return NULL;
  tl_scan_source_resolve (self->source, defaults, NULL);
  return tl_recipe_to_command ("recon", self->recipe, defaults, scan->path);
}

/* --- the history --- */

TlHistory *
tl_parameters_get_history (TlParameters *self)
{
  return self->history;
}

void
tl_parameters_go_to_step (TlParameters *self, guint index)
{
  g_return_if_fail (TL_IS_PARAMETERS (self));
  const TlRecipe *recipe = tl_history_aim (self->history, index);
  if (recipe != NULL)
    tl_parameters_set_recipe (self, recipe);
}

void
tl_parameters_undo (TlParameters *self)
{
  const guint step = tl_history_get_aim (self->history);
  if (step > 0)
    tl_parameters_go_to_step (self, step - 1);
}

void
tl_parameters_redo (TlParameters *self)
{
  tl_parameters_go_to_step (self, tl_history_get_aim (self->history) + 1);
}

/* --- replies --- */

void
tl_parameters_fall_back (TlParameters *self, const TlRecipe *recipe)
{
  tl_history_fall_back (self->history, recipe);
  tl_parameters_take_recipe (self, tl_recipe_dup (recipe));
}

/* Moves the columns that were noted to those of bins of @bin. */
static void
convert_columns (TlParameters *self, guint bin)
{
  double *const columns[] = { &self->assumed_centre_col,
                              &self->found_centre_col,
                              &self->certain_centre_col };
  for (guint k = 0; k < G_N_ELEMENTS (columns); k++)
    *columns[k] = tl_bin_convert_col (*columns[k], self->recipe->bin, bin);
}

/* If the same scan is opened again with a centre that the user gave, an assumed
 * centre of the same value stays an assumption. One that was found with other
 * angles or projections becomes an assumption, so that it is looked for again.
 */
void
tl_parameters_begin_scan (TlParameters *self, const TlRecipe *recipe,
                          gboolean is_other, gboolean centre_is_assumed,
                          gboolean has_grown)
{
  const double centre_col = recipe->params.centre_col;
  if (!is_other)
    convert_columns (self, recipe->bin);
  if (centre_is_assumed
      || (!is_other && centre_col == self->found_centre_col
          && (has_grown || !tl_recipe_reads_alike (self->recipe, recipe))))
    self->assumed_centre_col = centre_col;
  else if (!is_other && centre_col == self->certain_centre_col)
    self->found_centre_col = centre_col;
  else if (is_other)
    self->assumed_centre_col = NAN;
  if (is_other)
    {
      self->found_centre_col = self->certain_centre_col = NAN;
      tl_history_begin (self->history, recipe);
    }
  tl_parameters_take_recipe (self, tl_recipe_dup (recipe));
}

void
tl_parameters_end_opening (TlParameters *self)
{
  if (!tl_scan_source_is_open (self->source))
    return;
  tl_history_note (self->history, self->recipe, g_get_monotonic_time ());
  tl_history_drop_aim (self->history);
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_RECIPE]);
}

void
tl_parameters_apply_changes (TlParameters *self, const GPtrArray *changes,
                             gboolean is_other)
{
  for (guint k = 0; k < changes->len; k++)
    {
      const char *key;
      g_autoptr (GVariant) value = NULL;
      g_variant_get (changes->pdata[k], "(&sv)", &key, &value);
      if (!is_other || !tl_recipe_find_key (key, NULL)->is_of_scan)
        tl_parameters_set_value (self, key, value, NULL);
    }
}

/* --- the object --- */

static void
tl_parameters_get_property (GObject *object, guint prop, GValue *value,
                            GParamSpec *pspec)
{
  TlParameters *self = TL_PARAMETERS (object);
  if (prop == PROP_RECIPE)
    g_value_set_pointer (value, self->recipe);
  else if (prop == PROP_SLICE)
    g_value_set_uint (value, tl_parameters_get_slice (self));
  else
    g_value_set_double (value, tl_parameters_get_centre (self));
}

static void
tl_parameters_finalize (GObject *object)
{
  TlParameters *self = TL_PARAMETERS (object);
  tl_recipe_free (self->recipe);
  tl_history_free (self->history);
  g_object_unref (self->source);
  g_object_unref (self->requests);
  g_object_unref (self->messages);
  G_OBJECT_CLASS (tl_parameters_parent_class)->finalize (object);
}

static void
tl_parameters_class_init (TlParametersClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags =
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  object_class->get_property = tl_parameters_get_property;
  object_class->finalize = tl_parameters_finalize;
  props[PROP_RECIPE] = g_param_spec_pointer ("recipe", NULL, NULL, flags);
  props[PROP_SLICE] =
      g_param_spec_uint ("slice", NULL, NULL, 0, G_MAXUINT, 0, flags);
  props[PROP_CENTRE] = g_param_spec_double ("centre", NULL, NULL, -G_MAXDOUBLE,
                                            G_MAXDOUBLE, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
  signals[REQUESTED] =
      g_signal_new ("requested", TL_TYPE_PARAMETERS, G_SIGNAL_RUN_LAST, 0, NULL,
                    NULL, NULL, G_TYPE_NONE, 0);
}

static void
tl_parameters_init (TlParameters *self)
{
  self->recipe = tl_recipe_new ();
  self->history = tl_history_new ();
  self->assumed_centre_col = NAN;
  self->found_centre_col = self->certain_centre_col = NAN;
}

TlParameters *
tl_parameters_new (TlScanSource *source, TlRequests *requests,
                   TlMessages *messages)
{
  TlParameters *self = g_object_new (TL_TYPE_PARAMETERS, NULL);
  self->source = g_object_ref (source);
  self->requests = g_object_ref (requests);
  self->messages = g_object_ref (messages);
  return self;
}

#include "ui/actions/actions-private.h"

#include "app/axis/candidates/candidates.h"
#include "data/array.h"
#include "ui/view/widget.h"

#include <math.h>

static TlCandidates *
get_candidates (gpointer session)
{
  return tl_session_get_candidates (session);
}

/* --- states, from the candidates --- */

static void
update_states (TlCandidates *candidates, GParamSpec *pspec, GActionMap *map)
{
  const TlCandidatesRegion region = tl_candidates_get_region (candidates);
  const TlCandidateMetric metric = tl_candidates_get_metric (candidates);

  tl_actions_set_state (
      map, "candidates",
      g_variant_new_uint32 (tl_candidates_get_n (candidates)));
  tl_actions_set_state (
      map, "candidates-step",
      g_variant_new_double (tl_candidates_get_step (candidates)));
  tl_actions_set_state (
      map, "candidates-region",
      g_variant_new_string (tl_candidates_region_names[region]));
  tl_actions_set_state (
      map, "candidates-metric",
      g_variant_new_string (tl_candidate_metric_names[metric]));
}

/* A step between candidates changes what the page of candidates shows. */
static void
update_enabled (GActionMap *map)
{
  TlSession *session = tl_actions_get_session (map);
  gboolean has_scan = tl_scan_source_is_open (session->source);
  gboolean is_shown =
      tl_display_get_page (session->display) == TL_PAGE_CANDIDATES;

  tl_actions_enable (
      map, "candidates candidates-step candidates-region candidates-metric",
      has_scan);
  tl_actions_enable (map, "finer coarser adopt", has_scan && is_shown);
}

/* --- handlers of the actions --- */

static void
change_n (GSimpleAction *action, GVariant *value, gpointer session)
{
  tl_candidates_set_n (get_candidates (session), g_variant_get_uint32 (value));
}

static void
change_step (GSimpleAction *action, GVariant *value, gpointer session)
{
  double step = g_variant_get_double (value);

  if (isfinite (step))
    tl_candidates_set_step (
        get_candidates (session),
        CLAMP (step, TL_CANDIDATES_MIN_STEP, TL_CANDIDATES_MAX_STEP));
}

static void
change_region (GSimpleAction *action, GVariant *value, gpointer session)
{
  const int region = tl_names_index (tl_candidates_region_names,
                                     g_variant_get_string (value, NULL));

  if (region >= 0)
    tl_candidates_set_region (get_candidates (session), region);
}

static void
change_metric (GSimpleAction *action, GVariant *value, gpointer session)
{
  const int metric = tl_names_index (tl_candidate_metric_names,
                                     g_variant_get_string (value, NULL));

  if (metric >= 0)
    tl_candidates_set_metric (get_candidates (session), metric);
}

/* Returns: @value, or -1 where there is no such candidate */
static int
read_index (GVariant *value, gpointer session)
{
  int index = g_variant_get_int32 (value);

  return index < (int)tl_candidates_get_n (get_candidates (session)) ? index
                                                                     : -1;
}

static void
make_finer (GSimpleAction *action, GVariant *value, gpointer session)
{
  tl_candidates_finer (get_candidates (session),
                       MAX (read_index (value, session), -1));
}

static void
make_coarser (GSimpleAction *action, GVariant *value, gpointer session)
{
  tl_candidates_coarser (get_candidates (session),
                         MAX (read_index (value, session), -1));
}

static void
adopt (GSimpleAction *action, GVariant *value, gpointer session)
{
  guint index = g_variant_get_uint32 (value);

  if (index < tl_candidates_get_n (get_candidates (session)))
    tl_candidates_adopt (get_candidates (session), index);
}

/* --- setting up --- */

void
tl_candidates_actions_add (GActionMap *map, TlSession *session)
{
  static const GActionEntry entries[] = {
    { "candidates", NULL, "u", "uint32 9", change_n, { 0 } },
    { "candidates-step", NULL, "d", "1.0", change_step, { 0 } },
    { "candidates-region", NULL, "s", "'whole'", change_region, { 0 } },
    { "candidates-metric", NULL, "s", "'combined'", change_metric, { 0 } },
    { "finer", make_finer, "i", NULL, NULL, { 0 } },
    { "coarser", make_coarser, "i", NULL, NULL, { 0 } },
    { "adopt", adopt, "u", NULL, NULL, { 0 } },
  };
  TlCandidates *candidates = get_candidates (session);

  g_action_map_add_action_entries (map, entries, G_N_ELEMENTS (entries),
                                   session);
  g_simple_action_set_state_hint (tl_actions_find (map, "candidates"),
                                  g_variant_new ("(uu)", 1, TL_CANDIDATES_MAX));
  g_simple_action_set_state_hint (
      tl_actions_find (map, "candidates-step"),
      g_variant_new ("(dd)", TL_CANDIDATES_MIN_STEP, TL_CANDIDATES_MAX_STEP));
  g_signal_connect_object (candidates, "notify", G_CALLBACK (update_states),
                           map, 0);
  tl_follow (session->source, "summary", G_CALLBACK (update_enabled), map);
  tl_follow (session->display, "picture", G_CALLBACK (update_enabled), map);
  update_states (candidates, NULL, map);
  update_enabled (map);
}

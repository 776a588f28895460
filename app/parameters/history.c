#include "app/parameters/history.h"

#include <glib/gi18n.h>
#include <string.h>

/* More changes than these in one step are only counted. */
#define MAX_CHANGES 3

typedef struct
{
  TlRecipe *recipe;
  char *words; /* what it changed */
} Step;

struct TlHistory
{
  GPtrArray *steps; /* of Step */
  guint present;
  int aim;              /* -1: none */
  const char *last_key; /* (nullable): of the step that can still grow */
  gint64 last_us;
  gboolean is_dragged;
};

static void
step_free (gpointer data)
{
  Step *step = data;
  tl_recipe_free (step->recipe);
  g_free (step->words);
  g_free (step);
}

TlHistory *
tl_history_new (void)
{
  TlHistory *history = g_new0 (TlHistory, 1);
  history->steps = g_ptr_array_new_with_free_func (step_free);
  history->aim = -1;
  return history;
}

void
tl_history_free (TlHistory *history)
{
  if (history == NULL)
    return;
  g_ptr_array_unref (history->steps);
  g_free (history);
}

static const TlRecipe *
get_recipe (const TlHistory *history, guint index)
{
  return ((Step *)history->steps->pdata[index])->recipe;
}

static gboolean
is_like (const TlRecipe *a, const TlRecipe *b)
{
  g_autofree char *text_a = tl_recipe_to_text (a, NULL);
  g_autofree char *text_b = tl_recipe_to_text (b, NULL);
  return strcmp (text_a, text_b) == 0;
}

/* --- steps --- */

static void
add_step (TlHistory *history, const TlRecipe *recipe, const char *words)
{
  Step *step = g_new (Step, 1);
  step->recipe = tl_recipe_dup (recipe);
  step->words = g_strdup (words);
  g_ptr_array_add (history->steps, step);
  if (history->steps->len > TL_HISTORY_LENGTH)
    {
      g_ptr_array_remove_index (history->steps, 0);
      history->aim = MAX (history->aim - 1, -1);
    }
  history->present = history->steps->len - 1;
}

/* Forgets the steps from @length on. */
static void
cut (TlHistory *history, guint length)
{
  g_ptr_array_set_size (history->steps, (int)length);
  history->present = MIN (history->present, length - 1);
  if (history->aim >= (int)length)
    history->aim = -1;
}

/* Puts into words what a step changes. @index: not the first one */
static void
describe (TlHistory *history, guint index)
{
  Step *step = history->steps->pdata[index];
  g_autoptr (GString) words = g_string_new (NULL);
  tl_recipe_compare (get_recipe (history, index - 1), step->recipe, MAX_CHANGES,
                     NULL, words);
  g_free (step->words);
  step->words = g_strdup (words->str);
}

void
tl_history_begin (TlHistory *history, const TlRecipe *recipe)
{
  g_ptr_array_set_size (history->steps, 0);
  history->aim = -1;
  history->last_key = NULL;
  add_step (history, recipe, _ ("as opened"));
}

void
tl_history_note (TlHistory *history, const TlRecipe *recipe, gint64 now_us)
{
  const char *key = NULL;
  g_autoptr (GString) words = g_string_new (NULL);
  g_return_if_fail (history->steps->len > 0);
  if (history->aim >= 0
      && is_like (get_recipe (history, (guint)history->aim), recipe))
    {
      history->present = (guint)history->aim;
      history->aim = -1;
      history->last_key = NULL;
      return;
    }
  guint n_changes = tl_recipe_compare (get_recipe (history, history->present),
                                       recipe, MAX_CHANGES, &key, words);
  if (n_changes == 0)
    return;
  if (n_changes == 1 && key == history->last_key && history->present > 0
      && (history->is_dragged
          || now_us - history->last_us < TL_HISTORY_BURST_US))
    { /* one step, which disappears if the value is the old one again */
      cut (history, history->present);
      g_string_truncate (words, 0);
      n_changes = tl_recipe_compare (get_recipe (history, history->present),
                                     recipe, MAX_CHANGES, &key, words);
    }
  else
    cut (history, history->present + 1);
  if (n_changes > 0)
    add_step (history, recipe, words->str);
  history->last_key = n_changes == 1 ? key : NULL;
  history->last_us = now_us;
}

const TlRecipe *
tl_history_aim (TlHistory *history, guint index)
{
  if (index >= history->steps->len)
    return NULL;
  history->aim = (int)index;
  return get_recipe (history, index);
}

void
tl_history_drop_aim (TlHistory *history)
{
  history->aim = -1;
}

void
tl_history_begin_drag (TlHistory *history, guint since)
{
  if (history->present == since)
    tl_history_end_burst (history);
  history->is_dragged = TRUE;
}

void
tl_history_end_drag (TlHistory *history)
{
  tl_history_end_burst (history);
  history->is_dragged = FALSE;
}

void
tl_history_end_burst (TlHistory *history)
{
  history->last_key = NULL;
}

void
tl_history_name (TlHistory *history, const char *words)
{
  g_return_if_fail (history->steps->len > 0);
  Step *step = history->steps->pdata[history->present];
  g_free (step->words);
  step->words = g_strdup (words);
  tl_history_end_burst (history);
}

/* Returns: whether a step reads the scan as the present one does, with the same
 * centre */
static gboolean
is_related (const TlHistory *history, guint index)
{
  const TlRecipe *present = get_recipe (history, history->present);
  const TlRecipe *recipe = get_recipe (history, index);
  return recipe->params.centre_col == present->params.centre_col
         && tl_recipe_reads_alike (recipe, present);
}

void
tl_history_join_centre (TlHistory *history, double centre_col)
{
  guint first = history->present, end = first + 1;
  while (first > 0 && is_related (history, first - 1))
    first--;
  if (first == 0
      || tl_recipe_reads_alike (get_recipe (history, first - 1),
                                get_recipe (history, first)))
    return;
  while (end < history->steps->len && is_related (history, end))
    end++;
  for (guint k = first; k < end; k++)
    {
      Step *step = history->steps->pdata[k];
      tl_recipe_set_number (step->recipe, tl_params_find ("centre"), centre_col,
                            NULL);
    }
  describe (history, first);
}

/* Returns: the step nearest to the present one that is like @recipe, or -1 */
static int
find_nearest (const TlHistory *history, const TlRecipe *recipe)
{
  const int present = (int)history->present, n = (int)history->steps->len;
  int nearest = -1;
  for (int k = 0; k < n; k++)
    if (is_like (get_recipe (history, (guint)k), recipe)
        && (nearest < 0 || ABS (k - present) < ABS (nearest - present)))
      nearest = k;
  return nearest;
}

void
tl_history_fall_back (TlHistory *history, const TlRecipe *recipe)
{
  Step *step = history->steps->pdata[history->present];
  history->last_key = NULL;
  history->aim = find_nearest (history, recipe);
  if (history->aim >= 0)
    return;
  tl_recipe_free (step->recipe);
  step->recipe = tl_recipe_dup (recipe);
  if (history->present > 0)
    describe (history, history->present);
}

guint
tl_history_get_length (const TlHistory *history)
{
  return history->steps->len;
}

guint
tl_history_get_present (const TlHistory *history)
{
  return history->present;
}

guint
tl_history_get_aim (const TlHistory *history)
{
  return history->aim >= 0 ? (guint)history->aim : history->present;
}

const char *
tl_history_get_words (const TlHistory *history, guint index)
{
  g_return_val_if_fail (index < history->steps->len, NULL);
  return ((Step *)history->steps->pdata[index])->words;
}

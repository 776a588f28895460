/* The history without a session; the test sets the time. */
#include "app/parameters/history.h"

#include <string.h>

#define SLOW_US (2 * TL_HISTORY_BURST_US)
#define QUICK_US (TL_HISTORY_BURST_US / 10)

typedef struct
{
  TlHistory *history;
  TlRecipe *recipe;
  gint64 now_us;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->history = tl_history_new ();
  fixture->recipe = tl_recipe_new ();
  fixture->now_us = 5 * G_USEC_PER_SEC;
  tl_recipe_set (fixture->recipe, "centre", "30", NULL);
  tl_history_begin (fixture->history, fixture->recipe);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  tl_history_free (fixture->history);
  tl_recipe_free (fixture->recipe);
}

static void
change (Fixture *fixture, gint64 after_us, const char *key, const char *value)
{
  fixture->now_us += after_us;
  g_assert_true (tl_recipe_set (fixture->recipe, key, value, NULL));
  tl_history_note (fixture->history, fixture->recipe, fixture->now_us);
}

/* Goes to a step and makes its recipe the present one. */
static void
go (Fixture *fixture, guint index)
{
  const TlRecipe *recipe = tl_history_aim (fixture->history, index);
  g_assert_nonnull (recipe);
  tl_recipe_free (fixture->recipe);
  fixture->recipe = tl_recipe_dup (recipe);
  tl_history_note (fixture->history, fixture->recipe, fixture->now_us);
}

/* @words: of all steps, one per line */
static void
assert_steps (Fixture *fixture, guint present, const char *words)
{
  g_autoptr (GString) got = g_string_new (NULL);
  for (guint k = 0; k < tl_history_get_length (fixture->history); k++)
    g_string_append_printf (got, "%s%s", k > 0 ? "\n" : "",
                            tl_history_get_words (fixture->history, k));
  g_assert_cmpstr (got->str, ==, words);
  g_assert_cmpuint (tl_history_get_present (fixture->history), ==, present);
}

static void
assert_value (Fixture *fixture, const char *key, const char *want)
{
  g_autofree char *value = tl_recipe_get (fixture->recipe, key);
  g_assert_cmpstr (value, ==, want);
}

static void
test_steps (Fixture *fixture, gconstpointer data)
{
  change (fixture, SLOW_US, "centre", "30.500000000000004");
  change (fixture, SLOW_US, "centre", "31.25");
  change (fixture, SLOW_US, "filter", "hann");
  change (fixture, SLOW_US, "angles", "0:180");
  change (fixture, SLOW_US, "angles", "");
  assert_steps (fixture, 5,
                "as opened\nCentre 30 → 30.5\nCentre 30.5 → 31.25\n"
                "Filter Ramp → Hann\nAngles default → 0:180\n"
                "Angles 0:180 → default");
  go (fixture, 1);
  assert_value (fixture, "filter", "ramp");
  assert_value (fixture, "centre", "30.500000000000004");
  g_assert_cmpuint (tl_history_get_length (fixture->history), ==, 6);
  go (fixture, 5);
  assert_value (fixture, "filter", "hann");
  go (fixture, 2);
  /* A change after an undo drops the undone steps. */
  change (fixture, QUICK_US, "centre", "32");
  assert_steps (fixture, 3,
                "as opened\nCentre 30 → 30.5\nCentre 30.5 → 31.25\n"
                "Centre 31.25 → 32");
  g_assert_null (tl_history_aim (fixture->history, 4));
  /* An unchanged recipe makes no step. */
  tl_history_note (fixture->history, fixture->recipe, fixture->now_us);
  g_assert_cmpuint (tl_history_get_length (fixture->history), ==, 4);
}

/* Changes of one parameter in quick succession are one step, however long they
 * go on. */
static void
test_burst (Fixture *fixture, gconstpointer data)
{
  for (int k = 1; k <= 30; k++)
    {
      g_autofree char *value = g_strdup_printf ("%d", 30 + k);
      change (fixture, QUICK_US, "centre", value);
    }
  change (fixture, QUICK_US, "slice", "3");
  change (fixture, QUICK_US, "slice", "4");
  change (fixture, QUICK_US, "centre", "61");
  change (fixture, SLOW_US, "centre", "62");
  assert_steps (fixture, 4,
                "as opened\nCentre 30 → 60\nSlice middle → 4\n"
                "Centre 60 → 61\nCentre 61 → 62");
  /* A drag back to its start makes no step, */
  change (fixture, QUICK_US, "centre", "65");
  change (fixture, QUICK_US, "centre", "61");
  g_assert_cmpuint (tl_history_get_present (fixture->history), ==, 3);
  g_assert_cmpuint (tl_history_get_length (fixture->history), ==, 4);
  /* unless the burst was ended before. */
  change (fixture, QUICK_US, "centre", "65");
  tl_history_end_burst (fixture->history);
  change (fixture, QUICK_US, "centre", "61");
  g_assert_cmpuint (tl_history_get_present (fixture->history), ==, 5);
}

static void
begin_drag (Fixture *fixture)
{
  tl_history_begin_drag (fixture->history,
                         tl_history_get_present (fixture->history));
}

/* A drag is one step from press to release, however slow; two drags are two
 * steps, however quick. */
static void
test_drag (Fixture *fixture, gconstpointer data)
{
  change (fixture, SLOW_US, "centre", "31");
  begin_drag (fixture);
  for (int k = 2; k <= 4; k++)
    {
      g_autofree char *value = g_strdup_printf ("%d", 30 + k);
      change (fixture, k == 2 ? QUICK_US : SLOW_US, "centre", value);
    }
  tl_history_end_drag (fixture->history);
  begin_drag (fixture);
  change (fixture, QUICK_US, "centre", "35");
  tl_history_end_drag (fixture->history);
  change (fixture, QUICK_US, "centre", "36");
  change (fixture, QUICK_US, "centre", "37");
  change (fixture, SLOW_US, "centre", "38");
  assert_steps (fixture, 5,
                "as opened\nCentre 30 → 31\nCentre 31 → 34\n"
                "Centre 34 → 35\nCentre 35 → 37\nCentre 37 → 38");
  /* A change made by the press itself belongs to the drag. */
  const guint pressed = tl_history_get_present (fixture->history);
  change (fixture, SLOW_US, "centre", "40");
  tl_history_begin_drag (fixture->history, pressed);
  change (fixture, SLOW_US, "centre", "41");
  tl_history_end_drag (fixture->history);
  assert_steps (fixture, 6,
                "as opened\nCentre 30 → 31\nCentre 31 → 34\n"
                "Centre 34 → 35\nCentre 35 → 37\nCentre 37 → 38\n"
                "Centre 38 → 41");
}

/* Changes of several parameters at once are one step and do not continue a
 * burst. */
static void
test_several (Fixture *fixture, gconstpointer data)
{
  change (fixture, SLOW_US, "preset", "smooth");
  tl_recipe_set (fixture->recipe, "slice", "7", NULL);
  tl_recipe_set (fixture->recipe, "kernel", "standard", NULL);
  tl_recipe_set (fixture->recipe, "padding", "zero", NULL);
  tl_recipe_set (fixture->recipe, "minus-log", "off", NULL);
  change (fixture, QUICK_US, "preset", "sharp");
  change (fixture, QUICK_US, "preset", "plain");
  assert_steps (fixture, 3,
                "as opened\nFilter Ramp → Hann, Cut-off 1 → 0.5\n"
                "Slice middle → 7, Filter Hann → Ramp, Cut-off 0.5 → 1, "
                "and 4 more\nInterpolation Cubic → Linear");
}

static void
test_length (Fixture *fixture, gconstpointer data)
{
  const guint n_more = 5;
  for (guint k = 0; k < TL_HISTORY_LENGTH + n_more; k++)
    {
      g_autofree char *value = g_strdup_printf ("%u", k);
      change (fixture, SLOW_US, "slice", value);
    }
  g_assert_cmpuint (tl_history_get_length (fixture->history), ==,
                    TL_HISTORY_LENGTH);
  g_assert_cmpuint (tl_history_get_present (fixture->history), ==,
                    TL_HISTORY_LENGTH - 1);
  go (fixture, 0);
  assert_value (fixture, "slice", "5");
  tl_history_begin (fixture->history, fixture->recipe);
  assert_steps (fixture, 0, "as opened");
}

/* Going to a step may take time: it becomes the present step only when its
 * recipe is noted. */
static void
test_aim (Fixture *fixture, gconstpointer data)
{
  change (fixture, SLOW_US, "slice", "1");
  change (fixture, SLOW_US, "slice", "2");
  tl_history_aim (fixture->history, 0);
  g_assert_cmpuint (tl_history_get_present (fixture->history), ==, 2);
  g_assert_cmpuint (tl_history_get_aim (fixture->history), ==, 0);
  tl_history_drop_aim (fixture->history);
  g_assert_cmpuint (tl_history_get_aim (fixture->history), ==, 2);
  /* A step that was dropped meanwhile cannot be reached. */
  go (fixture, 0);
  tl_history_aim (fixture->history, 2);
  change (fixture, SLOW_US, "slice", "3");
  g_assert_cmpuint (tl_history_get_aim (fixture->history), ==, 1);
  assert_steps (fixture, 1, "as opened\nSlice middle → 3");
}

/* A step that cannot be shown is kept, to be tried again; of a burst only the
 * part that was shown is kept. */
static void
test_fall_back (Fixture *fixture, gconstpointer data)
{
  g_autoptr (TlRecipe) shown = tl_recipe_dup (fixture->recipe);
  change (fixture, SLOW_US, "slice", "2");
  change (fixture, QUICK_US, "kernel", "texture");
  tl_history_fall_back (fixture->history, shown);
  tl_history_note (fixture->history, shown, fixture->now_us);
  assert_steps (fixture, 0,
                "as opened\nSlice middle → 2\nKernel Automatic → Texture");
  go (fixture, 1);
  g_assert_true (tl_recipe_set (shown, "slice", "1", NULL));
  tl_history_fall_back (fixture->history, shown);
  tl_history_note (fixture->history, shown, fixture->now_us);
  assert_steps (fixture, 1,
                "as opened\nSlice middle → 1\nKernel Automatic → Texture");
}

/* After any sequence of changes, each step has the recipe of its time. */
static void
test_random (Fixture *fixture, gconstpointer data)
{
  static const char *const changes[][2] = {
    { "filter", "hann" },   { "filter", "ramp" },    { "cutoff", "0.5" },
    { "cutoff", "0.75" },   { "nan", "replace" },    { "nan", "refuse" },
    { "preset", "sharp" },  { "preset", "smooth" },  { "angles", "0:90" },
    { "angles", "" },       { "flats", "*_flat*" },  { "flats", "" },
    { "centre", "30.125" }, { "centre", "30.0625" }, { "slice", "middle" },
  };
  g_autoptr (GPtrArray) model = g_ptr_array_new_with_free_func (g_free);
  guint present = 0;
  g_ptr_array_add (model, tl_recipe_to_text (fixture->recipe, NULL));
  for (int k = 0; k < 90; k++)
    {
      if (g_test_rand_int_range (0, 3) == 0)
        {
          present = (guint)g_test_rand_int_range (0, (gint32)model->len);
          go (fixture, present);
        }
      else
        {
          const gint32 c =
              g_test_rand_int_range (0, (gint32)G_N_ELEMENTS (changes));
          change (fixture, SLOW_US, changes[c][0], changes[c][1]);
          char *text = tl_recipe_to_text (fixture->recipe, NULL);
          if (strcmp (text, model->pdata[present]) == 0)
            g_free (text);
          else
            {
              g_ptr_array_set_size (model, (gint)++present);
              g_ptr_array_add (model, text);
            }
        }
      g_assert_cmpuint (tl_history_get_present (fixture->history), ==, present);
      g_assert_cmpuint (tl_history_get_length (fixture->history), ==,
                        model->len);
      g_autofree char *text = tl_recipe_to_text (fixture->recipe, NULL);
      g_assert_cmpstr (text, ==, model->pdata[present]);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*func) (Fixture *fixture, gconstpointer data);
  } cases[] = {
    { "/history/steps", test_steps },
    { "/history/burst", test_burst },
    { "/history/drag", test_drag },
    { "/history/several", test_several },
    { "/history/length", test_length },
    { "/history/aim", test_aim },
    { "/history/fall-back", test_fall_back },
    { "/history/random", test_random },
  };
  g_test_init (&argc, &argv, NULL);
  for (size_t k = 0; k < G_N_ELEMENTS (cases); k++)
    g_test_add (cases[k].path, Fixture, NULL, set_up, cases[k].func, tear_down);
  return g_test_run ();
}

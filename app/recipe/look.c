#include "app/recipe/look.h"

#include "app/recipe/number.h"

#include <string.h>

#define MAX_NUMBERS (6 * MAX (TL_MAX_VOLUME_POINTS, TL_MAX_VOLUME_PLANES))

/* A value is one or more groups of numbers. "" stands for none. */
typedef struct
{
  const char *key;
  const char *marks; /* between the numbers of a group */
  char between;      /* groups; 0: there is one */
  guint most;        /* groups at most */
  gboolean (*take) (TlRecipe *recipe, const double *numbers, guint n_groups);
  /* Returns: how many groups there are in @numbers */
  guint (*give) (const TlRecipe *recipe, double *numbers);
} Form;

static gboolean
are_parts (const double *numbers, guint n)
{
  gboolean good = TRUE;
  for (guint k = 0; k < n; k++)
    good = good && numbers[k] >= 0 && numbers[k] <= 1;
  return good;
}

static gboolean
take_look_at (TlRecipe *recipe, const double *numbers, guint n_groups)
{
  if (!are_parts (numbers, 3 * n_groups))
    return FALSE;
  for (guint k = 0; k < 3; k++)
    recipe->camera.look_at[k] = n_groups > 0 ? numbers[k] : 0.5;
  return TRUE;
}

static guint
give_look_at (const TlRecipe *recipe, double *numbers)
{
  memcpy (numbers, recipe->camera.look_at, sizeof recipe->camera.look_at);
  return numbers[0] != 0.5 || numbers[1] != 0.5 || numbers[2] != 0.5;
}

static gboolean
take_window (TlRecipe *recipe, const double *numbers, guint n_groups)
{
  if (n_groups > 0 && numbers[0] >= numbers[1])
    return FALSE;
  recipe->look.low = n_groups > 0 ? numbers[0] : 0;
  recipe->look.high = n_groups > 0 ? numbers[1] : 0;
  return TRUE;
}

static guint
give_window (const TlRecipe *recipe, double *numbers)
{
  numbers[0] = recipe->look.low;
  numbers[1] = recipe->look.high;
  return numbers[0] < numbers[1];
}

static gboolean
take_transfer (TlRecipe *recipe, const double *numbers, guint n_groups)
{
  for (guint k = 0; k < n_groups; k++)
    if (!are_parts (numbers + 2 * k + 1, 1)
        || (k > 0 && numbers[2 * k] <= numbers[2 * k - 2]))
      return FALSE;
  for (guint k = 0; k < n_groups; k++)
    recipe->look.points[k] =
        (TlVolumePoint){ numbers[2 * k], numbers[2 * k + 1] };
  recipe->look.n_points = n_groups;
  return TRUE;
}

static guint
give_transfer (const TlRecipe *recipe, double *numbers)
{
  for (guint k = 0; k < recipe->look.n_points; k++)
    {
      numbers[2 * k] = recipe->look.points[k].value;
      numbers[2 * k + 1] = recipe->look.points[k].opacity;
    }
  return recipe->look.n_points;
}

static gboolean
take_box (TlRecipe *recipe, const double *numbers, guint n_groups)
{
  static const double all[] = { 0, 1, 0, 1, 0, 1 };
  const double *ends = n_groups > 0 ? numbers : all;
  if (!are_parts (ends, 6) || ends[0] >= ends[1] || ends[2] >= ends[3]
      || ends[4] >= ends[5])
    return FALSE;
  memcpy (recipe->look.box, ends, sizeof recipe->look.box);
  return TRUE;
}

static guint
give_box (const TlRecipe *recipe, double *numbers)
{
  gboolean is_cut = FALSE;
  memcpy (numbers, recipe->look.box, sizeof recipe->look.box);
  for (guint k = 0; k < 6; k++)
    is_cut = is_cut || numbers[k] != k % 2;
  return is_cut;
}

static gboolean
take_planes (TlRecipe *recipe, const double *numbers, guint n_groups)
{
  for (guint k = 0; k < n_groups; k++)
    {
      const double *d = numbers + 6 * k + 3;
      if (!are_parts (numbers + 6 * k, 3)
          || (d[0] == 0 && d[1] == 0 && d[2] == 0))
        return FALSE;
    }
  if (n_groups > 0)
    memcpy (recipe->look.planes, numbers,
            n_groups * sizeof recipe->look.planes[0]);
  recipe->look.n_planes = n_groups;
  return TRUE;
}

static guint
give_planes (const TlRecipe *recipe, double *numbers)
{
  const guint n = recipe->look.n_planes;
  if (n > 0)
    memcpy (numbers, recipe->look.planes, n * sizeof recipe->look.planes[0]);
  return n;
}

/* The planes are copied as six numbers each. */
G_STATIC_ASSERT (sizeof (TlCutPlane) == 6 * sizeof (double));

static const Form forms[] = {
  { "look-at", ",,", 0, 1, take_look_at, give_look_at },
  { "window", ":", 0, 1, take_window, give_window },
  { "transfer", ":", ',', TL_MAX_VOLUME_POINTS, take_transfer, give_transfer },
  { "clip-box", ":,:,:", 0, 1, take_box, give_box },
  { "clip-planes", ",,:,,", '/', TL_MAX_VOLUME_PLANES, take_planes,
    give_planes },
};

static const Form *
find_form (const char *key)
{
  for (guint k = 0; k < G_N_ELEMENTS (forms); k++)
    if (strcmp (forms[k].key, key) == 0)
      return &forms[k];
  g_return_val_if_reached (NULL);
}

/* @numbers: (out): [MAX_NUMBERS]. Returns: whether @text has whole groups; then
 * @n_groups of them */
static gboolean
parse (const Form *form, const char *text, double *numbers, guint *n_groups)
{
  const guint n_marks = (guint)strlen (form->marks);
  guint n = 0;
  *n_groups = 0;
  while (*text != '\0')
    {
      const guint place = n % (n_marks + 1);
      const size_t length = strcspn (text, ":,/");
      g_autofree char *word = g_strndup (text, length);
      const char mark = text[length];
      if (*n_groups == form->most || !tl_number_parse (word, &numbers[n++]))
        return FALSE;
      if (mark != (place < n_marks ? form->marks[place] : form->between)
          && (mark != '\0' || place < n_marks))
        return FALSE;
      if (place == n_marks)
        ++*n_groups;
      text += length;
      if (mark != '\0' && *++text == '\0')
        return FALSE;
    }
  return TRUE;
}

gboolean
tl_look_set (TlRecipe *recipe, const char *key, const char *value)
{
  const Form *form = find_form (key);
  double numbers[MAX_NUMBERS];
  guint n_groups;
  return parse (form, value, numbers, &n_groups)
         && form->take (recipe, numbers, n_groups);
}

char *
tl_look_get (const TlRecipe *recipe, const char *key)
{
  const Form *form = find_form (key);
  const guint n_marks = (guint)strlen (form->marks);
  double numbers[MAX_NUMBERS];
  const guint n = form->give (recipe, numbers) * (n_marks + 1);
  GString *text = g_string_new (NULL);
  for (guint k = 0; k < n; k++)
    {
      const guint place = k % (n_marks + 1);
      g_autofree char *word = tl_number_format (numbers[k]);
      g_string_append (text, word);
      if (k + 1 < n)
        g_string_append_c (text, place < n_marks ? form->marks[place]
                                                 : form->between);
    }
  return g_string_free (text, FALSE);
}

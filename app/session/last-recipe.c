#include "app/session/last-recipe.h"

#include "app/session/follow.h"
#include "data/read/format/change.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

/* Older ones are forgotten. */
#define MAX_RECIPES 200

/* Changes that the offer puts in words. */
#define MAX_WORDS 3

#define SUFFIX ".tomolens"

struct _TlLastRecipe
{
  GObject parent_instance;

  TlSession *session;
  gboolean is_active;
  guint64 serial;           /* of the scan that the others are of */
  char *origin;             /* (nullable): its file */
  char *file;               /* (nullable): of its recipe */
  TlRecipe *first, *newest; /* (nullable): since it was opened */
  gboolean is_found;        /* the newest centre is not the user's */
  TlRecipe *kept;           /* (nullable): what the file had when the scan was
                               opened */
  gboolean is_taken;        /* it is a part of the newest */
  gboolean is_written;      /* the file has the newest, or an earlier one */
  gboolean is_aside;        /* what the file had is beside it */
  guint keep_id;            /* the newest is not written yet */
  char *offer;              /* (nullable) */
};

G_DEFINE_FINAL_TYPE (TlLastRecipe, tl_last_recipe, G_TYPE_OBJECT)

enum
{
  PROP_OFFER = 1,
  PROP_IS_ACTIVE
};

/* --- the files --- */

char *
tl_last_recipe_dup_folder (void)
{
  return g_build_filename (g_get_user_state_dir (), "tomolens", "recipes",
                           NULL);
}

/* Returns: (transfer full): the name is that of the scan, for who looks into
 * the folder, and a number that tells it from others of its name */
static char *
dup_file (const char *origin, const TlRecipe *recipe)
{
  g_autofree char *folder = tl_last_recipe_dup_folder ();
  g_autofree char *whole = g_strconcat (
      origin, recipe->data_path != NULL ? ":" : NULL, recipe->data_path, NULL);
  g_autofree char *sum =
      g_compute_checksum_for_string (G_CHECKSUM_SHA256, whole, -1);
  g_autofree char *base = g_path_get_basename (origin);
  g_autofree char *name = g_strdup_printf ("%.60s-%.16s" SUFFIX, base, sum);

  return g_build_filename (folder, name, NULL);
}

typedef struct
{
  char *path;
  gint64 changed_s;
} Kept;

static void
kept_clear (gpointer kept)
{
  g_free (((Kept *)kept)->path);
}

static int
compare_newest_first (gconstpointer a, gconstpointer b)
{
  const gint64 s = ((const Kept *)a)->changed_s;
  const gint64 other_s = ((const Kept *)b)->changed_s;

  return (s < other_s) - (s > other_s);
}

/* Removes all but the newest @n recipes. */
static void
keep_newest (guint n)
{
  g_autofree char *folder = tl_last_recipe_dup_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Kept));
  const char *name;

  g_array_set_clear_func (all, kept_clear);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      GStatBuf status;
      Kept kept = { .path = g_build_filename (folder, name, NULL) };

      if (tl_recipe_has_name (name) && g_stat (kept.path, &status) == 0)
        kept.changed_s = status.st_mtime;
      g_array_append_val (all, kept);
    }
  g_array_sort (all, compare_newest_first);
  for (guint i = n; i < all->len; i++)
    if (tl_recipe_has_name (g_array_index (all, Kept, i).path))
      g_unlink (g_array_index (all, Kept, i).path);
}

/* Returns: (transfer full): the name for what the user did not take */
static char *
dup_aside (const char *file)
{
  const size_t n = strlen (file) - strlen (SUFFIX);

  return g_strdup_printf ("%.*s~" SUFFIX, (int)n, file);
}

/* --- what is worth keeping --- */

/* Returns: (transfer full): @recipe with what is no work of the user's as in
 * @base */
static TlRecipe *
dup_work (const TlRecipe *recipe, const TlRecipe *base, gboolean is_found)
{
  static const char *const left[] = { "slice", "centre" };
  TlRecipe *work = tl_recipe_dup (recipe);

  for (guint i = 0; i < (is_found ? 2 : 1); i++)
    {
      g_autofree char *value = tl_recipe_get (base, left[i]);

      tl_recipe_set (work, left[i], value, NULL);
    }
  return work;
}

static gboolean
has_work (TlLastRecipe *self)
{
  g_autoptr (GString) words = g_string_new (NULL);
  g_autoptr (TlRecipe) work = NULL;

  if (self->first == NULL)
    return FALSE;
  work = dup_work (self->newest, self->first, self->is_found);
  return tl_recipe_compare (self->first, work, 0, NULL, words) > 0;
}

/* Makes room for the first recipe that is kept since the scan was opened. */
static void
begin_file (TlLastRecipe *self)
{
  g_autofree char *folder = tl_last_recipe_dup_folder ();
  g_autofree char *aside = dup_aside (self->file);

  g_mkdir_with_parents (folder, 0700);
  self->is_aside = !self->is_taken && g_rename (self->file, aside) == 0;
  keep_newest (MAX_RECIPES - 1);
  self->is_written = TRUE;
}

/* All changes that were written are undone. */
static void
take_file_back (TlLastRecipe *self)
{
  g_autofree char *aside = dup_aside (self->file);

  if (self->is_aside)
    g_rename (aside, self->file);
  else if (!self->is_taken)
    g_unlink (self->file);
  self->is_written = self->is_aside = FALSE;
}

/* Keeps what the scan has, which may be closed already. */
static void
keep (TlLastRecipe *self)
{
  g_autoptr (GError) error = NULL;

  g_clear_handle_id (&self->keep_id, g_source_remove);
  if (!self->is_active || self->file == NULL)
    return;
  if (!has_work (self))
    {
      if (self->is_written)
        take_file_back (self);
      return;
    }
  if (!self->is_written)
    begin_file (self);
  if (!tl_recipe_save (self->newest, self->origin, self->file, &error))
    g_info ("the parameters are not kept: %s", error->message);
}

static gboolean
on_keep (gpointer data)
{
  TlLastRecipe *self = data;

  self->keep_id = 0;
  keep (self);
  return G_SOURCE_REMOVE;
}

/* --- the offer --- */

static void
set_offer (TlLastRecipe *self, char *offer)
{
  g_free (self->offer);
  self->offer = offer;
  g_object_notify (G_OBJECT (self), "offer");
}

/* Returns: whether the scan was written after its parameters were kept, so that
 * it may be another one */
static gboolean
is_scan_newer (TlLastRecipe *self)
{
  GStatBuf status;

  return g_stat (self->file, &status) == 0
         && tl_scan_source_get_summary (self->session->source)->changed_us
                > tl_change_get_us (&status);
}

/* Returns: (transfer full) (nullable) */
static char *
describe_offer (TlLastRecipe *self)
{
  g_autoptr (TlRecipe) kept =
      self->kept != NULL ? tl_recipe_dup (self->kept) : NULL;
  g_autoptr (TlRecipe) work = NULL;
  g_autoptr (GString) words = g_string_new (NULL);

  if (kept == NULL || !self->is_active || is_scan_newer (self)
      || tl_parameters_is_centre_given (self->session->parameters)
      || !tl_scan_source_resolve (self->session->source, kept, NULL))
    return NULL;
  work = dup_work (kept, self->newest, FALSE);
  if (tl_recipe_compare (self->newest, work, MAX_WORDS, NULL, words) == 0)
    return NULL;
  /* translators: changes of parameters, as "Centre 30 → 30.5" */
  return g_strdup_printf (_ ("You have worked on this scan before: %s"),
                          words->str);
}

void
tl_last_recipe_take (TlLastRecipe *self)
{
  set_offer (self, NULL);
  if (self->kept == NULL)
    return;
  self->is_taken = TRUE;
  tl_parameters_set_recipe_as_step (self->session->parameters, self->kept);
}

void
tl_last_recipe_dismiss (TlLastRecipe *self)
{
  set_offer (self, NULL);
}

void
tl_last_recipe_forget (TlLastRecipe *self)
{
  g_clear_pointer (&self->first, tl_recipe_free);
  if (self->newest != NULL)
    self->first = tl_recipe_dup (self->newest);
  keep_newest (0);
  g_clear_pointer (&self->kept, tl_recipe_free);
  self->is_written = self->is_aside = FALSE;
  set_offer (self, NULL);
}

/* --- following the session --- */

static void
forget_scan (TlLastRecipe *self)
{
  g_clear_pointer (&self->origin, g_free);
  g_clear_pointer (&self->file, g_free);
  g_clear_pointer (&self->first, tl_recipe_free);
  g_clear_pointer (&self->newest, tl_recipe_free);
  g_clear_pointer (&self->kept, tl_recipe_free);
  self->is_taken = self->is_written = self->is_aside = FALSE;
}

/* An address has no file, and the next scan from it is another one. A scan that
 * is opened again, with other angles for example, goes on. Returns: whether
 * another one begins */
static gboolean
begin_scan (TlLastRecipe *self, const TlRecipe *recipe)
{
  const char *origin = tl_scan_source_get_origin (self->session->source);
  const gboolean has_file =
      origin != NULL && g_file_test (origin, G_FILE_TEST_EXISTS);
  g_autofree char *file = has_file ? dup_file (origin, recipe) : NULL;

  self->serial = tl_scan_source_get_serial (self->session->source);
  if (file != NULL && g_strcmp0 (file, self->file) == 0)
    return FALSE;
  keep (self);
  forget_scan (self);
  if (file == NULL)
    return FALSE;
  self->origin = g_strdup (origin);
  self->file = g_steal_pointer (&file);
  self->first = tl_recipe_dup (recipe);
  self->kept = tl_recipe_load (self->file, NULL, NULL);
  return TRUE;
}

static void
on_recipe (TlLastRecipe *self)
{
  TlParameters *parameters = self->session->parameters;
  const TlRecipe *recipe = tl_parameters_get_recipe (parameters);
  gboolean is_other;

  if (!tl_scan_source_is_open (self->session->source))
    return;
  is_other = tl_scan_source_get_serial (self->session->source) != self->serial
             && begin_scan (self, recipe);
  if (self->first == NULL)
    return;
  g_clear_pointer (&self->newest, tl_recipe_free);
  self->newest = tl_recipe_dup (recipe);
  self->is_found = !tl_parameters_is_centre_given (parameters);
  if (is_other)
    set_offer (self, describe_offer (self));
  else if (self->keep_id == 0)
    self->keep_id = g_timeout_add (TL_LAST_RECIPE_MS, on_keep, self);
}

/* --- the object --- */

static void
tl_last_recipe_get_property (GObject *object, guint id, GValue *value,
                             GParamSpec *pspec)
{
  TlLastRecipe *self = TL_LAST_RECIPE (object);

  if (id == PROP_OFFER)
    g_value_set_string (value, self->offer);
  else
    g_value_set_boolean (value, self->is_active);
}

static void
tl_last_recipe_set_property (GObject *object, guint id, const GValue *value,
                             GParamSpec *pspec)
{
  TL_LAST_RECIPE (object)->is_active = g_value_get_boolean (value);
}

static void
tl_last_recipe_dispose (GObject *object)
{
  TlLastRecipe *self = TL_LAST_RECIPE (object);

  if (self->session != NULL)
    keep (self);
  self->session = NULL;
  forget_scan (self);
  g_clear_pointer (&self->offer, g_free);
  G_OBJECT_CLASS (tl_last_recipe_parent_class)->dispose (object);
}

static void
tl_last_recipe_class_init (TlLastRecipeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = tl_last_recipe_get_property;
  object_class->set_property = tl_last_recipe_set_property;
  object_class->dispose = tl_last_recipe_dispose;
  g_object_class_install_property (
      object_class, PROP_OFFER,
      g_param_spec_string ("offer", NULL, NULL, NULL,
                           G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY));
  g_object_class_install_property (
      object_class, PROP_IS_ACTIVE,
      g_param_spec_boolean ("is-active", NULL, NULL, FALSE, G_PARAM_READWRITE));
}

static void
tl_last_recipe_init (TlLastRecipe *self)
{
}

TlLastRecipe *
tl_last_recipe_new (TlSession *session)
{
  TlLastRecipe *self = g_object_new (TL_TYPE_LAST_RECIPE, NULL);

  self->session = session;
  tl_follow (session->parameters, "recipe", G_CALLBACK (on_recipe), self);
  return self;
}

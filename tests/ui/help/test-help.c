/* The manual: its window, driven by keys, and the text of its pages. */
#include "tests/ui/driver.h"

#include "ui/help/help-window.h"
#include "ui/help/markdown.h"

#include <string.h>

static TlHelpWindow *
find_help (Driver *driver)
{
  GtkWindow *window = driver_find_dialog (driver);

  g_assert_true (TL_IS_HELP_WINDOW (window));
  return TL_HELP_WINDOW (window);
}

static void
assert_page (Driver *driver, const char *page)
{
  g_assert_cmpstr (tl_help_window_get_page (find_help (driver)), ==, page);
}

static void
open_help (Driver *driver)
{
  driver_xdotool (driver, "key F1");
  driver_wait (driver, driver_has_dialog, "the manual");
  driver_settle (driver);
}

static void
test_keys (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  open_help (driver);
  assert_page (driver, TL_HELP_START);
  driver_xdotool (driver, "type zingers");
  driver_xdotool (driver, "key Return");
  driver_settle (driver);
  /* the page that says most about it */
  assert_page (driver, "corrections");
  driver_xdotool (driver, "key alt+Left");
  assert_page (driver, TL_HELP_START);
  driver_xdotool (driver, "key Escape"); /* clears the search */
  g_assert_nonnull (driver_find_dialog (driver));
  driver_xdotool (driver, "key Escape");
  g_assert_null (driver_find_dialog (driver));
}

static const char *looked_for; /* the page of is_listed() */

/* Returns: whether the list, which the search shortens, has the page */
static gboolean
is_listed (Driver *driver)
{
  GtkListBox *list =
      driver_find_type (GTK_WIDGET (find_help (driver)), GTK_TYPE_LIST_BOX);
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (list, i)) != NULL; i++)
    if (strcmp (g_object_get_data (G_OBJECT (row), "page"), looked_for) == 0)
      return gtk_widget_get_mapped (GTK_WIDGET (row));
  g_assert_not_reached ();
}

static gboolean
is_not_listed (Driver *driver)
{
  return !is_listed (driver);
}

/* Words of users, who write them with a hyphen, apart, or as one. */
static void
test_search (Driver *driver)
{
  static const char *const cases[][2] = {
    { "8-bit", "export" },
    { "8 bit", "export" },
    { "8bit", "export" },
    { "back-projection", "tune" },
    { "backprojection", "tune" },
    { "back projection", "tune" },
    { "Fiji", "export" },
    { "ImageJ", "export" },
    { "white spots", "corrections" },
    { "neutron", "corrections" },
    { "neutron", "getting-started" },
  };

  if (driver_lacks ("xdotool"))
    return;
  open_help (driver);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      looked_for = cases[i][1];
      driver_xdotool (driver, "key ctrl+a type no-such-word");
      driver_wait (driver, is_not_listed, "an empty list");
      driver_xdotool (driver, "key ctrl+a");
      driver_xdotool (driver, "type '%s'", cases[i][0]);
      driver_wait (driver, is_listed, cases[i][0]);
    }
}

/* Returns: whether the page is the first of the list */
static gboolean
is_first (Driver *driver)
{
  GtkListBox *list =
      driver_find_type (GTK_WIDGET (find_help (driver)), GTK_TYPE_LIST_BOX);
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (list, 0);

  return is_listed (driver)
         && strcmp (g_object_get_data (G_OBJECT (row), "page"), looked_for)
                == 0;
}

/* The page that is about the words comes first, whatever their form. */
static void
test_search_order (Driver *driver)
{
  static const char *const cases[][2] = {
    { "aligned", "align" },
    { "comparing", "compare" },
    { "half  acquisitions", "half" },
    { "", TL_HELP_START },
  };

  if (driver_lacks ("xdotool"))
    return;
  open_help (driver);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      looked_for = cases[i][1];
      driver_xdotool (driver, "key ctrl+a BackSpace");
      if (*cases[i][0] != '\0')
        driver_xdotool (driver, "type '%s'", cases[i][0]);
      driver_wait (driver, is_first, cases[i][0]);
    }
}

static GtkWidget *
find_link (GtkWidget *widget, const char *words)
{
  GtkWidget *found = NULL;

  if (GTK_IS_LABEL (widget)
      && strstr (gtk_label_get_label (GTK_LABEL (widget)), "<a ") != NULL
      && g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widget)), words))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget);
       child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_link (child, words);
  return found;
}

/* Clicks with the pointer. */
static void
click_link (Driver *driver, const char *words)
{
  GtkWidget *window = GTK_WIDGET (find_help (driver));
  GtkWidget *link = find_link (window, words);
  double x, y, left, top;

  /* the page fills frame by frame */
  for (guint i = 0; link == NULL && i < 500; i++)
    {
      driver_iterate (driver, TRUE);
      link = find_link (window, words);
    }
  g_assert_nonnull (link);
  driver_settle (driver);
  g_assert_true (gtk_widget_translate_coordinates (
      link, window, 20, gtk_widget_get_height (link) / 2.0, &x, &y));
  gtk_native_get_surface_transform (GTK_NATIVE (window), &left, &top);
  driver_xdotool (driver,
                  "search --name Manual mousemove --window %%1 %.0f %.0f",
                  x + left, y + top);
  driver_xdotool (driver, "click 1");
  driver_settle (driver);
}

static void
test_link (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  open_help (driver);
  click_link (driver, "Find the axis");
  assert_page (driver, "find-axis");
  driver_xdotool (driver, "key alt+Left");
  assert_page (driver, TL_HELP_START);
  driver_settle (driver);
  click_link (driver, "Correct the data");
  assert_page (driver, "corrections");
}

/* F1 shows the page about the focused control in the window that is already
 * open. */
static void
test_focus (Driver *driver)
{
  static const struct
  {
    const char *widget, *page;
  } cases[] = {
    { "centre_spin", "find-axis" },
    { "zinger_threshold_spin", "corrections" },
    { "filter_drop", "tune" },
    { "half_drop", "half" },
  };
  GtkWidget *window = GTK_WIDGET (driver->window);

  if (driver_lacks ("xdotool"))
    return;
  driver_open (driver);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (
        tl_help_find_page (driver_find_in (window, cases[i].widget),
                           driver->session),
        ==, cases[i].page);
  gtk_widget_grab_focus (driver_find_in (window, "half_drop"));
  open_help (driver);
  assert_page (driver, "half");
  tl_display_set_page (driver->session->display, TL_PAGE_AXIS);
  g_assert_cmpstr (tl_help_find_page (NULL, driver->session), ==, "find-axis");
}

static gboolean
has_banner (Driver *driver)
{
  return tl_window_get_banner (driver->window) != NULL;
}

/* The banner's button shows the page that helps: about files where a scan could
 * not be opened, else about what has the focus. */
static void
test_banner (Driver *driver)
{
  g_autofree char *bad = g_build_filename (driver->folder, "bad.h5", NULL);
  GtkWidget *button;

  if (driver_lacks ("xdotool"))
    return;
  g_assert_true (g_file_set_contents (bad, "no scan at all", -1, NULL));
  driver_open (driver);
  button = driver_find (driver, "banner_help_button");
  driver_activate (driver, "open", g_variant_new_string (bad));
  driver_wait (driver, has_banner, "the banner");
  driver_settle (driver);
  driver_click (driver, button);
  driver_wait (driver, driver_has_dialog, "the manual");
  assert_page (driver, "files");
  gtk_window_close (GTK_WINDOW (driver_find_dialog (driver)));
  driver_settle (driver);
  driver_open (driver); /* the good scan once more */
  tl_messages_warn (driver->session->messages, TRUE, "a sentence");
  driver_wait (driver, has_banner, "the other banner");
  driver_settle (driver);
  gtk_widget_grab_focus (driver_find (driver, "half_drop"));
  driver_click (driver, button);
  driver_wait (driver, driver_has_dialog, "the manual");
  assert_page (driver, "half");
  driver_settle (driver);
}

/* The manual closes with the main window, so that the program ends. */
static void
test_close (Driver *driver)
{
  if (driver_lacks ("xdotool"))
    return;
  open_help (driver);
  driver->was_closed = TRUE;
  gtk_window_close (GTK_WINDOW (driver->window));
  while (driver->window != NULL)
    driver_iterate (driver, TRUE);
  g_assert_null (driver_find_dialog (driver));
}

/* --- text, links and options of the pages --- */

static char *
get_text (const char *name)
{
  g_autofree char *path = g_strconcat (TL_HELP_PAGES, name, NULL);
  g_autoptr (GBytes) bytes =
      g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  if (bytes == NULL)
    return NULL;
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static char **
list_pages (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GStrvBuilder) pages = g_strv_builder_new ();
  g_auto (GStrv) names = g_resources_enumerate_children (
      TL_HELP_PAGES, G_RESOURCE_LOOKUP_FLAGS_NONE, &error);
  char **list = NULL;

  g_assert_no_error (error);
  for (char **name = names; *name != NULL; name++)
    if (g_str_has_suffix (*name, ".md"))
      g_strv_builder_add (pages, *name);
  list = g_strv_builder_end (pages);
  g_assert_cmpuint (g_strv_length (list), >, 10);
  return list;
}

/* Returns: how many pictures have their place, each with words and something to
 * show */
static guint
count_pictures (GtkWidget *widget)
{
  guint n = 0;

  if (GTK_IS_PICTURE (widget))
    {
      GtkPicture *picture = GTK_PICTURE (widget);

      g_assert_nonnull (gtk_picture_get_paintable (picture));
      g_assert_cmpstr (gtk_picture_get_alternative_text (picture), !=, "");
      return gtk_widget_get_height (widget) > 100;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_pictures (child);
  return n;
}

static guint n_pictures; /* of the page that is waited for */

static gboolean
has_pictures (Driver *driver)
{
  return count_pictures (GTK_WIDGET (find_help (driver))) == n_pictures;
}

static void
test_pictures (Driver *driver)
{
  static const struct
  {
    const char *page;
    guint n;
  } pages[] = {
    { "live", 3 }, { "volume", 3 }, { "planes", 2 }, { "render", 2 }
  };

  if (driver_lacks ("xdotool"))
    return;
  open_help (driver);
  for (guint k = 0; k < G_N_ELEMENTS (pages); k++)
    {
      g_autofree char *name = g_strconcat ("help-", pages[k].page, NULL);

      g_assert_true (tl_help_window_go (find_help (driver), pages[k].page));
      n_pictures = pages[k].n;
      driver_wait (driver, has_pictures, "the pictures of the page");
      driver_settle (driver);
      driver_shoot_both (driver, GTK_WIDGET (find_help (driver)), name);
    }
}

/* GTK warns about a label with wrong markup, and warnings are fatal in
 * tests. */
static void
test_pages (Driver *driver)
{
  g_auto (GStrv) names = list_pages ();

  if (driver_lacks ("xdotool"))
    return;
  open_help (driver);
  for (char **name = names; *name != NULL; name++)
    {
      g_autofree char *text = get_text (*name);
      g_autofree char *title = tl_markdown_dup_title (text);

      g_assert_cmpstr (title, !=, "");
      (*name)[strlen (*name) - 3] = '\0';
      g_assert_true (tl_help_window_go (find_help (driver), *name));
      driver_settle (driver);
      assert_page (driver, *name);
    }
  g_assert_false (tl_help_window_go (find_help (driver), "none"));
}

/* Calls @judge with each part of a page that @pattern captures. */
static void
for_each_match (const char *pattern,
                void (*judge) (const char *page, const char *match,
                               gpointer data),
                gpointer data)
{
  g_auto (GStrv) names = list_pages ();
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  guint n = 0;

  for (char **name = names; *name != NULL; name++)
    {
      g_autofree char *text = get_text (*name);
      g_autoptr (GMatchInfo) info = NULL;

      for (g_regex_match (regex, text, 0, &info); g_match_info_matches (info);
           g_match_info_next (info, NULL), n++)
        {
          g_autofree char *match = g_match_info_fetch (info, 1);

          judge (*name, match, data);
        }
    }
  g_assert_cmpuint (n, >, 10);
}

static void
judge_link (const char *page, const char *target, gpointer data)
{
  g_autofree char *text = get_text (target);

  if (text == NULL)
    g_error ("%s has a link to %s, which is no page", page, target);
}

/* Also asserts that the start page has links to all pages. */
static void
test_links (Driver *driver)
{
  g_autofree char *start = get_text (TL_HELP_START ".md");
  g_auto (GStrv) names = list_pages ();

  for_each_match ("\\]\\(([^)]*)\\)", judge_link, NULL);
  for (char **name = names; *name != NULL; name++)
    {
      g_autofree char *link = g_strdup_printf ("](%s)", *name);

      if (strcmp (*name, TL_HELP_START ".md") != 0 && !strstr (start, link))
        g_error ("the start page has no link to %s", *name);
    }
}

static void
append_help (GString *all, const char *program, const char *command)
{
  g_autofree char *line = g_strconcat (program, " ", command, " --help", NULL);
  g_autofree char *said = NULL;
  g_autoptr (GError) error = NULL;

  g_spawn_command_line_sync (line, &said, NULL, NULL, &error);
  g_assert_no_error (error);
  g_string_append (all, said);
}

static void
judge_option (const char *page, const char *option, gpointer help)
{
  g_autofree char *pattern =
      g_strconcat ("^ +(-\\w, )?", option, "(=| )", NULL);

  if (!g_regex_match_simple (pattern, help, G_REGEX_MULTILINE, 0))
    g_error ("%s names %s, which no command has", page, option);
}

static void
test_options (Driver *driver)
{
  static const char *const commands[] = {
    "info",    "centre", "recon", "export", "volume",           "render",
    "phantom", "play",   "watch", "bench",  "bench interactive"
  };
  g_autoptr (GString) help = g_string_new (NULL);
  g_autofree char *script = g_test_build_filename (
      G_TEST_DIST, "..", "app", "pva", "tomolens-pva.py", NULL);
  g_autofree char *pva = g_strconcat ("python3 -B ", script, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    append_help (help, TL_CLI_PATH, commands[i]);
  append_help (help, TL_PROGRAM_PATH, "");
  append_help (help, pva, "");
  /* gdbus is the only other program on the pages; its options are left out */
  for_each_match ("(?<![\\w-])(--(?!session|dest|object-path|method org)"
                  "[a-z][a-z-]+)",
                  judge_option, help->str);
}

int
main (int argc, char **argv)
{
  static const DriverCase cases[] = {
    { "/ui/help/keys", test_keys },
    { "/ui/help/search", test_search },
    { "/ui/help/search-order", test_search_order },
    { "/ui/help/link", test_link },
    { "/ui/help/focus", test_focus },
    { "/ui/help/banner", test_banner },
    { "/ui/help/close", test_close },
    { "/ui/help/pages", test_pages },
    { "/ui/help/links", test_links },
    { "/ui/help/options", test_options },
    { "/ui/help/pictures", test_pictures },
  };

  return driver_main (argc, argv, cases, G_N_ELEMENTS (cases));
}

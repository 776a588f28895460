#include "ui/help/help-window.h"

#include "ui/help/markdown.h"
#include "ui/view/widget.h"

/* A word in the title of a page counts as much as so many in its text. */
#define TITLE_RANK 1000
/* So many letters of a word must remain when its ending is removed. */
#define MIN_STEM 4

struct _TlHelpWindow
{
  GtkWindow parent_instance;

  GPtrArray *visited; /* names of pages; the last is shown */
  char *link;         /* (nullable): the page that a link leads to */
  guint n_pages;      /* of the list */

  GtkSearchEntry *search_entry;
  GtkListBox *list;
  GtkLabel *language_label;
  GtkScrolledWindow *scrolled;
};

G_DEFINE_FINAL_TYPE (TlHelpWindow, tl_help_window, GTK_TYPE_WINDOW)

/* --- pages --- */

/* Pages about widgets. A widget matches by the beginning of its type, its id in
 * the template, or its action. */
static const struct
{
  const char *prefix, *page;
} pages_of_widgets[] = {
  { "TlOverlayBar", "align" },
  { "TlAddressWindow", "live" },
  { "TlAnglesWindow", "files" },
  { "TlAxisPage", "find-axis" },
  { "TlCandidatesPage", "find-axis" },
  { "TlChooserWindow", "files" },
  { "TlCentreEstimates", "find-axis" },
  { "TlCompareBar", "compare" },
  { "TlExportPage", "export" },
  { "TlFilesWindow", "files" },
  { "TlHistogram", "measure" },
  { "TlProfilePanel", "measure" },
  { "TlRawWindow", "files" },
  { "TlVolumePage", "volume" },
  { "angles_", "files" },
  { "centre_", "find-axis" },
  { "colormap_", "measure" },
  { "corrections_", "corrections" },
  { "engine_", "machine" },
  { "filter_", "tune" },
  { "half_", "half" },
  { "history_", "tune" },
  { "interpolation_", "tune" },
  { "measured_", "measure" },
  { "raw_", "files" },
  { "recent_", "files" },
  { "tilt_", "find-axis" },
  { "window_", "measure" },
  { "app.hold", "compare" },
  { "app.redo", "tune" },
  { "app.undo", "tune" },
  { "win.export-", "export" },
};

static const char *
find_page_by_name (const char *name)
{
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (pages_of_widgets); i++)
    if (g_str_has_prefix (name, pages_of_widgets[i].prefix))
      return pages_of_widgets[i].page;
  return NULL;
}

static const char *
find_page_by_widget (GtkWidget *widget)
{
  const char *page = find_page_by_name (G_OBJECT_TYPE_NAME (widget));

  if (page == NULL)
    page = find_page_by_name (
        gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget)));
  if (page == NULL && GTK_IS_ACTIONABLE (widget))
    page = find_page_by_name (
        gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)));
  return page;
}

const char *
tl_help_find_page (GtkWidget *focus, TlSession *session)
{
  for (; focus != NULL; focus = gtk_widget_get_parent (focus))
    {
      const char *page = find_page_by_widget (focus);

      if (page != NULL)
        return page;
    }
  if (tl_display_get_page (session->display) == TL_PAGE_EXPORT)
    return "export";
  if (tl_display_get_page (session->display) == TL_PAGE_VOLUME)
    return "volume";
  if (tl_display_get_page (session->display) != TL_PAGE_PICTURE)
    return "find-axis";
  if (tl_display_get_picture (session->display) == TL_PICTURE_OVERLAY)
    return "align";
  if (tl_display_get_picture (session->display) == TL_PICTURE_PLANES)
    return "planes";
  if (tl_slice_comparison_get_shown_mode (session->comparison)
      != TL_COMPARE_OFF)
    return "compare";
  return TL_HELP_START;
}

const char *
tl_help_find_error_page (GtkWidget *focus, TlSession *session)
{
  return tl_messages_are_about_opening (session->messages)
             ? "files"
             : tl_help_find_page (focus, session);
}

/* Returns: (transfer full) (nullable): the text of @page. */
static char *
dup_text (const char *page)
{
  g_autofree char *path = g_strconcat (TL_HELP_PAGES, page, ".md", NULL);
  g_autoptr (GBytes) bytes =
      g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  gsize size;
  const char *data;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &size);
  return g_strndup (data, size);
}

/* Returns: (transfer full) (nullable): the page that "find-axis.md" names. */
static char *
dup_page_of_link (const char *target)
{
  return g_str_has_suffix (target, ".md") && strchr (target, '/') == NULL
             ? g_strndup (target, strlen (target) - 3)
             : NULL;
}

/* --- the page shown --- */

static const char *
get_row_page (GtkListBoxRow *row)
{
  return g_object_get_data (G_OBJECT (row), "page");
}

static void
select_row (TlHelpWindow *self, const char *page)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL;
       i++)
    if (strcmp (get_row_page (row), page) == 0)
      gtk_list_box_select_row (self->list, row);
}

static gboolean
follow_link (gpointer data)
{
  TlHelpWindow *self = data;

  tl_help_window_go (self, self->link);
  return G_SOURCE_REMOVE;
}

/* The page changes later: GTK is not done with the label of the link. Targets
 * other than pages are for the browser. */
static gboolean
on_link (TlHelpWindow *self, const char *target)
{
  char *page = dup_page_of_link (target);

  if (page == NULL)
    return FALSE;
  g_free (self->link);
  self->link = page;
  g_idle_add_full (G_PRIORITY_DEFAULT, follow_link, g_object_ref (self),
                   g_object_unref);
  return TRUE;
}

/* Shows the page visited last. Returns: %FALSE if there is no such page */
static gboolean
show_page (TlHelpWindow *self)
{
  const char *page = tl_help_window_get_page (self);
  g_autofree char *text = dup_text (page);
  GtkWidget *column, *focus;

  if (text == NULL)
    return FALSE;
  focus = gtk_window_get_focus (GTK_WINDOW (self));
  /* the label with the link has the focus, and is about to be destroyed */
  if (focus != NULL
      && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->scrolled)))
    gtk_window_set_focus (GTK_WINDOW (self), GTK_WIDGET (self->scrolled));
  column = tl_markdown_build (text, TL_HELP_PAGES, G_CALLBACK (on_link), self);
  gtk_widget_add_css_class (column, "page");
  gtk_scrolled_window_set_child (self->scrolled, column);
  gtk_adjustment_set_value (
      gtk_scrolled_window_get_vadjustment (self->scrolled), 0);
  select_row (self, page);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "help.back",
                                 self->visited->len > 1);
  return TRUE;
}

static void
leave_page (TlHelpWindow *self)
{
  g_ptr_array_remove_index (self->visited, self->visited->len - 1);
}

gboolean
tl_help_window_go (TlHelpWindow *self, const char *page)
{
  if (self->visited->len > 0
      && strcmp (tl_help_window_get_page (self), page) == 0)
    return TRUE;
  g_ptr_array_add (self->visited, g_strdup (page));
  if (show_page (self))
    return TRUE;
  leave_page (self);
  return FALSE;
}

const char *
tl_help_window_get_page (TlHelpWindow *self)
{
  return g_ptr_array_index (self->visited, self->visited->len - 1);
}

static void
back (GtkWidget *widget, const char *name, GVariant *value)
{
  TlHelpWindow *self = TL_HELP_WINDOW (widget);

  leave_page (self);
  show_page (self);
}

/* --- the list of pages, and the search --- */

/* Returns: (transfer full): @text for the search: without capitals, first with
 * blanks in place of hyphens, then without hyphens, so that "8-bit", "8 bit"
 * and "8bit" all find "8-bit" */
static char *
fold_text (const char *text)
{
  g_autofree char *joined = g_utf8_casefold (text, -1);
  g_auto (GStrv) parts = g_strsplit (joined, "-", -1);
  g_autofree char *apart = g_strjoinv (" ", parts);
  g_autofree char *together = g_strjoinv ("", parts);

  return g_strdelimit (g_strconcat (apart, " ", together, NULL), "\n", ' ');
}

/* @page: (transfer none) */
static void
add_row (TlHelpWindow *self, const char *page)
{
  g_autofree char *text = dup_text (page);
  g_autofree char *title = NULL;
  GtkWidget *label, *row;

  g_return_if_fail (text != NULL);
  title = tl_markdown_dup_title (text);
  label = gtk_label_new (title);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  row = gtk_list_box_row_new ();
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), label);
  tl_widget_name (row, title);
  g_object_set_data_full (G_OBJECT (row), "page", g_strdup (page), g_free);
  g_object_set_data_full (G_OBJECT (row), "title", fold_text (title), g_free);
  g_object_set_data_full (G_OBJECT (row), "text", fold_text (text), g_free);
  g_object_set_data (G_OBJECT (row), "place",
                     GUINT_TO_POINTER (self->n_pages++));
  gtk_list_box_append (self->list, row);
}

/* Lists the start page and the pages that it links to. */
static void
fill_list (TlHelpWindow *self)
{
  g_autofree char *text = dup_text (TL_HELP_START);

  add_row (self, TL_HELP_START);
  for (const char *link = text; (link = strstr (link, "](")) != NULL;)
    {
      g_autofree char *target = NULL;
      g_autofree char *page = NULL;

      link += 2;
      target = g_strndup (link, strcspn (link, ")"));
      page = dup_page_of_link (target);
      if (page != NULL)
        add_row (self, page);
    }
}

/* @word: not empty */
static guint
count_word (const char *text, const char *word)
{
  guint n = 0;

  for (; (text = strstr (text, word)) != NULL; text += strlen (word))
    n++;
  return n;
}

/* Returns: how often @word is in @text or, if never, how often it is without
 * its ending:
 * "aligned" finds "align" */
static guint
count_form (const char *text, const char *word)
{
  static const char *const endings[] = { "s", "es", "ed", "ing" };
  guint n = count_word (text, word);

  for (guint i = 0; i < G_N_ELEMENTS (endings) && n == 0; i++)
    if (g_str_has_suffix (word, endings[i])
        && strlen (word) >= MIN_STEM + strlen (endings[i]))
      {
        g_autofree char *stem =
            g_strndup (word, strlen (word) - strlen (endings[i]));
        n = count_word (text, stem);
      }
  return n;
}

/* Returns: how well the page fits the search; 0 if it lacks a word. The start
 * page mentions everything, so the search leaves it out. */
static guint
rank_row (TlHelpWindow *self, GtkListBoxRow *row)
{
  g_autofree char *wanted = g_utf8_casefold (
      gtk_editable_get_text (GTK_EDITABLE (self->search_entry)), -1);
  g_auto (GStrv) words = g_strsplit (wanted, " ", -1);
  guint rank = 1;

  if (*wanted != '\0' && strcmp (get_row_page (row), TL_HELP_START) == 0)
    return 0;
  for (char **word = words; *word != NULL; word++)
    {
      const char *form = g_strdelimit (*word, "-", ' ');
      guint n;

      if (*form == '\0')
        continue; /* between two blanks */
      n = count_form (g_object_get_data (G_OBJECT (row), "text"), form);
      if (n == 0)
        return 0;
      rank += n;
      if (count_form (g_object_get_data (G_OBJECT (row), "title"), form) > 0)
        rank += TITLE_RANK;
    }
  return rank;
}

static guint
get_number (GtkListBoxRow *row, const char *key)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), key));
}

static gboolean
is_row_visible (GtkListBoxRow *row, gpointer data)
{
  return get_number (row, "rank") > 0;
}

/* Pages that fit best come first, others as in the manual. */
static int
compare_rows (GtkListBoxRow *a, GtkListBoxRow *b, gpointer data)
{
  const guint rank_a = get_number (a, "rank"), rank_b = get_number (b, "rank");

  return rank_a != rank_b
             ? (rank_a < rank_b ? 1 : -1)
             : (int)get_number (a, "place") - (int)get_number (b, "place");
}

static void
on_search_changed (TlHelpWindow *self)
{
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL;
       i++)
    g_object_set_data (G_OBJECT (row), "rank",
                       GUINT_TO_POINTER (rank_row (self, row)));
  gtk_list_box_invalidate_filter (self->list);
  gtk_list_box_invalidate_sort (self->list);
}

/* Enter goes to the first page found, also before the list has changed. */
static void
on_search_activate (TlHelpWindow *self)
{
  GtkListBoxRow *row;

  on_search_changed (self);
  row = gtk_list_box_get_row_at_index (self->list, 0);
  if (is_row_visible (row, NULL))
    tl_help_window_go (self, get_row_page (row));
}

/* Escape clears the entry; in an empty entry it closes the window. */
static void
on_stop_search (TlHelpWindow *self)
{
  GtkEditable *entry = GTK_EDITABLE (self->search_entry);

  if (*gtk_editable_get_text (entry) == '\0')
    gtk_window_close (GTK_WINDOW (self));
  else
    gtk_editable_set_text (entry, "");
}

static void
on_row_activated (TlHelpWindow *self, GtkListBoxRow *row)
{
  tl_help_window_go (self, get_row_page (row));
}

static void
search (GtkWidget *widget, const char *name, GVariant *value)
{
  gtk_widget_grab_focus (GTK_WIDGET (TL_HELP_WINDOW (widget)->search_entry));
}

/* --- the window --- */

static void
tl_help_window_finalize (GObject *object)
{
  TlHelpWindow *self = TL_HELP_WINDOW (object);

  g_ptr_array_unref (self->visited);
  g_free (self->link);
  G_OBJECT_CLASS (tl_help_window_parent_class)->finalize (object);
}

static void
tl_help_window_class_init (TlHelpWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tl_help_window_finalize;
  gtk_widget_class_install_action (widget_class, "help.back", NULL, back);
  gtk_widget_class_install_action (widget_class, "help.search", NULL, search);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/tomolens/Tomolens/help-window.ui");
#define BIND(name)                                                             \
  gtk_widget_class_bind_template_child (widget_class, TlHelpWindow, name)
  BIND (search_entry);
  BIND (list);
  BIND (language_label);
  BIND (scrolled);
#undef BIND
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_search_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_stop_search);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
}

static void
tl_help_window_init (TlHelpWindow *self)
{
  self->visited = g_ptr_array_new_with_free_func (g_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  /* shown only in a window of another language */
  gtk_widget_set_visible (GTK_WIDGET (self->language_label),
                          strcmp (gtk_label_get_text (self->language_label),
                                  "The manual is in English.")
                              != 0);
  fill_list (self);
  gtk_list_box_set_filter_func (self->list, is_row_visible, NULL, NULL);
  gtk_list_box_set_sort_func (self->list, compare_rows, NULL, NULL);
  on_search_changed (self);
  tl_help_window_go (self, TL_HELP_START);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

TlHelpWindow *
tl_help_window_new (void)
{
  g_autoptr (GtkWindowGroup) group = gtk_window_group_new ();
  TlHelpWindow *self = g_object_new (TL_TYPE_HELP_WINDOW, NULL);

  /* a group of its own, so that it can be read beside a modal dialog */
  gtk_window_group_add_window (group, GTK_WINDOW (self));
  return self;
}

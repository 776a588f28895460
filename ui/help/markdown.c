#include "ui/help/markdown.h"

#define TEXT_CHARS 84 /* longer lines are hard to read */

/* The layout of a whole page would block the main loop for longer than a frame,
 * so a page is built over several frames: so many blocks or rows at once, then
 * so many in each frame. */
#define STEPS_AT_ONCE 2
#define STEPS_PER_FRAME 1

/* A page being built. */
typedef struct
{
  char **lines;
  guint next; /* the first line that was not read yet */
  GtkBox *column;
  GtkGrid *table;     /* (nullable): gets the next lines */
  int n_rows;         /* of the table, with the line below its heading */
  const char *folder; /* of pictures */
  GCallback on_link;
  gpointer data;
} Builder;

/* --- text within a block --- */

static void
append_escaped (GString *markup, const char *text, gssize length)
{
  g_autofree char *escaped = g_markup_escape_text (text, length);

  g_string_append (markup, escaped);
}

/* Returns: the text behind the link at @text; %NULL if no link begins there */
static const char *
append_link (GString *markup, const char *text)
{
  const char *middle = strstr (text, "](");
  const char *end = middle != NULL ? strchr (middle, ')') : NULL;

  if (*text != '[' || end == NULL)
    return NULL;
  g_string_append (markup, "<a href=\"");
  append_escaped (markup, middle + 2, end - middle - 2);
  g_string_append (markup, "\">");
  append_escaped (markup, text + 1, middle - text - 1);
  g_string_append (markup, "</a>");
  return end + 1;
}

/* Returns: the text behind the code at @text; %NULL if no code begins there */
static const char *
append_code (GString *markup, const char *text)
{
  const char *end = *text == '`' ? strchr (text + 1, '`') : NULL;

  if (end == NULL)
    return NULL;
  g_string_append (markup, "<tt>");
  append_escaped (markup, text + 1, end - text - 1);
  g_string_append (markup, "</tt>");
  return end + 1;
}

/* Returns: (transfer full): Pango's markup of @text. */
static char *
convert_inline (const char *text)
{
  GString *markup = g_string_new (NULL);
  gboolean strong = FALSE, emphasis = FALSE;

  while (*text != '\0')
    {
      const char *rest = append_code (markup, text);

      if (rest == NULL)
        rest = append_link (markup, text);
      if (rest != NULL)
        text = rest;
      else if (g_str_has_prefix (text, "**"))
        {
          strong = !strong;
          g_string_append (markup, strong ? "<b>" : "</b>");
          text += 2;
        }
      else if (*text == '*')
        {
          emphasis = !emphasis;
          g_string_append (markup, emphasis ? "<i>" : "</i>");
          text++;
        }
      else
        {
          if (*text == '\\' && text[1] != '\0')
            text++;
          append_escaped (markup, text, g_utf8_next_char (text) - text);
          text = g_utf8_next_char (text);
        }
    }
  return g_string_free (markup, FALSE);
}

static GtkWidget *
new_label (const Builder *self, GtkAccessibleRole role, int max_chars)
{
  GtkWidget *label =
      g_object_new (GTK_TYPE_LABEL, "accessible-role", role, "wrap", TRUE,
                    "wrap-mode", PANGO_WRAP_WORD, "xalign", 0.0, "yalign", 0.0,
                    "max-width-chars", max_chars, "selectable", TRUE, NULL);

  g_signal_connect_swapped (label, "activate-link", self->on_link, self->data);
  return label;
}

static GtkWidget *
new_text (const Builder *self, const char *text, int max_chars)
{
  GtkWidget *label = new_label (self, GTK_ACCESSIBLE_ROLE_LABEL, max_chars);
  g_autofree char *markup = convert_inline (text);

  gtk_label_set_markup (GTK_LABEL (label), markup);
  return label;
}

/* --- blocks --- */

static guint
get_heading_level (const char *line)
{
  const gsize level = strspn (line, "#");

  return level > 0 && line[level] == ' ' ? (guint)level : 0;
}

/* Returns: the length of the mark with which an item of a list begins, or 0. */
static gsize
get_item_mark (const char *line)
{
  const gsize n_digits = strspn (line, "0123456789");

  if (g_str_has_prefix (line, "- "))
    return 2;
  return n_digits > 0 && g_str_has_prefix (line + n_digits, ". ") ? n_digits + 2
                                                                  : 0;
}

static gboolean
is_fence (const char *line)
{
  return g_str_has_prefix (line, "```");
}

static gboolean
is_picture (const char *line)
{
  return g_str_has_prefix (line, "![");
}

static gboolean
begins_block (const char *line)
{
  return *line == '\0' || *line == '|' || is_fence (line) || is_picture (line)
         || get_heading_level (line) > 0 || get_item_mark (line) > 0;
}

/* Returns: (transfer full): the next line without its first @n_mark bytes,
 * joined with the lines that continue it */
static char *
take_text (Builder *self, gsize n_mark)
{
  GString *text = g_string_new (self->lines[self->next++] + n_mark);

  while (self->lines[self->next] != NULL
         && !begins_block (self->lines[self->next]))
    {
      g_autofree char *line = g_strdup (self->lines[self->next++]);

      g_string_append_c (text, ' ');
      g_string_append (text, g_strstrip (line));
    }
  return g_string_free (text, FALSE);
}

static void
add_heading (Builder *self, guint level)
{
  GtkWidget *label = new_label (self, GTK_ACCESSIBLE_ROLE_HEADING, TEXT_CHARS);
  g_autofree char *class = g_strdup_printf ("heading-%u", level);

  gtk_label_set_text (GTK_LABEL (label), self->lines[self->next++] + level + 1);
  gtk_widget_add_css_class (label, class);
  gtk_box_append (self->column, label);
}

static void
add_item (Builder *self, gsize n_mark)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  const char *line = self->lines[self->next];
  g_autofree char *mark =
      *line == '-' ? g_strdup ("•") : g_strndup (line, n_mark - 1);
  g_autofree char *text = take_text (self, n_mark);
  GtkWidget *bullet = gtk_label_new (mark);

  gtk_label_set_yalign (GTK_LABEL (bullet), 0);
  gtk_box_append (GTK_BOX (row), bullet);
  gtk_box_append (GTK_BOX (row), new_text (self, text, TEXT_CHARS));
  gtk_widget_add_css_class (row, "item");
  gtk_box_append (self->column, row);
}

/* The cells of "| one | two |". A bar within a cell is written "\|". */
static char **
split_row (const char *line)
{
  g_autoptr (GStrvBuilder) cells = g_strv_builder_new ();
  g_autoptr (GString) cell = g_string_new (NULL);

  for (line++; *line != '\0'; line++)
    if (*line == '|')
      {
        g_strv_builder_add (cells, g_strstrip (cell->str));
        g_string_truncate (cell, 0);
      }
    else
      {
        if (g_str_has_prefix (line, "\\|"))
          line++;
        g_string_append_c (cell, *line);
      }
  return g_strv_builder_end (cells);
}

static void
begin_table (Builder *self)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 18);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  gtk_box_append (self->column, grid);
  self->table = GTK_GRID (grid);
  self->n_rows = 0;
}

static void
add_row (Builder *self)
{
  g_auto (GStrv) cells = split_row (self->lines[self->next++]);
  const guint n = g_strv_length (cells);
  const int row = self->n_rows++;

  if (row == 1) /* "| --- | --- |" */
    return;
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *label =
          new_text (self, cells[i], (int)(TEXT_CHARS / MAX (n, 1)) + 10);

      if (row == 0)
        gtk_widget_add_css_class (label, "heading-cell");
      gtk_widget_set_hexpand (label, i + 1 == n);
      gtk_grid_attach (self->table, label, (int)i, row, 1, 1);
    }
}

static void
append_code_line (GString *code, const char *line)
{
  g_string_append (code, code->len > 0 ? "\n" : "");
  g_string_append (code, line);
}

static void
add_code (Builder *self)
{
  GtkWidget *label =
      new_label (self, GTK_ACCESSIBLE_ROLE_LABEL, TEXT_CHARS + 10);
  g_autoptr (GString) code = g_string_new (NULL);

  if (is_fence (self->lines[self->next]))
    {
      for (self->next++; self->lines[self->next] != NULL
                         && !is_fence (self->lines[self->next]);
           self->next++)
        append_code_line (code, self->lines[self->next]);
      self->next += self->lines[self->next] != NULL;
    }
  else
    while (self->lines[self->next] != NULL
           && g_str_has_prefix (self->lines[self->next], "    "))
      append_code_line (code, self->lines[self->next++] + 4);
  gtk_label_set_wrap (GTK_LABEL (label), FALSE);
  gtk_label_set_text (GTK_LABEL (label), code->str);
  gtk_widget_add_css_class (label, "code");
  gtk_box_append (self->column, label);
}

/* "![words](file.png)" */
static void
add_picture (Builder *self)
{
  g_auto (GStrv) parts =
      g_strsplit_set (self->lines[self->next++] + strlen ("!["), "]()", -1);
  g_autofree char *path = NULL;
  GtkWidget *picture = NULL;

  g_return_if_fail (g_strv_length (parts) >= 3);
  path = g_strconcat (self->folder, parts[2], NULL);
  picture = gtk_picture_new_for_resource (path);
  gtk_picture_set_can_shrink (GTK_PICTURE (picture), FALSE);
  gtk_picture_set_alternative_text (GTK_PICTURE (picture), parts[0]);
  gtk_widget_set_tooltip_text (picture, parts[0]);
  gtk_widget_set_halign (picture, GTK_ALIGN_START);
  gtk_box_append (self->column, picture);
}

static void
add_paragraph (Builder *self)
{
  g_autofree char *text = take_text (self, 0);

  gtk_box_append (self->column, new_text (self, text, TEXT_CHARS));
}

/* Adds a block, or a row of a table. */
static void
add_step (Builder *self)
{
  const char *line = self->lines[self->next];

  if (*line == '|')
    {
      if (self->table == NULL)
        begin_table (self);
      add_row (self);
      return;
    }
  self->table = NULL;
  if (*line == '\0')
    self->next++;
  else if (get_heading_level (line) > 0)
    add_heading (self, get_heading_level (line));
  else if (get_item_mark (line) > 0)
    add_item (self, get_item_mark (line));
  else if (is_fence (line) || g_str_has_prefix (line, "    "))
    add_code (self);
  else if (is_picture (line))
    add_picture (self);
  else
    add_paragraph (self);
}

static gboolean
add_steps (Builder *self, guint n)
{
  for (; n > 0 && self->lines[self->next] != NULL; n--)
    add_step (self);
  return self->lines[self->next] != NULL;
}

static gboolean
on_frame (GtkWidget *column, GdkFrameClock *clock, gpointer builder)
{
  return add_steps (builder, STEPS_PER_FRAME);
}

static void
builder_free (gpointer data)
{
  Builder *self = data;

  g_strfreev (self->lines);
  g_free (self);
}

GtkWidget *
tl_markdown_build (const char *text, const char *folder, GCallback on_link,
                   gpointer data)
{
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8);
  Builder *builder = g_new0 (Builder, 1);

  builder->lines = g_strsplit (text, "\n", -1);
  builder->column = GTK_BOX (column);
  builder->folder = folder;
  builder->on_link = on_link;
  builder->data = data;
  add_steps (builder, STEPS_AT_ONCE);
  gtk_widget_add_tick_callback (column, on_frame, builder, builder_free);
  return column;
}

char *
tl_markdown_dup_title (const char *text)
{
  const gsize level = strspn (text, "#");

  return level > 0 ? g_strstrip (
             g_strndup (text + level, strcspn (text + level, "\n")))
                   : g_strdup ("");
}

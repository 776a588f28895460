/* Builds the pages of the manual, which are Markdown, as widgets. It knows only
 * what these pages use. Main thread. */
#pragma once

#include <gtk/gtk.h>

/**
 * tl_markdown_build:
 * @text: headings (# to ###), paragraphs, lists (- and 1.), tables (|), code
 *   (fences or four blanks), pictures that are a line (![words](file.png)), and
 *   in the text `code`, *emphasis*, **strong**, [words](target) and \ before a
 *   character that is to stay as it is
 * @folder: of the pictures in the resources, with a slash at its end; constant
 * @on_link: handler of GtkLabel::activate-link, connected swapped
 *
 * Returns: (transfer floating): a column of labels, one for each block or cell;
 *   all but the first are added in the next frames
 */
GtkWidget *tl_markdown_build (const char *text, const char *folder,
                              GCallback on_link, gpointer data);

/** tl_markdown_dup_title: Returns: (transfer full): the text of the first
 * heading, without its mark; "" where there is none. */
char *tl_markdown_dup_title (const char *text);

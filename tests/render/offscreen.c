#include "tests/render/offscreen.h"

#include <epoxy/gl.h>
#include <string.h>

TlOffscreen *
offscreen_begin (gboolean es, int width, int height)
{
  g_autoptr (GError) error = NULL;
  TlOffscreen *offscreen = tl_offscreen_new (es, width, height, &error);

  if (offscreen == NULL)
    g_test_skip (error->message);
  return offscreen;
}

void
offscreen_end (TlOffscreen *offscreen)
{
  /* Any earlier GL error is detected here at the latest. */
  g_assert_cmpuint (glGetError (), ==, GL_NO_ERROR);
  tl_offscreen_free (offscreen);
}

/* --- pictures --- */

static void
save (const char *name, const char *what, const guint8 *rgba, int width,
      int height)
{
  g_autofree char *file = g_strdup_printf ("%s-%s.ppm", name, what);
  g_autofree char *path =
      g_test_build_filename (G_TEST_BUILT, "render", file, NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "P6 %d %d 255\n", width, height);
  for (int i = 0; i < width * height; i++)
    g_string_append_len (text, (const char *)rgba + 4 * i, 3);
  /* Ends in a line break like every file of the tree, so that the picture
   * can be added to it. */
  g_string_append_c (text, '\n');
  g_file_set_contents (path, text->str, (gssize)text->len, NULL);
  g_test_message ("see %s", path);
}

void
picture_compare (const char *name, const guint8 *got, const guint8 *want,
                 int width, int height, int tolerance)
{
  size_t n = 4 * (size_t)width * (size_t)height, worst = 0;
  g_autofree guint8 *difference = g_malloc (n);
  int most = 0;

  for (size_t i = 0; i < n; i++)
    {
      int d = ABS (got[i] - want[i]);

      difference[i] = (guint8)d;
      if (d > most)
        {
          most = d;
          worst = i;
        }
    }
  if (most <= tolerance)
    return;
  save (name, "got", got, width, height);
  save (name, "want", want, width, height);
  save (name, "difference", difference, width, height);
  g_test_message ("%s: channel %zu of pixel %zu, %zu: got %u, want %u", name,
                  worst % 4, worst / 4 % (size_t)width,
                  worst / 4 / (size_t)width, got[worst], want[worst]);
  g_test_fail ();
}

guint8 *
picture_load (const char *name, int width, int height)
{
  g_autofree char *file = g_strconcat (name, ".ppm", NULL);
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "files", file, NULL);
  g_autofree char *header = g_strdup_printf ("P6 %d %d 255\n", width, height);
  g_autofree char *contents = NULL;
  size_t n_pixels = (size_t)width * (size_t)height, length;
  guint8 *rgba;

  if (!g_file_get_contents (path, &contents, &length, NULL)
      || length != strlen (header) + 3 * n_pixels + 1
      || memcmp (contents, header, strlen (header)) != 0)
    return NULL;
  rgba = g_malloc (4 * n_pixels);
  for (size_t i = 0; i < n_pixels; i++)
    {
      memcpy (rgba + 4 * i, contents + strlen (header) + 3 * i, 3);
      rgba[4 * i + 3] = 255;
    }
  return rgba;
}

#include "data/write/writer.h"

/* The format's name, its version, and the length of the rest of the head in two
 * bytes, which come later. */
static const char start[] = "\x93NUMPY\x01\x00\0\0";
#define N_START (sizeof start - 1)

/* The pixels begin at a multiple of it. */
#define ALIGNMENT 64

GBytes *
tl_make_npy_head (size_t n_rows, size_t n_cols)
{
  GString *head = g_string_new_len (start, N_START);
  g_string_append_printf (
      head, "{'descr': '%cf4', 'fortran_order': False, 'shape': (%zu, %zu), }",
      G_BYTE_ORDER == G_LITTLE_ENDIAN ? '<' : '>', n_rows, n_cols);
  while ((head->len + 1) % ALIGNMENT != 0)
    g_string_append_c (head, ' ');
  g_string_append_c (head, '\n');
  const size_t n_rest = head->len - N_START;
  head->str[N_START - 2] = (char)(n_rest & 0xff);
  head->str[N_START - 1] = (char)(n_rest >> 8);
  return g_string_free_to_bytes (head);
}

#include "app/recipe/number.h"

#include <errno.h>
#include <math.h>

char *
tl_number_format (double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  static const char *const formats[] = { "%.15g", "%.16g", "%.17g" };
  for (size_t k = 0; k < G_N_ELEMENTS (formats); k++)
    {
      g_ascii_formatd (text, sizeof text, formats[k], number);
      if (g_ascii_strtod (text, NULL) == number)
        break;
    }
  return g_strdup (text);
}

double
tl_number_round (double number)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_strtod (g_ascii_formatd (text, sizeof text, "%.12g", number),
                         NULL);
}

gboolean
tl_number_parse (const char *text, double *number)
{
  char *end;
  errno = 0;
  const double got = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0' || errno == ERANGE || !isfinite (got))
    return FALSE;
  *number = got;
  return TRUE;
}

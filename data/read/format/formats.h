/* The kinds of files that scans are read from. */
#pragma once

#include <glib.h>

typedef struct
{
  const char *name;
  const char *missing; /* (nullable): the Debian package without which this
                          program was built, so that it cannot read them */
} TlFormatInfo;

/** tl_format_get_info: @index: from 0. Returns: %FALSE after the last one */
gboolean tl_format_get_info (guint index, TlFormatInfo *info);

#include "data/stream/options.h"

#include "data/array.h"

const char *const tl_stream_kind_names[TL_N_FRAME_KINDS + 1] = {
  [TL_FRAMES_PROJECTIONS] = "projection",
  [TL_FRAMES_FLATS] = "flat",
  [TL_FRAMES_DARKS] = "dark",
};

gboolean
tl_stream_options_take_expected (TlStreamOptions *options, const char *text)
{
  static const TlFrameKind order[TL_N_FRAME_KINDS] = { TL_FRAMES_PROJECTIONS,
                                                       TL_FRAMES_FLATS,
                                                       TL_FRAMES_DARKS };
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  const guint n = g_strv_length (words);
  gboolean good = n >= 1 && n <= TL_N_FRAME_KINDS;
  for (guint k = 0; k < n && good; k++)
    {
      guint64 number = 0;
      good =
          *words[k] == '\0'
          || g_ascii_string_to_unsigned (words[k], 10, k == 0 ? 1 : 0,
                                         TL_STREAM_MAX_FRAMES, &number, NULL);
      options->n_expected[order[k]] = (size_t)number;
    }
  return good;
}

static gboolean
find_kind (const char *name, TlFrameKind *kind)
{
  const int index = tl_names_index (tl_stream_kind_names, name);
  if (index >= 0)
    *kind = (TlFrameKind)index;
  return index >= 0;
}

gboolean
tl_stream_options_take_kinds (TlStreamOptions *options, const char *text)
{
  g_auto (GStrv) names = g_strsplit (text, ",", -1);
  const guint n = g_strv_length (names);
  gboolean good = n >= 1 && n <= TL_STREAM_MAX_SERIES;
  for (guint k = 0; k < n && good; k++)
    good = find_kind (names[k], &options->series[k]);
  options->n_series = good ? n : 0;
  return good;
}

#include "data/read/scan/left-out.h"

#include "data/array.h"
#include "data/error.h"
#include "data/read/scan/frame-ranges.h"

#include <glib/gi18n.h>
#include <math.h>

/* Returns: (transfer full): what the user leaves out; %NULL with
 * TL_ERROR_VALUE */
static GArray *
parse_named (const char *text, size_t n, const char *name, GError **error)
{
  g_autoptr (GArray) ranges = tl_frame_ranges_parse (text);
  if (ranges == NULL)
    return tl_fail_null (error, TL_ERROR_VALUE,
                         _ ("%s: \"%s\" is no list of projections, such as "
                            "120:135,400"),
                         name, text);
  const size_t last =
      ranges->len > 0
          ? g_array_index (ranges, TlFrameRange, ranges->len - 1).last
          : 0;
  if (last >= n)
    return tl_fail_null (error, TL_ERROR_VALUE,
                         _ ("%s: projection %zu cannot be left out, because "
                            "the projections are 0 to %zu"),
                         name, last, n - 1);
  return g_steal_pointer (&ranges);
}

/* Before any projection is left out. Those that have not come, or are lost,
 * may be the first or the last of the scan. */
static void
keep_ends (TlScanDraft *draft)
{
  const size_t last = draft->n_angles - 1;
  const gboolean is_whole =
      draft->numbers == NULL
      || (draft->numbers[0] == 0
          && draft->numbers[last] + 1 == draft->n_numbers);
  draft->ends_deg[0] = is_whole ? draft->angles_deg[0] : NAN;
  draft->ends_deg[1] = is_whole ? draft->angles_deg[last] : NAN;
}

/* Keeps the projections that are not in @named, can be read and have an angle.
 * @unreadable: receives others that cannot be read
 * @without_angle: receives others that have no angle */
static void
keep_others (TlScanDraft *draft, GArray *named, GArray *unreadable,
             GArray *without_angle)
{
  size_t n_used = 0;
  for (size_t i = 0; i < draft->n_angles; i++)
    {
      const size_t number = draft->numbers != NULL ? draft->numbers[i] : i;
      if (tl_frame_ranges_contain (named, number))
        continue;
      if (draft->unreadable != NULL
          && tl_frame_ranges_contain (draft->unreadable, number))
        tl_frame_ranges_add (unreadable, number);
      else if (!isfinite (draft->angles_deg[i]))
        tl_frame_ranges_add (without_angle, number);
      else
        {
          draft->angles_deg[n_used] = draft->angles_deg[i];
          draft->used_numbers[n_used++] = number;
        }
    }
  draft->n_angles = n_used;
}

/* Notes the projections that nobody has asked to leave out. @named: what the
 * user leaves out */
static void
note_others (TlScanDraft *draft, const char *named, GArray *unreadable,
             GArray *without_angle)
{
  g_autofree char *bad = tl_frame_ranges_format (unreadable);
  g_autofree char *shown = tl_frame_ranges_describe (unreadable, draft->files);
  g_autofree char *missing =
      tl_frame_ranges_describe (without_angle, draft->files);
  g_autofree char *all = tl_frame_ranges_join (named, bad);
  if (*bad != '\0')
    {
      g_autofree char *on_line = g_strdup_printf (
          _ ("--leave-out %s leaves them out without this note"), all);
      tl_scan_draft_ask (draft, on_line, NULL,
                         _ ("projections that cannot be read are left out: "
                            "%s; the first: %s"),
                         shown, draft->why_unreadable);
    }
  if (*missing != '\0')
    tl_scan_draft_ask (draft, NULL, NULL,
                       _ ("left out, because they have no angle (%s has no "
                          "number for them): %s"),
                       draft->angles_source, missing);
}

gboolean
tl_scan_draft_leave_out (TlScanDraft *draft, const char *name,
                         const TlReaderOptions *options, GError **error)
{
  const size_t n = draft->n_angles;
  const size_t n_numbers = draft->numbers != NULL ? draft->n_numbers : n;
  const char *text = options->leave_out != NULL ? options->leave_out : "";
  g_autoptr (GArray) named =
      *text == '\0' ? g_array_new (FALSE, FALSE, sizeof (TlFrameRange))
                    : parse_named (text, n_numbers, name, error);
  if (named == NULL)
    return FALSE;
  draft->used_numbers = tl_try_alloc (n, 1, 1, sizeof *draft->used_numbers,
                                      _ ("the angles"), error);
  if (draft->used_numbers == NULL)
    return FALSE;
  g_autoptr (GArray) unreadable =
      g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  g_autoptr (GArray) without_angle =
      g_array_new (FALSE, FALSE, sizeof (TlFrameRange));
  g_autofree char *left_out = tl_frame_ranges_describe (named, draft->files);
  keep_ends (draft);
  keep_others (draft, named, unreadable, without_angle);
  if (draft->n_angles == 0 && without_angle->len > 0)
    return tl_fail_with_hint (
        error, TL_ERROR_ANGLES, _ ("give --angles FIRST:LAST, both included"),
        _ ("%s: no projection has an angle that is a number (%s)"), name,
        draft->angles_source);
  if (draft->n_angles == 0)
    return tl_fail (error, TL_ERROR_VALUE,
                    _ ("%s: all %zu projections are left out, so that none "
                       "remains to be reconstructed"),
                    name, n);
  if (*left_out != '\0')
    tl_scan_draft_note (draft,
                        _ ("left out: %s; %zu of %zu projections are used"),
                        left_out, draft->n_angles, n);
  note_others (draft, text, unreadable, without_angle);
  return TRUE;
}

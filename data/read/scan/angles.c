#include "data/read/scan/angles.h"

#include "data/array.h"
#include "data/error.h"
#include "data/geometry.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* A list of angles is small. A larger file is not read: the user has chosen a
 * wrong one. */
enum
{
  MAX_TEXT_BYTES = 16 << 20
};

/* While the stage stands still, the angles that it reports differ by less than
 * this part of a step. */
static const double STILL_STEPS = 0.01;

/* Of a scan that is believed. More are seconds of arc, or an encoder's counts.
 */
static const double MAX_TURNS = 100;

/* Fewer angles may cover such a range by chance. */
static const size_t MIN_IN_RANGE = 16;

/* A range that differs by less, as a part of it, is the same. */
static const double SAME_RANGE = 1e-3;

static gboolean
append_line (const char *line, GArray *angles)
{
  static const char separators[] = " \t\r,;";
  for (;;)
    {
      line += strspn (line, separators);
      if (*line == '\0' || *line == '#')
        return TRUE;
      char *end;
      double value = g_ascii_strtod (line, &end);
      if (end == line || strchr (" \t\r,;#", *end) == NULL || isinf (value))
        return FALSE;
      g_array_append_val (angles, value);
      line = end;
    }
}

static gboolean
parse_angles (const char *name, char *text, GArray *angles, GError **error)
{
  static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, from Windows */
  size_t n_full_lines = 0, n_per_line = 0;
  const size_t n_mark = g_str_has_prefix (text, mark) ? strlen (mark) : 0;
  g_auto (GStrv) lines = g_strsplit (text + n_mark, "\n", -1);
  for (size_t i = 0; lines[i] != NULL; i++)
    {
      size_t n_before = angles->len;
      if (!append_line (lines[i], angles))
        return tl_fail (error, TL_ERROR_ANGLES,
                        _ ("%s: line %zu is not an angle in degrees"), name,
                        i + 1);
      if (angles->len == n_before)
        continue;
      n_full_lines++;
      n_per_line = MAX (n_per_line, angles->len - n_before);
    }
  if (angles->len == 0)
    return tl_fail (error, TL_ERROR_ANGLES, _ ("%s: no angles in it"), name);
  /* All angles may stand in one line. With several numbers in several lines, it
   * would be unclear which column holds the angles. */
  if (n_per_line > 1 && n_full_lines > 1)
    return tl_fail (
        error, TL_ERROR_ANGLES,
        _ ("%s: %zu numbers in one line; one angle in each is expected, "
           "with a decimal point"),
        name, n_per_line);
  return TRUE;
}

double *
tl_angles_load (const char *path, gboolean grows, size_t *n, GError **error)
{
  g_autofree char *name = tl_path_dup_name (path);
  g_autofree char *text = NULL;
  g_autoptr (GError) failure = NULL;
  GStatBuf st;
  gsize size = 0;
  if (g_stat (path, &st) == 0 && st.st_size > MAX_TEXT_BYTES)
    return tl_fail_null (
        error, TL_ERROR_ANGLES,
        _ ("%s: this is not a text file of angles (%lld bytes)"), name,
        (long long)st.st_size);
  if (!g_file_get_contents (path, &text, &size, &failure))
    return tl_fail_null (error, TL_ERROR_ANGLES,
                         _ ("%s: the angles cannot be read: %s"), name,
                         failure->message);
  if (strlen (text) != size)
    return tl_fail_null (error, TL_ERROR_ANGLES,
                         _ ("%s: is not a text file of angles"), name);
  char *last_end = strrchr (text, '\n');
  if (grows && last_end != NULL)
    last_end[1] = '\0';
  g_autoptr (GArray) angles = g_array_new (FALSE, FALSE, sizeof (double));
  if (!parse_angles (name, text, angles, error))
    return NULL;
  *n = angles->len;
  return g_array_steal (angles, NULL);
}

/* The median of the steps that are not zero, in degrees; 0 if all are zero.
 * Steps to angles that are missing do not count. */
static double
median_step (const double *angles, size_t n)
{
  g_autofree double *steps = g_new (double, MAX (n, 1));
  size_t n_steps = 0;
  for (size_t i = 1; i < n; i++)
    if (isfinite (angles[i] - angles[i - 1]) && angles[i] != angles[i - 1])
      steps[n_steps++] = fabs (angles[i] - angles[i - 1]);
  if (n_steps == 0)
    return 0;
  tl_sort_doubles (steps, n_steps);
  return steps[n_steps / 2];
}

double
tl_angles_get_still (const double *angles_deg, size_t n)
{
  return STILL_STEPS * median_step (angles_deg, n);
}

/* Returns: how many frames are flats and darks, or, where there are none, how
 * many images of the folder are left out: they may be flats and darks that the
 * user does not want */
static size_t
count_others (const TlScanDraft *draft)
{
  const size_t n_fields = draft->frames[TL_FRAMES_FLATS].n_frames
                          + draft->frames[TL_FRAMES_DARKS].n_frames;
  size_t n_left_out = 0;
  for (guint k = 0; draft->groups != NULL && k < draft->groups->len; k++)
    {
      const TlImageGroup *group = draft->groups->pdata[k];
      if (group->kind == TL_FRAMES_LEFT_OUT)
        n_left_out += group->n_images;
    }
  return n_fields > 0 ? n_fields : n_left_out;
}

/* Returns: how many of the angles after the first repeat it */
static size_t
count_repeats (const TlScanDraft *draft, double still)
{
  const double *a = draft->angles_deg;
  size_t head = 0;
  while (head + 1 < draft->n_angles && fabs (a[head + 1] - a[0]) <= still)
    head++;
  return head;
}

gboolean
tl_scan_draft_begins_still (const TlScanDraft *draft)
{
  const double still = tl_angles_get_still (draft->angles_deg, draft->n_angles);
  return still > 0 && count_repeats (draft, still) > 0
         && count_others (draft) > 0;
}

/* Returns: whether @n_extra angles are those of the flats, or of the darks */
static gboolean
are_of_kind (const TlScanDraft *draft, size_t n_extra)
{
  return n_extra == draft->frames[TL_FRAMES_FLATS].n_frames
         || n_extra == draft->frames[TL_FRAMES_DARKS].n_frames;
}

/* Flats and darks may also have been taken at an angle that no projection has.
 * If only one of the two runs of equal angles includes a projection, it is the
 * run whose neighbour is about one step away; if both are, the first run.
 *
 * @head, @tail: (inout): how many angles belong to flats and darks, as many as
 *   repeat the first and the last one; more than none each
 *
 * Returns: whether @n_extra angles are explained in this way */
static gboolean
take_whole_runs (const TlScanDraft *draft, size_t n_extra, size_t *head,
                 size_t *tail)
{
  const double *a = draft->angles_deg;
  const size_t n = draft->n_angles;
  const double step = median_step (a, n);
  if (*head + *tail + 2 == n_extra)
    {
      ++*head;
      ++*tail;
      return TRUE;
    }
  if (*head + *tail + 1 != n_extra)
    return FALSE;
  const double at_start = fabs (fabs (a[*head + 1] - a[0]) - step);
  const double at_end = fabs (fabs (a[n - 1] - a[n - 2 - *tail]) - step);
  ++*(at_start > at_end + STILL_STEPS * step ? head : tail);
  return TRUE;
}

gboolean
tl_scan_draft_drop_still (TlScanDraft *draft, gboolean may_lack_kind)
{
  const double *a = draft->angles_deg;
  const size_t n_projections = draft->frames->n_frames;
  const size_t n = draft->n_angles;
  const double still = tl_angles_get_still (a, n);
  const size_t n_others = count_others (draft);
  if (still == 0 || n <= n_projections || n_others == 0)
    return FALSE;
  const size_t n_extra = n - n_projections;
  const gboolean is_kind = may_lack_kind && are_of_kind (draft, n_extra);
  const size_t n_first = count_repeats (draft, still) + 1;
  size_t n_last = 1;
  while (n_last < n - n_first && fabs (a[n - 1 - n_last] - a[n - 1]) <= still)
    n_last++;
  size_t head = n_first - 1, tail = n_last - 1;
  if (head + tail == n_extra)
    {
      if (n_extra < n_others && !is_kind)
        return FALSE;
    }
  else if (head == 0 || tail == 0 || (n_extra != n_others && !is_kind)
           || !take_whole_runs (draft, n_extra, &head, &tail))
    return FALSE;
  g_autofree char *source = draft->angles_source;
  draft->angles_source = g_strdup_printf (_ ("%s, numbers %zu to %zu of %zu"),
                                          source, head + 1, n - tail, n);
  tl_scan_draft_note (
      draft,
      _ ("%zu angles for %zu projections: the first value comes "
         "%zu times and the last %zu times, the extra ones are "
         "taken as flats and darks and left out"),
      n, n_projections, n_first, n_last);
  memmove (draft->angles_deg, a + head, n_projections * sizeof (double));
  draft->n_angles = n_projections;
  return TRUE;
}

double
tl_angles_spread (double first, double last, size_t step, size_t n_steps)
{
  return n_steps == 0 ? first
                      : first + (last - first) * (double)step / (double)n_steps;
}

static void
note_numbered (TlScanDraft *draft)
{
  if (draft->steps != NULL)
    tl_scan_draft_note (draft, _ ("the projections have the angles that belong "
                                  "to the numbers in their file names"));
}

static gboolean
spread_angles (TlScanDraft *draft, double first, double last, gboolean has_end,
               GError **error)
{
  size_t n = draft->frames->n_frames;
  size_t n_all = draft->steps != NULL ? draft->n_steps : n;
  size_t n_steps = has_end ? n_all - 1 : n_all;
  g_free (draft->angles_deg);
  draft->angles_deg =
      tl_try_alloc (n, 1, 1, sizeof (double), _ ("the angles"), error);
  if (draft->angles_deg == NULL)
    return FALSE;
  draft->n_angles = n;
  draft->angles_are_spread = TRUE;
  note_numbered (draft);
  for (size_t i = 0; i < n; i++)
    {
      const size_t step = draft->steps != NULL ? draft->steps[i] : i;
      draft->angles_deg[i] = tl_angles_spread (first, last, step, n_steps);
    }
  return TRUE;
}

static void
set_source (TlScanDraft *draft, char *source)
{
  g_free (draft->angles_source);
  draft->angles_source = source;
}

static gboolean
fit_angles (TlScanDraft *draft, const char *name, GError **error)
{
  size_t n = draft->frames->n_frames;
  if (draft->steps != NULL && draft->n_angles == n)
    tl_scan_draft_note (draft,
                        _ ("%s has one angle for each projection that is "
                           "there: they are used in this order"),
                        draft->angles_source);
  if (draft->steps != NULL && draft->n_angles == draft->n_steps)
    {
      note_numbered (draft);
      for (size_t i = 0; i < n; i++)
        draft->angles_deg[i] = draft->angles_deg[draft->steps[i]];
      draft->n_angles = n;
    }
  if (draft->n_angles != n && !tl_scan_draft_drop_still (draft, FALSE))
    return tl_fail_with_hint (
        error, TL_ERROR_ANGLES,
        _ ("or give --angles FIRST:LAST, both included"),
        _ ("%s: %zu angles (%s) but %zu projections, so that "
           "it is unknown which belong together; correct the list"),
        name, draft->n_angles, draft->angles_source, n);
  return TRUE;
}

/* Returns: how many degrees @unit is; 0 if it is unknown */
static double
find_degrees (const char *unit)
{
  static const struct
  {
    const char *name;
    double degrees;
  } units[] = {
    { "degrees", 1 },
    { "degree", 1 },
    { "degs", 1 },
    { "deg", 1 },
    { "\302\260", 1 },
    { "radians", 180 / G_PI },
    { "radian", 180 / G_PI },
    { "rads", 180 / G_PI },
    { "rad", 180 / G_PI },
    { "milliradians", 0.18 / G_PI },
    { "milliradian", 0.18 / G_PI },
    { "mrads", 0.18 / G_PI },
    { "mrad", 0.18 / G_PI },
    { "turns", 360 },
    { "turn", 360 },
    { "revolutions", 360 },
    { "revolution", 360 },
    { "revs", 360 },
    { "rev", 360 },
  };
  g_autofree char *lower = g_utf8_strdown (unit, -1);
  g_strstrip (lower);
  for (size_t i = 0; i < G_N_ELEMENTS (units); i++)
    if (strcmp (lower, units[i].name) == 0)
      return units[i].degrees;
  return 0;
}

/* Adds a note that needs the user's attention, and says how to give other
 * angles. @text: taken */
static void
ask_for_angles (TlScanDraft *draft, char *text)
{
  tl_scan_draft_ask (
      draft, _ ("give --angles FIRST:LAST, both included, if that is wrong"),
      _ ("type the first and the last one into “Angles”, if that is wrong"),
      "%s", text);
  g_free (text);
}

/* Missing angles are not finite, and do not count. */
static double
find_largest (const TlScanDraft *draft)
{
  double largest = 0;
  for (size_t i = 0; i < draft->n_angles; i++)
    if (isfinite (draft->angles_deg[i]))
      largest = MAX (largest, fabs (draft->angles_deg[i]));
  return largest;
}

static gboolean
look_like_radians (double largest)
{
  return largest <= 2 * G_PI * (1 + 1e-6);
}

/* Warns if angles that nobody says are in degrees seem not to be. Equal
 * angles tell nothing. */
static void
check_degrees (TlScanDraft *draft)
{
  const double largest = find_largest (draft);
  if (largest > 0 && look_like_radians (largest)
      && median_step (draft->angles_deg, draft->n_angles) > 0)
    ask_for_angles (draft,
                    g_strdup_printf (_ ("the angles are taken as degrees, but "
                                        "look like radians, because the "
                                        "largest is %g"),
                                     largest));
}

/* Warns if angles that are said to be in degrees are just those of half a turn
 * or a turn in radians. */
static void
check_unit (TlScanDraft *draft)
{
  double lowest = INFINITY, highest = -INFINITY;
  size_t n = 0;
  for (size_t i = 0; i < draft->n_angles; i++)
    if (isfinite (draft->angles_deg[i]))
      {
        lowest = MIN (lowest, draft->angles_deg[i]);
        highest = MAX (highest, draft->angles_deg[i]);
        n++;
      }
  const double range = highest - lowest;
  const double most = MAX (SAME_RANGE * range, 1.5 * range / (double)n);
  if (n >= MIN_IN_RANGE
      && (fabs (range - G_PI) <= most || fabs (range - 2 * G_PI) <= most))
    ask_for_angles (draft,
                    g_strdup_printf (_ ("the angles are in degrees according "
                                        "to their unit, but look like radians, "
                                        "because they cover %g"),
                                     range));
}

gboolean
tl_scan_draft_load_angles (TlScanDraft *draft, const char *path, GError **error)
{
  g_free (draft->angles_deg);
  draft->angles_deg = tl_angles_load (path, FALSE, &draft->n_angles, error);
  if (draft->angles_deg == NULL)
    return FALSE;
  set_source (draft, tl_path_dup_name (path));
  check_degrees (draft);
  return TRUE;
}

/* Warns if angles in radians seem to be degrees. */
static void
check_radians (TlScanDraft *draft)
{
  const double largest = find_largest (draft);
  if (largest >= 90 && largest <= 360 * (1 + 1e-6))
    ask_for_angles (draft,
                    g_strdup_printf (_ ("the angles are taken as radians, but "
                                        "look like degrees, because the "
                                        "largest is %g"),
                                     largest));
}

/* The angles have no unit, or one that is unknown. Returns: as how many degrees
 * each counts; with a note that says so */
static double
assume_degrees (TlScanDraft *draft, const char *unit, const char *usual)
{
  const double largest = find_largest (draft);
  const double degrees = usual != NULL                 ? find_degrees (usual)
                         : look_like_radians (largest) ? 180 / G_PI
                                                       : 1;
  if (unit != NULL)
    ask_for_angles (
        draft,
        g_strdup_printf (
            degrees == 1
                ? _ ("the unit of the angles, %s, is unknown: taken as degrees")
                : _ (
                    "the unit of the angles, %s, is unknown: taken as radians"),
            unit));
  else if (usual == NULL)
    tl_scan_draft_note (
        draft,
        degrees == 1
            ? _ ("the angles have no unit and are taken as degrees, because "
                 "the largest is %g")
            : _ ("the angles have no unit and are taken as radians, because "
                 "the largest is %g"),
        largest);
  if (degrees == 1 && unit == NULL)
    check_degrees (draft);
  return degrees;
}

void
tl_scan_draft_take_angle_unit (TlScanDraft *draft, const char *place,
                               const char *unit, const char *usual)
{
  if (unit != NULL && *unit == '\0')
    unit = NULL;
  const double known = unit != NULL ? find_degrees (unit) : 0;
  const double degrees =
      known > 0 ? known : assume_degrees (draft, unit, usual);
  const gboolean is_guessed = unit == NULL && usual == NULL;
  if (degrees > 1 && degrees < 360)
    check_radians (draft);
  if (known == 1)
    check_unit (draft);
  for (size_t i = 0; degrees != 1 && i < draft->n_angles; i++)
    draft->angles_deg[i] *= degrees;
  set_source (draft,
              g_strdup_printf (
                  degrees == 1 ? is_guessed ? _ ("%s (no unit is given)") : "%s"
                  : degrees < 1    ? _ ("%s, in milliradians")
                  : degrees == 360 ? _ ("%s, in turns")
                  : is_guessed     ? _ ("%s, in radians (no unit is given)")
                                   : _ ("%s, in radians"),
                  place));
}

/* No angles have been found. */
static void
ask_for_missing (TlScanDraft *draft)
{
  static const char assumed[] = N_ ("no angles found: 0 to 180 degrees in "
                                    "equal steps are assumed, end point "
                                    "excluded");
  if (draft->angle_places == NULL)
    {
      ask_for_angles (draft, g_strdup (_ (assumed)));
      return;
    }
  g_autofree char *on_line = g_strdup_printf (
      _ ("give --angles FIRST:LAST, both included, --angles-file FILE or "
         "--angles-path PATH, if that is wrong; the angles may be in %s"),
      draft->angle_places);
  g_autofree char *in_window = g_strdup_printf (
      _ ("if that is wrong, type the first and the last one into “Angles”, or "
         "choose with “Other Dataset or Scan” in the menu where the angles "
         "are: perhaps %s"),
      draft->angle_places);
  tl_scan_draft_ask (draft, on_line, in_window, "%s", _ (assumed));
}

gboolean
tl_scan_draft_settle_angles (TlScanDraft *draft, const char *name,
                             const TlReaderOptions *options, GError **error)
{
  if (options->has_angles)
    {
      const double *ends = options->angles_deg;
      if (!isfinite (ends[0]) || !isfinite (ends[1]))
        return tl_fail (error, TL_ERROR_VALUE,
                        _ ("%s: the angles given are not numbers"), name);
      if (!spread_angles (draft, ends[0], ends[1], TRUE, error))
        return FALSE;
      set_source (draft, g_strdup_printf (
                             _ ("given: %g to %g degrees, both ends included"),
                             ends[0], ends[1]));
      return TRUE;
    }
  if (options->angles_file != NULL
      && !tl_scan_draft_load_angles (draft, options->angles_file, error))
    return FALSE;
  if (draft->angles_deg != NULL)
    return fit_angles (draft, name, error);
  if (!spread_angles (draft, 0, 180, FALSE, error))
    return FALSE;
  set_source (draft,
              g_strdup (_ ("assumed: 0 to 180 degrees, end point excluded")));
  ask_for_missing (draft);
  return TRUE;
}

static void
note_gap (TlScanDraft *draft)
{
  const double to_rad = G_PI / 180;
  g_autofree double *angles_rad = g_new (double, draft->n_angles);
  double from_rad = 0;
  for (size_t i = 0; i < draft->n_angles; i++)
    angles_rad[i] = draft->angles_deg[i] * to_rad;
  const double gap_rad =
      tl_angles_find_gap (angles_rad, draft->n_angles, &from_rad);
  if (gap_rad > 0)
    tl_scan_draft_note (draft,
                        _ ("no projection is between %.6g and %.6g degrees: "
                           "a gap of more than 5 degrees, which leaves "
                           "streaks in the slices"),
                        from_rad / to_rad, (from_rad + gap_rad) / to_rad);
}

/* @step: between two projections, degrees. Says that the angles cover @range
 * degrees, less than half a turn. A narrow wedge is none, because
 * tl_angle_weights() gives it to the projections at its ends. */
static void
note_short (TlScanDraft *draft, double range, double step)
{
  const double wedge = 180 - range;
  const double more = MAX (rint (wedge / step) - 1, 1);
  if ((wedge > TL_WIDE_GAP_DEG && wedge > TL_WIDE_GAP_STEPS * step)
      || more > TL_MAX_FRAMES) /* most angles are nearly the same */
    tl_scan_draft_note (draft,
                        _ ("the angles cover %.6g degrees: a wedge of %.6g "
                           "degrees is missing"),
                        range, wedge);
  else
    tl_scan_draft_note (
        draft,
        g_dngettext (NULL,
                     "the angles cover %.6g degrees: half a turn needs %lu "
                     "more projection",
                     "the angles cover %.6g degrees: half a turn needs %lu "
                     "more projections",
                     (gulong)more),
        range, (gulong)more);
}

/* @low, @high: (out): the ends. Returns: the median step between neighbours in
 * angle, in whatever order they were taken; 0 if all angles are the same */
static double
measure_sorted (const double *angles, size_t n, double *low, double *high)
{
  g_autofree double *sorted = g_new (double, n);
  size_t n_sorted = 0;
  for (size_t i = 0; i < n; i++)
    if (isfinite (angles[i]))
      sorted[n_sorted++] = angles[i];
  *low = *high = NAN;
  if (n_sorted == 0)
    return 0;
  tl_sort_doubles (sorted, n_sorted);
  *low = sorted[0];
  *high = sorted[n_sorted - 1];
  return median_step (sorted, n_sorted);
}

void
tl_scan_draft_note_angles (TlScanDraft *draft)
{
  const double *a = draft->angles_deg;
  size_t n = draft->n_angles;
  if (draft->weights != NULL) /* more will come */
    return;
  if (n < 3)
    {
      tl_scan_draft_note (
          draft,
          g_dngettext (NULL, "%zu projection only", "%zu projections only", n),
          n);
      return;
    }
  const double step_in_time = median_step (a, n);
  gboolean rises = FALSE, falls = FALSE;
  for (size_t i = 1; i < n; i++)
    {
      rises |= a[i] - a[i - 1] > STILL_STEPS * step_in_time;
      falls |= a[i - 1] - a[i] > STILL_STEPS * step_in_time;
    }
  double low, high;
  const double step = measure_sorted (a, n, &low, &high);
  const double range = high - low;
  if (rises && falls)
    tl_scan_draft_note (draft, _ ("the angles are not in order"));
  if (step == 0)
    ask_for_angles (draft,
                    g_strdup_printf (_ ("all projections have the same angle, "
                                        "%g degrees, so that slices show "
                                        "nothing of the sample"),
                                     a[0]));
  else if (range > MAX_TURNS * 360)
    ask_for_angles (draft,
                    g_strdup_printf (_ ("the angles go from %.10g to %.10g "
                                        "degrees, %.0f turns, as if they were "
                                        "in another unit"),
                                     low, high, range / 360));
  else if (fabs (range - 180) < 0.25 * step)
    tl_scan_draft_note (
        draft, rises && falls
                   ? _ ("the projection with the largest angle is 180 degrees "
                        "from that with the smallest: if the angles are right, "
                        "it is its mirror image")
                   : _ ("the last projection is 180 degrees from the first: if "
                        "the angles are right, it is its mirror image"));
  else if (fabs (range - 360) < 0.25 * step)
    tl_scan_draft_note (
        draft, rises && falls
                   ? _ ("the projection with the largest angle is 360 degrees "
                        "from that with the smallest: if the angles are right, "
                        "it repeats it")
                   : _ ("the last projection is 360 degrees from the first: if "
                        "the angles are right, it repeats it"));
  else if (range < 180 - 1.5 * step)
    note_short (draft, range, rises && falls ? range / (double)(n - 1) : step);
  else if (fabs (range + step - 180) > step && fabs (range + step - 360) > step)
    tl_scan_draft_note (draft,
                        _ ("the angles cover %.6g degrees, neither half a turn "
                           "nor a whole one"),
                        range);
  note_gap (draft);
}

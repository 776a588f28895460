#include "data/follow/check.h"

#include "data/array.h"
#include "data/read/scan/frame-ranges.h"

#include <glib/gi18n.h>
#include <math.h>

/* Samples that are looked at in a frame, at equal distances. */
#define MAX_SAMPLES 512

/* The brightness is that of the pixels beside the sample, so that it does not
 * depend on the sample's shape: so many samples are darker. */
#define BRIGHT_PART 0.9

/* A lost beam leaves less than this part of the usual brightness, which follows
 * a sample that turns into the beam by this part of each change. */
#define LOST_PART 0.1
#define FOLLOWED_PART 0.1

/* A dark field with more than this part of the beam of a flat field was taken
 * with an open shutter. */
#define LIGHT_PART 0.5

/* There has been a beam if it adds at least this part to the dark counts. */
#define LEAST_PART 0.1

/* So many projections make the usual brightness. */
#define MIN_PROJECTIONS 3

/* Whatever is brighter than so many times the usual is followed as if it were
 * just that bright, so that one wrong projection changes little. */
#define MOST_TIMES 2

/* More samples than this part at the highest count are no bad pixels. */
#define SATURATED_PART 0.01

/* Detectors of at least so many bits stop at all of them set. Counts may come
 * as floats, as TomoPackets have them. */
#define MIN_BITS 7

struct TlFollowCheck
{
  TlSampleType type;
  size_t n_all, n; /* samples of a frame, and of those that are looked at */
  gboolean is_attenuation;
  gboolean are_counts;
  gboolean is_told[TL_N_FRAME_KINDS]; /* that this kind is saturated */
  double dark, flat; /* brightness of the newest field; 0: none has come */
  double first[MIN_PROJECTIONS]; /* of the first projections */
  double usual;                  /* of the projections with a beam */
  size_t n_usual;                /* of how many projections */
  size_t n_lost;      /* projections since the beam was lost; 0: it is there */
  gboolean was_blank; /* the projection before was */
  char *beamless;     /* as of tl_follow_check_get_beamless() */
  double values[MAX_SAMPLES];
};

TlFollowCheck *
tl_follow_check_new (const TlStreamScan *scan)
{
  TlFollowCheck *check = g_new0 (TlFollowCheck, 1);
  check->type = scan->type;
  check->n_all = scan->n_rows * scan->n_cols;
  check->n = MIN (check->n_all, MAX_SAMPLES);
  check->is_attenuation = scan->is_attenuation;
  check->are_counts = scan->are_counts || !tl_sample_is_float (scan->type);
  check->beamless = g_strdup ("");
  return check;
}

void
tl_follow_check_free (TlFollowCheck *check)
{
  if (check == NULL)
    return;
  g_free (check->beamless);
  g_free (check);
}

/* Sorts the samples that are looked at. Returns: whether they are numbers */
static gboolean
take_samples (TlFollowCheck *check, const char *pixels)
{
  const size_t size = tl_sample_size (check->type);
  for (size_t k = 0; k < check->n; k++)
    {
      tl_samples_to_double (check->type,
                            pixels + k * check->n_all / check->n * size, 1,
                            &check->values[k]);
      if (!isfinite (check->values[k]))
        return FALSE;
    }
  tl_sort_doubles (check->values, check->n);
  return TRUE;
}

static double
get_bright (const TlFollowCheck *check)
{
  return check->values[(size_t)(BRIGHT_PART * (double)(check->n - 1))];
}

/* Returns: which part of all pixels of the frame has the value */
static double
measure_part (const TlFollowCheck *check, const char *pixels, double value)
{
  const size_t size = tl_sample_size (check->type);
  double some[MAX_SAMPLES];
  size_t n = 0;
  for (size_t k = 0; k < check->n_all; k += MAX_SAMPLES)
    {
      const size_t n_some = MIN (check->n_all - k, MAX_SAMPLES);
      tl_samples_to_double (check->type, pixels + k * size, n_some, some);
      for (size_t i = 0; i < n_some; i++)
        n += some[i] == value;
    }
  return (double)n / (double)check->n_all;
}

/* Returns: (transfer full) (nullable) */
static char *
find_saturation (TlFollowCheck *check, const TlStreamEvent *event)
{
  static const char *const texts[TL_N_FRAME_KINDS] = {
    [TL_FRAMES_PROJECTIONS] =
        N_ ("%.3g %% of the pixels of projection %zu are at the highest "
            "count, %.0f: with a shorter exposure they would show the sample"),
    [TL_FRAMES_FLATS] = N_ ("%.3g %% of the pixels of flat field %zu are at "
                            "the highest count, %.0f: the slices need flat "
                            "fields with a shorter exposure"),
    [TL_FRAMES_DARKS] = N_ ("%.3g %% of the pixels of dark field %zu are at "
                            "the highest count, %.0f: the beam may be on"),
  };
  const double most = check->values[check->n - 1];
  const gboolean is_limit =
      most + 1 >= 1 << MIN_BITS && fmod (log2 (most + 1), 1) == 0;
  size_t n = 0;
  while (n < check->n && check->values[check->n - 1 - n] == most)
    n++;
  const TlFrameKind kind = event->kind;
  if (check->is_told[kind] || !is_limit
      || (double)n < SATURATED_PART * (double)check->n)
    return NULL;
  check->is_told[kind] = TRUE;
  return g_strdup_printf (_ (texts[kind]),
                          100 * measure_part (check, event->pixels, most),
                          event->number, most);
}

static void
add_beamless (TlFollowCheck *check, size_t number)
{
  g_autofree char *before = check->beamless;
  g_autofree char *one = g_strdup_printf ("%zu", number);
  check->beamless = tl_frame_ranges_join (before, one);
}

/* Keeps the brightness of a projection with a beam. */
static void
follow_bright (TlFollowCheck *check, double bright)
{
  const double light = check->usual - check->dark;
  if (check->n_usual < MIN_PROJECTIONS)
    {
      check->first[check->n_usual++] = bright;
      if (check->n_usual == MIN_PROJECTIONS)
        {
          tl_sort_doubles (check->first, MIN_PROJECTIONS);
          check->usual = check->first[MIN_PROJECTIONS / 2];
        }
      return;
    }
  const double taken = light > LEAST_PART * check->dark
                           ? MIN (bright, check->dark + MOST_TIMES * light)
                           : bright;
  check->usual += FOLLOWED_PART * (taken - check->usual);
}

/* Returns: (transfer full) (nullable) */
static char *
follow_beam (TlFollowCheck *check, size_t number, double bright)
{
  const double light = check->usual - check->dark;
  if (check->n_usual >= MIN_PROJECTIONS && light > LEAST_PART * check->dark
      && bright - check->dark < LOST_PART * light)
    {
      add_beamless (check, number);
      return check->n_lost++ > 0
                 ? NULL
                 : g_strdup_printf (_ ("projection %zu is as dark as without a "
                                       "beam"),
                                    number);
    }
  const size_t n_lost = check->n_lost;
  check->n_lost = 0;
  follow_bright (check, bright);
  return n_lost == 0
             ? NULL
             : g_strdup_printf (
                 g_dngettext (NULL,
                              "the beam is back at projection %2$zu; %1$zu "
                              "projection before it has none",
                              "the beam is back at projection %2$zu; %1$zu "
                              "projections before it have none",
                              n_lost),
                 n_lost, number);
}

/* Returns: (transfer full) (nullable): for the first of several */
static char *
find_blank (TlFollowCheck *check, const TlStreamEvent *event, gboolean is_blank)
{
  const gboolean was_blank = check->was_blank;
  check->was_blank = is_blank;
  return was_blank || !is_blank
             ? NULL
             : g_strdup_printf (_ ("projection %zu has no sample that is a "
                                   "number, and is left out"),
                                event->number);
}

char *
tl_follow_check_refuse (TlFollowCheck *check, const TlStreamEvent *event)
{
  g_return_val_if_fail (check != NULL && event->pixels != NULL, NULL);
  g_return_val_if_fail (event->kind != TL_FRAMES_PROJECTIONS, NULL);
  const double light = check->flat - check->dark;
  if (check->dark == 0 || light <= LEAST_PART * check->dark
      || !take_samples (check, event->pixels))
    return NULL;
  const double part = (get_bright (check) - check->dark) / light;
  if (event->kind == TL_FRAMES_FLATS && part < LOST_PART)
    return g_strdup_printf (_ ("flat field %zu is as dark as without a beam, "
                               "and is left out of the mean"),
                            event->number);
  if (event->kind == TL_FRAMES_DARKS && part > LIGHT_PART)
    return g_strdup_printf (_ ("dark field %zu is as bright as with a beam, "
                               "and is left out of the mean"),
                            event->number);
  return NULL;
}

char *
tl_follow_check_take (TlFollowCheck *check, const TlStreamEvent *event,
                      gboolean is_blank)
{
  g_return_val_if_fail (check != NULL && event->pixels != NULL, NULL);
  char *blank = event->kind == TL_FRAMES_PROJECTIONS
                    ? find_blank (check, event, is_blank)
                    : NULL;
  if (blank != NULL)
    return blank;
  if (check->is_attenuation || !take_samples (check, event->pixels))
    return NULL;
  const double bright = get_bright (check);
  if (event->kind == TL_FRAMES_DARKS)
    check->dark = bright;
  else if (event->kind == TL_FRAMES_FLATS)
    check->flat = bright;
  char *text = find_saturation (check, event);
  if (text != NULL || event->kind != TL_FRAMES_PROJECTIONS)
    return text;
  /* Floats without flats may be attenuations, which are low in the beam. */
  return check->are_counts || check->flat != 0
             ? follow_beam (check, event->number, bright)
             : NULL;
}

const char *
tl_follow_check_get_beamless (const TlFollowCheck *check)
{
  return check->beamless;
}

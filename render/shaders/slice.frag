// Draws one slice, or a combination of two: the mean of the picture under each screen
// pixel, window and level, colour map.

uniform highp sampler2D picture; // one channel, not normalised
uniform sampler2D colours;       // the colour map, one row

uniform vec2 footprint; // picture pixels covered by one screen pixel
uniform int taps;       // samples along each side of the footprint; 1 when zoomed in
uniform vec2 window;    // lower end, 1 / width
uniform vec4 outside;   // colour beyond the picture and of NaN

uniform highp sampler2D second; // the second picture, likewise
uniform vec2 onto_place; // position in the second picture of the picture's pixel 0, 0
uniform mat2 onto_turn;  // from the picture's columns and rows to those of the second
uniform int second_taps; // as taps, for the second picture; 0: no second picture
uniform bool is_smooth;  // interpolate between pixels of the second picture
uniform int combine;     // the order of TlSliceCombine

const int LESS = 0;
const int MORE = 1;
const int MEAN = 2;
const int RED_CYAN = 3;

in vec2 place;
out vec4 colour;

// Mean of the area extent around middle. False if the area has no valid sample.
bool
find_mean (highp sampler2D of, vec2 middle, vec2 extent, int n_taps,
           out float mean)
{
  ivec2 size = textureSize (of, 0);
  // Here pixel k reaches from k to k + 1: add the half, once.
  vec2 corner = middle + 0.5 - 0.5 * extent;
  vec2 pitch = extent / float (n_taps);
  float sum = 0.0;
  float n = 0.0;

  for (int j = 0; j < n_taps; j++)
    for (int i = 0; i < n_taps; i++)
      {
        vec2 at = floor (corner + (vec2 (float (i), float (j)) + 0.5) * pitch);
        ivec2 texel = ivec2 (at);

        if (any (lessThan (texel, ivec2 (0)))
            || any (greaterThanEqual (texel, size)))
          continue;
        float value = texelFetch (of, texel, 0).r;
        if (isnan (value) || isinf (value))
          continue;
        sum += value;
        n += 1.0;
      }

  mean = sum / n;
  return n > 0.0;
}

vec4
find_cubic_weights (float f)
{
  return vec4 (((-0.5 * f + 1.0) * f - 0.5) * f,
               (1.5 * f - 2.5) * f * f + 1.0,
               ((-1.5 * f + 2.0) * f + 0.5) * f,
               (0.5 * f - 0.5) * f * f);
}

// Interpolates in the second picture. @reach: samples to either side: 2 cubic, 1 linear.
// False outside; within half a pixel of the edge the outermost samples are repeated.
bool
read_between (vec2 at, int reach, out float value)
{
  ivec2 size = textureSize (second, 0);
  vec2 first = floor (at);
  vec2 f = at - first;
  vec4 across = vec4 (0.0, 1.0 - f.x, f.x, 0.0);
  vec4 down = vec4 (0.0, 1.0 - f.y, f.y, 0.0);

  value = 0.0;
  if (any (lessThan (at, vec2 (-0.5)))
      || any (greaterThan (at, vec2 (size) - 0.5)))
    return false;
  if (reach > 1)
    {
      across = find_cubic_weights (f.x);
      down = find_cubic_weights (f.y);
    }
  for (int j = 2 - reach; j < 2 + reach; j++)
    for (int i = 2 - reach; i < 2 + reach; i++)
      value += across[i] * down[j]
               * texelFetch (second,
                             clamp (ivec2 (first) + ivec2 (i, j) - 1,
                                    ivec2 (0), size - 1),
                             0)
                     .r;
  return !isnan (value) && !isinf (value);
}

// As find_mean(), but interpolates in the second picture.
bool
find_smooth_mean (vec2 middle, vec2 extent, out float mean)
{
  vec2 pitch = extent / float (taps);
  float sum = 0.0;
  float n = 0.0;

  for (int j = 0; j < taps; j++)
    for (int i = 0; i < taps; i++)
      {
        vec2 at = middle - 0.5 * extent
                  + (vec2 (float (i), float (j)) + 0.5) * pitch;
        float value;

        if (!read_between (onto_place + onto_turn * at, taps > 1 ? 1 : 2,
                           value))
          continue;
        sum += value;
        n += 1.0;
      }

  mean = sum / n;
  return n > 0.0;
}

bool
find_second (vec2 middle, vec2 extent, out float mean)
{
  return is_smooth ? find_smooth_mean (middle, extent, mean)
                   : find_mean (second, onto_place + onto_turn * middle,
                                extent * onto_turn[0][0], second_taps, mean);
}

float
apply_window (float value)
{
  return clamp ((value - window.x) * window.y, 0.0, 1.0);
}

void
main ()
{
  vec2 middle = place;
  vec2 extent = footprint;
  float value;
  float other = 0.0;

  // When zoomed in, combine whole pixels: the one at the screen pixel's centre.
  if (second_taps > 0 && taps == 1)
    {
      middle = floor (place + 0.5);
      extent = vec2 (1.0);
    }
  if (!find_mean (picture, middle, extent, taps, value)
      || (second_taps > 0 && !find_second (middle, extent, other)))
    {
      colour = outside;
      return;
    }
  if (second_taps > 0 && combine == RED_CYAN)
    {
      colour = vec4 (apply_window (value), vec2 (apply_window (other)), 1.0);
      return;
    }
  if (second_taps > 0)
    value = combine == LESS   ? value - other
            : combine == MORE ? other - value
            : combine == MEAN ? 0.5 * (value + other)
                              : other;

  int last = textureSize (colours, 0).x - 1;
  float t = apply_window (value) * float (last);
  int below = int (t);
  colour = mix (texelFetch (colours, ivec2 (below, 0), 0),
                texelFetch (colours, ivec2 (min (below + 1, last), 0), 0),
                t - float (below));
}

// One slice, or one less another: the mean of the picture under each screen
// pixel, window and level, colour map.

uniform highp sampler2D picture; // one channel, not normalised
uniform sampler2D colours;       // the colour map, one row

uniform vec2 footprint; // picture pixels that one screen pixel covers
uniform int taps;       // samples along each side of it; 1 when zoomed in
uniform vec2 window;    // lower end, 1 / width
uniform vec4 outside;   // beyond the picture, and where it is not a number

uniform highp sampler2D less; // what is taken off
uniform vec3 onto_less;       // from places of the picture to its: place, pitch
uniform int less_taps;        // as taps; 0: nothing is taken off

in vec2 place;
out vec4 colour;

// Of one that covers extent about middle. False where there is nothing.
bool
find_mean (highp sampler2D of, vec2 middle, vec2 extent, int n_taps,
           out float mean)
{
  ivec2 size = textureSize (of, 0);
  // pixel k reaches from k to k + 1 here: the half is added once, now
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

void
main ()
{
  vec2 middle = place;
  vec2 extent = footprint;
  float value;
  float taken = 0.0;

  // both of the same pixels: all of the one that the screen's lies in
  if (less_taps > 0 && taps == 1)
    {
      middle = floor (place + 0.5);
      extent = vec2 (1.0);
    }
  if (!find_mean (picture, middle, extent, taps, value)
      || (less_taps > 0
          && !find_mean (less, onto_less.xy + middle * onto_less.z,
                         extent * onto_less.z, less_taps, taken)))
    {
      colour = outside;
      return;
    }

  int last = textureSize (colours, 0).x - 1;
  float t = clamp ((value - taken - window.x) * window.y, 0.0, 1.0) * float (last);
  int below = int (t);
  colour = mix (texelFetch (colours, ivec2 (below, 0), 0),
                texelFetch (colours, ivec2 (min (below + 1, last), 0), 0),
                t - float (below));
}

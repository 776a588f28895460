// One slice: the mean of the picture under each screen pixel, window and level,
// colour map.

uniform highp sampler2D picture; // one channel, not normalised
uniform sampler2D colours;       // the colour map, one row

uniform vec2 footprint; // picture pixels that one screen pixel covers
uniform int taps;       // samples along each side of it; 1 when zoomed in
uniform vec2 window;    // lower end, 1 / width
uniform vec4 outside;   // beyond the picture, and where it is not a number

in vec2 place;
out vec4 colour;

void
main ()
{
  ivec2 size = textureSize (picture, 0);
  // pixel k reaches from k to k + 1 here: the half is added once, now
  vec2 corner = place + 0.5 - 0.5 * footprint;
  vec2 pitch = footprint / float (taps);
  float sum = 0.0;
  float n = 0.0;

  for (int j = 0; j < taps; j++)
    for (int i = 0; i < taps; i++)
      {
        vec2 at = floor (corner + (vec2 (float (i), float (j)) + 0.5) * pitch);
        ivec2 texel = ivec2 (at);

        if (any (lessThan (texel, ivec2 (0)))
            || any (greaterThanEqual (texel, size)))
          continue;
        float value = texelFetch (picture, texel, 0).r;
        if (isnan (value) || isinf (value))
          continue;
        sum += value;
        n += 1.0;
      }

  if (n == 0.0)
    {
      colour = outside;
      return;
    }

  int last = textureSize (colours, 0).x - 1;
  float t = clamp ((sum / n - window.x) * window.y, 0.0, 1.0) * float (last);
  int below = int (t);
  colour = mix (texelFetch (colours, ivec2 (below, 0), 0),
                texelFetch (colours, ivec2 (min (below + 1, last), 0), 0),
                t - float (below));
}

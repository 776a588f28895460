// Casts a ray through a volume for each pixel, from front to back.

uniform highp sampler3D volume;   // values as parts, 0 … 1, of its range
uniform vec3 circle;         // column, row, square of the radius: nothing is beyond it
uniform highp sampler2D transfer; // one row: extinction per voxel for values in table
uniform highp sampler2D colours;  // the colour map, one row

uniform vec2 middle;         // pixels of the picture from its left upper corner to place 0
uniform float pixel;         // size of a pixel, in units of place
uniform vec3 start, start_x, start_y; // the rays: render/look/volume-camera.h
uniform vec3 ahead, ahead_x, ahead_y;
uniform vec4 sides[10];      // what is kept: dot (xyz, position) up to w
uniform int n_sides;
uniform float step_voxels;   // from one sample of a ray to the next
uniform bool jitters;        // the first sample of each ray lies anywhere in its first step
uniform int way;             // the order of TlVolumeWay
uniform vec2 window;         // lower end, 1 / width, of the colours
uniform vec2 table;          // the same of transfer
uniform float threshold;     // of the surface
uniform vec4 outside;        // what is seen behind the volume

const int EMISSION = 0;
const int MAXIMUM = 1;

// Less light than this comes through and is left out: half a level of 255.
const float LEAST_LIGHT = 0.002;

// Less than any value, and small enough to be squared.
const float NOTHING = -1e9;

// A surface is found to a step / 2^8.
const int N_HALVINGS = 8;

// The part of the colour map that a surface has.
const float SURFACE = 0.8;

in vec2 place; // of the pixel from the middle of the picture, to the right and down
out vec4 colour;

vec3 origin, along; // the ray of this pixel; along has length 1

// Returns: a number from 0 to 1 that differs from pixel to pixel
float
find_jitter ()
{
  uvec2 at = uvec2 (floor (place / pixel + middle));
  uint bits = (at.x * 0x9E3779B1u) ^ (at.y * 0x85EBCA77u);

  bits = (bits ^ (bits >> 15)) * 0x2C1B3C6Du;
  bits = (bits ^ (bits >> 12)) * 0x297A2D39u;
  bits ^= bits >> 15;
  return float (bits >> 8) / 16777216.0;
}

// The part of the ray that is kept. False if nothing is.
bool
find_part (out float from, out float to)
{
  from = 0.0;
  to = 1e30;
  for (int k = 0; k < n_sides; k++)
    {
      float gap = sides[k].w - dot (sides[k].xyz, origin);
      float pace = dot (sides[k].xyz, along);

      if (abs (pace) < 1e-9)
        to = gap < 0.0 ? -1.0 : to;
      else if (pace > 0.0)
        to = min (to, gap / pace);
      else
        from = max (from, gap / pace);
    }
  return from < to;
}

float
read (vec3 position)
{
  vec2 away = position.xy - circle.xy;

  if (dot (away, away) > circle.z)
    return NOTHING;
  // In the texture voxel k reaches from k to k + 1: add the half, once.
  return texture (volume, (position + 0.5) / vec3 (textureSize (volume, 0))).r;
}

// @part: of the row, from 0 to 1
vec4
look_up (highp sampler2D row, float part)
{
  int last = textureSize (row, 0).x - 1;
  float t = clamp (part, 0.0, 1.0) * float (last);
  int below = int (t);

  return mix (texelFetch (row, ivec2 (below, 0), 0),
              texelFetch (row, ivec2 (min (below + 1, last), 0), 0),
              t - float (below));
}

// The colour that the window has for a value.
vec3
find_colour (float value)
{
  return look_up (colours, (value - window.x) * window.y).rgb;
}

vec4
see_fog (float first, float n)
{
  vec3 sum = vec3 (0.0);
  float light = 1.0;

  for (float k = 0.0; k < n && light > LEAST_LIGHT; k++)
    {
      float value = read (origin + (first + k * step_voxels) * along);
      float extinction = look_up (transfer, (value - table.x) * table.y).r;

      if (extinction > 0.0)
        {
          float through = exp (-extinction * step_voxels);

          sum += light * (1.0 - through) * find_colour (value);
          light *= through;
        }
    }
  return vec4 (sum, 1.0 - light) + light * outside;
}

vec4
see_maximum (float first, float n)
{
  float most = -1e30;
  float enough = window.x + 1.0 / window.y; // has the last colour

  for (float k = 0.0; k < n && most < enough; k++)
    most = max (most, read (origin + (first + k * step_voxels) * along));
  return n > 0.0 ? vec4 (find_colour (most), 1.0) : outside;
}

// Light from the viewer's upper left, and a little from the viewer.
vec4
shade (vec3 position)
{
  vec3 slope = vec3 (read (position + vec3 (1, 0, 0)) - read (position - vec3 (1, 0, 0)),
                     read (position + vec3 (0, 1, 0)) - read (position - vec3 (0, 1, 0)),
                     read (position + vec3 (0, 0, 1)) - read (position - vec3 (0, 0, 1)));
  vec3 normal = length (slope) > 1e-12 ? -normalize (slope) : -along;
  vec3 light = normalize (-along - 0.5 * normalize (start_x + ahead_x)
                          - 0.5 * normalize (start_y + ahead_y));
  float shine = max (dot (normal, light), 0.0);
  float facing = max (dot (normal, -along), 0.0);

  return vec4 (min (look_up (colours, SURFACE).rgb * (0.15 + 0.2 * facing + 0.6 * shine)
                        + 0.15 * pow (shine, 20.0), 1.0), 1.0);
}

// The search and the light come after the loop: OpenGL in software runs what is in a
// branch for each step, even if no ray takes it.
vec4
see_surface (float from, float first, float n)
{
  float before = from;
  float at = from;
  float value = read (origin + from * along);
  bool is_cut = value >= threshold;
  bool is_found = is_cut;

  for (float k = 0.0; k < n && !is_found; k++)
    {
      before = at;
      at = first + k * step_voxels;
      is_found = read (origin + at * along) >= threshold;
    }
  if (!is_found)
    return outside;
  // A body that is cut open shows its values.
  if (is_cut)
    return vec4 (find_colour (value), 1.0);
  for (int i = 0; i < N_HALVINGS; i++)
    {
      float half_way = 0.5 * (before + at);

      if (read (origin + half_way * along) >= threshold)
        at = half_way;
      else
        before = half_way;
    }
  return shade (origin + at * along);
}

void
main ()
{
  float from, to;

  origin = start + place.x * start_x + place.y * start_y;
  along = normalize (ahead + place.x * ahead_x + place.y * ahead_y);
  if (!find_part (from, to))
    {
      colour = outside;
      return;
    }
  float first = from + step_voxels * (jitters ? find_jitter () : 0.5);
  float n = max (ceil ((to - first) / step_voxels), 0.0);

  colour = way == EMISSION  ? see_fog (first, n)
           : way == MAXIMUM ? see_maximum (first, n)
                            : see_surface (from, first, n);
}

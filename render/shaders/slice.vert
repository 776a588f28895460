// Two triangles over the whole viewport, without a vertex buffer.

uniform vec4 edges; // picture coordinates of the viewport's edges:
                    // left, top, right, bottom

out vec2 place;     // picture coordinates: the centre of pixel k is at k

void
main ()
{
  // right and down, 0 or 1: a strip of the four corners
  vec2 corner = vec2 (float (gl_VertexID & 1), float (gl_VertexID >> 1));

  place = mix (edges.xy, edges.zw, corner);
  // row 0 is on top, GL's y goes up
  gl_Position = vec4 (2.0 * corner.x - 1.0, 1.0 - 2.0 * corner.y, 0.0, 1.0);
}

// Covers the whole viewport with two triangles, without a vertex buffer.

uniform vec4 edges; // edges of the viewport: left, top, right, bottom. For a slice in
                    // picture coordinates, where the centre of pixel k is at k; for a
                    // volume from the middle of the picture

out vec2 place;     // the same of a pixel

void
main ()
{
  // x to the right and y down, 0 or 1: a triangle strip of the four corners
  vec2 corner = vec2 (float (gl_VertexID & 1), float (gl_VertexID >> 1));

  place = mix (edges.xy, edges.zw, corner);
  // Row 0 is at the top, but GL's y goes up.
  gl_Position = vec4 (2.0 * corner.x - 1.0, 1.0 - 2.0 * corner.y, 0.0, 1.0);
}

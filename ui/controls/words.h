/* The values of choices, as labels say them. Main thread. */
#pragma once

/** tl_control_get_words: @value: as recipes and the command line write it, such
 * as "texture-quarters". Returns: (transfer none): "Texture, quarter by
 * quarter", translated; @value itself if it is a name, or unknown */
const char *tl_control_get_words (const char *value);

/* The actions that compare two slices. */
#pragma once

#include "ui/compare/compare.h"

/**
 * tl_compare_actions_add:
 * @map: also a #GActionGroup, that is: the application
 *
 * "hold" (boolean: a slice is held as A, or will be when it is whole),
 * "compare" (string: "off", "swipe", "blink", "side-by-side" or "difference"),
 * "next-compare" (the one after it), "take-a" (its parameters), and the
 * properties of @compare: "swipe" (double), "blink-ms" (uint32), "blink-a"
 * (boolean).
 */
void tl_compare_actions_add (GActionMap *map, TlCompare *compare);

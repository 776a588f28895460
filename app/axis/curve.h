/* Where the values of a curve over the columns lie, as the map shows it. */
#pragma once

/* Columns from one value of a curve to the next; the first is at column 0. */
#define TL_AXIS_MAP_PITCH 0.5

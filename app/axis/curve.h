/* The columns of the curves that the axis map shows. */
#pragma once

/* Columns between neighbouring values of a curve; the first value is at column
 * 0. */
#define TL_AXIS_MAP_PITCH 0.5

/* The highest rates that a device reaches in micro-benchmarks. */
#pragma once

#include <glib.h>

/* Rates per second; 0: not known. Plain value. */
typedef struct
{
  double fetches;           /* interpolated texels of up to 8 bytes, cached */
  double shared_bytes;      /* read from shared memory */
  double lane_instructions; /* multiply-adds of floats */
  double clock_mhz;         /* of the multiprocessors during the measurement */
} TlCeilings;

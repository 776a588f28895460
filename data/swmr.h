/* HDF5 files that another program is writing while they are read (SWMR). */
#pragma once

/* How often HDF5 reads a piece of metadata whose checksum is wrong, because the
 * writer may be writing it at that moment. Each wait is twice the one before:
 * 0.07 s together for 26 attempts, and no end for HDF5's own 100. A damaged
 * group is asked for some 25 times, once for each place that may hold a scan.
 */
#define TL_SWMR_ATTEMPTS 26

/* HDF5 files that another program is writing while they are read (SWMR). */
#pragma once

/* How often HDF5 reads a piece of metadata whose checksum is wrong, because the
 * writer may be writing it at that moment. Each wait is twice as long as the
 * one before: 26 attempts take 0.07 s in all, and HDF5's own 100 would never
 * end. A damaged group is read some 25 times, once for each place where a scan
 * may be.
 */
#define TL_SWMR_ATTEMPTS 26

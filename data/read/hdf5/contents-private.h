/* The listing of an open file. */
#pragma once

#include "data/read/contents.h"
#include "data/read/hdf5/hdf5-private.h"

/** tl_hdf5_list_datasets: tl_contents_list_datasets() of an open file, after
 * tl_hdf5_enter(). */
GPtrArray *tl_hdf5_list_datasets (TlHdf5Id file);

/* Functions of the module in this folder, which is the CUDA engine with calls
 * of CUDA and cuFFT that can be told to fail. The test finds them by name. */
#pragma once

#include <glib.h>

/** TlCudaFaultsSet: "tl_cuda_faults_set". Lets the call of that number fail,
 * from 1 on and counted from now; 0: none. @is_memory: as if there were not
 * enough memory; else as if the device had failed */
typedef void (*TlCudaFaultsSet) (guint call, gboolean is_memory);

/** TlCudaFaultsGet: "tl_cuda_faults_get". @name: (out) (nullable): the function
 * that has failed. Returns: how many calls were made since */
typedef guint (*TlCudaFaultsGet) (const char **name);

/* What may lie where the CUDA module should: a library without the module's
 * entry, a module of another version, and one whose own library is missing. */
#ifdef HAS_ENTRY
const void *tl_cuda_get_backend (unsigned version);
const void *
tl_cuda_get_backend (unsigned version)
{
  return version == 0 ? "" : 0;
}
#elif defined(NEEDS_LIBRARY)
int tl_needed (void);
const void *tl_cuda_get_backend (unsigned version);
const void *
tl_cuda_get_backend (unsigned version)
{
  return tl_needed () != 0 && version == 0 ? "" : 0;
}
#else
int tl_needed (void);
int
tl_needed (void)
{
  return 1;
}
#endif

#include "app/worker/background.h"

#include <sys/resource.h>

/* Threads that make pictures have priority. */
#define NICENESS 10

void
tl_background_begin (void)
{
  /* On Linux this sets the niceness of this thread alone; threads that it
   * starts inherit it. A refusal does no harm. */
  (void)setpriority (PRIO_PROCESS, 0, NICENESS);
}

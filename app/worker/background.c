#include "app/worker/background.h"

#include <sys/resource.h>

/* Whoever looks at pictures goes first. */
#define NICENESS 10

void
tl_background_begin (void)
{
  /* of this thread alone, as Linux has it, and of those that it starts; where
   * it is refused, nothing is lost */
  (void)setpriority (PRIO_PROCESS, 0, NICENESS);
}

#include "app/display/composite.h"

G_DEFINE_INTERFACE (TlComposite, tl_composite, G_TYPE_OBJECT)

static void
tl_composite_default_init (TlCompositeInterface *interface)
{
}

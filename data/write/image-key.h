/* What an image of a scan shows. */
#pragma once

/* As the number in image_key of NeXus. */
typedef enum
{
  TL_IMAGE_KEY_PROJECTION,
  TL_IMAGE_KEY_FLAT,
  TL_IMAGE_KEY_DARK
} TlImageKey;

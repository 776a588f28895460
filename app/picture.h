/* What a view can show of a scan. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  TL_PICTURE_SLICE,      /* [y][x], reconstructed */
  TL_PICTURE_SINOGRAM,   /* [projection][col], of the slice's detector row */
  TL_PICTURE_PROJECTION, /* [row][col], of one projection */
  TL_N_PICTURES
} TlPicture;

/* One of them; plain value. */
typedef struct
{
  TlPicture picture;
  guint projection; /* of PROJECTION */
} TlPictureChoice;

/* The words of the action "view"; %NULL-terminated. */
extern const char *const tl_picture_names[TL_N_PICTURES + 1];

G_END_DECLS

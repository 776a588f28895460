/* What a view can show of a scan. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  TL_PICTURE_SLICE,      /* [y][x], reconstructed */
  TL_PICTURE_SINOGRAM,   /* [projection][col], of the slice's detector row */
  TL_PICTURE_PROJECTION, /* [row][col], of one projection */
  TL_PICTURE_OVERLAY,    /* [row][col], of one and its opposite:
                            app/axis/overlay/overlay.h */
  TL_N_PICTURES
} TlPicture;

/* What stands in the place of the picture. */
typedef enum
{
  TL_PAGE_PICTURE,
  TL_PAGE_CANDIDATES, /* slices about a centre: app/axis/candidates/candidates.h
                       */
  TL_PAGE_AXIS,       /* the axis over the height: app/axis/map.h */
  TL_N_PAGES
} TlPage;

/* One of them; plain value. */
typedef struct
{
  TlPicture picture;
  guint projection; /* of PROJECTION */
  guint pair;       /* of OVERLAY: the first of the two */
} TlPictureChoice;

/* The words of the action "view"; %NULL-terminated. That of TL_PAGE_PICTURE is
 * not used: a picture's own is. */
extern const char *const tl_picture_names[TL_N_PICTURES + 1];
extern const char *const tl_page_names[TL_N_PAGES + 1];

G_END_DECLS

/* The pictures and pages that the window can show of a scan. */
#pragma once

#include "data/geometry.h"

typedef enum
{
  TL_PICTURE_SLICE,      /* [y][x], reconstructed */
  TL_PICTURE_SINOGRAM,   /* [projection][col], of the slice's detector row */
  TL_PICTURE_PROJECTION, /* [row][col], of one projection */
  TL_PICTURE_OVERLAY,    /* [row][col], a projection and its opposite:
                            app/axis/overlay/overlay.h */
  TL_PICTURE_PLANES,     /* [row][col] of each pane, reconstructed:
                            app/planes/planes.h */
  TL_N_PICTURES
} TlPicture;

/* The panes of TL_PICTURE_PLANES. */
typedef enum
{
  TL_PANE_XY, /* a slice; from left to right with x, from top to bottom with -y
               */
  TL_PANE_XZ, /* with x and z */
  TL_PANE_YZ, /* with -y and z */
  TL_PANE_OBLIQUE,
  TL_N_PANES
} TlPane;

/* Pages of the window's middle. */
typedef enum
{
  TL_PAGE_PICTURE,
  TL_PAGE_CANDIDATES, /* slices about a centre: app/axis/candidates/candidates.h
                       */
  TL_PAGE_AXIS,       /* the axis over the height: app/axis/map.h */
  TL_PAGE_VOLUME,     /* the whole sample: app/volume/scene.h */
  TL_PAGE_EXPORT,     /* what is exported, and the exports */
  TL_N_PAGES
} TlPage;

/* Plain value. */
typedef struct
{
  TlPicture picture;
  guint projection;           /* for TL_PICTURE_PROJECTION */
  guint pair;                 /* for TL_PICTURE_OVERLAY: the first of the two */
  TlPlane planes[TL_N_PANES]; /* for TL_PICTURE_PLANES; nx 0: none */
} TlPictureChoice;

/* States of the action "view"; %NULL-terminated. On TL_PAGE_PICTURE the state
 * is the picture's name, so the page's own name is not used. */
extern const char *const tl_picture_names[TL_N_PICTURES + 1];
extern const char *const tl_page_names[TL_N_PAGES + 1];

/* How a volume is drawn: the way, the transfer function, the threshold and what
 * is cut away. No GL. */
#pragma once

#include "render/look/colormap.h"
#include "render/look/volume-classes.h"

typedef enum
{
  TL_VOLUME_EMISSION, /* coloured fog: emission and absorption */
  TL_VOLUME_MAXIMUM,  /* the largest value along each ray */
  TL_VOLUME_SURFACE,  /* where the value passes the threshold, shaded */
  TL_N_VOLUME_WAYS
} TlVolumeWay;

/* The names "emission" and so on; %NULL-terminated, indexed by the
 * enumeration. */
extern const char *const tl_volume_way_names[TL_N_VOLUME_WAYS + 1];

/* Opacities for a first look, from the classes of the values. */
typedef enum
{
  TL_VOLUME_RAMP,  /* little, but growing over all values */
  TL_VOLUME_BAND,  /* the band of values alone, and a little on both sides */
  TL_VOLUME_DENSE, /* growing from where the dense parts begin */
  TL_VOLUME_GLASS, /* as the last, and little from the threshold on */
  TL_N_VOLUME_SHAPES
} TlVolumeShape;

/* The names "ramp" and so on; %NULL-terminated, indexed by the enumeration. */
extern const char *const tl_volume_shape_names[TL_N_VOLUME_SHAPES + 1];

#define TL_MAX_VOLUME_POINTS 16
#define TL_MAX_VOLUME_PLANES 4

/* The opacity that a value has along a hundredth of the longest side of the
 * volume, so that it does not depend on the number of voxels. */
typedef struct
{
  double value, opacity; /* opacity: 0 … 1 */
} TlVolumePoint;

/* A point of the plane, and the side that is cut away: that to which the
 * direction leads. Both along columns, rows and slices; the point is 0 … 1 from
 * one side of the volume to the other. */
typedef struct
{
  double point[3], direction[3];
} TlCutPlane;

/* A plain value. Zeroed, with the whole box, nothing is cut away and all the
 * rest is left to tl_volume_look_settle(). */
typedef struct
{
  guint way;        /* TlVolumeWay */
  guint colormap;   /* TlColormap */
  double low, high; /* values of its ends; both 0: not given */
  TlVolumePoint points[TL_MAX_VOLUME_POINTS]; /* values ascend; between them the
                                                 opacity is linear, beyond them
                                                 constant */
  guint n_points;                             /* 0: not given */
  double threshold;                           /* 0: not given */
  double box[3][2]; /* what is shown: first and last part of the columns, rows
                       and slices, 0 … 1 */
  TlCutPlane planes[TL_MAX_VOLUME_PLANES];
  guint n_planes;
} TlVolumeLook;

/** tl_volume_look_init: Nothing is cut away, and the rest is not given. */
void tl_volume_look_init (TlVolumeLook *look);

/** tl_volume_look_to_bins: @look: with attenuations per pixel of the detector,
 * as a recipe has them. Returns: the look with attenuations per bin of @bin
 * pixels, the unit of a binned volume */
TlVolumeLook tl_volume_look_to_bins (const TlVolumeLook *look, guint bin);
/** tl_volume_look_from_bins: The reverse of tl_volume_look_to_bins(). */
TlVolumeLook tl_volume_look_from_bins (const TlVolumeLook *look, guint bin);

/**
 * tl_volume_look_settle:
 *
 * Chooses what is not given: the colours from @classes' low to high, their
 * threshold, and an opacity that grows from there on.
 */
void tl_volume_look_settle (TlVolumeLook *look, const TlVolumeClasses *classes);

/** tl_volume_look_shape: Replaces the points of @look by those of @shape. */
void tl_volume_look_shape (TlVolumeLook *look, TlVolumeShape shape,
                           const TlVolumeClasses *classes);

/** tl_volume_shape_parse: @shape: (out). Returns: whether @name is one of
 * tl_volume_shape_names; else @shape was not changed */
gboolean tl_volume_shape_parse (const char *name, TlVolumeShape *shape);

/** tl_volume_look_get_opacity: Returns: the opacity of @value; 0 without
 * points */
double tl_volume_look_get_opacity (const TlVolumeLook *look, double value);

/** tl_volume_look_list_points: Returns: (transfer floating): a(dd), value and
 * opacity of each point */
GVariant *tl_volume_look_list_points (const TlVolumeLook *look);

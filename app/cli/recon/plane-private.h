/* The option --plane of "recon". Its numbers count as the pixels of a volume
 * of slices do: x columns from the left, y rows from the top, z detector
 * rows. */
#pragma once

#include "app/cli/json-private.h"
#include "app/recon/recon.h"

/* For the help. */
#define TL_CLI_PLANE_FORMS "xy:Z, xz:Y, yz:X or oblique:X,Y,Z:UX,UY,UZ:VX,VY,VZ"

typedef enum
{
  TL_CLI_PLANE_XY,
  TL_CLI_PLANE_XZ,
  TL_CLI_PLANE_YZ,
  TL_CLI_PLANE_OBLIQUE,
  TL_CLI_N_PLANES
} TlCliPlaneKind;

/* The parsed option; plain value. */
typedef struct
{
  TlCliPlaneKind kind;
  double at[3];      /* only at[0], unless it is oblique */
  double u[3], v[3]; /* if it is oblique */
} TlCliPlane;

/** tl_cli_plane_parse: Returns: %FALSE with a usage error */
gboolean tl_cli_plane_parse (const char *text, TlCliPlane *said,
                             GError **error);

/**
 * tl_cli_plane_place:
 * @params: resolved; the slice is that of their grid
 * @plane: (out caller-allocates)
 *
 * Returns: %FALSE with TL_ERROR_VALUE if the volume has no such plane
 */
gboolean tl_cli_plane_place (const TlCliPlane *said, const TlScanInfo *info,
                             const TlParams *params, TlPlane *plane,
                             GError **error);

/** tl_cli_plane_dup_name: Returns: (transfer full): the name of the file for
 * the option's @text, "recon_xz_512.tiff" */
char *tl_cli_plane_dup_name (const char *text);

/** tl_cli_plane_add_json: @json: (nullable). Adds "plane", "origin", "u" and
 * "v". */
void tl_cli_plane_add_json (const char *text, const TlPlane *plane,
                            TlJson *json);

/* Sinograms with a known centre: random cases with the faults of real scans.
 */
#pragma once

#include "gpu/centre/consensus.h"

typedef enum
{
  CENTRE_HALF,          /* 0 to 180 degrees, end point excluded */
  CENTRE_HALF_END,      /* end point included */
  CENTRE_FULL,          /* 0 to 360 degrees, end point excluded */
  CENTRE_FULL_END,      /* end point included: half a turn may fall between two
                           projections */
  CENTRE_HALF_ACQUIRED, /* a full turn with the axis near an edge */
  CENTRE_N_TURNS
} CentreTurn;

extern const char *const centre_turn_names[];

typedef enum
{
  CENTRE_EVEN,
  CENTRE_SHAKEN, /* by up to 0.45 of a step */
  CENTRE_GOLDEN, /* each is a golden ratio of the range on from the one before,
                    so that they come in no order */
  CENTRE_DENSER, /* three quarters of them in the second half of the range */
  CENTRE_N_SPACINGS
} CentreSpacing;

typedef struct
{
  CentreTurn turn;
  CentreSpacing spacing;
  size_t n_projections, n_cols;
  double centre_col; /* of the row in the sinogram */
  gboolean is_free;  /* the centre may be any fraction of a column */
  double tilt_deg;   /* of the axis, as in data/phantom/phantom.h */
  double counts;     /* 0: no noise */
  /* The samples are transmissions: no logarithm was taken. */
  gboolean transmission;
  gboolean rings, zingers, gains;
  gboolean truncated; /* the object reaches beyond the detector */
  gboolean air;       /* the object fills a small part of the detector */
  gboolean few;       /* few angles for the number of columns */
  guint32 seed;
} CentreCase;

typedef struct
{
  TlCentreData data;
  float *rows;
  double *angles_rad;
} CentreSinogram;

/** centre_case_random: Returns: a random case, the same for the same @seed. */
CentreCase centre_case_random (guint32 seed);

/** centre_case_dup_text: Returns: (transfer full): one line that describes the
 * case. */
char *centre_case_dup_text (const CentreCase *c);

CentreSinogram *centre_sinogram_new (const CentreCase *c);
void centre_sinogram_free (CentreSinogram *sinogram);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CentreSinogram, centre_sinogram_free)

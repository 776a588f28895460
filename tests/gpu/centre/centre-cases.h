/* Sinograms whose centre is known: random ones, and what can be wrong with
 * them.
 */
#pragma once

#include "gpu/centre/consensus.h"

G_BEGIN_DECLS

typedef enum
{
  CENTRE_HALF,          /* 0 to 180 degrees without the end */
  CENTRE_HALF_END,      /* with it */
  CENTRE_FULL,          /* 0 to 360 without the end */
  CENTRE_FULL_END,      /* with it: half a turn may fall between two */
  CENTRE_HALF_ACQUIRED, /* a full turn, the axis near an edge */
  CENTRE_N_TURNS
} CentreTurn;

extern const char *const centre_turn_names[];

typedef struct
{
  CentreTurn turn;
  size_t n_projections, n_cols;
  double centre_col;     /* of the row looked at */
  gboolean is_free;      /* the centre is anywhere between two columns */
  double tilt_deg;       /* of the axis, as in data/phantom/phantom.h */
  double counts;         /* 0: no noise */
  gboolean transmission; /* no logarithm */
  gboolean rings, zingers, gains;
  gboolean truncated; /* the object reaches beyond the detector */
  gboolean air;       /* or fills a small part of it */
  gboolean few;       /* angles, for so many columns */
  guint32 seed;
} CentreCase;

typedef struct
{
  TlCentreData data;
  float *rows;
  double *angles_rad;
} CentreSinogram;

/** centre_case_random: Returns: one of many, the same for the same @seed. */
CentreCase centre_case_random (guint32 seed);

/** centre_case_dup_text: Returns: (transfer full): it in a line. */
char *centre_case_dup_text (const CentreCase *c);

CentreSinogram *centre_sinogram_new (const CentreCase *c);
void centre_sinogram_free (CentreSinogram *sinogram);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CentreSinogram, centre_sinogram_free)

G_END_DECLS

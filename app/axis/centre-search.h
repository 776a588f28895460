/* Where the axis of the scan that is open is, looked for in the background: the
 * estimators of gpu/centre/centre.h on one row, one after another, and what
 * they say together. Main thread only.
 *
 * Where the centre was only assumed, and has not been touched meanwhile, what
 * is found becomes the centre: one step of the history.
 */
#pragma once

#include "app/session/session.h"

G_BEGIN_DECLS

typedef enum
{
  TL_CENTRE_SEARCH_IDLE,    /* nothing was looked for in this scan */
  TL_CENTRE_SEARCH_READING, /* the row, when the engine has time */
  TL_CENTRE_SEARCH_ESTIMATING,
  TL_CENTRE_SEARCH_DONE,
  TL_CENTRE_SEARCH_FAILED
} TlCentreSearchState;

/* What one estimator says; a plain value, lent until the next change. */
typedef struct
{
  const char *name;       /* "phase", "vo" …; constant */
  const char *what;       /* a few words on it, in the user's language */
  const char *reason;     /* what it rests on, or why it cannot tell */
  gboolean is_found;      /* else the two are NaN */
  double centre_col;      /* to thousandths, as it would be taken */
  double uncertainty_col; /* one standard deviation */
  gboolean agrees;        /* it is one of those that the agreement is of */
  size_t n_points;        /* of its curve, highest where it is best; maybe 0 */
  const double *positions, *values; /* [n_points]; columns ascending */
} TlCentreFound;

/* What they say together; likewise. */
typedef struct
{
  gboolean is_found; /* else nobody can tell, and the numbers are NaN */
  gboolean is_certain;
  double centre_col, uncertainty_col; /* as above */
  guint n_found, n_agreeing;
  const char *sentence;
} TlCentreAgreement;

#define TL_TYPE_CENTRE_SEARCH (tl_centre_search_get_type ())
G_DECLARE_FINAL_TYPE (TlCentreSearch, tl_centre_search, TL, CENTRE_SEARCH,
                      GObject)

/* Properties, all with explicit notify:
 *   "state"     uint, read-only: TlCentreSearchState
 *   "estimates" uint, read-only: counts every change of what is known
 *   "old"       boolean, read-only: what is known is of other angles or
 *               corrections than are wanted now
 *   "seeks"     boolean: begins by itself when a scan has opened whose centre
 *               nobody said; FALSE at first
 */

/** tl_session_get_centre_search: Returns: (transfer none): goes with the
 * session. */
TlCentreSearch *tl_session_get_centre_search (TlSession *session);

/** tl_centre_search_start: In the slice that is wanted, anew. Nothing happens
 * without a scan, or while one is being opened. */
void tl_centre_search_start (TlCentreSearch *search);

TlCentreSearchState tl_centre_search_get_state (TlCentreSearch *search);
/** tl_centre_search_get_row: Returns: what was looked at last. */
guint tl_centre_search_get_row (TlCentreSearch *search);

/** tl_centre_search_count: Returns: how many estimators have answered. */
guint tl_centre_search_count (TlCentreSearch *search);
/** tl_centre_search_get: @k: of those, in the order of their answers */
void tl_centre_search_get (TlCentreSearch *search, guint k,
                           TlCentreFound *found);
/** tl_centre_search_get_agreement: Returns: %FALSE until all have answered. */
gboolean tl_centre_search_get_agreement (TlCentreSearch *search,
                                         TlCentreAgreement *agreement);
/** tl_centre_search_get_note: Returns: (nullable) (transfer none): where the
 * angles contradict the pictures, or what has failed, in a sentence. */
const char *tl_centre_search_get_note (TlCentreSearch *search);

/**
 * tl_centre_search_find_next:
 * @from_col: a column
 * @n: 1: the next to the right of it, -1: to the left; around the end
 *
 * Returns: the nearest of all values that were found, the common one among
 *   them; NaN where there is none
 */
double tl_centre_search_find_next (TlCentreSearch *search, double from_col,
                                   int n);

G_END_DECLS

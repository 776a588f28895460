/* Searches the axis of the open scan in the background: runs the estimators of
 * gpu/centre/centre.h on one row, one after another, and combines their
 * results. Main thread only.
 *
 * If the centre was only assumed, or found before, and the user has not changed
 * it since, the result becomes the centre, in one step of the history. If the
 * tilt changes during the search, it is repeated with the new one. The
 * axis is also searched again when other angles or projections are used, and
 * then belongs to the step of that change.
 *
 * While a scan is being taken, the axis is searched when its angles span half a
 * turn, again as more come, and at its end, which also shows whether the axis
 * has moved. The centre that was found is asked again in the next scan of the
 * same stream; one that the user has set stays, and the results are only
 * shown. */
#pragma once

#include "app/session/session.h"

typedef enum
{
  TL_CENTRE_SEARCH_IDLE,    /* no search in this scan yet */
  TL_CENTRE_SEARCH_READING, /* waiting for the engine to read the row */
  TL_CENTRE_SEARCH_ESTIMATING,
  TL_CENTRE_SEARCH_DONE,
  TL_CENTRE_SEARCH_FAILED
} TlCentreSearchState;

/* The result of one estimator; a plain value, valid until the next change. */
typedef struct
{
  const char *name;       /* "phase", "sinogram" …; constant */
  const char *label;      /* the same in words, translated */
  const char *what;       /* a short description, translated */
  const char *reason;     /* the basis of the result, or why there is none */
  gboolean is_found;      /* if not, the two numbers are NaN */
  double centre_col;      /* rounded to thousandths, as it would be adopted */
  double uncertainty_col; /* one standard deviation */
  gboolean agrees;        /* belongs to the estimators that agree */
  size_t n_points; /* of the curve, whose maximum is the result; may be 0 */
  const double *positions, *values; /* [n_points]; columns ascending */
} TlCentreFound;

/* The combined result of the estimators; a plain value, valid until the next
 * change. */
typedef struct
{
  gboolean is_found; /* if not, the numbers are NaN */
  gboolean is_certain;
  double centre_col, uncertainty_col; /* as in TlCentreFound */
  guint n_found, n_agreeing;
  const char *sentence;
} TlCentreAgreement;

#define TL_TYPE_CENTRE_SEARCH (tl_centre_search_get_type ())
G_DECLARE_FINAL_TYPE (TlCentreSearch, tl_centre_search, TL, CENTRE_SEARCH,
                      GObject)

/* Properties, all with explicit notify:
 *   "state"     uint, read-only: TlCentreSearchState
 *   "old"       boolean, read-only: the results are of other angles or
 *               projections than the requested ones, or of a tilt with which
 *               the axis is elsewhere, unless that tilt was accepted
 *   "seeks"     boolean: search by itself when a scan has opened whose centre
 *               was not given, or that is being taken; FALSE at first
 *
 * Signal "changed": the results are others. */

/** tl_session_get_centre_search: Returns: (transfer none): the search of the
 * session, made on first use */
TlCentreSearch *tl_session_get_centre_search (TlSession *session);

/** tl_centre_search_start: Starts a new search in the requested slice. Does
 * nothing without a scan or while one is being opened. */
void tl_centre_search_start (TlCentreSearch *search);

TlCentreSearchState tl_centre_search_get_state (TlCentreSearch *search);
/** tl_centre_search_get_row: Returns: the row that was searched last */
guint tl_centre_search_get_row (TlCentreSearch *search);

/** tl_centre_search_count: Returns: the number of estimators that have
 * answered */
guint tl_centre_search_count (TlCentreSearch *search);
/** tl_centre_search_get: @k: below tl_centre_search_count(), in the order of
 * the answers */
void tl_centre_search_get (TlCentreSearch *search, guint k,
                           TlCentreFound *found);
/** tl_centre_search_get_agreement: Returns: %FALSE until all have answered. */
gboolean tl_centre_search_get_agreement (TlCentreSearch *search,
                                         TlCentreAgreement *agreement);
/** tl_centre_search_get_note: Returns: (nullable) (transfer none): one
 * sentence if the angles contradict the projections or an error occurred */
const char *tl_centre_search_get_note (TlCentreSearch *search);
/** tl_centre_search_dup_angles: Returns: (transfer full) (nullable): the angles
 * to try if they contradict the projections, as "0:180" */
char *tl_centre_search_dup_angles (TlCentreSearch *search);

/**
 * tl_centre_search_find_next:
 * @from_col: a column
 * @n: 1: the next value to the right, -1: to the left; wraps around
 *
 * Returns: the nearest result, of an estimator or of all together; NaN if there
 *   is none
 */
double tl_centre_search_find_next (TlCentreSearch *search, double from_col,
                                   int n);

/* The state of the program without its window: joins its parts with each other
 * and with the worker.
 *
 * Main thread only. Setting a parameter requests a new frame from the worker;
 * the newest request wins and outdated replies are dropped. Where whole
 * pictures are slow, reduced previews are shown until no further requests come.
 * Parameters are set by their keys in the recipe (app/recipe/recipe.h), so that
 * actions, menus and scripts share one way. */
#pragma once

#include "app/display/display.h"
#include "app/growth/growth-watch.h"
#include "app/growth/growth.h"
#include "app/scan/refused-scan.h"
#include "app/scan/scan-chooser.h"
#include "app/scan/scan-files.h"
#include "app/scan/scan-memory.h"
#include "app/session/exporter.h"
#include "app/session/tasks.h"
#include "data/read/format/raw-layout.h"

#define TL_TYPE_SESSION (tl_session_get_type ())
G_DECLARE_FINAL_TYPE (TlSession, tl_session, TL, SESSION, GObject)

/* The parts, which stay the same as long as the session lives. */
struct _TlSession
{
  GObject parent;
  TlMessages *messages;
  TlRequests *requests;
  TlScanSource *source;
  TlScanChooser *chooser;
  TlScanFiles *files;
  TlParameters *parameters;
  TlTasks *tasks;
  TlSliceComparison *comparison;
  TlDisplay *display;
  TlGrowth *growth;
  TlExporter *exporter;

  /*< private >*/
  TlGrowthWatch *watch; /* (nullable): of the open file or folder, or of the
                           awaited one */
  char *awaited;        /* (nullable): a folder or file that was no scan yet */
  gboolean leaves;      /* another scan than the followed one is opened */
  gboolean has_number;  /* the user has said how many projections come of what
                           is followed */
  char *told;           /* (nullable): the notice with the last trouble of what
                           is followed */
  char *stalled;        /* (nullable): the notice that nothing comes */
  char *completed;      /* (nullable): the notice that a scan is complete */
  char *recording;      /* (nullable): the file of a scan that was followed */
  TlRefusedScan refused;
  TlRecipe *coming;     /* (nullable): for the scan that is waited for, while
                           another one is open */
  gboolean skips_flats; /* the scan that is waited for is to be shown without
                           them */
  gboolean lacks_flats; /* the user has shown a scan of the stream without
                           them, and not switched the flat field on since */
  /* (nullable): what is left out of the scan, if some of it could not be read,
   * and what the user has left out alone */
  char *all_left_out, *own_left_out;
  char *surveyed_out; /* (nullable): what a survey has found that cannot be
                         read, when it was left out last */
  gboolean is_same; /* the scan being opened is the open one, or the next of the
                       same stream, under another name */
  gboolean opened_at_once; /* the last open needed no reading */
  char *news;              /* (nullable): what to tell when the scan is open */
  TlScanMemory recalled;   /* with what the scan is opened that was said of it
                              before */
};

TlSession *tl_session_new (void);

/* Opens a scan ("FILE:/path", too), an address of tl_stream_open(), which is
 * followed, or a recipe (*.ini), asynchronously. The
 * previous picture stays until the new one is finished, and remains if opening
 * fails. A recipe for the open scan only changes the parameters; the scan is
 * read again only if a parameter of the reader differs. The chooser asks where
 * the file has several scans, or where the projections, or what else was named,
 * cannot be found. */
void tl_session_open (TlSession *session, const char *path);

/** tl_session_stop_opening: Gives up the scan that is being opened, if there is
 * one. The open scan stays. */
void tl_session_stop_opening (TlSession *session);

/**
 * tl_session_open_places:
 * @places: a{ss}, keys of tl_recipe_place_keys and their values; those missing
 *   get their default. FILE of "FILE:/path" is looked for beside the scan
 *   first. A floating one is taken
 *
 * As tl_session_open(), for a file or folder that does not say it itself.
 */
void tl_session_open_places (TlSession *session, const char *path,
                             GVariant *places);

/**
 * tl_session_open_with_angles:
 * @angles: as of tl_session_follow_address(); empty: those of the scan
 *
 * Tries the scan of the message that asks for angles again.
 *
 * Returns: %FALSE with TL_ERROR_VALUE if @angles makes no sense
 */
gboolean tl_session_open_with_angles (TlSession *session, const char *angles,
                                      GError **error);

/** tl_session_can_describe_raw: Returns: whether tl_session_find_raw() finds
 * a file */
gboolean tl_session_can_describe_raw (TlSession *session);
/**
 * tl_session_find_raw:
 * @size: (out): its bytes
 * @layout: (out): as it was described before, or else a guess
 *
 * Returns: (transfer none) (nullable): the file about which the message asks
 *   how its samples are stored; if none asks, the open scan, if the user has
 *   described it; valid until the next open
 */
const char *tl_session_find_raw (TlSession *session, guint64 *size,
                                 TlRawLayout *layout);
/** tl_session_open_raw: Opens that file as @layout says. Returns: %FALSE with
 * TL_ERROR_VALUE if @path is not that file any more */
gboolean tl_session_open_raw (TlSession *session, const char *path,
                              const TlRawLayout *layout, GError **error);

/**
 * tl_session_follow:
 * @name: an address, a file or a folder, as of tl_growth_follow()
 * @options: (nullable): what the user says of it
 *
 * Opens the scan @name as soon as something of it is there, and lets its
 * picture grow until it is complete. Then a file or folder is opened as any
 * other; the next scan of an address is followed. An open file or folder that
 * grows is followed by itself.
 *
 * Returns: %FALSE with an error of tl_growth_follow()
 */
gboolean tl_session_follow (TlSession *session, const char *name,
                            const TlStreamOptions *options, GError **error);

/**
 * tl_session_follow_address:
 * @expected: as of tl_stream_options_take_expected()
 * @angles: of the first and the last projection, as "0:180"; or a file that has
 *   all; or empty
 * @kinds: as of tl_stream_options_take_kinds(); or empty
 *
 * As tl_session_follow(), with what the user has typed. tl_session_open() takes
 * it again for the same address.
 *
 * Returns: %FALSE with an error of tl_session_follow(), or TL_ERROR_VALUE where
 *   a text is not what it has to be
 */
gboolean tl_session_follow_address (TlSession *session, const char *address,
                                    const char *expected, const char *angles,
                                    const char *kinds, GError **error);

/** tl_session_can_follow_scan: Returns: whether tl_session_follow_scan() has a
 * scan to follow: one is open, nothing is followed, and the user has said
 * neither where its parts are, nor its angles other than by a list, nor what to
 * leave out, which are not known of a stream */
gboolean tl_session_can_follow_scan (TlSession *session);
/** tl_session_follow_scan: Follows the open file or folder, with its list of
 * angles. Does nothing where none is open. */
void tl_session_follow_scan (TlSession *session);

/** tl_session_skip_flats: Shows the scan that is waited for, and which has no
 * flats yet, with the flat field switched off. It stays off, for the next scans
 * of the same stream too, until the user switches it on. */
void tl_session_skip_flats (TlSession *session);

/** tl_session_reload: Opens the scan again, because it may have changed. What
 * was found in it is found again; the parameters stay, unless another scan has
 * its name now. Does nothing where none is open. */
void tl_session_reload (TlSession *session);

/** tl_session_get_places: Returns: (transfer floating): with what
 * tl_session_open_places() opens the scan again, as far as it is UTF-8 */
GVariant *tl_session_get_places (TlSession *session);

/** tl_session_can_choose: Returns: whether an HDF5 file is open, or the message
 * asks about one, so that tl_session_choose() has something to choose from */
gboolean tl_session_can_choose (TlSession *session);
/** tl_session_choose: Lets the user choose another scan or dataset of the file
 * of the message; if none asks, of the open one. */
void tl_session_choose (TlSession *session);

/** tl_session_can_list_files: Returns: whether a folder of images is open, or
 * the message asks about one, so that tl_session_list_files() has groups to
 * list */
gboolean tl_session_can_list_files (TlSession *session);
/** tl_session_list_files: Lists the groups of images of the folder of the
 * message; if none asks, of the open one. */
void tl_session_list_files (TlSession *session);
/** tl_session_assign_files: Opens the folder again with what the user has said
 * about its groups and angles, unless that is what it is open with. Notes about
 * its groups ask no more, until they say something else. Returns: %FALSE with
 * TL_ERROR_VALUE */
gboolean tl_session_assign_files (TlSession *session, GError **error);

/**
 * tl_session_open_recipe:
 * @scan_path: (nullable): the scan to open, instead of the one named in the
 *   recipe
 *
 * As tl_session_open().
 */
void tl_session_open_recipe (TlSession *session, const char *path,
                             const char *scan_path);

/** tl_session_set_opening: As tl_parameters_set(), but for the scan that
 * tl_session_open() is opening: a different scan that is still open is not
 * changed. %FALSE with TL_ERROR_VALUE also if opening has failed. */
gboolean tl_session_set_opening (TlSession *session, const char *key,
                                 const char *value, GError **error);

/** tl_session_take_reply: The #TlReplyFunc of the worker; @data is the session.
 */
void tl_session_take_reply (TlReply *reply, gpointer data);

/**
 * tl_session_describe_machine:
 * @callback: gets the text with tl_session_describe_machine_finish()
 *
 * Describes engines and devices for the About dialog. Runs in a thread, because
 * a driver may take seconds to answer.
 */
void tl_session_describe_machine (TlSession *session,
                                  GAsyncReadyCallback callback,
                                  gpointer user_data);
/** tl_session_describe_machine_finish: Returns: (transfer full) */
char *tl_session_describe_machine_finish (TlSession *session,
                                          GAsyncResult *result);

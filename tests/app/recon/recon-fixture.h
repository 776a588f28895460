/* A scan, an engine and a reconstruction without a session. */
#pragma once

#include "app/export/export.h"
#include "app/recon/recon.h"

typedef struct
{
  char *folder;
  TlEngine *engine;
  TlRecipe *recipe; /* names that engine */
  TlRecon *recon;   /* (nullable): %NULL before a scan is opened */
} TlReconFixture;

/**
 * tl_recon_fixture_init:
 * Opens an engine and makes an empty folder and a recipe.
 *
 * Returns: %FALSE, and the test is skipped, if there is no such engine
 */
gboolean tl_recon_fixture_init (TlReconFixture *fixture, const char *engine);
void tl_recon_fixture_clear (TlReconFixture *fixture);

/** tl_recon_fixture_set: Sets a parameter of the recipe and asserts that it is
 * accepted. */
void tl_recon_fixture_set (TlReconFixture *fixture, const char *key,
                           const char *value);

/** tl_recon_fixture_open: Opens the scan and resolves the recipe for it. */
void tl_recon_fixture_open (TlReconFixture *fixture, const char *path);

/** tl_recon_fixture_run: Returns: (transfer full): the slices, in host memory
 */
TlFrame *tl_recon_fixture_run (TlReconFixture *fixture, size_t row,
                               size_t n_rows);

/** tl_recon_fixture_job: Returns: an export of @n_rows slices to @path, which
 * borrows from the fixture */
TlExportJob tl_recon_fixture_job (TlReconFixture *fixture, size_t first_row,
                                  size_t n_rows, const char *path);

/** tl_recon_distance: Returns: relative L2 distance, ||got - want|| / ||want||,
 * of [@n] values that are not all 0. */
double tl_recon_distance (const float *got, const float *want, size_t n);

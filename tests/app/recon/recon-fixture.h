/* A scan, an engine and what is made of them without a session. */
#pragma once

#include "app/recon/recon.h"

G_BEGIN_DECLS

typedef struct
{
  char *folder;
  TlEngine *engine;
  TlRecipe *recipe; /* of that engine */
  TlRecon *recon;   /* (nullable): there is none before a scan is opened */
} TlReconFixture;

/**
 * tl_recon_fixture_init:
 *
 * An engine, an empty folder and a recipe.
 *
 * Returns: %FALSE, and the test is skipped, where there is no such engine
 */
gboolean tl_recon_fixture_init (TlReconFixture *fixture, const char *engine);
void tl_recon_fixture_clear (TlReconFixture *fixture);

/** tl_recon_fixture_set: In the recipe, which takes it. */
void tl_recon_fixture_set (TlReconFixture *fixture, const char *key,
                           const char *value);

/** tl_recon_fixture_open: The scan that the recipe is resolved for. */
void tl_recon_fixture_open (TlReconFixture *fixture, const char *path);

/** tl_recon_fixture_run: Returns: (transfer full): slices that were fetched. */
TlFrame *tl_recon_fixture_run (TlReconFixture *fixture, size_t row,
                               size_t n_rows);

/** tl_recon_distance: Returns: relative L2 distance, ||got - want|| / ||want||,
 * of [@n] values that are not all 0. */
double tl_recon_distance (const float *got, const float *want, size_t n);

G_END_DECLS

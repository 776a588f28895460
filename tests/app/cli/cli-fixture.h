/* Runs tomolens-cli in a temporary folder. */
#pragma once

#include "tests/app/scratch.h"

typedef struct
{
  char *folder;    /* working folder of the children */
  char *out, *err; /* output of the last run */
  int status;
} CliFixture;

typedef struct
{
  const char *path;
  void (*func) (CliFixture *fixture, gconstpointer data);
} CliCase;

/** cli_test_main: Runs the cases, each with its own fixture.
 *
 * Returns: the value that main() must return */
int cli_test_main (int argc, char **argv, const CliCase *cases, size_t n);

/** cli_run: @line: arguments, quoted as for a shell */
void cli_run (CliFixture *fixture, const char *line);

/** cli_run_limited: As cli_run(), but no file may become larger than
 * @file_bytes. */
void cli_run_limited (CliFixture *fixture, const char *line, size_t file_bytes);

/** cli_run_well: Runs and asserts exit status 0 and only notes on standard
 * error. */
void cli_run_well (CliFixture *fixture, const char *line);

/**
 * cli_assert_refused:
 * @says: a part of the error message
 *
 * Asserts that the last run printed nothing except one line on standard
 * error, below any notes.
 */
void cli_assert_refused (CliFixture *fixture, const char *line, int status,
                         const char *says);

/* An invalid command line and how it is refused. */
typedef struct
{
  const char *line;
  int status;
  const char *says;
} CliRefusal;

/** cli_run_refused: cli_run() and cli_assert_refused() for each of the @n. */
void cli_run_refused (CliFixture *fixture, const CliRefusal *refusals,
                      size_t n);

/** cli_make_phantom: Writes scan.h5, with noise, flats, darks and angles. */
void cli_make_phantom (CliFixture *fixture, size_t n_projections, size_t n_rows,
                       size_t n_cols);

/** cli_make_bad_scans: Writes scans that cannot be used, each in its own
 * folder. */
void cli_make_bad_scans (CliFixture *fixture);

char *cli_read_file (CliFixture *fixture, const char *name, size_t *length);
void cli_assert_same_files (CliFixture *fixture, const char *a, const char *b);

/** cli_assert_same_pixels: Of two TIFF files of floats, whose metadata may
 * differ. */
void cli_assert_same_pixels (CliFixture *fixture, const char *a, const char *b);

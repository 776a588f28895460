/* What a parameter is: one descriptor for each, in the manner of a GParamSpec.
 *
 * A plain const table is used instead of a GObject with GParamSpecs because
 * the parameters live in structs that are copied and compared by value, on
 * threads and in kernel arguments, and because a spec has no stage, dependency
 * or unit. The engine's parameters stand in gpu/stages/params.c;
 * app/recipe/keys.c adds those of the scan and of the program, with the same
 * type. From a descriptor come the recipe's key, the option and its help, the
 * action, limits and tooltip of the control, the range check, and what a change
 * makes the engine compute again. */
#pragma once

#include "gpu/stages/stage.h"

typedef enum
{
  TL_PARAMETER_SWITCH,   /* gboolean */
  TL_PARAMETER_CHOICE,   /* an enumeration, guint: index of names */
  TL_PARAMETER_COUNT,    /* guint */
  TL_PARAMETER_NUMBER,   /* double */
  TL_PARAMETER_QUANTITY, /* double; 0: not given */
  /* only in app/recipe/keys.c */
  TL_PARAMETER_ROW,      /* size_t */
  TL_PARAMETER_TEXT,     /* char *, owned; %NULL: not given */
  TL_PARAMETER_ENGINE,   /* char *, owned: the name of an engine */
  TL_PARAMETER_ANGLES,   /* first and last angle; may be not given */
  TL_PARAMETER_BOUNDARY, /* the centre, counted from the detector's edge */
  TL_PARAMETER_PRESET,   /* of filter, cut-off and interpolation */
} TlParameterType;

/* Strings are constant; sentences are marked N_() and translated where they are
 * shown. */
typedef struct
{
  const char *key; /* "zinger-threshold": in files, on the command line, and the
                      name of the action */
  TlParameterType type;
  size_t offset;            /* of the field in TlParams, or in TlRecipe */
  const char *const *names; /* of a choice; of a switch: off, on */
  const char *automatic; /* (nullable): the word that leaves it to the scan */
  /* The range of a number. A value of @min is refused where @is_above. A count
   * is @min plus a multiple of @step. @max 0: no upper limit. */
  double min, max;
  gboolean is_above;
  double initial; /* the default */
  /* how a control moves and shows it */
  double step, page;
  guint digits;
  const char *unit; /* (nullable) */
  /* how the command line says it */
  const char *arg;   /* "COLUMN" */
  const char *help;  /* one line */
  const char *takes; /* (nullable): in place of words from the range */
  const char *noun;  /* (nullable): in place of "a number of @unit" */
  const char *note;  /* (nullable): after these words, in brackets */
  /* how the window says it; %NULL where it has no control */
  const char *label;       /* beside the control: "Cut-off" */
  const char *title;       /* for a screen reader */
  const char *explanation; /* (nullable): the tooltip */

  TlStage stage;       /* whose result it decides; later stages follow */
  gboolean is_of_axis; /* the stage varies: see tl_recipe_get_stage() */
  gboolean is_derived; /* the engine compares what it computes from it */
  const char *of;      /* (nullable): the key of a switch or a choice; while
                          that is off, the value has no effect */
  const char *of_name; /* (nullable): of that choice, instead of any but off */
  gboolean says_automatic; /* the action has the word, not the scan's answer */
  gboolean is_alias;       /* another way to set other keys; not saved */
  gboolean is_of_scan;     /* forgotten when another scan is opened */
  gboolean reopens;        /* a change needs the scan opened again */
  gboolean picks_files;    /* which files of a folder are what */
} TlParamSpec;

/**
 * tl_param_spec_get_number:
 * @base: the struct that the offset counts in
 *
 * Returns: the value of a switch, a choice, a count, a number, a quantity or a
 *   row; not for other types
 */
double tl_param_spec_get_number (const TlParamSpec *parameter,
                                 gconstpointer base);

/** tl_param_spec_set_number: Writes a value that tl_param_spec_check() took. */
void tl_param_spec_set_number (const TlParamSpec *parameter, gpointer base,
                               double number);

/**
 * tl_param_spec_check:
 *
 * Returns: %FALSE with TL_ERROR_VALUE where @number is not in the range, or is
 *   not a number: "cutoff takes a fraction of the Nyquist frequency above 0 and
 *   up to 1, not "1.5""
 */
gboolean tl_param_spec_check (const TlParamSpec *parameter, double number,
                              GError **error);

/** tl_param_spec_refuse: Sets TL_ERROR_VALUE, as tl_param_spec_check() does.
 * Returns: %FALSE. */
gboolean tl_param_spec_refuse (const TlParamSpec *parameter, const char *value,
                               GError **error);

/**
 * tl_param_spec_describe_values:
 * @is_translated: else in English, as the help of the command line is
 *
 * Returns: (transfer full): "on|off|auto", "an odd number from 3 to 301"
 */
char *tl_param_spec_describe_values (const TlParamSpec *parameter,
                                     gboolean is_translated);

/* The descriptor of a parameter, in the manner of a GParamSpec.
 *
 * The descriptors form a plain const table. GParamSpecs of a GObject do not
 * fit: the parameters are fields of structs that threads and kernels copy and
 * compare by value, and a GParamSpec has no stage, dependency or unit.
 * gpu/stages/params.c describes the parameters of the engine, app/recipe/keys.c
 * those of the scan and of the program. The descriptor determines the key in
 * recipes, the option and its help, the action, the limits and the tooltip of
 * the control, the check of the range, and the stages that run again after a
 * change. */
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
  TL_PARAMETER_FRAMES,   /* char *, owned: ranges of projections */
  TL_PARAMETER_BOUNDARY, /* the centre, counted from the detector's edge */
  TL_PARAMETER_PRESET,   /* of filter, cut-off and interpolation */
  TL_PARAMETER_NUMBERS,  /* several numbers; may be not given */
} TlParameterType;

/* Strings are constant. N_() marks sentences, which are translated where they
 * are shown. */
typedef struct
{
  const char *key; /* "zinger-threshold": the name in recipes, on the command
                      line and of the action */
  TlParameterType type;
  size_t offset;            /* of the field in TlParams or TlRecipe */
  const char *const *names; /* of the values of a choice or a switch */
  const char *automatic;    /* (nullable): the word for a value that the scan
                               decides */
  /* The range of a number. With is_above it excludes min. If max is 0, there is
   * no upper limit. A count is min plus a multiple of step. */
  double min, max;
  gboolean is_above;
  double initial; /* the default */
  /* The steps of a control, and the digits that it shows. */
  double step, page;
  guint digits;
  const char *unit; /* (nullable) */
  /* The words of the command line. */
  const char *arg;   /* "COLUMN" */
  const char *help;  /* one line */
  const char *takes; /* (nullable): the accepted values; %NULL: in words made
                        from the range */
  const char *noun;  /* (nullable): replaces "a number of" with the unit */
  const char *note;  /* (nullable): in brackets after the accepted values */
  /* The words of the window; %NULL if it has no control. */
  const char *label;       /* beside the control: "Cut-off" */
  const char *title;       /* for a screen reader */
  const char *explanation; /* (nullable): the tooltip */

  TlStage stage;       /* the first stage that runs again after a change */
  gboolean is_of_axis; /* the stage depends on the values:
                          tl_recipe_get_stage() */
  gboolean is_derived; /* the engine compares values that it computes from
                          this one */
  const char *of;      /* (nullable): the key of a switch or a choice; the
                          parameter has no effect while that is off */
  const char *of_name; /* (nullable): the only value of that choice for which
                          the parameter has an effect */
  gboolean says_automatic; /* the action's state is the word "automatic", not
                              the value from the scan */
  gboolean is_alias;       /* sets other keys; is not saved */
  gboolean is_of_scan;     /* gets its default when another scan opens */
  gboolean reopens;        /* a change opens the scan again */
  gboolean picks_files;    /* chooses the files of a folder */
  gboolean is_of_volume;   /* how the volume view shows a volume; changes none
                              of its values. A recipe has it only where it is
                              not the default */
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

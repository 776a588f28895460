/* What the groups of actions share. Main thread. */
#pragma once

#include "ui/actions/actions.h"

/* Each adds a group to the application; ui/actions/actions.h lists them all. */
void tl_axis_actions_add (GActionMap *map, TlSession *session);
void tl_candidates_actions_add (GActionMap *map, TlSession *session);
void tl_centre_actions_add (GActionMap *map, TlSession *session);
void tl_compare_actions_add (GActionMap *map, TlCompare *compare);
void tl_edit_actions_add (GActionMap *map, TlSession *session);
void tl_export_actions_add (GActionMap *map, TlSession *session);
void tl_growth_actions_add (GActionMap *map, TlSession *session);
void tl_measure_actions_add (GActionMap *map, TlMeasure *measure);
void tl_overlay_actions_add (GActionMap *map, TlSession *session);
void tl_picture_actions_add (GActionMap *map, TlSession *session);
void tl_volume_actions_add (GActionMap *map, TlSession *session);

/** tl_actions_find: Returns: (transfer none): an action of @map. */
GSimpleAction *tl_actions_find (GActionMap *map, const char *name);
/** tl_actions_get_session: Returns: (transfer none) */
TlSession *tl_actions_get_session (GActionMap *map);
/** tl_actions_set_state: @state: (transfer floating) */
void tl_actions_set_state (GActionMap *map, const char *name, GVariant *state);
/** tl_actions_enable: @names: with blanks between them. */
void tl_actions_enable (GActionMap *map, const char *names, gboolean enabled);
/** tl_actions_add_property: Adds a property as an action; activating the action
 * of a boolean property toggles it. */
void tl_actions_add_property (GActionMap *map, const char *name,
                              gpointer object, const char *property);

/** What a drag out of the palette carries: the name of a step type, or of a ready-made group. */

export const DRAGGED_TYPE = "application/x-handoff-step";
/** What the name of a group follows; no step type is called so. */
export const GROUP = "group:";

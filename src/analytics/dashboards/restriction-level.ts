/** Restriction levels of dashboards. */
export const EVERYONE_EDITS = 21;
export const ONLY_COLLABORATORS_EDIT = 37;

/** A dashboard's own setting. The numbers are upstream's, which uses the same two for privileges. */
export type RestrictionLevel = typeof EVERYONE_EDITS | typeof ONLY_COLLABORATORS_EDIT;

/**
 * Events and versions of persons with the properties of their persons, whether a row carries them or refers to a state. Who reads these
 * properties reads them here; the columns of the tables are null in rows that refer to a state.
 */

/** SQL of all events with `person_properties`; goes by the name `events`. */
export const EVENTS_WITH_PERSONS = 'events_with_persons as events';

/** SQL of all versions of persons with `properties`; has no name of its own. */
export const VERSIONS_WITH_PROPERTIES = 'person_versions_with_properties';

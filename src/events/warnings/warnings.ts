/**
 * A fact about a project's events that their sender should know, although the request succeeded: a refused merge, a dropped event, a
 * placement that was not permitted. Kept per project and code, so that `GET /api/projects/:id/ingestion_warnings/` can say so.
 */
export type IngestionWarning = {
  /** Kind of warning in snake_case: one of a few words, never text of a sender. */
  code: string;
  /** A sentence for people. Quotes at most names of events, timestamps, distinct ids and keys of groups; no values of properties. */
  detail: string;
  distinctId?: string;
  eventUuid?: string;
  /** Noted once a day for each project, however often it happens. */
  daily?: boolean;
};

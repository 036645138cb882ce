/**
 * Events of a project are kept from `retained_from` on. Earlier ones are hidden and may be gone: the instant is committed before any of them
 * is deleted, so a snapshot that lacks a deleted event also shows an instant that is later than the event.
 */
import type { Pool, PoolClient } from '../../platform/db/connection.ts';

/** SQL for the instant from which events of a project are kept. @param projectId SQL */
export function retainedFromSql(projectId: string): string {
  return `(select coalesce(max(retained_from), '-infinity') from event_retention where project_id = ${projectId})`;
}

/** SQL condition for the events of a project that are not hidden. @param projectId SQL */
export function isRetainedSql(projectId: string): string {
  return `interval_time >= ${retainedFromSql(projectId)}`;
}

/** @returns null while all events are kept */
export async function findRetainedFrom(client: Pool | PoolClient, projectId: number): Promise<string | null> {
  const { rows } = await client.query<{ retained_from: string }>(
    'select retained_from from event_retention where project_id = $1',
    [projectId],
  );
  return rows[0]?.retained_from ?? null;
}

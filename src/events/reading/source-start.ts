/** Where the source of a content begins, because earlier events of the project are hidden or gone. */
import type { Pool, PoolClient } from '../../platform/db/connection.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { Content } from '../../conditions/rows/content.ts';
import { findRetainedFrom } from '../table/retained-from.ts';
import { selectionOf, type Selection, type Slice } from './selection.ts';

const HOUR_MS = 3_600_000;

/** The first instant at which a data interval may begin whose rows can still be read. */
export function sourceStart(retainedFrom: string, { source }: Pick<Selection, 'source'>): string | null {
  const { eventsFromHoursBefore: hours } = source;
  if (hours === null) return null;
  const millis = Date.parse(retainedFrom) + hours * HOUR_MS;
  return new Date(millis).toISOString().replace('Z', '000Z');
}

/** The sentence that names the first instant whose data intervals can be read. @param start ISO */
export function sourceExpiredSentence(start: string): string {
  return `The source has expired: events of data intervals that begin before ${start} are no longer kept.`;
}

export function sourceExpired(start: string, attr: string | null): InvalidInput {
  return new InvalidInput(sourceExpiredSentence(start), attr, 'source_expired');
}

/**
 * The instant before which the slice's source has expired; null while the slice can be read.
 * @param client in the snapshot in which the slice is read
 */
export async function findExpiry(
  client: Pool | PoolClient,
  { projectId, start }: Pick<Slice, 'projectId' | 'start'>,
  selection: Pick<Selection, 'source'>,
): Promise<string | null> {
  const retainedFrom = await findRetainedFrom(client, projectId);
  const begins = retainedFrom === null ? null : sourceStart(retainedFrom, selection);
  return begins !== null && start < begins ? begins : null;
}

/** @throws InvalidInput when rows of the slice may be gone */
export async function assertNotExpired(
  client: PoolClient,
  slice: Pick<Slice, 'projectId' | 'start'>,
  selection: Pick<Selection, 'source'>,
): Promise<void> {
  const expiry = await findExpiry(client, slice, selection);
  // tooth: source-expired
  if (expiry !== null) throw sourceExpired(expiry, null);
}

/** As `sourceStart`, of a content. A query that no longer compiles counts as one of events. */
export function sourceStartOf(content: Content, retainedFrom: string): string | null {
  try {
    return sourceStart(retainedFrom, selectionOf(content));
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return retainedFrom;
  }
}

/** Where the source of a content begins, because earlier events of the project are hidden or gone. */
import type { Pool, PoolClient } from '../../platform/db/connection.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { Content } from '../../conditions/rows/content.ts';
import { findRetainedFrom } from '../table/retained-from.ts';
import { selectionOf, type Selection, type Slice } from './selection.ts';

const HOUR_MS = 3_600_000;

/** @returns the earliest start of a data interval whose rows can still be read; null if the age of events does not matter */
export function sourceStart(retainedFrom: string, { source }: Pick<Selection, 'source'>): string | null {
  const { eventsFromHoursBefore: hours } = source;
  if (hours === null) return null;
  const millis = Date.parse(retainedFrom) + hours * HOUR_MS;
  return new Date(millis).toISOString().replace('Z', '000Z');
}

/** @param start the earliest start of a data interval that can be read, ISO */
export function sourceExpiredSentence(start: string): string {
  return `The source has expired: events of data intervals that begin before ${start} are no longer kept.`;
}

export function sourceExpiredError(start: string, attr: string | null): InvalidInput {
  return new InvalidInput(sourceExpiredSentence(start), attr, 'source_expired');
}

/**
 * The earliest start of a data interval that can be read, if the slice starts before it; null while the slice can be read.
 * @param client of the transaction in which the slice is read, or a pool
 */
export async function findExpiry(
  client: Pool | PoolClient,
  { projectId, start }: Pick<Slice, 'projectId' | 'start'>,
  selection: Pick<Selection, 'source'>,
): Promise<string | null> {
  const retainedFrom = await findRetainedFrom(client, projectId);
  const earliest = retainedFrom === null ? null : sourceStart(retainedFrom, selection);
  return earliest !== null && start < earliest ? earliest : null;
}

/** @throws InvalidInput when rows of the slice may be gone */
export async function assertNotExpired(
  client: PoolClient,
  slice: Pick<Slice, 'projectId' | 'start'>,
  selection: Pick<Selection, 'source'>,
): Promise<void> {
  const expiry = await findExpiry(client, slice, selection);
  // tooth: source-expired
  if (expiry !== null) throw sourceExpiredError(expiry, null);
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

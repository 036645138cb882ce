/** Events in `sluice retention`: their retention is that of their project, and batch exports may delay it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { hideExpired, type ExpiringEngine } from '../../../activities/rounds/expire-events.ts';
import { emptyPartitions } from '../../events/table/empty-partitions.ts';
import {
  hiddenEventsDeleter,
  listExpiringProjects,
  listProjectsWithHiddenEvents,
  measureEvents,
} from '../../events/table/expiry.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { MAX_DELAY_DAYS, planExpiry } from '../../exports/intervals/expiring-sources.ts';

/** How many slices in a row may find rows locked, and the pause after each. */
const MAX_FAILURES = 60;
const PAUSE_MS = 1_000;

/** Prints the events that a deletion would delete now, by project, and the batch exports that delay the deletion of others. */
export async function listExpiringEvents({ pool, stores, retention }: ExpiringEngine): Promise<void> {
  const projects = await listExpiringProjects(pool, retention.RETENTION_EVENT_DAYS ?? 0);
  const hidden = await listProjectsWithHiddenEvents(pool);
  const others = hidden.filter(({ projectId }) => projects.every((project) => project.projectId !== projectId));
  if (projects.length + others.length === 0) console.log('events: nothing to delete');
  for (const { projectId, retainedFrom } of others)
    console.log(await describeEvents(projectId, retainedFrom, `before ${retainedFrom}, hidden already`));
  for (const project of projects) {
    const { from, delaying } = await planExpiry(stores, project);
    console.log(await describeEvents(project.projectId, from, `before ${from} (kept for ${project.days} days)`));
    for (const { exportId, name, start } of delaying)
      console.log(
        `    later ones held back, for ${MAX_DELAY_DAYS} days at most, by batch export ${name} (${exportId}), which has yet to deliver the data interval from ${start}`,
      );
  }

  async function describeEvents(projectId: number, before: string, which: string): Promise<string> {
    const { rows, oldest, newest } = await measureEvents(pool, projectId, before);
    const what =
      rows === 0 ? `nothing to delete ${which}` : `${count(rows)} to delete ${which}, from ${oldest} to ${newest}`;
    return `events of project ${projectId}: ${what}`;
  }
}

/** Hides and deletes events, as workers do. Yields the number of rows after each slice. */
export async function* deleteExpiringEvents(engine: ExpiringEngine): AsyncGenerator<number> {
  await hideExpired(engine, new AbortController().signal);
  for (const hidden of await listProjectsWithHiddenEvents(engine.pool)) {
    const deleteNext = hiddenEventsDeleter(engine.pool, hidden);
    let failures = 0;
    for (let isLast = false; !isLast;) {
      const slice = await deleteNext();
      const isDeleted = typeof slice === 'object';
      failures = isDeleted ? 0 : failures + 1;
      if (failures === MAX_FAILURES)
        throw new CommandFailed('Others have locked events that are to be deleted. Run it again later.');
      if (!isDeleted) await sleep(PAUSE_MS);
      yield isDeleted ? slice.deleted : 0;
      isLast = isDeleted && slice.isLast;
    }
  }
  await emptyPartitions(engine.pool);
}

export function count(rows: number): string {
  return `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`;
}

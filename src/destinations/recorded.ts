/** What our database remembers of a run's leavings, seen from one place. */
import type { RecordedArtifact, SessionContext } from './contract.ts';

/**
 * The artifacts of this interval at the place that the configuration names now. Those at an earlier place (another bucket, another
 * server) cannot be reached with the present credentials: they are forgotten, with a word in the run's log.
 */
export async function artifactsAt(place: string, { artifacts, log }: SessionContext): Promise<RecordedArtifact[]> {
  const recorded = await artifacts.list();
  const here = recorded.filter(({ artifact }) => artifact['place'] === place);
  const elsewhere = recorded.filter(({ artifact }) => artifact['place'] !== place);
  if (elsewhere.length > 0) {
    log('warning', `${elsewhere.length} unfinished uploads or tables stay at an earlier place of this batch export.`);
    await artifacts.discard(elsewhere.map(({ id }) => id));
  }
  return here;
}

/** Recorded artifacts of an interval, seen from one place. */
import type { Artifact, RecordedArtifact } from './artifacts.ts';
import type { SessionContext } from './contract.ts';

/**
 * The artifacts of this interval that are at the session's own place. Those of earlier runs at other places stay recorded, because each
 * is removed by a session of its own run, whose plan leads to that place.
 */
export async function artifactsAt(
  isHere: (artifact: Artifact) => boolean,
  { artifacts }: Pick<SessionContext, 'artifacts'>,
): Promise<RecordedArtifact[]> {
  const recorded = await artifacts.list();
  return recorded.filter(({ artifact }) => isHere(artifact));
}

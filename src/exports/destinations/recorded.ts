/** Recorded artifacts of an interval at one place. */
import type { Artifact, RecordedArtifact } from './artifacts.ts';
import type { SessionContext } from './contract.ts';

/**
 * The artifacts of this interval at the session's own place. Those of earlier runs at other places stay recorded, because sessions of
 * their own runs, whose plans have those places, remove them.
 */
export async function listArtifactsAt(
  isHere: (artifact: Artifact) => boolean,
  { artifacts }: Pick<SessionContext, 'artifacts'>,
): Promise<RecordedArtifact[]> {
  const recorded = await artifacts.list();
  return recorded.filter(({ artifact }) => isHere(artifact));
}

/** Recorded artifacts of an interval at one place. */
import type { Artifact, RecordedArtifact } from './artifacts.ts';
import type { SessionContext } from './contract.ts';

/**
 * Lists the artifacts of this interval at the session's own place. Artifacts at other places belong to earlier runs: only a session of such
 * a run, whose plan has that place, can remove them.
 */
export async function listArtifactsAt(
  isHere: (artifact: Artifact) => boolean,
  { artifacts }: Pick<SessionContext, 'artifacts'>,
): Promise<RecordedArtifact[]> {
  const recorded = await artifacts.list();
  return recorded.filter(({ artifact }) => isHere(artifact));
}

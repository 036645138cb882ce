/** Recorded artifacts of an interval, seen from one place. */
import type { Artifact, RecordedArtifact } from './artifacts.ts';
import type { SessionContext } from './contract.ts';

/**
 * The artifacts of this interval that are at the session's own place. Those of earlier runs at other places stay recorded: each
 * is taken back by a session of the run that left it, which its plan leads there.
 */
export async function artifactsAt(
  isHere: (artifact: Artifact) => boolean,
  { artifacts }: Pick<SessionContext, 'artifacts'>,
): Promise<RecordedArtifact[]> {
  const recorded = await artifacts.list();
  return recorded.filter(({ artifact }) => isHere(artifact));
}

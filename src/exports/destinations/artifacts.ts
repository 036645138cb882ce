/** Artifacts of a run at its destination, as our database remembers them. */

/** An open upload or a stage table, left at the destination before the commit. JSON-safe. */
export type Artifact = Readonly<Record<string, unknown>>;
export type RecordedArtifact = { id: string; epoch: number; artifact: Artifact };

/** Our own database's record of what a run left at the destination. */
export type Artifacts = {
  /**
   * Stores, committed, that the artifact exists or is about to. @returns its id
   * @param instead id of a record that this one takes the place of
   * @throws Superseded when a later epoch has taken the interval, ours is already delivered (a frozen worker that goes on
   *   beside the attempt that finished), or `instead` was discarded: the caller removes what it just made and stops
   */
  record(artifact: Artifact, instead?: string): Promise<string>;
  /** Everything recorded for this interval under our epoch or earlier ones and not yet discarded, at whatever place. */
  list(): Promise<RecordedArtifact[]>;
  /** Artifacts recorded under later epochs, whose own runs remove them. */
  listLater(): Promise<RecordedArtifact[]>;
  /** Forgets artifacts that can no longer become visible (aborted, dropped, completed by us). */
  discard(ids: readonly string[]): Promise<void>;
};

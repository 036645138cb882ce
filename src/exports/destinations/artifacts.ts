/** Records, in our database, of a run's artifacts at its destination. */

/** An open upload or a stage table, left at the destination before the commit. JSON-safe. */
export type Artifact = Readonly<Record<string, unknown>>;
export type RecordedArtifact = { id: string; epoch: number; artifact: Artifact };

/** The records of a data interval's artifacts. */
export type Artifacts = {
  /**
   * Records that the artifact exists, or is about to, and commits the record. @returns the record's id
   * @param instead id of a record that this one replaces
   * @throws Superseded when a later epoch has taken the interval, another attempt has delivered ours while this one was frozen, or
   *   `instead` was discarded. The caller must then remove the artifact and stop.
   */
  record(artifact: Artifact, instead?: string): Promise<string>;
  /** Artifacts of this interval at all places, recorded under our epoch or earlier ones and not yet discarded. */
  list(): Promise<RecordedArtifact[]>;
  /** Artifacts recorded under later epochs, whose runs remove them. */
  listOfLaterEpochs(): Promise<RecordedArtifact[]>;
  /** Forgets artifacts that can no longer become visible (aborted, dropped, completed by us). */
  discard(ids: readonly string[]): Promise<void>;
};

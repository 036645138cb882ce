/** Definitions of a project's flags, as one snapshot of the database. */
import type { Definitions, FlagDefinition } from '../evaluation/definitions.ts';

/** A flag with what decisions do not need, but its descriptions do. */
export type StoredFlag = FlagDefinition & {
  /** Describes the flag. */
  name: string;
  tags: readonly string[];
  isRemoteConfiguration: boolean;
  /** Whether the payloads are encrypted; the filters then have none. */
  hasEncryptedPayloads: boolean;
};

/** Keyed by flag keys, without deleted flags. */
export type StoredDefinitions = Omit<Definitions, 'flags'> & { flags: readonly StoredFlag[] };

export type FlagSettings = {
  /** Any that is not archived. */
  hasSurveys: boolean;
  /** Visitors without cookies are told apart for a day. */
  cookieless: boolean;
};

export type Snapshot = {
  projectId: number;
  organizationId: string;
  /** The public key of the project. */
  token: string;
  /** Number of changes of the project's definitions so far. */
  version: string;
  definitions: StoredDefinitions;
  settings: FlagSettings;
};

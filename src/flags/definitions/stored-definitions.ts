/** Definitions of a project's flags, as one snapshot of the database. */
import type { Definitions, FlagDefinition } from '../evaluation/definitions.ts';

/** A flag with what decisions do not need, but its descriptions do. */
export type StoredFlag = FlagDefinition & {
  /** Describes the flag. */
  name: string;
  tags: readonly string[];
  isRemoteConfiguration: boolean;
  /** The payloads are encrypted: the filters have none. */
  hasEncryptedPayloads: boolean;
};

/** By the keys of the flags; none that is deleted. */
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
  /** How often what is here has changed. */
  version: string;
  definitions: StoredDefinitions;
  settings: FlagSettings;
};

/** Definitions of a project's flags, as one snapshot of the database. */
import type { Definitions, FlagDefinition } from '../evaluation/definitions.ts';

/** A flag with the further fields that its feed and descriptions show. */
export type StoredFlag = FlagDefinition & {
  /** A description of the flag, despite the name. */
  name: string;
  tags: readonly string[];
  isRemoteConfiguration: boolean;
  /** Whether the payloads are encrypted; the filters then have none. */
  hasEncryptedPayloads: boolean;
};

/** Definitions without deleted flags, sorted by key. */
export type StoredDefinitions = Omit<Definitions, 'flags'> & { flags: readonly StoredFlag[] };

export type FlagSettings = {
  /** Whether the project has a started survey that is not archived. */
  hasSurveys: boolean;
  /** Whether visitors without cookies are identified for a day. */
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

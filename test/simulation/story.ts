/** Everything that happens in one project, to one export after the other, and what a restore has left of it. */
import type { Layout } from '../../src/exports/destinations/object-store/keys.ts';
import type { Side } from '../../src/exports/timeline/foreign-deliveries.store.ts';
import type { Run } from '../../src/exports/runs/run-rows.ts';
import type { Command, Life } from './commands.ts';
import type { Delivery } from './delivered.ts';
import type { Installation } from './installation.ts';
import type { Model, ModelCadence } from './model.ts';
import type { Rows, StoredRow } from './rows.ts';

export type Lived = {
  begin: string;
  cadence: ModelCadence;
  lasts: number;
  redeliverStale: boolean;
  layout: Layout;
  commands: Command[];
};

/** The state of one project over its story: the last export is the one that commands are for. */
export type Story = {
  world: Installation;
  lived: Lived;
  rows: Rows;
  lives: Life[];
  deleted: Set<Life>;
  foreign: Foreign;
};

export const existingLives = ({ lives, deleted }: Story) => lives.filter((life) => !deleted.has(life));

type BackUp = {
  lives: readonly { life: Life; model: Model }[];
  deleted: readonly Life[];
  rows: readonly StoredRow[];
  witness: string | undefined;
};

/** A delivery as a restore found it, of a run that the restored database does not know, or not as delivered. */
export type Remaining = Delivery & { isKnown: boolean };

export type Foreign = {
  backUp?: BackUp;
  /** Of the last restore, in the product's words. */
  restoredAt: string;
  /** By place and interval. */
  remaining: Map<string, Remaining>;
  /** An operator's decisions about the runs of `remaining`, and when they were made. */
  accepted: Map<string, { side: Side; at: number }>;
  /** Deliveries that an operator adopted as the run's: the place, and the uuids that are there. */
  adopted: Map<string, { key: string; uuids: readonly string[] }>;
  /** Files that lay about when the database forgot whose they are. */
  strays: Set<string>;
  /** While deliveries are blocked: the hash of all delivered files. */
  blocked?: string;
};

export function noForeignDeliveries(): Foreign {
  return { restoredAt: '', remaining: new Map(), accepted: new Map(), adopted: new Map(), strays: new Set() };
}

/** Whether a run delivered since the last restore; one that was adopted has not. */
export function isSinceRestore({ foreign }: Pick<Story, 'foreign'>, run: Run): boolean {
  return run.finishedAt! > foreign.restoredAt && !foreign.adopted.has(run.id);
}

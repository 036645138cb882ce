/**
 * The contract of a destination: what it is, and what it promises. The engine (`activities/`) is the only caller.
 *
 * The engine delivers a data interval in two steps. First, `write` stages every part: on any worker, at any time, some parts more than
 * once. Then one activity calls `commit` with the winners, and `verify` to read back. Until `commit` nothing is visible at the
 * destination; afterwards it holds exactly the plan's rows for the interval.
 * Any process may be killed or frozen at any point, and a frozen one may resume while its successor runs.
 *
 * The **epoch** makes that safe. Each new plan of an interval takes the next epoch from the interval's ledger row. Whatever a
 * destination leaves behind (an open upload, a stage table) is *recorded* in our database, under the epoch, before it can
 * matter; recording fails with `Superseded` once a later epoch has taken the interval. A commit first makes sure that
 * nothing recorded by other attempts can ever become visible.
 *
 * Epochs order the attempts at one interval. Runs of several intervals of an export work at the same time: if they share a file, the
 * destination must keep them apart itself, and whatever it stages must have the interval in its name. The contract suite delivers one interval
 * only, so such a destination needs tests of its own with several.
 *
 * Epochs count within one database. **Ownership** guards against another one (a restored or copied database that runs beside or after
 * this one): a delivery says which run made it, and is replaced only if our database knows that run for the interval.
 *
 * Errors: a destination throws `DestinationRejected` if it would refuse again (the message says what to fix, and the engine does not retry),
 * or `DestinationUnavailable` if it may accept later. It translates its driver's errors once, at the call, by code.
 * `Superseded` and `DeliveredElsewhere` pass through. Messages never hold a host, a credential or SQL.
 */
import type { Carrier } from '../../conditions/rows/columns.ts';
import type { Artifacts } from './artifacts.ts';
import type { DestinationEnvironment } from './environment.ts';
import type { FileEncoding } from '../formats/file-encoding.ts';
import type { PartSummary } from '../formats/part-summary.ts';
import type { Ownership, PresentDelivery } from './ownership.ts';
import type { ConditionalPromises } from './promises.ts';
import type { Receipt } from './receipt.ts';
import type { DeleteSuperseded, RecordSuperseded } from './superseded.ts';
import type { TObject } from '../../platform/schema.ts';
import type { TestStep } from './test-steps.ts';
import type { Part, Delivery, Search, StagedPart } from './delivery.ts';

export type { Artifact, Artifacts, RecordedArtifact } from './artifacts.ts';
export type { DeliveredFile, Receipt } from './receipt.ts';

/** A data interval, half-open. Instants are ISO, UTC, six decimals, Z. */
export type IntervalBounds = { start: string; end: string };

/** One part's rows; a destination consumes exactly one of the two iterables, once, to its end. */
export type PartSource = {
  /** The part encoded and compressed as the delivery says. Blocks of about 1 MiB. */
  file(): AsyncIterable<Uint8Array>;
  /** The part as Postgres's COPY BINARY stream, header and trailer included, columns as in the delivery. */
  rows(): AsyncIterable<Uint8Array>;
  /** Valid once the iterable ended. @throws IntervalShrank when fewer rows were there than the plan counted */
  summary(): PartSummary;
};

/** A line of the run's log, which the user reads: no hosts, no secrets. */
export type RunLog = (level: 'debug' | 'info' | 'warning' | 'error', message: string) => void;

export type SessionContext = {
  /** Aborted when the attempt is cancelled or the worker stops: pass it into every I/O. */
  signal: AbortSignal;
  log: RunLog;
  /** Called after each request of a client that repeats requests by itself: with the failure that it repeats, or without one. */
  onRequest(failure?: Error): void;
  artifacts: Artifacts;
  ownership: Ownership;
  recordSuperseded: RecordSuperseded;
  /** Builds a file without rows, to replace a file of an earlier delivery, which may have another format or compression than this one. */
  emptyFile(file: Pick<FileEncoding, 'format' | 'compression'>): {
    bytes: AsyncIterable<Uint8Array>;
    /** Valid once `bytes` ended. */
    summary(): PartSummary;
  };
  /**
   * Called where a kill or a freeze may leave something half done. In production it does nothing; the contract suite stops the process here,
   * and knows these names. `write`: `upload-intent` when an artifact is recorded and not made yet, `upload-begun` when it is made,
   * `part-<n>-begin` and `part-<n>-end` around the rows. `commit`: `before-commit` first; just before readers see a change, `rows` where one
   * change shows everything, else `replacing`, `file-<n>` and `manifest`; `after-commit` before the cleaning. A commit may have more steps.
   */
  step(name: string): Promise<void>;
};

/** A difference between a receipt and the destination; `what` is a sentence. */
export type Difference = { what: string; expected: string; found: string };

export type Session = {
  /** The plan's location for this delivery, which the receipt will have. An earlier delivery may have gone elsewhere. */
  location: string;
  /**
   * Stages one part, invisibly. Each call stages afresh, ignoring what an earlier attempt of the same part left.
   */
  write(part: Part, source: PartSource): Promise<StagedPart>;
  /**
   * Makes these parts the content of the data interval, replacing what an earlier delivery left there. Safe to repeat with the
   * same parts: files that an interrupted call already made visible are recognised. The ledger is `committing` by then.
   * Content that is there already and whole stays as it is: not one byte changes, so the receipt may have the run and the epoch of the
   * earlier delivery. The cutoff is always this delivery's.
   * @throws Superseded when a later epoch took the interval meanwhile, and also when a staged part is gone: the engine asks the ledger which
   *   of the two it was; DeliveredElsewhere when the destination holds a delivery that this database does not know (`Ownership`), which
   *   stays as it is
   * @throws StagedLost when a part was staged under a name that is not the plan's
   */
  commit(parts: readonly StagedPart[]): Promise<Receipt>;
  /** Returns the receipt of this delivery (by run and epoch) if the destination holds it. For repairs after crashes. */
  findReceipt(): Promise<Receipt | undefined>;
  /** Returns the interval's delivery at the destination, whichever run and database made it; undefined if this export has none there. */
  findPresentDelivery(): Promise<PresentDelivery | undefined>;
  /**
   * Reads the delivery back; no differences: the destination matches the receipt. Absent if the destination cannot be read.
   * @param deep downloads and counts every row instead of trusting sizes and checksums
   * @param rows the delivery's rows as they are at the source, for a deep check of rows with versions
   */
  verify?(receipt: Receipt, options: { deep: boolean; rows?: () => AsyncIterable<Uint8Array> }): Promise<Difference[]>;
  /**
   * Counts the rows with one of the texts in each file, in the same order each time; a table is one file. Of rows with versions, first deletes
   * those that the source has no more, and counts others that it lacks. Absent if the destination cannot be read.
   */
  search?(receipt: Receipt, search: Search): AsyncIterable<number>;
  /**
   * Removes every artifact recorded for this interval up to our epoch. Never touches what is visible.
   * @returns ids of records that stay because they are the only trace of files that an interrupted commit made visible
   */
  discard(): Promise<readonly string[]>;
  /** Absent if the destination has no files. */
  deleteSuperseded?: DeleteSuperseded;
  /** Ends connections. Called exactly once, also after an error. */
  close(): Promise<void>;
};

/** The export that a configuration belongs to. */
export type Subject = { projectId: number; model: string };

export type Destination<Config = unknown> = {
  /** The `destination.type` of the API. */
  type: string;
  title: string;
  /** Promises, each with the values of configuration fields for which it holds; see `promisesOf`. */
  promises: readonly ConditionalPromises[];
  /** Whether the destination takes encoded files or rows; columns and parts depend on it too. */
  takes: Carrier;
  /** TypeBox object; `writeOnly: true` marks a secret (encrypted at rest, absent from responses, kept when a PATCH omits it). */
  config: TObject;
  /** Values of fields that a stored configuration lacks because it is older than the fields. */
  legacyDefaults?: Readonly<Record<string, unknown>>;
  /** Kind of integration that the destination uses, and the fields that it supplies in place of the configuration. */
  integration?: { kind: string; fields: readonly string[] };
  /** Set where rows cannot replace earlier versions of themselves: models whose rows change, such as persons, are refused. */
  refusesVersions?: true;
  /** Names of columns that the configuration cannot do without; absent if any columns will do. */
  neededColumns?(config: Config): readonly string[];
  /**
   * Makes checks for which upstream has its own messages, before the schema's less specific ones.
   * @throws InvalidInput naming the field, or none
   */
  checkBeforeSchema?(config: Readonly<Record<string, unknown>>): void;
  /**
   * Makes the checks of fields that an integration can supply, also of those of an integration alone.
   * @throws InvalidInput naming the field
   */
  checkCredentials?(config: Readonly<Record<string, unknown>>): void;
  /**
   * Derives fields from others, such as the server that a secret names. The derived values replace given ones.
   * @throws InvalidInput naming the field
   */
  derive?(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Fields that decide which server receives the secrets, so a change of one requires the secrets again. */
  secretsGoTo: readonly string[];
  /**
   * Makes the checks that a schema cannot express, when saved and again on each run; contacts only name servers.
   * @throws InvalidInput naming the field (without the `destination__config__` prefix)
   */
  validate(config: Config, environment: DestinationEnvironment): Promise<void>;
  /**
   * Describes what the credentials give access to, as narrowly as possible, because two configurations for which this is equal may use
   * each other's credentials. Holds no secret, and needs none in `config`.
   */
  place(config: Config, subject: Subject): string;
  /**
   * Every key or table that the configuration can write to, in the form that `key-space.ts` compares: no two exports of one
   * installation may have any in common. Where exports own no names, the export's id makes it unique. Holds no secret, and needs none in `config`.
   */
  keySpace(config: Config, subject: Subject & { exportId: string }): string;
  /** The place in a few words for people, such as `s3://bucket/prefix` or `schema.table`: no host, no secret. Makes no network call. */
  label(config: Config): string;
  /** Steps by which a user can test a configuration. */
  steps: readonly TestStep<Config>[];
  /** Names that a delivery has at the destination: objects and their manifest, or the table. Makes no network call. */
  names(
    config: Config,
    delivery: Pick<Delivery, 'projectId' | 'model' | 'start' | 'end' | 'file' | 'runId' | 'events'> & {
      parts: readonly Part[];
    },
  ): string[];
  /**
   * Lists the data intervals that have a delivery at the place, perhaps another export's, so a comparison need not open a session for
   * every interval since the beginning.
   */
  listDeliveries(
    config: Config,
    subject: Subject & { exportId: string },
    environment: DestinationEnvironment,
    signal: AbortSignal,
  ): AsyncIterable<IntervalBounds>;
  open(
    config: Config,
    delivery: Delivery,
    context: SessionContext,
    environment: DestinationEnvironment,
  ): Promise<Session>;
};

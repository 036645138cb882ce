/**
 * What users do with batch exports. The row comes first and is the truth; the schedule in Temporal is set from it at once, and
 * by the reconciler within a minute when Temporal was away just then.
 */
import { randomUUID } from 'node:crypto';
import type { Destination, DestinationEnvironment } from '../destinations/contract.ts';
import { destinationOf } from '../destinations/index.ts';
import { InvalidInput, Stale } from '../errors.ts';
import { mergeConfig } from '../secrets/write-only.ts';
import type { ExportExecutions } from '../temporal/executions.ts';
import type { BatchExport, BatchExportChange } from './batch-exports.store.ts';
import { checkedConfig } from './destination-config.ts';
import { millisOf } from './domain/instants.ts';
import { periodOf, withSpec } from './domain/intervals.ts';
import type { ScheduleSetter } from './schedule-setter.ts';
import type { SealedConfigs } from './sealed-config.ts';
import type { ExportStores } from './stores.ts';

type Config = Record<string, unknown>;

export type NewExport = {
  name: string;
  model: string;
  destination: { type: string; config: Record<string, unknown> };
  interval: string;
  paused: boolean;
  startAt: string | null;
  endAt: string | null;
};

/** What a PATCH may say; what it leaves out stays. */
export type ExportPatch = Partial<Omit<NewExport, 'model'>> & { lastPausedAt?: string | null };

export type BatchExportsOptions = {
  stores: ExportStores;
  schedules: ScheduleSetter;
  executions: ExportExecutions;
  sealed: SealedConfigs;
  environment: DestinationEnvironment;
  /** @throws Unavailable while Temporal is away */
  ensureTemporal(): Promise<void>;
};

export function batchExports({
  stores,
  schedules,
  executions,
  sealed,
  environment,
  ensureTemporal,
}: BatchExportsOptions) {
  /** Checks a configuration whole, as it would be stored. */
  async function checked(
    type: string,
    given: Record<string, unknown>,
  ): Promise<{ destination: Destination; config: Record<string, unknown> }> {
    const destination = destinationNamed(type, environment);
    const config = checkedConfig(destination, given);
    await destination.validate(config, environment).catch(namingTheConfig);
    return { destination, config };
  }

  async function change(
    projectId: number,
    id: string,
    work: (current: BatchExport) => Promise<BatchExportChange | undefined>,
    version?: string,
  ) {
    await ensureTemporal();
    const changed = await stores.inTransaction(async (inside) => {
      const current = await inside.batchExports.lock(projectId, id);
      if (version !== undefined && version !== current.version)
        throw new Stale('The batch export was changed since you read it.');
      const wanted = await work(current);
      if (!wanted) return current;
      if (wanted.interval !== undefined && wanted.interval !== current.interval) {
        const now = millisOf(await inside.batchExports.now());
        await inside.batchExports.setTiling(id, withSpec(await inside.batchExports.tiling(id), wanted.interval, now));
      }
      if (wanted.paused !== undefined && wanted.paused !== current.paused) {
        await (wanted.paused ? inside.batchExports.openPause(id) : inside.batchExports.closePause(id));
      }
      return inside.batchExports.update(id, wanted);
    });
    await schedules.follow(id);
    return changed;
  }

  return {
    get: stores.batchExports.get,
    list: stores.batchExports.list,

    /**
     * @throws InvalidInput naming the field
     * @throws Conflict when another export delivers to the same place
     */
    async create(projectId: number, wanted: NewExport): Promise<BatchExport> {
      periodOf(wanted.interval);
      checkBounds(wanted.startAt, wanted.endAt);
      const { destination, config } = await checked(wanted.destination.type, wanted.destination.config);
      await ensureTemporal();
      const id = randomUUID();
      const created = await stores.inTransaction(async (inside) => {
        const row = await inside.batchExports.insert({
          id,
          projectId,
          name: wanted.name,
          model: wanted.model,
          destinationType: destination.type,
          ...sealed.seal({ id, projectId }, destination, config),
          keySpace: destination.keySpace(config, projectId),
          interval: wanted.interval,
          paused: wanted.paused,
          lastPausedAt: null,
          startAt: wanted.startAt,
          endAt: wanted.endAt,
        });
        if (wanted.paused) await inside.batchExports.openPause(id);
        return row;
      });
      await schedules.follow(id);
      return created;
    },

    /**
     * @param version the row's version that the caller read, to refuse a change of something newer
     * @throws Stale, InvalidInput, Conflict, NotFound
     */
    async patch(projectId: number, id: string, patch: ExportPatch, version?: string): Promise<BatchExport> {
      if (patch.interval !== undefined) periodOf(patch.interval);
      return change(
        projectId,
        id,
        async (current) => {
          const { destination: place, ...rest } = patch;
          checkBounds(
            rest.startAt === undefined ? current.startAt : rest.startAt,
            rest.endAt === undefined ? current.endAt : rest.endAt,
          );
          if (!place) return rest;
          if (place.type !== current.destinationType) {
            throw new InvalidInput(
              `Cannot change destination type from '${current.destinationType}' to '${place.type}'. ` +
                'Delete this batch export and create a new one with the new destination type.',
              'destination__type',
            );
          }
          const { destination, config } = await checked(place.type, mergeConfig(sealed.open(current), place.config));
          checkSecretsStay(destination, current.destinationConfig, config, place.config);
          return {
            ...rest,
            ...sealed.seal(current, destination, config),
            keySpace: destination.keySpace(config, projectId),
          };
        },
        version,
      );
    },

    /** Runs already started continue; no new one starts by itself. Paused already: nothing changes. */
    async pause(projectId: number, id: string): Promise<BatchExport> {
      const now = await stores.batchExports.now();
      return change(projectId, id, async ({ paused }) => (paused ? undefined : { paused: true, lastPausedAt: now }));
    },

    async unpause(projectId: number, id: string): Promise<BatchExport> {
      return change(projectId, id, async ({ paused }) => (paused ? { paused: false } : undefined));
    },

    /** Ends the schedule, the requests and the runs that are under way. What was delivered stays. */
    async delete(projectId: number, id: string): Promise<void> {
      await ensureTemporal();
      const running = await stores.inTransaction(async (inside) => {
        await inside.batchExports.lock(projectId, id);
        await inside.batchExports.markDeleted(id);
        await inside.requests.closeAll(id);
        return inside.runs.openOf(id);
      });
      await schedules.follow(id);
      await Promise.all(running.map((run) => executions.cancel(run.workflowId, run.workflowRunId)));
    },

    /** The whole configuration, secrets included: for the engine only. */
    openConfig: sealed.open,
  };
}

export type BatchExports = ReturnType<typeof batchExports>;

function destinationNamed(type: string, environment: DestinationEnvironment): Destination {
  try {
    return destinationOf(type, environment);
  } catch (error) {
    if (error instanceof InvalidInput) throw new InvalidInput(error.message, 'destination__type', error.code);
    throw error;
  }
}

function namingTheConfig(error: unknown): never {
  if (!(error instanceof InvalidInput)) throw error;
  throw new InvalidInput(
    error.message,
    error.attr === null ? 'destination' : `destination__config__${error.attr}`,
    error.code,
  );
}

/**
 * Whoever may change an export may not learn its secrets by sending them to a server of their own.
 * @param given what the request itself says
 */
function checkSecretsStay(
  { config: schema, secretsGoTo }: Destination,
  before: Config,
  after: Config,
  given: Config,
): void {
  const moved = secretsGoTo.find(
    (field) => JSON.stringify(before[field] ?? null) !== JSON.stringify(after[field] ?? null),
  );
  if (moved === undefined) return;
  const properties = schema.properties as Record<string, { writeOnly?: boolean }>;
  const kept = Object.keys(after).find((field) => properties[field]?.writeOnly && given[field] === undefined);
  if (kept === undefined) return;
  throw new InvalidInput(
    `A change of '${moved}' sends the credentials to another server: give '${kept}' again.`,
    `destination__config__${kept}`,
    'required',
  );
}

function checkBounds(startAt: string | null, endAt: string | null): void {
  if (startAt === null || endAt === null || millisOf(startAt) < millisOf(endAt)) return;
  throw new InvalidInput('`end_at` must be after `start_at`.', 'end_at');
}

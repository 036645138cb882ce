/** Reads, checks and changes an export's content. */
import { randomBytes } from 'node:crypto';
import type { Destination } from '../destinations/contract.ts';
import { namesEvents } from '../destinations/object-store/config.ts';
import type { Column } from '../../conditions/rows/columns.ts';
import { InvalidInput, SecretLost } from '../../platform/errors.ts';
import { columnsOf, mergeOf, selectionOf, type Selection } from '../../events/reading/selection.ts';
import { partsOfPath } from '../../events/reading/transform.ts';
import { parseFilters } from '../../conditions/sql/filters.ts';
import type { BatchExport } from './batch-export.ts';
import { isHashed, type Content, type ContentSettings, type Model } from '../../conditions/rows/content.ts';
import type { Run } from '../runs/runs.store.ts';
import type { ConfigEncryption } from '../integrations/config-encryption.ts';
import { runFault } from '../faults/run-faults.ts';

/** Fields that users may set. Omitted fields keep their value in a change, and are empty in a new export. */
export type ContentPatch = {
  content?: Partial<Omit<ContentSettings, 'filters'>> & { filters?: unknown };
  hashKey?: string;
};

type DescribedContent = Pick<BatchExport, 'model' | 'content'> & {
  destinationConfig: Readonly<Record<string, unknown>>;
};

export function contentOf({ model, content, destinationConfig: config }: DescribedContent): Content {
  return {
    ...content,
    model,
    includeEvents: (config['include_events'] as string[] | null | undefined) ?? [],
    excludeEvents: (config['exclude_events'] as string[] | null | undefined) ?? [],
  };
}

type CheckedDestination = Pick<Destination, 'title' | 'takes' | 'refusesVersions' | 'neededColumns'>;

/**
 * Checks complete content for a destination.
 * @throws InvalidInput naming the field
 */
function checkContent(
  content: Content,
  { title, takes, refusesVersions, neededColumns }: CheckedDestination,
  config: Readonly<Record<string, unknown>>,
): void {
  const selection = selectionOf(content);
  checkModel(content, selection.source.model);
  checkColumnNames(content, selection);
  for (const { path } of content.transformations) checkPath(selection, path);
  if (takes === 'files' && namesEvents(config)) checkEventsInNames(content, selection);
  const columns = columnsOf(content, takes);
  if (columns.every(({ hidden }) => hidden)) throw new InvalidInput('No column is left to export.', 'exclude_columns');
  const missingNeededColumn = neededColumns?.(config).find((needed) => !columns.some(({ name }) => name === needed));
  if (missingNeededColumn !== undefined)
    throw new InvalidInput(
      `This destination needs the column '${missingNeededColumn}', which the export does not have.`,
      'destination',
    );
  if (takes === 'rows') columns.forEach(refuseSystemColumn);
  const merge = takes === 'rows' ? mergeOf(content) : null;
  if (!merge) return;
  if (refusesVersions)
    throw new InvalidInput(
      `${title} takes only events: rows of ${content.model} change after their delivery.`,
      'model',
    );
  const exportedTypes = new Map(columns.map(({ name, type }) => [name, type]));
  const version = selection.columns.find(({ name }) => name === merge.version);
  const missingMergeColumn =
    merge.key.find((name) => !exportedTypes.has(name)) ??
    (version && nameUnlessExportedUnchanged(version, exportedTypes));
  if (missingMergeColumn === undefined) return;
  throw new InvalidInput(`A table of ${content.model} needs the column '${missingMergeColumn}'.`, 'exclude_columns');
}

/** System columns of every table of Postgres. The same names with capital letters are allowed, because column names are quoted. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid']);

/** Refuses a column named like a system column; only a custom query can produce one. */
function refuseSystemColumn({ name }: Column): void {
  if (!SYSTEM_COLUMNS.has(name)) return;
  throw new InvalidInput(`A table cannot have the column '${name}': Postgres has its own.`, 'hogql_query');
}

/** @returns the column's name if it is not exported, or is exported with another type */
function nameUnlessExportedUnchanged(
  { name, type }: Pick<Column, 'name' | 'type'>,
  exportedTypes: ReadonlyMap<string, string>,
): string | undefined {
  return exportedTypes.get(name) === type ? undefined : name;
}

/** @param relation the model that is read; a query may read a different model from the export's */
function checkModel({ model, query, includeEvents, excludeEvents }: Content, relation: Model): void {
  if (query !== null && model !== 'events') throw onlyForEventsError('hogql_query', model);
  if (includeEvents.length > 0 && relation !== 'events') throw onlyForEventsError('include_events', relation);
  if (excludeEvents.length > 0 && relation !== 'events') throw onlyForEventsError('exclude_events', relation);
}

/** Makes the error with upstream's message. */
function onlyForEventsError(name: string, model: Model): InvalidInput {
  return new InvalidInput(`'${name}' is only supported for 'events' not '${model}' model`, name);
}

/** Names of files show the event as it is stored, whatever the columns make of it. */
function checkEventsInNames({ transformations }: Content, { source, columns }: Selection): void {
  if (source.model !== 'events')
    throw new InvalidInput(
      `The variable {event} is for exports of events, not of ${source.model}: choose another prefix.`,
      'destination__config__prefix',
    );
  const hidden = transformations.find(({ path }) => columns.some(({ name, sql }) => name === path && sql === 'event'));
  if (hidden)
    throw new InvalidInput(
      `The names of files would show the event, which a transformation of '${hidden.path}' hides: choose a prefix without {event}.`,
      'destination__config__prefix',
    );
}

function checkColumnNames(content: Content, { columns }: Selection): void {
  const columnNames = columns.map(({ name }) => name);
  const namedColumns = { include_columns: content.includeColumns ?? [], exclude_columns: content.excludeColumns };
  for (const [attr, names] of Object.entries(namedColumns)) {
    const unknown = names.filter((name) => !columnNames.includes(name)).map((name) => `'${name}'`);
    if (unknown.length === 0) continue;
    throw new InvalidInput(`Unknown columns: ${unknown.join(', ')}. There are: ${columnNames.join(', ')}.`, attr);
  }
}

function checkPath({ columns }: Selection, path: string): void {
  const { column: name, keys } = partsOfPath(path);
  const column = columns.find((sourceColumn) => sourceColumn.name === name);
  if (!column) throw new InvalidInput(`Unknown column: '${name}'.`, 'transformations');
  if (keys.includes('')) throw new InvalidInput(`'${path}' has an empty step.`, 'transformations');
  if (keys.length > 0 && column.type !== 'jsonb') {
    throw new InvalidInput(`'${name}' has no properties: name the column alone.`, 'transformations');
  }
}

type Row = Pick<BatchExport, 'id' | 'projectId' | 'model' | 'content' | 'hashKey'>;

/**
 * Applies a change of the content. Generates a hash key when the first column is hashed.
 * @param config the destination's complete configuration, as it would be stored
 * @throws InvalidInput naming the field
 */
export function contentColumns(
  configs: ConfigEncryption,
  row: Row,
  { content: change, hashKey }: ContentPatch,
  { destination, config }: { destination: Destination; config: Readonly<Record<string, unknown>> },
): Pick<BatchExport, 'content' | 'hashKey'> {
  const unfiltered = { ...row.content, ...change, filters: [] };
  const whole = contentOf({ model: row.model, content: unfiltered, destinationConfig: config });
  const relation = selectionOf(whole).source.model;
  const content = { ...unfiltered, filters: parseFilters(change?.filters ?? row.content.filters, relation) };
  checkContent({ ...whole, filters: content.filters }, destination, config);
  const isNeeded = isHashed(content) && row.hashKey === null;
  const key = hashKey ?? (isNeeded ? generateHashKey() : undefined);
  return { content, hashKey: key === undefined ? row.hashKey : configs.encryptSecret(row, HASH_KEY, key) };
}

/** The key of an export's row; null if it has none. @throws SecretLost; Error when the key ring lacks the key that it was encrypted with */
export function decryptHashKey(
  configs: ConfigEncryption,
  row: Pick<Row, 'id' | 'projectId' | 'hashKey'>,
): string | null {
  try {
    return row.hashKey === null ? null : configs.decryptSecret(row, HASH_KEY, row.hashKey);
  } catch (error) {
    if (!(error instanceof SecretLost)) throw error;
    throw new SecretLost(
      'The key for hashes cannot be read, because the key that encrypted it is lost: give another one.',
      {
        fault: { ...runFault('secret_lost'), field: HASH_KEY },
      },
    );
  }
}

/** The key that a run hashes with, from its plan; null if the run does not hash. */
export function hashKeyOf(configs: ConfigEncryption, { batchExportId, projectId, plan }: Run): string | null {
  return decryptHashKey(configs, { id: batchExportId, projectId, hashKey: plan?.hashKey ?? null });
}

/** Purpose that the encrypted key is bound to, besides its row. */
export const HASH_KEY = 'hash_key';
const KEY_BYTES = 32;

/** Makes a key for exports whose users do not bring one. */
function generateHashKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

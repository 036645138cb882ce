/** Imports items of one kind in the order of their dependencies, and remembers the outcomes for items that reference them. */
import { CommandFailed, InvalidInput } from '../../platform/errors.ts';
import { TryAgain } from '../../platform/sending/retry.ts';
import type { ApiClient, WriteResult } from './api-client.ts';
import { circularError, dependencyOrder, type Cycle } from './dependency-order.ts';
import { distinctItems } from './distinct-items.ts';
import type { ExportedItem } from './exported.ts';
import { hasPayload, isEncrypted } from './flag-body.ts';
import type { ItemDefinition } from './kinds.ts';
import { MAX_REASON, printable } from './lines.ts';
import type { Kind, Outcome, Refusal } from './outcome.ts';
import { findPresentItem, findPresentItems, type Present } from './present.ts';
import type { Reference } from './references.ts';

export type ImportOptions = {
  /** Whether existing items that differ are changed. */
  update: boolean;
  /** Whether nothing is written. */
  dryRun: boolean;
};

/** Outcome of an item, for conditions that reference it. */
type KnownItem = {
  name: string;
  id: number | null;
  active: boolean;
  missingReason?: 'deleted' | 'refused' | 'ambiguous';
};

/** @param hasCohorts whether the export includes cohorts */
export function itemImporter(target: ApiClient, { update, dryRun }: ImportOptions, hasCohorts: boolean) {
  const known: Record<Kind, Map<number, KnownItem>> = { flag: new Map(), cohort: new Map() };

  /** Replaces the id in a condition by that of this server. @throws InvalidInput if the item is not usable here */
  function replaceId({ kind, id, attr, setId }: Reference): void {
    const item = known[kind].get(id);
    if (item?.id != null && (kind === 'cohort' || item.active)) return setId(item.id);
    // tooth: import-strange-id
    throw new InvalidInput(unusableMessage(kind, item ?? id, hasCohorts), attr, 'dependency_not_imported');
  }

  /** @param isWanted selects the items to import */
  return async function* importItems(
    definition: ItemDefinition,
    items: readonly ExportedItem[],
    isWanted: (item: ExportedItem) => boolean,
  ): AsyncGenerator<Outcome, void> {
    const knownOfKind = known[definition.kind];
    const chosen = items.filter(isWanted);
    // An empty list of flags still makes a request, so a wrong address or key is reported.
    if (definition.kind === 'cohort' && chosen.length === 0) return;
    const { candidates, deleted, byId, ambiguousIds: shared } = distinctItems(definition.kind, chosen);
    const countByName = new Map<string, number>();
    for (const { name, deleted: isDeleted } of candidates)
      if (!isDeleted) countByName.set(name, (countByName.get(name) ?? 0) + 1);
    const existing = await findPresentItems(target, definition, new Set(countByName.keys()));
    for (const id of shared)
      knownOfKind.set(id, { name: String(id), id: null, active: false, missingReason: 'ambiguous' });
    for (const item of deleted) {
      if (item.id !== undefined)
        knownOfKind.set(item.id, { name: item.name, id: null, active: false, missingReason: 'deleted' });
      if (definition.kind === 'flag') yield outcomeOf(definition, item, { outcome: 'skipped' });
    }
    const { order, cycles } = dependencyOrder(candidates, (item) => dependenciesOfSameKind(definition, item, byId));
    for (const item of order) {
      const outcome = await importItem(definition, item, {
        cycle: cycles.get(item),
        sameNameCount: countByName.get(item.name) ?? 1,
        existing: existing.get(item.name) ?? [],
      });
      if (item.id !== undefined && !shared.has(item.id)) knownOfKind.set(item.id, knownItemOf(outcome, item));
      yield outcome;
    }
  };

  type ItemContext = { cycle: Cycle<ExportedItem> | undefined; sameNameCount: number; existing: readonly Present[] };

  async function importItem(
    definition: ItemDefinition,
    item: ExportedItem,
    { cycle, sameNameCount, existing }: ItemContext,
  ): Promise<Outcome> {
    // Undefined if the name is ambiguous, because choosing one item would be a guess.
    const present = sameNameCount === 1 && existing.length === 1 ? existing[0] : undefined;
    try {
      if (item.fault) return outcomeOf(definition, item, { outcome: 'refused', refusal: item.fault });
      if (sameNameCount > 1) throw ambiguousError(definition, sameNameCount, 'of the export');
      if (existing.length > 1) throw ambiguousError(definition, existing.length, 'here');
      if (present) return await handleExisting(definition, item, present);
      definition.checkNew(item);
      if (cycle) throw circularError(cycle);
      return await createItem(definition, item);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return outcomeOf(definition, item, {
        outcome: 'refused',
        refusal: refusalOf(error),
        id: present?.id ?? null,
        active: present?.active ?? item.active,
      });
    }
  }

  async function createItem(definition: ItemDefinition, item: ExportedItem): Promise<Outcome> {
    const body = definition.body(item.fields, replaceId);
    const made = { outcome: 'created' as const, withoutPayload: lacksPayload(item) };
    if (dryRun)
      return outcomeOf(definition, item, {
        ...made,
        notImported: fieldsNotImported(definition, item, definition.check(body)),
      });
    const written = await create(definition, item.name, body);
    if ('present' in written) return handleExisting(definition, item, written.present);
    const answer = acceptedBody(written);
    return outcomeOf(definition, item, {
      ...made,
      id: Number(answer['id']),
      notImported: fieldsNotImported(definition, item, answer['ignored_members']),
    });
  }

  /** Before it repeats a request, looks for the item: a request whose answer was lost may have created it. */
  async function create(definition: ItemDefinition, name: string, body: Record<string, unknown>) {
    let wasSent = false;
    return target.withRetries(async (): Promise<WriteResult | { present: Present }> => {
      const created = wasSent ? await findPresentItem(target, definition, name) : undefined;
      if (created) return { body: created.fields };
      wasSent = true;
      const written = await target.write('POST', definition.path, body);
      if (!('refusal' in written)) return written;
      const { status, refusal } = written;
      if (status === 403)
        throw new CommandFailed(
          `${target.url} does not let this key create ${definition.kind}s: ${printable(refusal.reason, MAX_REASON)}`,
        );
      // `unique`: another client has created it meanwhile.
      const present = refusal.code === 'unique' ? await findPresentItem(target, definition, name) : undefined;
      return present ? { present } : written;
    });
  }

  async function handleExisting(definition: ItemDefinition, item: ExportedItem, present: Present): Promise<Outcome> {
    const { id, active } = present;
    const withoutPayload = lacksPayload(item) && !hasPayload(present.fields);
    const existingFields = { id, active, withoutPayload };
    const { body, differs, refusal } = compareItem(definition, item, present);
    if (!update || !body || differs.length === 0) {
      return outcomeOf(definition, item, { ...existingFields, outcome: 'exists', differs, refusal });
    }
    const changed = { ...existingFields, outcome: 'updated' as const, active: item.active };
    if (dryRun)
      return outcomeOf(definition, item, {
        ...changed,
        notImported: fieldsNotImported(definition, item, definition.check(body)),
      });
    const headers = { 'If-Match': `"${present.version}"` };
    // Safe to repeat, because the request sets the same state again.
    const answer = acceptedBody(
      await target.withRetries(async () =>
        target.write('PATCH', `${definition.path}${id}/`, body, headers).catch(dropPrecondition(headers)),
      ),
    );
    return outcomeOf(definition, item, {
      ...changed,
      notImported: fieldsNotImported(definition, item, answer['ignored_members']),
    });
  }

  /** Compares an existing item with the export. If that fails: throws InvalidInput with `update`, otherwise returns the reason as `refusal`. */
  function compareItem(definition: ItemDefinition, item: ExportedItem, present: Present) {
    try {
      const body = definition.body(item.fields, replaceId);
      return { body, differs: definition.differences(present.fields, body, item.fields), refusal: null };
    } catch (error) {
      if (update || !(error instanceof InvalidInput)) throw error;
      return { body: undefined, differs: [], refusal: refusalOf(error) };
    }
  }
}

function refusalOf({ attr, code, message }: InvalidInput): Refusal {
  return { attr, code, reason: message };
}

/** Uses the export's id for an item that a dry run would create. */
function knownItemOf({ outcome, id, name, active }: Outcome, item: ExportedItem): KnownItem {
  if (id === null && outcome === 'refused') return { name, id, active, missingReason: 'refused' };
  return { name, id: id ?? item.id ?? null, active };
}

/** Drops `If-Match` before a repetition, because the lost first request may have raised the version itself. */
function dropPrecondition(headers: Record<string, string>) {
  return (error: unknown): never => {
    if (error instanceof TryAgain) delete headers['If-Match'];
    throw error;
  };
}

/** @throws InvalidInput with the API's reason, if it refused the write */
function acceptedBody(written: WriteResult): Readonly<Record<string, unknown>> {
  if ('body' in written) return written.body;
  const { reason, attr, code } = written.refusal;
  throw new InvalidInput(reason, attr, code);
}

function dependenciesOfSameKind(
  definition: ItemDefinition,
  { fields, fault }: ExportedItem,
  byId: ReadonlyMap<number, ExportedItem>,
): ExportedItem[] {
  if (fault) return [];
  const sameKind = definition.references(fields).filter((reference) => reference.kind === definition.kind);
  return sameKind.flatMap(({ id }) => {
    const referenced = byId.get(id);
    return referenced && !referenced.deleted ? [referenced] : [];
  });
}

/** @param referenced the referenced item, or only its id if the export does not contain it */
function unusableMessage(kind: Kind, referenced: KnownItem | number, hasCohorts: boolean): string {
  const verb = kind === 'flag' ? 'It depends on the flag' : 'It names the cohort';
  if (typeof referenced !== 'number') return `${verb} ${referenced.name}, which ${reasonUnusable(kind, referenced)}.`;
  const wayOut = kind === 'cohort' && !hasCohorts ? '; name a file of cohorts with --cohorts' : '';
  return `${verb} ${referenced}, which is not in the export${wayOut}.`;
}

function reasonUnusable(kind: Kind, { missingReason }: KnownItem): string {
  if (missingReason === 'ambiguous') return `is the id of several ${kind}s in the export`;
  if (missingReason === 'deleted') return 'is deleted in the export';
  if (missingReason === 'refused') return 'was refused';
  return 'is inactive. A flag can depend only on active flags. Activate it or remove the condition at the source, and export again';
}

function ambiguousError({ kind, nameField }: ItemDefinition, count: number, where: string): InvalidInput {
  return new InvalidInput(
    `${count} ${kind}s ${where} have this ${nameField}, which must be unique. Rename all but one.`,
    nameField,
    'unique',
  );
}

/** Whether the flag has a payload whose value the export lacks, because it is encrypted. */
function lacksPayload({ fields }: ExportedItem): boolean {
  return isEncrypted(fields) && hasPayload(fields);
}

function fieldsNotImported(definition: ItemDefinition, { fields }: ExportedItem, ignored: unknown): string[] {
  return [...(Array.isArray(ignored) ? ignored.map(String) : []), ...definition.fieldsLeftOut(fields)];
}

function outcomeOf(
  { kind }: ItemDefinition,
  { name, id, active }: ExportedItem,
  fields: Pick<Outcome, 'outcome'> & Partial<Outcome>,
): Outcome {
  return {
    kind,
    name,
    sourceId: id ?? null,
    id: null,
    active,
    refusal: null,
    notImported: [],
    differs: [],
    withoutPayload: false,
    ...fields,
  };
}

/** Rows of the audit log. Entries must be written in the transaction of the change that they record. */
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import { isSecretName, redact, REDACTED } from '../../platform/secrets/redact.ts';
import { changesBetween, type Author } from './audit-log.ts';
import type { AuditLogEntry, AuditVerb, Change } from './entry.ts';
import { withoutHidden } from './hidden-names.store.ts';
import type { VisibleAuditLog } from './visible-audit-log.ts';
import { seesAll, whereVisible } from '../access/visible.store.ts';

export type NewAuditLogEntry = {
  /** Project of the entry; its `id` is null for entries about the organization as a whole. `organizationId` is looked up if absent. */
  project: { id: number; organizationId?: string } | { id: null; organizationId: string };
  author: Author;
  /** The kind of object: `FeatureFlag`, `Cohort`, ... */
  scope: string;
  itemId: string | number;
  activity: AuditVerb;
  /** Display name of the object. */
  name: string;
  /** Upstream's `type` of the entry, for kinds that have one, such as `dashboard`. */
  type?: string;
  /** Version of the object after the change, if the object has versions. */
  version?: number;
  /** Changed fields; absent for none, such as for a new object. */
  changes?: readonly Change[];
};

/** An object's fields, under their names on the wire. */
type Fields = Readonly<Record<string, unknown>>;

type AuditLogFilter = {
  scope?: string | undefined;
  itemId?: string | number | undefined;
  /** Only changes by this user. */
  userId?: number | undefined;
};
/** Required, because a list that forgets it would show changes of hidden objects. */
type Visibility = {
  /** Limits entries to objects that the reader may see; empty: no limits. The reader's own entries are always shown. */
  visibleKinds: readonly VisibleAuditLog[];
};
type Page = { limit: number; offset: number };

type Row = {
  id: string;
  organization_id: string;
  project_id: number | null;
  scope: string;
  item_id: string;
  activity: AuditVerb;
  detail: AuditLogEntry['detail'];
  user_id: number | null;
  key_id: string | null;
  created_at: string;
};

/** The user who made a change. */
export type EntryAuthor = { id: number; uuid: string; first_name: string; last_name: string; email: string };
export type AuthoredEntry = AuditLogEntry & { author: EntryAuthor | null };

const USER_JSON = `case when users.id is not null then json_build_object('id', users.id, 'uuid', users.uuid, 'first_name', users.first_name,
  'last_name', users.last_name, 'email', users.email) end as author`;

function entryFrom(row: Row): AuditLogEntry {
  return {
    id: row.id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    scope: row.scope,
    itemId: row.item_id,
    activity: row.activity,
    detail: row.detail,
    userId: row.user_id,
    createdAt: row.created_at,
  };
}

/** Redacts values of secrets in a change. */
function withoutSecrets(change: Change): Change {
  if (!isSecretName(change.field)) return redact(change) as Change;
  return { ...change, before: redactValue(change.before), after: redactValue(change.after) };
}

function redactValue(value: unknown): unknown {
  return value === null ? null : REDACTED;
}

export function auditLogStore(db: Knex) {
  const table = () => db<Row>('activity_log');

  function whereEntryVisible(
    where: Knex.QueryBuilder,
    { visible, exportChildrenTable: parts }: VisibleAuditLog,
    projectId: number | null,
  ): void {
    if (parts === undefined) {
      whereVisible(where, visible, { id: 'item_id', createdBy: 'user_id' });
      return;
    }
    const partsOfVisibleExports = db(parts)
      .join('batch_exports', 'batch_exports.id', `${parts}.batch_export_id`)
      .where({ 'batch_exports.project_id': projectId })
      .select(db.raw('??::text', [`${parts}.id`]));
    const columns = { id: 'batch_exports.id', createdBy: 'batch_exports.created_by' };
    void where.whereIn('item_id', whereVisible(partsOfVisibleExports, visible, columns));
    if (visible.madeBy !== null) void where.orWhere({ user_id: visible.madeBy });
  }

  async function listPage(
    owner: { project_id: number } | { organization_id: string; project_id: null },
    { scope, itemId, userId, visibleKinds }: AuditLogFilter & Visibility,
    page: Page,
  ): Promise<{ count: number; results: AuditLogEntry[] }> {
    const matchingRows = () => {
      const rows = table().where({
        ...owner,
        ...omitUndefined({ scope, item_id: itemId === undefined ? undefined : String(itemId), user_id: userId }),
      });
      for (const visibleKind of visibleKinds) {
        if (seesAll(visibleKind.visible)) continue;
        rows.where((either) => {
          void either
            .whereNot({ scope: visibleKind.scope })
            .orWhere((where) => whereEntryVisible(where, visibleKind, owner.project_id));
        });
      }
      return rows;
    };
    const countRow = (await matchingRows().count({ count: '*' }).first()) as unknown as { count: string };
    const rows = await matchingRows()
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(page.limit)
      .offset(page.offset);
    const results = await withoutHidden(db, owner.project_id, rows.map(entryFrom), visibleKinds);
    return { count: Number(countRow.count), results };
  }

  /** Redacts secrets in the changes; callers leave out secrets that do not look like secrets. */
  async function record({ project, author, changes = [], ...entry }: NewAuditLogEntry): Promise<void> {
    await table().insert({
      id: randomUUID(),
      organization_id:
        project.organizationId ?? db.raw('?', [db('projects').where({ id: project.id }).select('organization_id')]),
      project_id: project.id,
      scope: entry.scope,
      item_id: String(entry.itemId),
      activity: entry.activity,
      detail: {
        name: entry.name,
        type: entry.type ?? null,
        version: entry.version ?? null,
        changes: changes.map(withoutSecrets),
      },
      user_id: author.userId,
      key_id: author.keyId,
      // Not the transaction's start, because the transaction may have waited for its turn.
      created_at: db.raw('clock_timestamp()'),
    });
  }

  return {
    record,

    /**
     * Records a change with the fields that differ, or no entry if none differs.
     * @param before undefined for a new or deleted object, whose entry has no fields
     */
    async recordChange(entry: Omit<NewAuditLogEntry, 'changes'>, before: Fields | undefined, after: Fields) {
      const changes = before && changesBetween(entry.scope, before, after);
      if (changes?.length !== 0) await record({ ...entry, ...(changes && { changes }) });
    },

    /** Lists the entries of a project, newest first: about one object, about all objects of a kind, or all entries. */
    list: (projectId: number, wanted: AuditLogFilter & Visibility, page: Page) =>
      listPage({ project_id: projectId }, wanted, page),

    /** Lists the changes of some objects in an interval, newest first, with the users who made them. */
    async listBetween(
      projectId: number,
      subjects: readonly { scope: string; itemId: string | number }[],
      { after, until, limit }: { after: string; until: string; limit: number },
    ): Promise<AuthoredEntry[]> {
      const rows = (await table()
        .leftJoin('users', 'users.id', 'activity_log.user_id')
        .where({ project_id: projectId })
        .whereIn(
          ['scope', 'item_id'],
          subjects.map(({ scope, itemId }) => [scope, String(itemId)]),
        )
        .where('activity_log.created_at', '>', after)
        .where('activity_log.created_at', '<=', until)
        .orderBy('activity_log.created_at', 'desc')
        .limit(limit)
        .select('activity_log.*', db.raw(USER_JSON))) as (Row & { author: EntryAuthor | null })[];
      return rows.map((row) => ({ ...entryFrom(row), author: row.author }));
    },

    /** Lists the entries about an organization as a whole, without its projects' entries. */
    listOfOrganization: (organizationId: string, wanted: AuditLogFilter, page: Page) =>
      listPage({ organization_id: organizationId, project_id: null }, { ...wanted, visibleKinds: [] }, page),
  };
}

export type AuditLogStore = ReturnType<typeof auditLogStore>;

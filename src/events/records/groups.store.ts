/** Groups, as events and the API described them. Each change of a group is a single statement on its row, as in ingestion. */
import type { Knex } from '../../platform/db/connection.ts';
import { InvalidInput, NotFound } from '../../platform/errors.ts';
import { keysetOf, newestFirst } from '../../platform/http/parameters/keyset.ts';
import type { ListedRow, PageWindow } from '../../platform/http/parameters/pagination.ts';
import { MAX_PROPERTIES_BYTES, MAX_PROPERTIES_VALUES, PROPERTIES_LIMIT } from '../ingest/group-changes.ts';
import { containsPattern, cutToPage, ensureAnswered } from '../table/lookup.ts';

/** A group; `id` is its key. */
export type Group = ListedRow & { typeIndex: number; properties: Record<string, unknown> };

export type GroupName = { projectId: number; typeIndex: number; key: string };

type Row = {
  group_type_index: number;
  group_key: string;
  properties: Record<string, unknown>;
  created_at: string;
  beyond?: boolean;
};

const SEARCH_HINT = 'A longer `search` helps.';

const TOO_LARGE = `The properties of a group may have ${PROPERTIES_LIMIT}.`;

export function groupStore(db: Knex) {
  /**
   * @param after SQL of the properties after the change
   * @throws NotFound; InvalidInput when the properties would be too large
   */
  async function change(name: GroupName, after: string, values: readonly string[]): Promise<Group> {
    const { rows } = await db.raw<{ rows: (Row & { fits: boolean })[] }>(
      `with wanted as (
         select *, ${after} as after from groups
           where project_id = ? and group_type_index = ? and group_key = ? for no key update
       )
       update groups set properties = case when fits then after else groups.properties end, version = groups.version + fits::int
         from (select *, group_fits(after, properties, ?, ?) as fits from wanted) as wanted
         where (groups.project_id, groups.group_type_index, groups.group_key)
           = (wanted.project_id, wanted.group_type_index, wanted.group_key)
         returning groups.*, fits`,
      [...values, name.projectId, name.typeIndex, name.key, MAX_PROPERTIES_BYTES, MAX_PROPERTIES_VALUES],
    );
    const [row] = rows;
    if (!row) throw new NotFound();
    if (!row.fits) throw new InvalidInput(TOO_LARGE, 'value');
    return groupFrom(row);
  }

  return {
    /**
     * Lists groups, newest first.
     * @param search a substring of the key or of the property `name`; case does not matter
     * @throws Unavailable after five seconds
     */
    async list(projectId: number, typeIndex: number, search: string | undefined, page: PageWindow): Promise<Group[]> {
      const { sign, order, edge } = keysetOf(page);
      const conditions = [
        'project_id = :projectId and group_type_index = :typeIndex',
        ...(search === undefined ? [] : [`(group_key ilike :search or properties ->> 'name' ilike :search)`]),
        ...(edge ? [`(created_at, group_key) ${sign} (:edgeTime, :edgeKey)`] : []),
      ];
      const sorting = `created_at ${order}, group_key ${order}`;
      const nearest = `select *, octet_length(properties::text) as row_bytes from groups
        where ${conditions.join(' and ')} order by ${sorting} limit :limit`;
      const { rows } = await ensureAnswered(
        db.raw<{ rows: Row[] }>(cutToPage(nearest, sorting), {
          projectId,
          typeIndex,
          limit: page.limit,
          ...(search !== undefined && { search: containsPattern(search) }),
          ...(edge && { edgeTime: edge.createdAt, edgeKey: edge.id }),
        }),
        SEARCH_HINT,
      );
      return newestFirst(rows.map(groupFrom), page);
    },

    /** @throws NotFound when this project has no such group */
    async get(projectId: number, typeIndex: number, key: string): Promise<Group> {
      const row = (await db('groups')
        .where({ project_id: projectId, group_type_index: typeIndex, group_key: key })
        .first()) as Row | undefined;
      if (!row) throw new NotFound();
      return groupFrom(row);
    },

    /** Finds a group and locks it until the transaction ends. @throws NotFound */
    async lock({ projectId, typeIndex, key }: GroupName): Promise<Group> {
      const row = (await db('groups')
        .where({ project_id: projectId, group_type_index: typeIndex, group_key: key })
        .forUpdate()
        .first()) as Row | undefined;
      if (!row) throw new NotFound();
      return groupFrom(row);
    },

    /** @throws InvalidInput when there is such a group, or its properties are too large */
    async create({ projectId, typeIndex, key }: GroupName, properties: Record<string, unknown>): Promise<Group> {
      const json = JSON.stringify(properties);
      const { rows } = await db.raw<{ rows: Row[] }>(
        `insert into groups select ?::int, ?::smallint, ?::text, given, clock_timestamp(), 1 from (select ?::jsonb as given) as given
           where group_fits(given, '{}', ?, ?)
           on conflict do nothing returning *`,
        [projectId, typeIndex, key, json, MAX_PROPERTIES_BYTES, MAX_PROPERTIES_VALUES],
      );
      if (rows[0]) return groupFrom(rows[0]);
      const existing = await db('groups')
        .where({ project_id: projectId, group_type_index: typeIndex, group_key: key })
        .first('group_key');
      if (existing) throw new InvalidInput('There is already a group with this key.', 'group_key', 'unique');
      throw new InvalidInput(TOO_LARGE, 'group_properties');
    },

    /** @throws NotFound; InvalidInput when its properties would be too large */
    async setProperty(name: GroupName, property: string, value: unknown): Promise<Group> {
      return change(name, 'properties || jsonb_build_object(?::text, ?::jsonb)', [property, JSON.stringify(value)]);
    },

    /** @throws NotFound */
    async deleteProperty(name: GroupName, property: string): Promise<Group> {
      return change(name, 'properties - ?::text', [property]);
    },
  };
}

function groupFrom(row: Row): Group {
  return {
    id: row.group_key,
    createdAt: row.created_at,
    beyond: row.beyond ?? false,
    typeIndex: row.group_type_index,
    properties: row.properties,
  };
}

export type GroupStore = ReturnType<typeof groupStore>;

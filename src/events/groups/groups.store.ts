/** Groups and the types they are of, as events described them. */
import type { Knex } from '../../db/connection.ts';
import { NotFound } from '../../errors.ts';
import { keysetOf, newestFirst } from '../../http/keyset.ts';
import type { Listed, Place } from '../../http/pagination.ts';
import { containing, cutToPage, inTime } from '../lookup.ts';

export type GroupType = { index: number; type: string };

/** Its `id` is the group's key. */
export type Group = Listed & { typeIndex: number; properties: Record<string, unknown> };

type Row = {
  group_type_index: number;
  group_key: string;
  properties: Record<string, unknown>;
  created_at: string;
  beyond?: boolean;
};

const NARROWER = 'A longer `search` helps.';

export function groupStore(db: Knex) {
  return {
    /** At most five. */
    async types(projectId: number): Promise<GroupType[]> {
      const rows = (await db('group_types').where({ project_id: projectId }).orderBy('group_type_index')) as {
        group_type_index: number;
        group_type: string;
      }[];
      return rows.map((row) => ({ index: row.group_type_index, type: row.group_type }));
    },

    /** Newest first. @param search part of the key or of the property `name`; case does not matter */
    async list(projectId: number, typeIndex: number, search: string | undefined, place: Place): Promise<Group[]> {
      const { sign, order, edge } = keysetOf(place);
      const conditions = [
        'project_id = :projectId and group_type_index = :typeIndex',
        ...(search === undefined ? [] : [`(group_key ilike :search or properties ->> 'name' ilike :search)`]),
        ...(edge ? [`(created_at, group_key) ${sign} (:edgeTime, :edgeKey)`] : []),
      ];
      const sorting = `created_at ${order}, group_key ${order}`;
      const nearest = `select *, octet_length(properties::text) as row_bytes from groups
        where ${conditions.join(' and ')} order by ${sorting} limit :limit`;
      const { rows } = await inTime(
        db.raw<{ rows: Row[] }>(cutToPage(nearest, sorting), {
          projectId,
          typeIndex,
          limit: place.limit,
          ...(search !== undefined && { search: containing(search) }),
          ...(edge && { edgeTime: edge.createdAt, edgeKey: edge.id }),
        }),
        NARROWER,
      );
      return newestFirst(rows.map(fromRow), place);
    },

    /** @throws NotFound when this project has no such group */
    async get(projectId: number, typeIndex: number, key: string): Promise<Group> {
      const row = (await db('groups')
        .where({ project_id: projectId, group_type_index: typeIndex, group_key: key })
        .first()) as Row | undefined;
      if (!row) throw new NotFound();
      return fromRow(row);
    },
  };
}

function fromRow(row: Row): Group {
  return {
    id: row.group_key,
    createdAt: row.created_at,
    beyond: row.beyond ?? false,
    typeIndex: row.group_type_index,
    properties: row.properties,
  };
}

export type GroupStore = ReturnType<typeof groupStore>;

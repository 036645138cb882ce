/** Stores numbers of flag requests by project, day, kind, key and SDK, and by project and month for the quota. */
import type { Knex } from '../../platform/db/connection.ts';

/** Kinds of requests: decide, the definitions feed, and OpenFeature's protocol. */
export const REQUEST_KINDS = ['decide', 'definitions', 'ofrep'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

export type CountedRequests = {
  projectId: number;
  /** Day in UTC. */
  day: string;
  kind: RequestKind;
  /** Id of an API key; null for the public key of the project. */
  keyId: string | null;
  sdk: string;
  requests: number;
};

/** Stored counts. `key` is the part of the key that may be shown. */
export type StoredRequests = Omit<CountedRequests, 'projectId'> & { key: string };

export type RequestsQuery = {
  /** First and last day, in UTC. */
  from: string;
  to: string;
  /** The shown part of a key, or its id. */
  key?: string | undefined;
  sdk?: string | undefined;
  kind?: RequestKind | undefined;
  limit: number;
  offset: number;
};

/** A project's quota for the current month, and how much of it is used. */
export type QuotaUse = { projectId: number; quota: number; used: number };

type Row = { day: string; kind: RequestKind; key: string; key_id: string | null; sdk: string; requests: string };

/** Sorts rows, so concurrent processes cannot deadlock. Ignores counts of deleted projects. */
const ADD = `
  with given as (
    select counted.*, case
        when counted.key_id is null then 'phc_...' || right(projects.api_token, 4)
        when api_keys.id is null then 'deleted'
        else (case when api_keys.user_id is null then 'phs_...' else 'phx_...' end) || api_keys.last4
      end as key
    from jsonb_to_recordset(?) as counted
      (project_id int, day date, kind text, key_id uuid, sdk text, requests bigint)
      join projects on projects.id = counted.project_id
      left join api_keys on api_keys.id = counted.key_id
  ), added as (
    insert into flag_requests as kept (project_id, day, kind, key, key_id, sdk, requests)
      select project_id, day, kind, key, key_id, sdk, requests from given order by 1, 2, 3, 4, 5, 6
    on conflict on constraint flag_requests_once do update set requests = kept.requests + excluded.requests
  )
  insert into flag_request_months as kept (project_id, month, requests)
    select project_id, date_trunc('month', day)::date, sum(requests) from given group by 1, 2 order by 1, 2
  on conflict (project_id, month) do update set requests = kept.requests + excluded.requests`;

const QUOTAS = `
  select id, flag_requests_per_month as quota, coalesce(requests, 0) as used
  from projects left join flag_request_months
    on project_id = id and month = date_trunc('month', now() at time zone 'UTC')::date
  where id = any (?) and flag_requests_per_month is not null`;

export function requestStore(db: Knex) {
  return {
    /** Adds to the stored counts. Each combination of project, day, kind, key and SDK may occur only once. */
    async add(counted: readonly CountedRequests[]): Promise<void> {
      const rows = counted.map(({ projectId, keyId, ...others }) => ({
        ...others,
        project_id: projectId,
        key_id: keyId,
      }));
      await db.raw(ADD, [JSON.stringify(rows)]);
    },

    /** Finds the quotas of those projects that have one. */
    async findQuotas(projectIds: number[]): Promise<QuotaUse[]> {
      const { rows } = await db.raw<{ rows: { id: number; quota: string; used: string }[] }>(QUOTAS, [projectIds]);
      return rows.map(({ id, quota, used }) => ({ projectId: id, quota: Number(quota), used: Number(used) }));
    },

    /** Lists the newest day first. */
    async list(projectId: number, query: RequestsQuery): Promise<{ count: number; results: StoredRequests[] }> {
      const { from, to, key, sdk, kind, limit, offset } = query;
      const matching = () => {
        const rows = db('flag_requests').where({ project_id: projectId });
        rows.where('day', '>=', from).where('day', '<=', to);
        if (sdk !== undefined) rows.where({ sdk });
        if (kind !== undefined) rows.where({ kind });
        if (key !== undefined) rows.whereRaw('? in (key, key_id::text)', [key]);
        return rows;
      };
      const countRow = (await matching().count({ count: '*' }).first()) as { count: string };
      const order = ['kind', 'key', 'key_id', 'sdk'] as const;
      const rows: Row[] = await matching()
        .orderBy([{ column: 'day', order: 'desc' }, ...order.map((column) => ({ column }))])
        .limit(limit)
        .offset(offset);
      return { count: Number(countRow.count), results: rows.map(requestsFrom) };
    },
  };
}

export type RequestStore = ReturnType<typeof requestStore>;

function requestsFrom({ key_id: keyId, requests, ...others }: Row): StoredRequests {
  const { day, kind, key, sdk } = others;
  return { day, kind, key, keyId, sdk, requests: Number(requests) };
}

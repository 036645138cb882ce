/**
 * The run's own objects stay, whatever a case asks for: its key, its session, its membership and its project's public key. Otherwise
 * the first case that deletes the key would be followed by thousands that are answered with 401, and nothing would be found any more.
 */
import assert from 'node:assert/strict';
import type { Workplace } from '../authorization/operations/workplace.ts';

/** A change of these rows is answered as ever and changes nothing; a deletion finds nothing. */
export async function guard({ db, ours }: Workplace): Promise<void> {
  await db.raw(`create function keep_row() returns trigger language plpgsql as
    $$ begin return case when tg_op = 'DELETE' then null else old end; end $$`);
  await db.raw(`create function keep_token() returns trigger language plpgsql as
    $$ begin new.api_token := old.api_token; return new; end $$`);
  for (const table of ['api_keys', 'sessions', 'organization_memberships']) {
    const own = db(table).where({ user_id: ours.userId }).select('id');
    // The run's session is the newest; an earlier one is there to be ended.
    const rows = (await (table === 'sessions' ? own.orderBy('created_at', 'desc').limit(1) : own)) as { id: string }[];
    const ids = rows.map(({ id }) => `'${id}'`).join(', ');
    await db.raw(`create trigger keep_row before update or delete on ${table}
      for each row when (old.id in (${ids})) execute function keep_row()`);
  }
  await db.raw(`create trigger keep_token before update on projects
    for each row when (old.id = ${ours.projectId}) execute function keep_token()`);
}

/** @throws AssertionError when the run's credentials open nothing any more: what was answered since says nothing */
export async function assertGuarded({ key, ours }: Workplace, session: Readonly<Record<string, string>>, url: string) {
  const requests: [string, RequestInit][] = [
    ['/api/users/@me/', { headers: { Authorization: `Bearer ${key}` } }],
    ['/api/personal_api_keys/', { headers: session }],
    [`/api/projects/${ours.projectId}/`, { headers: { Authorization: `Bearer ${key}` } }],
    ['/flags/', { method: 'POST', body: JSON.stringify({ api_key: ours.apiToken, distinct_id: 'user-1' }) }],
  ];
  for (const [path, request] of requests) {
    const { status } = await fetch(url + path, request);
    assert.equal(status, 200, `${path} is answered with ${status} at the end of the run`);
  }
}

import assert from 'node:assert/strict';
import { personIdOf } from '../../../src/events/persons/person-id.ts';
import { post, startCapture, type CaptureServer } from '../../support/events/capture.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';

const identify = (anonymous: string, user: string) => ({
  event: '$identify',
  distinct_id: user,
  properties: { $anon_distinct_id: anonymous },
});

describe('the static cohorts of a person', () => {
  let database: TestDatabase;
  let server: CaptureServer;
  let tenant: Tenant;

  before(async () => {
    database = await createTestDatabase();
    server = await startCapture(database.url);
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });
  beforeEach(async () => {
    tenant = await buildTenant(server.db);
  });

  async function capture(...batch: object[]): Promise<void> {
    const answer = await post(`${server.url}/batch/`, { api_key: tenant.apiToken, batch });
    assert.deepEqual(answer.body, { status: 1 });
  }
  const seen = (...ids: string[]) => capture(...ids.map((id) => ({ event: 'seen', distinct_id: id })));
  const idOf = (distinctId: string) => personIdOf(tenant.projectId, distinctId);

  async function cohortOf(...distinctIds: string[]): Promise<number> {
    const { rows } = await server.pool.query<{ id: number }>(
      `insert into cohorts (project_id, name, description, is_static, filters) values ($1, 'some', '', true, '{}') returning id`,
      [tenant.projectId],
    );
    await server.pool.query(`insert into cohort_members select $1, $2, unnest($3::uuid[]), '2024-01-01'`, [
      tenant.projectId,
      rows[0]!.id,
      distinctIds.map(idOf),
    ]);
    return rows[0]!.id;
  }
  const members = async () => {
    const { rows } = await server.pool.query<{ cohort_id: number; person_id: string }>(
      'select cohort_id, person_id from cohort_members where project_id = $1 order by 1, 2',
      [tenant.projectId],
    );
    return rows.map((row) => [row.cohort_id, row.person_id]);
  };

  it('are those of the survivor after $identify', async () => {
    await seen('anon', 'user');
    const both = await cohortOf('anon', 'user');
    const one = await cohortOf('anon');
    await capture(identify('anon', 'user'));
    assert.deepEqual(await members(), [
      [both, idOf('user')],
      [one, idOf('user')],
    ]);
  });

  it('are those of all who end in one request, each once', async () => {
    await seen('a', 'b', 'c', 'user');
    const cohort = await cohortOf('a', 'b');
    const other = await cohortOf('c');
    await capture(identify('a', 'user'), identify('b', 'user'), identify('c', 'user'));
    assert.deepEqual(await members(), [
      [cohort, idOf('user')],
      [other, idOf('user')],
    ]);
  });

  it('stay with a person that gets another distinct id', async () => {
    await seen('user');
    const cohort = await cohortOf('user');
    await capture(identify('never seen', 'user'));
    assert.deepEqual(await members(), [[cohort, idOf('user')]]);
  });

  it('lose a person that is deleted', async () => {
    await seen('gone', 'kept');
    const cohort = await cohortOf('gone', 'kept');
    await server.pool.query('select delete_persons($1, $2)', [tenant.projectId, [idOf('gone')]]);
    assert.deepEqual(await members(), [[cohort, idOf('kept')]]);
  });

  it('leave the overrides of flags alone, which move as they do', async () => {
    await seen('anon', 'user');
    await cohortOf('anon');
    await server.pool.query(
      `insert into feature_flag_hash_key_overrides values ($1, $2, 'menu', 'anon'), ($1, $2, 'price', 'anon'), ($1, $3, 'price', 'user')`,
      [tenant.projectId, idOf('anon'), idOf('user')],
    );
    await capture(identify('anon', 'user'));
    const { rows } = await server.pool.query(
      'select person_id, feature_flag_key as flag, hash_key from feature_flag_hash_key_overrides order by 2',
    );
    assert.deepEqual(rows, [
      { person_id: idOf('user'), flag: 'menu', hash_key: 'anon' },
      { person_id: idOf('user'), flag: 'price', hash_key: 'user' },
    ]);
  });
});

/** Streams of changes of exports: which events a caller receives, and until when. */
import assert from 'node:assert/strict';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { openEventSource, type ReceivedEvent } from '../../support/api/event-source.ts';
import { buildPersonalKey, buildProjectSecretKey, buildSession, buildTenant } from '../../support/api/identity.ts';
import { buildMember, buildRule } from '../../support/api/members.ts';
import { bearerHeaders, startLiveWorld, comparableEvents, type LiveWorld } from '../../support/exports/live-world.ts';
import { startSluice } from '../../support/servers/sluice.ts';
import { sleepInTurns, until } from '../../support/until.ts';

describe('access to streams of changes', () => {
  let world: LiveWorld;
  let one: BatchExport;

  before(async () => void (world = await startLiveWorld({ streamLimits: { recheckEveryMs: 40 } })));
  after(() => world.stop());
  beforeEach(async () => {
    one = await world.rows.buildExport();
    await world.waitForCommits();
  });
  afterEach(async () => {
    world.leave();
    await world.rows.db('access_controls').delete();
  });

  const note = async (of: BatchExport = one) => {
    const entry = { batchExportId: of.id, runId: null, level: 'INFO' as const, message: 'secret' };
    await world.rows.stores.logs.append(entry);
    await world.waitForCommits();
  };
  const log = (of: BatchExport = one) => ({ kind: 'log', export_id: of.id });

  /** Whether another change reaches a client. */
  const isTold = async (received: readonly ReceivedEvent[]) => {
    const before = received.length;
    await note();
    return received.length > before;
  };
  /** Rights are looked up again every moment: resolves once changes reach a client no more, and asserts that it stays so. */
  const silent = async (received: readonly ReceivedEvent[]) => {
    await until('silence', async () => !(await isTold(received)));
    assert.equal(await isTold(received), false);
  };

  describe('is given', () => {
    it('to sessions and to keys that may read exports, under both prefixes', async () => {
      const { rows, tenant, admin, api } = world;
      const personal = await buildPersonalKey(rows.db, admin, 'batch_export:read');
      const ofProject = await buildProjectSecretKey(rows.db, tenant, 'batch_export:read');
      const callers = [await buildSession(rows.db, admin), bearerHeaders(personal), bearerHeaders(ofProject)];
      const streams = await Promise.all(callers.map((headers) => world.follow(headers)));
      streams.push(await world.follow({}, `?personal_api_key=${personal}`));
      const environment = `${api.url}/api/environments/${tenant.projectId}/live`;
      const other = await openEventSource(environment, bearerHeaders(personal));
      await note();
      for (const { received } of [...streams, other]) assert.deepEqual(comparableEvents(received), [log()]);
      other.stop();
    });

    it('to no other caller', async () => {
      const { rows, tenant } = world;
      const stranger = await buildTenant(rows.db);
      const closed = await buildMember(rows.db, tenant);
      await buildRule(rows.db, tenant, 'none', { resource: 'project', membership_id: closed.membershipId });
      for (const [headers, status] of [
        [{}, 401],
        [bearerHeaders('phx_nothing'), 401],
        [bearerHeaders(await buildPersonalKey(rows.db, world.admin, 'batch_export:write')), 200],
        [bearerHeaders(await buildPersonalKey(rows.db, world.admin, 'dashboard:read')), 403],
        [bearerHeaders(await buildPersonalKey(rows.db, stranger, '*')), 403],
        [bearerHeaders(closed.key), 403],
      ] as const) {
        assert.equal((await world.follow(headers)).status, status);
      }
    });

    it('in an answer that no proxy buffers or compresses', async () => {
      const { headers, received } = await world.follow({
        ...bearerHeaders(world.admin.key),
        'Accept-Encoding': 'gzip, br',
      });
      assert.equal(headers.get('content-type'), 'text/event-stream');
      assert.equal(headers.get('cache-control'), 'no-store, no-transform');
      assert.equal(headers.get('x-accel-buffering'), 'no');
      assert.equal(headers.get('content-encoding'), null);
      assert.equal(headers.get('access-control-allow-origin'), null);
      assert.match(received[0]?.retry ?? '', /^\d{4}$/);
      assert.match(received[0]?.id ?? '', /^[0-9a-z]+-[0-9a-f]{16}-\d+$/);
    });

    it('not to HEAD, which leaves none open', async () => {
      const strict = await startLiveWorld({ streamLimits: { perCaller: 1 }, rows: world.rows, tenant: world.tenant });
      const { url } = strict.api;
      const address = `${url}/api/projects/${world.tenant.projectId}/live/`;
      const head = await fetch(address, { method: 'HEAD', headers: bearerHeaders(strict.admin.key) });
      assert.equal(head.status, 200);
      await until(
        'room for another',
        async () => (await strict.follow(bearerHeaders(strict.admin.key))).status === 200,
      );
      strict.leave();
      await strict.stop();
    });
  });

  describe('shows', () => {
    it('that something changed and when, and no content', async () => {
      const { received } = await world.follow(bearerHeaders(world.admin.key));
      const before = Date.now();
      await note();
      const { data } = received.at(-1)!;
      assert.deepEqual(Object.keys(data!), ['kind', 'export_id', 'at']);
      assert.ok(Math.abs(Date.parse(data!['at'] as string) - before) < 60_000);
      assert.ok(!JSON.stringify(received).includes('secret'));
    });

    it('nothing of other projects', async () => {
      const theirs = await buildTenant(world.rows.db);
      const { received } = await world.follow(bearerHeaders(world.admin.key));
      const other = await world.rows.buildExport({ projectId: theirs.projectId });
      await note(other);
      assert.deepEqual(comparableEvents(received), []);
    });

    it('nothing of an export that rules hide, except to its creator', async () => {
      const { db } = world.rows;
      const member = await buildMember(db, world.tenant);
      const maker = await buildMember(db, world.tenant);
      const hidden = await world.rows.buildExport({ createdBy: maker.userId });
      await buildRule(db, world.tenant, 'none', { resource: 'batch_export', resource_id: hidden.id });
      await world.waitForCommits();
      const streams = [];
      for (const { key } of [member, maker, world.admin]) streams.push(await world.follow(bearerHeaders(key)));
      await note(hidden);
      await note();
      const [ofMember, ofMaker, ofAdmin] = streams.map(({ received }) => comparableEvents(received));
      assert.deepEqual(ofMember, [log()]);
      assert.deepEqual(ofMaker, [log(hidden), log()]);
      assert.deepEqual(ofAdmin, [log(hidden), log()]);
    });

    it('a caller who reconnects nothing of an export that rules hide', async () => {
      const member = await buildMember(world.rows.db, world.tenant);
      const { received } = await world.follow(bearerHeaders(member.key));
      const seen = received[0]!.id!;
      await note();
      await buildRule(world.rows.db, world.tenant, 'none', { resource: 'batch_export', resource_id: one.id });
      const back = await world.follow({ ...bearerHeaders(member.key), 'Last-Event-ID': seen });
      await sleepInTurns(50);
      assert.deepEqual(comparableEvents(back.received), []);
    });
  });

  describe('ends, or falls silent, when', () => {
    it('the session ends', async () => {
      const session = await buildSession(world.rows.db, world.admin);
      const stream = await world.follow(session);
      await world.rows.db('sessions').where({ user_id: world.admin.userId }).delete();
      await stream.waitForEnd();
    });

    it('a session, key or membership is deleted: at once, not with the next check', async () => {
      const { rows, tenant } = world;
      const own = await startLiveWorld({ rows, tenant, streamLimits: { recheckEveryMs: 3_600_000 } });
      try {
        const member = await buildMember(rows.db, tenant);
        const other = await own.follow(bearerHeaders(own.admin.key));
        for (const table of ['sessions', 'api_keys', 'organization_memberships']) {
          const isOfKey = table === 'api_keys';
          const stream = await own.follow(isOfKey ? bearerHeaders(member.key) : await buildSession(rows.db, member));
          await rows.db(table).where({ user_id: member.userId }).delete();
          await stream.waitForEnd();
        }
        const before = other.received.length;
        await note();
        await until('the streams of others to go on', () => other.received.length > before);
      } finally {
        own.leave();
        await own.stop();
      }
    });

    it('the session has expired', async () => {
      const member = await buildMember(world.rows.db, world.tenant);
      const stream = await world.follow(await buildSession(world.rows.db, member));
      await world.rows.db('sessions').where({ user_id: member.userId }).update({ expires_at: new Date() });
      await stream.waitForEnd();
    });

    it('the key is deleted, or loses its scope', async () => {
      const { db } = world.rows;
      const keys = keyStore(db);
      for (const end of [
        (id: string) => keys.delete(world.admin, id),
        (id: string) => keys.change(world.admin, id, { scopes: ['dashboard:read'] }),
      ]) {
        const { id, key } = await keys.create(world.admin, { label: 'live', scopes: ['batch_export:read'] });
        const stream = await world.follow(bearerHeaders(key));
        await end(id);
        await stream.waitForEnd();
      }
    });

    it('the membership ends', async () => {
      const member = await buildMember(world.rows.db, world.tenant);
      const stream = await world.follow(bearerHeaders(member.key));
      await world.rows.db('organization_memberships').where({ id: member.membershipId }).delete();
      await stream.waitForEnd();
    });

    it('a rule closes the project', async () => {
      const member = await buildMember(world.rows.db, world.tenant);
      const stream = await world.follow(bearerHeaders(member.key));
      await buildRule(world.rows.db, world.tenant, 'none', { resource: 'project', membership_id: member.membershipId });
      await stream.waitForEnd();
    });

    it('a rule closes the export, or all of them', async () => {
      const member = await buildMember(world.rows.db, world.tenant);
      const { received } = await world.follow(bearerHeaders(member.key));
      await buildRule(world.rows.db, world.tenant, 'none', { resource: 'batch_export', resource_id: one.id });
      await silent(received);
      await world.rows.db('access_controls').delete();
      await until('it to be shown again', async () => isTold(received));
      await buildRule(world.rows.db, world.tenant, 'none', { resource: 'batch_export' });
      await silent(received);
    });

    it('the server stops, which refuses others from then on', async () => {
      const own = await startLiveWorld({ rows: world.rows, tenant: world.tenant });
      const stream = await own.follow(bearerHeaders(own.admin.key));
      own.live.drain();
      await stream.waitForEnd();
      const late = await own.follow(bearerHeaders(own.admin.key));
      assert.equal(late.status, 503);
      assert.equal(late.headers.get('retry-after'), '1');
      await own.stop();
    });

    it('the whole server stops, which does not wait for them', async () => {
      const own = await startSluice();
      const tenant = await buildTenant(own.db);
      const key = await buildProjectSecretKey(own.db, tenant, 'batch_export:read');
      const stream = await openEventSource(`${own.url}/api/projects/${tenant.projectId}/live/`, bearerHeaders(key));
      assert.equal(stream.status, 200);
      const stoppedAtMs = Date.now();
      await own.stop(120_000);
      assert.ok(Date.now() - stoppedAtMs < 60_000);
    });
  });
});

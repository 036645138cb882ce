/** Streams of changes of exports: what a client that reconnects receives, and how much is kept for it. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '../../../src/exports/live/live.ts';
import { createLiveStreams } from '../../../src/exports/live/streams.ts';
import type { BatchExport } from '../../../src/exports/batch-exports/batch-export.ts';
import type { Caller, Rights } from '../../../src/platform/http/access.ts';
import { openEventSource } from '../../support/api/event-source.ts';
import { buildProjectSecretKey, buildSession, buildTenant } from '../../support/api/identity.ts';
import { buildMember } from '../../support/api/members.ts';
import { bearerHeaders, startLiveWorld, comparableEvents, type LiveWorld } from '../../support/exports/live-world.ts';
import { startGate, type Gate } from '../../support/servers/gate.ts';
import { sleepInTurns, until } from '../../support/until.ts';

const QUICK = { recheckEveryMs: 40, maxCheckAgeMs: 200, heartbeatMs: 50 };

describe('streams of changes', () => {
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

  describe('give a client that reconnects', () => {
    it('the events after the one whose id it names, once', async () => {
      const { received } = await world.follow(bearerHeaders(world.admin.key));
      const opening = received[0]!.id!;
      await note();
      const seen = received.at(-1)!.id!;
      const other = await world.rows.buildExport();
      await world.waitForCommits();
      const missed = [log(), { kind: 'export', export_id: other.id }];
      for (const [id, expected] of [
        [opening, missed],
        [seen, missed.slice(1)],
      ] as const) {
        const byHeader = await world.follow({ ...bearerHeaders(world.admin.key), 'Last-Event-ID': id });
        const byQuery = await world.follow(bearerHeaders(world.admin.key), `?last_event_id=${id}`);
        for (const back of [byHeader, byQuery]) {
          await until('what was missed', () => comparableEvents(back.received).length >= expected.length);
          await sleepInTurns(50);
          assert.deepEqual(comparableEvents(back.received), expected);
        }
        const latest = byHeader.received.at(-1)!.id;
        const again = await world.follow({ ...bearerHeaders(world.admin.key), 'Last-Event-ID': latest! });
        await sleepInTurns(50);
        assert.deepEqual(comparableEvents(again.received), []);
      }
    });

    it('a reset for an id that is unknown, too old, or of another process', async () => {
      const small = await startLiveWorld({ keptEvents: 8, rows: world.rows, tenant: world.tenant });
      await sleep(100);
      const { received, next } = await small.follow(bearerHeaders(small.admin.key));
      const opening = received[0]!.id!;
      // Each is told with one of another project.
      for (let index = 0; index < 5; index++) await note();
      await next(6);
      await sleep(100);
      const [, second] = received.flatMap(({ id, data }) => (data ? [id!] : []));
      const [epoch] = /.*-/.exec(opening)!;
      const elsewhere = (await world.follow(bearerHeaders(world.admin.key))).received[0]!.id!;
      for (const id of [opening, elsewhere, 'nonsense', '', `${epoch}99`, `${epoch}-1`]) {
        const back = await small.follow({ ...bearerHeaders(small.admin.key), 'Last-Event-ID': id });
        await until('a reset', () => comparableEvents(back.received).length > 0);
        await sleepInTurns(30);
        assert.deepEqual(comparableEvents(back.received), [{ event: 'reset' }], id);
        assert.ok(back.received[0]!.id!.startsWith(epoch), 'what it knows when it has read again');
        back.stop();
      }
      const back = await small.follow({ ...bearerHeaders(small.admin.key), 'Last-Event-ID': second! });
      await until('three', () => comparableEvents(back.received).length >= 3);
      await sleepInTurns(30);
      assert.deepEqual(comparableEvents(back.received), [log(), log(), log()]);
      small.leave();
      await small.stop();
    });

    it('a reset instead of a long list', async () => {
      const terse = await startLiveWorld({ streamLimits: { missedEvents: 1 }, rows: world.rows, tenant: world.tenant });
      await sleep(100);
      const { received } = await terse.follow(bearerHeaders(terse.admin.key));
      await note();
      await note();
      // This world listens on its own connection, so both changes may arrive later here.
      await until('both', () => comparableEvents(received).length === 2);
      const back = await terse.follow({ ...bearerHeaders(terse.admin.key), 'Last-Event-ID': received[0]!.id! });
      await until('a reset', () => comparableEvents(back.received).length > 0);
      await sleepInTurns(30);
      assert.deepEqual(comparableEvents(back.received), [{ event: 'reset' }]);
      terse.leave();
      await terse.stop();
    });
  });

  describe('say that something may have been missed', () => {
    it('when the connection that listens was lost and is there again', async () => {
      const stream = await world.follow(bearerHeaders(world.admin.key));
      const seen = stream.received.at(-1)!.id!;
      await world.rows.db.raw(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'sluice-listener'`,
      );
      await stream.next(2);
      assert.deepEqual(comparableEvents(stream.received), [{ event: 'reset' }]);
      await note();
      assert.deepEqual(comparableEvents(stream.received), [{ event: 'reset' }, log()]);
      const back = await world.follow({ ...bearerHeaders(world.admin.key), 'Last-Event-ID': seen });
      assert.deepEqual(comparableEvents(back.received), [{ event: 'reset' }]);
    });

    describe('where rights cannot be looked up', () => {
      let gate: Gate;
      let behind: LiveWorld;
      before(async () => {
        gate = await startGate(world.rows.url);
        behind = await startLiveWorld({
          streamLimits: QUICK,
          rows: world.rows,
          tenant: world.tenant,
          identityUrl: () => gate.url,
        });
      });
      after(async () => {
        behind.leave();
        await behind.stop();
        gate.close();
      });

      it('and send nothing until they can be, though notifications arrive', async () => {
        const stream = await behind.follow(bearerHeaders(behind.admin.key));
        gate.shut();
        await sleep(2 * QUICK.maxCheckAgeMs);
        await note();
        assert.deepEqual(comparableEvents(stream.received), []);
        gate.open();
        await until('a reset', () => comparableEvents(stream.received).length > 0);
        assert.deepEqual(comparableEvents(stream.received), [{ event: 'reset' }]);
        // On a busy machine a check can grow too old again, and then another reset stands for the note.
        const isNoted = () => isDeepStrictEqual(comparableEvents(stream.received).at(-1), log());
        for (let tries = 0; tries < 20 && !isNoted(); tries++) {
          const count = stream.received.length;
          await note();
          await until('the note or a reset', () => stream.received.length > count);
        }
        assert.ok(isNoted());
        const before = comparableEvents(stream.received).slice(0, -1);
        assert.ok(before.every((event) => isDeepStrictEqual(event, { event: 'reset' })));
      });
    });
  });

  describe('are bounded', () => {
    it('in number: of a caller, of a project, of the process', async () => {
      const db = world.rows.db;
      const few = { perCaller: 2, perProject: 3, perProcess: 4 };
      const own = await startLiveWorld({ streamLimits: few, rows: world.rows, tenant: world.tenant });
      const other = await buildTenant(db);
      const [mine, second, theirs] = [
        bearerHeaders(own.admin.key),
        await buildSession(db, await buildMember(db, world.tenant)),
        bearerHeaders(await buildProjectSecretKey(db, other, '*')),
      ];
      const open = (headers: Record<string, string>, { projectId } = world.tenant) =>
        openEventSource(`${own.api.url}/api/projects/${projectId}/live/`, headers);
      const streams = [await open(mine), await open(mine), await open(second)];
      const refused = async (stream: Awaited<ReturnType<typeof open>>, status: number, code: string) => {
        assert.equal(stream.status, status);
        assert.equal(stream.headers.get('retry-after'), '10');
        assert.equal(((await stream.body()) as { code: string }).code, code);
      };
      await refused(await open(mine), 429, 'throttled');
      await refused(await open(second), 429, 'throttled');
      streams.push(await open(theirs, other));
      assert.deepEqual(
        streams.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      await refused(await open(theirs, other), 503, 'unavailable');
      streams[0]!.stop();
      await until('room for another', async () => {
        streams.push(await open(mine));
        return streams.at(-1)!.status === 200;
      });
      for (const stream of streams) stream.stop();
      await own.stop();
    });

    it('in what is buffered for a client that does not read: its stream is cut, and makes room', async () => {
      const own = await startLiveWorld({
        streamLimits: { perProject: 1, unreadBytes: 2_000 },
        rows: world.rows,
        tenant: world.tenant,
      });
      const rights = { visible: () => ({ madeBy: null, except: [] }) } as unknown as Rights;
      const opening = {
        projectId: world.tenant.projectId,
        caller: { keyId: 'slow' } as Caller,
        rights,
        recheckAccess: async () => rights,
        signal: new AbortController().signal,
      };
      // As a response does whose client does not read.
      const body = own.live.open(opening, undefined);
      await until('its end', async () => {
        assert.ok(body.readableLength < 2_500, `${body.readableLength} bytes wait`);
        await note();
        return body.destroyed;
      });
      assert.equal((await own.follow(bearerHeaders(own.admin.key))).status, 200);
      own.leave();
      await own.stop();
    });
  });

  it('are checked four at a time, however often access ends, and those that end first', async () => {
    const streams = createLiveStreams({ ...LIMITS, recheckEveryMs: 3_600_000 }, () => '0');
    const rights = { visible: () => ({ madeBy: null, except: [] }) } as unknown as Rights;
    const [{ promise: held, resolve: answer }, checks] = [Promise.withResolvers<void>(), [] as number[]];
    const open = (userId: number) =>
      streams.open(
        {
          projectId: 1,
          caller: { keyId: null, userId } as Caller,
          rights,
          recheckAccess: async () => (checks.push(userId), await held, rights),
          signal: new AbortController().signal,
        },
        [],
        '0',
      );
    for (let count = 0; count < 10; count++) [1, 2].forEach(open);
    for (let count = 0; count < 400; count++) streams.recheck(1);
    streams.recheck(2);
    assert.equal(checks.length, 4);
    answer();
    await until('the checks', () => checks.length >= 24);
    assert.deepEqual(
      checks.slice(4, 14),
      Array.from({ length: 10 }, () => 2),
    );
    // Checks that were under way when access ended again are repeated.
    assert.equal(checks.length, 24);
    streams.close();
  });

  it('send a comment while nothing happens', async () => {
    const own = await startLiveWorld({ streamLimits: QUICK, rows: world.rows, tenant: world.tenant });
    const stream = await own.follow(bearerHeaders(own.admin.key));
    await stream.next(3);
    assert.ok(stream.received.slice(1).every((received) => Object.keys(received).join() === 'atMs'));
    own.leave();
    await own.stop();
  });
});

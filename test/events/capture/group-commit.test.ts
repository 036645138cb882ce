import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGroupCommit, GROUPS_IN_FLIGHT } from '../../../src/events/capture/group-commit.ts';
import type { EventRows } from '../../../src/events/ingest/event-rows.ts';
import { buildEvent, buildRows } from '../../support/events/events.ts';

/** An ingest whose transactions end when the test says so. */
function slowIngest() {
  const groups: { projectId: number; requests: readonly EventRows[]; commit(): void; fail(error: Error): void }[] = [];
  return {
    groups,
    store: (projectId: number, requests: readonly EventRows[]) =>
      new Promise<number[][]>((resolve, reject) => {
        groups.push({ projectId, requests, commit: () => resolve(requests.map(() => [])), fail: reject });
      }),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const request = (projectId = 1, events = 1) =>
  buildRows(
    Array.from({ length: events }, () => buildEvent()),
    { projectId },
  );

const sizes = (ingest: ReturnType<typeof slowIngest>) => ingest.groups.map((group) => group.requests.length);

describe('group commit', () => {
  it('stores requests that arrive together in one transaction, and answers them after it', async () => {
    const ingest = slowIngest();
    const groups = createGroupCommit(ingest, () => {});
    let answered = 0;
    for (let i = 0; i < 50; i++) void groups.store(request()).then(() => (answered += 1));
    await turn();
    assert.deepEqual(sizes(ingest), [50]);
    assert.equal(answered, 0);
    ingest.groups[0]!.commit();
    await groups.drain();
    assert.equal(answered, 50);
  });

  it('gathers what arrives meanwhile, and does not let another project wait for it', async () => {
    const ingest = slowIngest();
    const groups = createGroupCommit(ingest, () => {});
    for (let i = 0; i < 20; i++) {
      void groups.store(request(1));
      await turn();
    }
    void groups.store(request(2));
    await turn();
    assert.deepEqual(sizes(ingest), [1, 1]);
    ingest.groups[0]!.commit();
    await turn();
    assert.deepEqual(sizes(ingest), [1, 1, 19]);
  });

  it('opens a second transaction for one project when there is much of it, and leaves room for others', async () => {
    const ingest = slowIngest();
    const groups = createGroupCommit(ingest, () => {});
    for (let i = 0; i < 10; i++) void groups.store(request(1, 1_500));
    await turn();
    for (const projectId of [2, 3, 4]) void groups.store(request(projectId));
    await turn();
    assert.deepEqual(
      ingest.groups.map((group) => group.projectId),
      [1, 1, 2, 3],
    );
    assert.equal(ingest.groups.length, GROUPS_IN_FLIGHT);
  });

  it('waits a moment for the next requests of clients that were answered together', async () => {
    const ingest = slowIngest();
    const groups = createGroupCommit(ingest, () => {});
    for (let i = 0; i < 20; i++) void groups.store(request());
    await turn();
    ingest.groups[0]!.commit();
    await turn();
    for (let i = 0; i < 20; i++) {
      void groups.store(request());
      await Promise.resolve();
    }
    await sleep(20);
    assert.deepEqual(sizes(ingest), [20, 20]);
  });

  it('gives projects turns, and never mixes them', async () => {
    const ingest = slowIngest();
    const groups = createGroupCommit(ingest, () => {});
    for (let i = 0; i < 10; i++) for (const projectId of [1, 2, 3]) void groups.store(request(projectId));
    for (let i = 0; i < 3; i++) {
      await turn();
      ingest.groups[i]!.commit();
    }
    assert.deepEqual(
      ingest.groups.map((group) => group.projectId),
      [1, 2, 3],
    );
    assert.ok(ingest.groups.every((group) => group.requests.every((rows) => rows.projectId === group.projectId)));
  });

  it('keeps a request in one transaction, and transactions small where there are many', async () => {
    const ingest = slowIngest();
    const groups = createGroupCommit(ingest, () => {});
    for (const events of [5_000, 900, 900, 900]) void groups.store(request(1, events));
    await turn();
    assert.deepEqual(
      ingest.groups.map((group) => group.requests.map((rows) => rows.ends.length)),
      [[5_000], [900, 900]],
    );
  });

  it('refuses what would be stored too late, by how long the groups before took', async () => {
    const ingest = slowIngest();
    let now = 0;
    const groups = createGroupCommit(
      ingest,
      () => {},
      () => now,
    );
    const rows = request(1, 1_000);
    const isTaken = () => {
      try {
        void groups.store(rows);
        return true;
      } catch (error) {
        assert.equal((error as Error).name, 'Unavailable');
        return false;
      }
    };
    for (let i = 0; i < 200; i++) assert.ok(isTaken());
    await turn();
    now += 200;
    for (const group of ingest.groups) group.commit();
    await turn();
    // A hundred groups are left, at about 200 ms for two.
    assert.ok(!isTaken());
    while (ingest.groups.length < 80) {
      now += 200;
      ingest.groups.at(-1)!.commit();
      ingest.groups.at(-2)!.commit();
      await turn();
    }
    assert.ok(isTaken());
  });

  it('loses no request to a queue that was forgotten', async () => {
    // By the clock: the moment in which it could happen is met by some of these.
    for (let attempt = 0; attempt < 20; attempt++) {
      const ingest = slowIngest();
      const groups = createGroupCommit(ingest, () => {});
      // Two groups that end one after the other, each waiting a moment for what follows.
      for (let i = 0; i < 16; i++) void groups.store(request(1, 250));
      await turn();
      ingest.groups[0]!.commit();
      await sleep(attempt % 2);
      ingest.groups[1]!.commit();
      await sleep(1);
      void groups.store(request());
      await turn();
      void groups.store(request());
      await sleep(5);
      for (let i = 0; i < 10; i++) {
        for (const group of ingest.groups) group.commit();
        await sleep(1);
      }
      assert.equal(ingest.groups.length, 4);
    }
  });

  it('reports a failed transaction to every request in it, and continues', async () => {
    const ingest = slowIngest();
    const failures: unknown[] = [];
    const groups = createGroupCommit(ingest, (error) => failures.push(error));
    const results = [groups.store(request()), groups.store(request())];
    await turn();
    ingest.groups[0]!.fail(new Error('no'));
    for (const result of results) await assert.rejects(result, { message: 'no' });
    assert.equal(failures.length, 1);
    const later = groups.store(request());
    await turn();
    ingest.groups[1]!.commit();
    assert.deepEqual(await later, []);
  });

  it('refuses what does not fit into the queue, and what would fill another project’s part of it', async () => {
    const groups = createGroupCommit(slowIngest(), () => {});
    const refusedAfter = (projectId: number) => {
      const rows = request(projectId);
      for (let stored = 0; ; stored++) {
        try {
          void groups.store(rows);
        } catch (error) {
          assert.equal((error as Error).name, 'Unavailable');
          return stored;
        }
      }
    };
    assert.deepEqual([1, 2, 3].map(refusedAfter), [5_000, 2_500, 1_250]);
  });
});

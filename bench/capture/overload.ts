/**
 * Sends ten times as many events as can be stored, for twenty seconds. Postgres is slowed down, because otherwise the processor that
 * sender and server share would be the limit. The server's memory must stop growing, it must refuse excess requests at once, and it
 * must have stored every event that it accepted.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded-postgres.ts';
import { migrate } from '../../src/platform/db/migrate.ts';
import { requests, startServer, type Server } from './capture-load.ts';
import { benchEvents } from '../events.ts';
import { atLeast, atMost, median, peakRssMb, type Bench } from '../measure.ts';

const BATCH = 50;
/** Delay added to each transaction. */
const SLOW_SECONDS = 1.5;
/** Requests per second of the warm-up, which sends each request once. */
const WARM_UP_PER_SECOND = 50;
const PROBE_MS = 16_000;
const PROBE_PER_SECOND = 100;
const OVERLOAD_MS = 20_000;
const OVERLOAD_FACTOR = 10;
const TICK_MS = 10;
/** Clients that wait for an answer at once. SDKs wait ten seconds for it. */
const MAX_OPEN = 5_000;

export const bench: Bench = async ({ log }) => {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'));
  // Under root, Postgres runs as another user. If that user cannot enter this folder, the cluster is kept elsewhere, and never removed.
  await chmod(directory, 0o755);
  const postgres = await startEmbeddedPostgres({ directory: path.join(directory, 'postgres'), port: 0, durable: true });
  const pool = createPool({ url: postgres.url, applicationName: 'sluice-bench', maxConnections: 1 });
  let server: Server | undefined;
  try {
    await migrate(postgres.url);
    await slowDown(pool);
    server = await startServer(postgres.url);
    const pid = server.process.pid!;
    // Without uuids: the server makes them, and the same bytes are new events each time.
    const events = [...benchEvents(BATCH * 100)].map((event) => ({ ...event, uuid: undefined }));
    const all = requests(events, BATCH);

    // The warm-up creates the persons: transactions that create the same persons wait for each other, so the probe would be too slow.
    await offer(server.port, all, {
      requestsPerSecond: WARM_UP_PER_SECOND,
      ms: (all.length * 1000) / WARM_UP_PER_SECOND,
    });
    const capacity = await measureCapacity(server.port, all, pool);
    await pool.query('truncate events, event_ids');
    log(`${capacity.toFixed(0)} events are stored a second, ${(capacity * OVERLOAD_FACTOR).toFixed(0)} offered`);

    const stopWatching = watchMemory(pid);
    const answers = await offer(server.port, all, {
      requestsPerSecond: (capacity * OVERLOAD_FACTOR) / BATCH,
      ms: OVERLOAD_MS,
    });
    const sizes = stopWatching();
    const accepted = answers.get(200) ?? [];
    const refused = [...answers].filter(([status]) => status !== 200).flatMap(([, times]) => times);
    for (const [status, times] of answers) {
      log(`${times.length} requests answered ${status}, in ${median(times).toFixed(0)} ms, ${maxMs(times)} at most`);
    }
    const storedCount = await countStoredEvents(pool);
    if (storedCount !== accepted.length * BATCH)
      throw new Error(`${storedCount} of ${accepted.length * BATCH} events are stored`);
    const [start, most] = [sizes[0]!, peakRssMb(pid)];
    const quarter = (n: number) => median(sizes.slice((sizes.length * n) / 4, (sizes.length * (n + 1)) / 4));
    log(`memory: ${start.toFixed(0)} MB at the start, ${most.toFixed(0)} MB at most; ${storedCount} events stored`);
    return {
      name: 'overload',
      cases: [],
      goals: [
        atMost('memory in the last quarter ÷ in the second', quarter(3) / quarter(1), 1.15),
        atMost('MB added at most', most - start, 300),
        atMost('ms until a request is refused, at most', Math.max(...refused), 1_000),
        atMost('ms until a request is stored, at most', Math.max(...accepted), 10_000),
        atLeast('requests refused ÷ all requests', refused.length / (refused.length + accepted.length), 0.8),
      ],
    };
  } finally {
    server?.process.disconnect();
    await pool.end();
    await postgres.stop('immediate');
    await rm(directory, { recursive: true, force: true });
  }
};

async function slowDown(pool: Pool): Promise<void> {
  await pool.query(`
    create function be_slow() returns trigger language plpgsql as
      $$ begin perform pg_sleep(${SLOW_SECONDS}); return null; end $$;
    create trigger be_slow after insert on events for each statement execute function be_slow()`);
}

/** @returns events a second */
async function measureCapacity(port: number, all: readonly Buffer[], pool: Pool): Promise<number> {
  const offering = offer(port, all, { requestsPerSecond: PROBE_PER_SECOND, ms: PROBE_MS });
  await sleep(PROBE_MS / 4);
  const [before, startedAt] = [await countStoredEvents(pool), performance.now()];
  await sleep(PROBE_MS / 2);
  const capacity = ((await countStoredEvents(pool)) - before) / ((performance.now() - startedAt) / 1000);
  await offering;
  return capacity;
}

async function countStoredEvents(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from events');
  return rows[0]!.count;
}

const maxMs = (times: readonly number[]) => Math.max(...times).toFixed(0);

/**
 * Sends requests at a constant rate without waiting for earlier answers, then waits for all answers.
 * @returns by status, the milliseconds that each request took
 */
async function offer(
  port: number,
  all: readonly Buffer[],
  { requestsPerSecond, ms }: { requestsPerSecond: number; ms: number },
): Promise<Map<number, number[]>> {
  const answers = new Map<number, number[]>();
  const idle: Socket[] = [];
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  let sent = 0;
  while (performance.now() - startedAt < ms) {
    const due = ((performance.now() - startedAt) / 1000) * requestsPerSecond;
    for (; sent < due && open.size < MAX_OPEN; sent++) {
      let socket = idle.pop();
      // The server closes sockets that are idle for long.
      while (socket && !socket.writable) socket = idle.pop();
      socket ??= connect({ port, host: '127.0.0.1', noDelay: true });
      const takenSocket = socket;
      const sending = sendOne(takenSocket, all[sent % all.length]!).then(({ status, tookMs }) => {
        answers.set(status, [...(answers.get(status) ?? []), tookMs]);
        idle.push(takenSocket);
        open.delete(sending);
      });
      open.add(sending);
    }
    await sleep(TICK_MS);
  }
  await Promise.all(open);
  for (const socket of idle) socket.destroy();
  return answers;
}

function sendOne(socket: Socket, request: Buffer): Promise<{ status: number; tookMs: number }> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    let answer = '';
    const read = (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (!answer.endsWith('}')) return;
      socket.off('data', read).off('error', reject);
      resolve({ status: Number(answer.slice(9, 12)), tookMs: performance.now() - startedAt });
    };
    socket.on('data', read).once('error', reject).write(request);
  });
}

/** Reads the size of a process, in megabytes, ten times a second. @returns a function that stops reading and returns the sizes */
function watchMemory(pid: number): () => number[] {
  const sizes: number[] = [];
  // Linux: the peak counts from here.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const timer = setInterval(() => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    sizes.push(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
  }, 100);
  return () => {
    clearInterval(timer);
    return sizes;
  };
}

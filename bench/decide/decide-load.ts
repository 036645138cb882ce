/** Builds and sends the requests of `decide.ts`. wrk sends them from its own process, so sending costs the measured process nothing. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { distinctId, PERSONS, propertiesOf } from './decide-flags.ts';

const run = promisify(execFile);
const CONNECTIONS = 32;
const SECONDS = 1;

export type LoadRequest = { path: string; headers?: Record<string, string>; body(person: number): object };
export type Load = { requests: number; seconds: number; p99Ms: number };

/** Requests as SDKs send them, with the person's properties in the body. With `stored`, the body has none, and stored properties decide. */
export function decideRequests(token: string, { path: address = '/decide/?v=3', stored = false } = {}): LoadRequest {
  return {
    path: address,
    body: (n) => ({
      api_key: token,
      distinct_id: distinctId(n),
      ...(!stored && { person_properties: propertiesOf(n) }),
    }),
  };
}

/** https://docs.getunleash.io/reference/api/unleash/get-frontend-features-post */
export function unleashRequests(token: string): LoadRequest {
  return {
    path: '/api/frontend',
    headers: { Authorization: token },
    body(n) {
      const properties = Object.entries(propertiesOf(n)).map(([name, value]) => [name, String(value)]);
      return { context: { userId: distinctId(n), properties: Object.fromEntries(properties) as object } };
    },
  };
}

/**
 * Sends requests for one person after the other, over `CONNECTIONS` connections for `SECONDS`.
 * @throws Error when a connection failed, or the status of an answer was an error
 */
export async function measureLoad(directory: string, port: number, loadRequest: LoadRequest): Promise<Load> {
  const script = path.join(directory, 'requests.lua');
  const bodies = Array.from({ length: PERSONS }, (_, n) => `[==[${JSON.stringify(loadRequest.body(n))}]==]`);
  const headers = Object.entries({ 'Content-Type': 'application/json', ...loadRequest.headers });
  await writeFile(
    script,
    `local bodies = {${bodies.join(',\n')}}
    local requests, turn = {}, 0
    wrk.method = 'POST'
    ${headers.map(([name, value]) => `wrk.headers['${name}'] = '${value}'`).join('\n')}
    init = function() for n, body in ipairs(bodies) do requests[n] = wrk.format(nil, '${loadRequest.path}', nil, body) end end
    request = function() turn = turn % #requests + 1; return requests[turn] end
    done = function(summary, latency)
      -- Requests that wrk counts as timed out do not count as failed: they were answered, but late.
      local failed = summary.errors.status + summary.errors.connect + summary.errors.read
      print(string.format('RESULT %d %d %f %f', summary.requests, failed, summary.duration / 1e6, latency:percentile(99) / 1e3))
    end`,
  );
  const address = `http://127.0.0.1:${port}`;
  const { stdout } = await run('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s', script, address]);
  const [, requests, failed, seconds, p99] = /^RESULT (\d+) (\d+) (\S+) (\S+)$/m.exec(stdout) ?? [];
  if (requests === undefined || failed !== '0')
    throw new Error(`${loadRequest.path}: ${failed ?? 'all'} requests failed`);
  return { requests: Number(requests), seconds: Number(seconds), p99Ms: Number(p99) };
}

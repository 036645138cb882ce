/**
 * Loaded into a process with `--import`: tells how long its event loop was held, in CPU time of its main thread. Other processes of
 * the machine change that little, where they multiply the time on the clock.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';

const LOOK_EVERY_MS = 2;

/** @property cpuMs of the longest stretch between two looks; @property allCpuMs of all threads since it was asked last */
export type Probed = { cpuMs: number; allCpuMs: number; heapMb: number };

let longestMs = 0;
let lastMs = cpuMs();
let allMs = allCpuMs();

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function allCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function look(): void {
  const nowMs = cpuMs();
  longestMs = Math.max(longestMs, nowMs - lastMs);
  lastMs = nowMs;
  setTimeout(look, LOOK_EVERY_MS).unref();
}

const portFile = process.env['HOSTILE_PROBE_FILE'];
if (portFile !== undefined) {
  look();
  const server = createServer((_, response) => {
    look();
    const nowMs = allCpuMs();
    const heapMb = process.memoryUsage().rss / 1e6;
    response.end(JSON.stringify({ cpuMs: longestMs, allCpuMs: nowMs - allMs, heapMb } satisfies Probed));
    longestMs = 0;
    allMs = nowMs;
  });
  server.listen(0, '127.0.0.1', () => writeFileSync(portFile, String((server.address() as AddressInfo).port)));
  server.unref();
}

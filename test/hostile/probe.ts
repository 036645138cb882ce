/**
 * Loaded into a process with `--import`: tells how long its event loop was held, in CPU time of its main thread. Other processes of
 * the machine change that little, where they multiply the time on the clock.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';

const LOOK_EVERY_MS = 2;

/** Of the longest stretch between two looks. */
let longestMs = 0;
let lastMs = cpuMs();

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
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
    response.end(JSON.stringify({ cpuMs: longestMs }));
    longestMs = 0;
  });
  server.listen(0, '127.0.0.1', () => writeFileSync(portFile, String((server.address() as AddressInfo).port)));
  server.unref();
}

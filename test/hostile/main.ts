/**
 * `npm run test:hostile [-- part of names]`: prints what each hostile request holds the API, in processor time of its event loop and in how
 * long `/_livez` was waited for, and the worst ten by the public key and by a member's.
 */
import { hostileRequests } from './requests.ts';
import { startHostileWorld, type Held } from './world.ts';

const GOOD_MS = 150;

const wanted = process.argv[2] ?? '';
const world = await startHostileWorld();
try {
  for (const [key, requests] of Object.entries(await hostileRequests(world))) {
    const held: Held[] = [];
    for (const request of requests) {
      if (!request.what.includes(wanted)) continue;
      held.push(await world.measureLeast(request, GOOD_MS));
      console.log(lineOf(held.at(-1)!));
    }
    held.sort((a, b) => b.cpuMs - a.cpuMs);
    console.log(
      `\n${held.length} requests by the key, ${key}. The worst ten:\n${held.slice(0, 10).map(lineOf).join('\n')}\n`,
    );
  }
} finally {
  await world.end();
}
process.exit(0);

function lineOf({ what, bytes, status, cpuMs, livezMs }: Held): string {
  const [cpu, livez] = [cpuMs, livezMs].map((ms) => ms.toFixed(0).padStart(6));
  return `${cpu} ms  ${livez} ms to /_livez  ${String(status).padStart(3)}  ${String(bytes).padStart(8)} bytes  ${what}`;
}

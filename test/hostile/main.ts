/** `npm run test:hostile [-- part of names]`: prints what each hostile request holds the API, and the worst ten. */
import { hostileRequests } from './requests.ts';
import { startHostileWorld, type Held } from './world.ts';

const GOOD_MS = 150;

const wanted = process.argv[2] ?? '';
const world = await startHostileWorld();
try {
  const held: Held[] = [];
  for (const request of await hostileRequests(world)) {
    if (!request.what.includes(wanted)) continue;
    held.push(await world.measureLeast(request, GOOD_MS));
    console.log(lineOf(held.at(-1)!));
  }
  held.sort((a, b) => b.cpuMs - a.cpuMs);
  console.log(`\n${held.length} requests. The worst ten:\n${held.slice(0, 10).map(lineOf).join('\n')}`);
} finally {
  await world.end();
}
process.exit(0);

function lineOf({ what, bytes, status, cpuMs }: Held): string {
  return `${cpuMs.toFixed(0).padStart(6)} ms  ${String(status).padStart(3)}  ${String(bytes).padStart(8)} bytes  ${what}`;
}

/**
 * Steps at which a commit is stopped, and pairs of steps at which two commits meet. The number of pairs grows with the square of the steps,
 * and each costs a delivery or two, so `npm test` tries some of them, chosen by a seed; `npm run test:destinations` tries all.
 */
import { seeded } from '../random.ts';

const STEPS = 3;
const PAIRS = 6;
const isWhole = process.env['SLUICE_CONTRACT'] === 'whole';
const seed = Number(process.env['SLUICE_CONTRACT_SEED'] ?? Math.floor(Math.random() * 1e6));

/** Words that repeat the choice of an earlier run. */
export const repeat = isWhole ? 'SLUICE_CONTRACT=whole' : `SLUICE_CONTRACT_SEED=${seed}`;

/** @param most of the steps that are tried by `npm test` */
export function someSteps(steps: readonly string[], most = STEPS): readonly string[] {
  if (isWhole || steps.length <= most) return steps;
  return seeded(seed).shuffled(steps).slice(0, most);
}

/** @returns the pairs to try, and the words that repeat the choice */
export function stepPairs(
  firsts: readonly string[],
  seconds: readonly string[],
  most = Infinity,
): { pairs: readonly (readonly [string, string])[]; repeat: string } {
  const all = firsts.flatMap((first) => seconds.map((second) => [first, second] as const));
  return { pairs: isWhole ? all : seeded(seed).shuffled(all).slice(0, Math.min(most, PAIRS)), repeat };
}

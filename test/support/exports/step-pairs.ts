/**
 * Pairs of steps at which two commits meet. Their number grows with the square of the steps, so `npm test` tries some of them, chosen by a
 * seed; `npm run test:destinations` tries all.
 */
import { seeded } from '../random.ts';

const PAIRS = 12;
const isWhole = process.env['SLUICE_CONTRACT'] === 'whole';
const seed = Number(process.env['SLUICE_CONTRACT_SEED'] ?? Math.floor(Math.random() * 1e6));

/** @returns the pairs to try, and the words that repeat the choice */
export function stepPairs(
  firsts: readonly string[],
  seconds: readonly string[],
): { pairs: readonly (readonly [string, string])[]; repeat: string } {
  const all = firsts.flatMap((first) => seconds.map((second) => [first, second] as const));
  if (isWhole) return { pairs: all, repeat: 'SLUICE_CONTRACT=whole' };
  return { pairs: seeded(seed).shuffled(all).slice(0, PAIRS), repeat: `SLUICE_CONTRACT_SEED=${seed}` };
}

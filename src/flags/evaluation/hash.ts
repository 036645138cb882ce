/**
 * Where a person or group falls in `[0, 1]` for a flag: the first 60 bits of SHA-1, as upstream's server and every SDK take them,
 * so that all of them give the same answer.
 */
import { hash } from 'node:crypto';

/** 60 bits, all set; as a float. */
const SCALE = 2 ** 60;

/** @param text `<flag key>.<id>` for rollouts, with `variant` after it for variants, `holdout-<id>` for holdouts */
export function hash01(text: string): number {
  return Number(BigInt(`0x${hash('sha1', text, 'hex').slice(0, 15)}`)) / SCALE;
}

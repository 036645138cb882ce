/** Estimates the guesses that a password takes, by zxcvbn: common passwords, keyboards, dates, repetitions, and facts about the user. */
import type * as Core from '@zxcvbn-ts/core';

/** zxcvbn's score: from 2 on, a password takes more than 10^6 guesses. Guesses here are limited to a few a minute. */
const LEAST_SCORE = 2;
/** Characters that are rated, because the estimator's time grows faster than the text, and further ones only make a password better. */
const RATED_CHARACTERS = 32;
/** Limit of substituted letters, because each adds to the estimator's time; its own limit is 100. */
const MAX_SUBSTITUTIONS = 10;
const MAX_KNOWN = 10;

let loading: Promise<typeof Core> | undefined;

/** Loaded on demand, because it takes 20 MB. */
async function estimator(): Promise<typeof Core> {
  const [core, { adjacencyGraphs: graphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  core.zxcvbnOptions.setOptions({ dictionary, graphs, l33tMaxSubstitutions: MAX_SUBSTITUTIONS });
  return core;
}

/**
 * @param password of any length; only its first characters are rated
 * @param knownWords texts that are easily found out: the user's address and names
 * @returns whether it takes many guesses
 */
export async function isHardToGuess(password: string, knownWords: readonly string[] = []): Promise<boolean> {
  const { zxcvbn } = await (loading ??= estimator());
  const parts = knownWords.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]).filter((part) => part !== '');
  const inputs = parts.slice(0, MAX_KNOWN).map((part) => part.slice(0, RATED_CHARACTERS));
  return zxcvbn(password.slice(0, RATED_CHARACTERS), [...inputs, 'sluice']).score >= LEAST_SCORE;
}

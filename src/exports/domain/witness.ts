/** Messages between the database and the witness of its timeline. */

/** Each namespace has one witness. */
export const WITNESS_WORKFLOW_ID = 'sluice-timeline-witness';
/** Name of the workflow update that swaps the nonce. */
export const SWAP = 'swap';

/** Nonces, which are random and never used twice. */
export type Swap = { expected: string; next: string };

/** `differs`: the witness holds another database's nonce. `missing`: Temporal has no witness. */
export type Testimony = 'agrees' | 'differs' | 'missing';

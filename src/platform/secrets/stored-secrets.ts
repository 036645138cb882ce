/**
 * Compares a key ring with stored secrets when a process starts. A key that was dropped, or replaced under its id, would otherwise only show
 * as internal errors of requests and runs that need a secret.
 */
import { CommandFailed } from '../errors.ts';
import type { KeyRing } from './key-ring.ts';

export type StoredSecret = { id: string; projectId: number; envelope: string };

export type SecretColumn = {
  /** For messages: `integrations.secrets`. */
  name: string;
  /** SQL of `id`, `project_id` and `envelope` of all rows in use whose value is not null. */
  query: string;
  /** @throws Error if the key ring does not open it */
  open(secret: StoredSecret): unknown;
};

/** Values tried of each column and key: some, because a single one may be damaged. */
const SAMPLE = 5;

type Run = (sql: string) => Promise<{ rows: { key_id: string; id: string; project_id: number; envelope: string }[] }>;
type KeyTrial = { columns: Set<string>; decrypted: number; failed: number };

/**
 * @returns warnings of keys that open only some of their values
 * @throws CommandFailed naming the key that opens none, and what to do
 */
export async function checkStoredSecrets(ring: KeyRing, columns: readonly SecretColumn[], run: Run): Promise<string[]> {
  const keys = new Map<string, KeyTrial>();
  for (const column of columns) {
    for (const { key_id: keyId, project_id: projectId, id, envelope } of (await run(sampleOf(column))).rows) {
      const tried = keys.get(keyId) ?? { columns: new Set<string>(), decrypted: 0, failed: 0 };
      keys.set(keyId, tried);
      if (opens(column, { id, projectId, envelope })) tried.decrypted += 1;
      else {
        tried.failed += 1;
        tried.columns.add(column.name);
      }
    }
  }
  const failing = [...keys].filter(([keyId, { failed }]) => failed > 0 && ring.statusOf(keyId) !== 'lost');
  for (const [keyId, { decrypted, columns: names }] of failing)
    if (decrypted === 0) throw new CommandFailed(refusalOf(keyId, [...names], ring));
  return failing.map(
    ([keyId, { decrypted, failed, columns: names }]) =>
      `The key "${keyId}" of SLUICE_ENCRYPTION_KEYS opens ${decrypted} of ${decrypted + failed} tried secrets, not all in ${listOf([...names])}: ` +
      'they were encrypted with another key of this id, or copied from other rows.',
  );
}

function sampleOf({ query }: SecretColumn): string {
  const keyId = `split_part(envelope, '.', 2)`;
  return `
    select key_id, id::text as id, project_id, envelope from (
      select *, ${keyId} as key_id, row_number() over (partition by ${keyId} order by id) as place from (${query}) stored
    ) numbered where place <= ${SAMPLE}`;
}

function opens(column: SecretColumn, secret: StoredSecret): boolean {
  try {
    column.open(secret);
    return true;
  } catch {
    return false;
  }
}

function refusalOf(keyId: string, columns: readonly string[], ring: KeyRing): string {
  const what = `stored secrets (${listOf(columns)}) were encrypted with`;
  const lost = `If that key is lost, add "${keyId}:lost"`;
  return ring.statusOf(keyId) === 'held'
    ? `SLUICE_ENCRYPTION_KEYS has another key under the id "${keyId}" than the one that ${what}. Put that one back; a new key goes in ` +
        `front of it, under an id of its own. ${lost} in its place. docs/operate.md says what this gives up.`
    : `SLUICE_ENCRYPTION_KEYS lacks the key "${keyId}", which ${what}. Put it back, behind the newest key. ${lost} there. ` +
        'docs/operate.md says what this gives up.';
}

const listOf = (names: readonly string[]) => names.join(', ');

/** Finds the encryption keys for stored secrets, in the environment or else in the state folder. */
import type { Config } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { createKeyRing, generateKeyRing } from '../../platform/secrets/key-ring.ts';
import type { StateFolder } from './state-folder.ts';

/** File in the state folder. */
export const KEYS_FILE = 'encryption-keys';
/** Any of these shows that this is not the first start. */
const FILES_FROM_PREVIOUS_STARTS = ['postgres', 'personal-api-key'];

/**
 * Returns the keys in the form of SLUICE_ENCRYPTION_KEYS. Without that variable, the first start generates a key and writes it to the state
 * folder, before any secret can be stored.
 * @throws CommandFailed if the keys are damaged, or those of earlier starts are missing
 */
export async function findEncryptionKeys(config: Config, state: StateFolder): Promise<string> {
  const given = config.SLUICE_ENCRYPTION_KEYS;
  if (given) return checkKeys(given, 'SLUICE_ENCRYPTION_KEYS');
  const storedKeys = await state.read(KEYS_FILE);
  if (storedKeys) return checkKeys(storedKeys.trim(), state.file(KEYS_FILE));
  if (FILES_FROM_PREVIOUS_STARTS.some((name) => state.has(name)))
    throw new CommandFailed(
      `${state.file(KEYS_FILE)} is gone, and stored secrets, such as exports' credentials, cannot be read without it. Put it back, or move the ` +
        'state folder away: the next start makes a new, empty one.',
    );
  const keyRing = generateKeyRing();
  await state.writeSecret(KEYS_FILE, `${keyRing}\n`);
  return keyRing;
}

function checkKeys(keys: string, source: string): string {
  try {
    createKeyRing(keys);
    return keys;
  } catch (error) {
    throw new CommandFailed(`${source} is damaged: ${(error as Error).message}`);
  }
}

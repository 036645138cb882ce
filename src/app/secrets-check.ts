/** The check at start that SLUICE_ENCRYPTION_KEYS opens what is stored. */
import { setTimeout as sleep } from 'node:timers/promises';
import { exportSecretColumns } from '../exports/secret-columns.ts';
import { configEncryption } from '../exports/integrations/config-encryption.ts';
import { payloadColumn, payloadEncryption } from '../flags/feature-flags/encrypted-payloads.ts';
import type { Pool } from '../platform/db/connection.ts';
import { CommandFailed } from '../platform/errors.ts';
import { createKeyRing } from '../platform/secrets/key-ring.ts';
import { checkStoredSecrets } from '../platform/secrets/stored-secrets.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { EngineOptions } from './engine.ts';

/**
 * @returns warnings of keys that open only some of what was encrypted with them
 * @throws CommandFailed naming the key that does not open what is stored
 */
export async function compareKeys(pool: Pool, encryptionKeys: string): Promise<string[]> {
  const ring = createKeyRing(encryptionKeys);
  const columns = [...exportSecretColumns(configEncryption(ring)), payloadColumn(payloadEncryption(ring))];
  return checkStoredSecrets(ring, columns, (sql) => pool.query(sql));
}

type Options = Pick<EngineOptions, 'encryptionKeys'> & { log: Logger; signal: AbortSignal; retryMs?: number };

export type SecretsCheck = {
  /** Rejects if the keys turn out to be wrong after the start, because the database did not answer before; never resolves. */
  failure: Promise<never>;
};

/**
 * Resolves after the first try, whose failure stops no start: the database may be away or not migrated yet, which readiness reports.
 * @throws CommandFailed naming the key that does not open what is stored
 */
export async function startSecretsCheck(
  pool: Pool,
  { encryptionKeys, log, signal, retryMs = 10_000 }: Options,
): Promise<SecretsCheck> {
  /** @returns whether the database answered */
  async function check(): Promise<boolean> {
    try {
      for (const warning of await compareKeys(pool, encryptionKeys)) log.warn(warning);
      return true;
    } catch (error) {
      if (error instanceof CommandFailed) throw error;
      return false;
    }
  }

  async function checkLater(): Promise<never> {
    do await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {});
    while (!signal.aborted && !(await check()));
    return new Promise(() => {});
  }

  const failure = (await check()) ? new Promise<never>(() => {}) : checkLater();
  // The caller gets the error when it waits; without this, an earlier one would end the process with a stack.
  failure.catch(() => {});
  return { failure };
}

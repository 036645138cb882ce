/** The demo's organization, project and keys: made on the first start, the same ever after. */
import { createKnex } from '../db/connection.ts';
import { seedDemo, type Demo } from '../identity/demo.store.ts';
import type { StateFolder } from './state-folder.ts';

/** A key is shown once, by the call that makes it: kept here so that every start can show it. */
const KEY_FILE = 'personal-api-key';

export async function demo(databaseUrl: string, state: StateFolder): Promise<Demo> {
  const db = createKnex({ url: databaseUrl, applicationName: 'sluice-up', maxConnections: 1 });
  try {
    const known = (await state.read(KEY_FILE))?.trim();
    const made = await seedDemo(db, known);
    if (made.personalApiKey !== known) await state.writeSecret(KEY_FILE, `${made.personalApiKey}\n`);
    return made;
  } finally {
    await db.destroy();
  }
}

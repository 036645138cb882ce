/** The demo's organization, project, keys and dashboard: made on the first start, the same ever after. */
import { dashboardStores } from '../../analytics/dashboards/stores.ts';
import { createKnex } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { seedDemo, type Demo } from '../../people/demo.store.ts';
import { identityStores } from '../../people/stores.ts';
import { demoDashboard } from './demo-dashboard.ts';
import { demoLogin, type DemoLogin } from './demo-password.ts';
import type { StateFolder } from './state-folder.ts';

/** File for the key, which the API shows only once, so that every start can show it. */
const KEY_FILE = 'personal-api-key';

/** `shareToken`: token of the link to its dashboard; null: the link is gone. */
export type SharedDemo = Demo & DemoLogin & { shareToken: string | null };

export async function demo(databaseUrl: string, state: StateFolder): Promise<SharedDemo> {
  const db = createKnex({ url: databaseUrl, ...POOLS.up });
  try {
    const known = (await state.read(KEY_FILE))?.trim();
    const made = await seedDemo(db, known);
    if (made.personalApiKey !== known) await state.writeSecret(KEY_FILE, `${made.personalApiKey}\n`);
    const shareToken = await demoDashboard(dashboardStores(db), made, state);
    return { ...made, ...(await demoLogin(identityStores(db), state)), shareToken };
  } finally {
    await db.destroy();
  }
}

/** Creates the demo's organization, project, keys and dashboard on the first start; later starts find them. */
import { dashboardStores } from '../../analytics/dashboards/stores.ts';
import { createKnex } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { seedDemo, type Demo } from '../../people/demo.store.ts';
import { identityStores } from '../../people/stores.ts';
import { prepareDemoDashboard } from './demo-dashboard.ts';
import { prepareDemoLogin, type DemoLogin } from './demo-password.ts';
import type { StateFolder } from './state-folder.ts';

/** File with the personal key, so every start can show it, although the database has only its hash. */
const KEY_FILE = 'personal-api-key';

/** The demo; `shareToken` is the token of the link to its dashboard, or null if that has been removed. */
export type SharedDemo = Demo & DemoLogin & { shareToken: string | null };

export async function prepareDemo(databaseUrl: string, state: StateFolder): Promise<SharedDemo> {
  const db = createKnex({ url: databaseUrl, ...POOLS.up });
  try {
    const storedKey = (await state.read(KEY_FILE))?.trim();
    const demo = await seedDemo(db, storedKey);
    if (demo.personalApiKey !== storedKey) await state.writeSecret(KEY_FILE, `${demo.personalApiKey}\n`);
    const shareToken = await prepareDemoDashboard(dashboardStores(db), demo, state);
    return { ...demo, ...(await prepareDemoLogin(identityStores(db), state)), shareToken };
  } finally {
    await db.destroy();
  }
}

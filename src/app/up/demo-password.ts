/** Creates the demo user's password on the first start, and returns it on every start until the user changes it. */
import { randomBytes } from 'node:crypto';
import { DEMO_EMAIL } from '../../people/demo.store.ts';
import { resetPassword } from '../../people/accounts/operator.ts';
import type { IdentityStores } from '../../people/stores.ts';
import { isPassword } from '../../platform/secrets/passwords.ts';
import type { StateFolder } from './state-folder.ts';

const FILE = 'demo-password';

/** Login of the demo's user; the password is null if the user has changed it. */
export type DemoLogin = { email: string; password: string | null };

export async function prepareDemoLogin(identity: IdentityStores, state: StateFolder): Promise<DemoLogin> {
  const account = await identity.accounts.findByEmail(DEMO_EMAIL);
  if (account && account.passwordHash !== null) {
    const storedPassword = (await state.read(FILE))?.trim() ?? '';
    return {
      email: DEMO_EMAIL,
      password: (await isPassword(storedPassword, account.passwordHash)) ? storedPassword : null,
    };
  }
  const password = randomBytes(15).toString('base64url');
  // Stored before it is set, so it cannot be lost; if setting it fails, the next start creates another.
  await state.writeSecret(FILE, `${password}\n`);
  await resetPassword(identity, DEMO_EMAIL, password);
  return { email: DEMO_EMAIL, password };
}

/** Shared pages behind a password: who gave it is remembered by a token, and who tries too often waits. */
import { createRateLimit } from '../../identity/rate-limits.ts';
import { isPassword } from '../../secrets/passwords.ts';
import type { DashboardStores } from '../stores.ts';
import type { ShareTokens } from './share-tokens.ts';
import type { Share } from './shares.store.ts';
import { ACTIVITY_SCOPE } from './sharing.ts';

/** Of one address at one page: five at once, then one in twelve seconds. */
const OF_ADDRESS = { perSecond: 1 / 12, burstSeconds: 60 };
/** Of all addresses at one page: a password costs a fifth of a second to compare. */
const OF_PAGE = { perSecond: 0.5, burstSeconds: 60 };
const SUFFIX = 6;

export type Unlocking = {
  /** @returns a share token, or undefined for a wrong password. @throws Throttled after too many of them */
  unlock(share: Share, password: string, address: string): Promise<string | undefined>;
  /** Whether one of these tokens opens the page. */
  isOpen(share: Share, tokens: readonly string[]): Promise<boolean>;
};

type Stores = Pick<DashboardStores, 'activity' | 'dashboards' | 'insights' | 'sharePasswords'>;

export function createUnlocking({ stores, tokens }: { stores: Stores; tokens: ShareTokens }): Unlocking {
  const ofAddress = createRateLimit<string>(OF_ADDRESS.perSecond, undefined, OF_ADDRESS.burstSeconds);
  const ofPage = createRateLimit<number>(OF_PAGE.perSecond, undefined, OF_PAGE.burstSeconds);

  /** One after the other, and all of them: how long it takes does not tell which it is. */
  async function matching({ configuration }: Share, password: string) {
    let found;
    for (const one of await stores.sharePasswords.list(configuration.id)) {
      if (await isPassword(password, one.passwordHash)) found = one;
    }
    return found;
  }

  async function record(share: Share, address: string, used: { id: number; note: string | null } | undefined) {
    const { configuration, project, token } = share;
    const { kind, id: itemId } = configuration.object;
    const { name } = await (kind === 'dashboard' ? stores.dashboards : stores.insights).get(project.id, itemId);
    const after = {
      link_suffix: token.slice(-SUFFIX),
      client_ip: address,
      password_id: used?.id,
      password_note: used?.note,
    };
    await stores.activity.record({
      project,
      author: { userId: null, keyId: null },
      scope: ACTIVITY_SCOPE[kind],
      type: kind,
      itemId,
      activity: used ? 'share_login_success' : 'share_login_failed',
      name: name ?? '',
      changes: [{ type: 'SharePassword', action: 'created', field: 'login', before: null, after }],
    });
  }

  return {
    async unlock(share, password, address) {
      ofAddress.charge(`${share.configuration.id} ${address}`, 1);
      ofPage.charge(share.configuration.id, 1);
      const used = await matching(share, password);
      await record(share, address, used);
      const { project, token } = share;
      return used && tokens.issue({ share_password_id: used.id, team_id: project.id, access_token: token });
    },

    async isOpen({ configuration, project, token }, given) {
      const claims = given.map(tokens.read).find((read) => read?.access_token === token && read.team_id === project.id);
      return claims !== undefined && stores.sharePasswords.isActive(configuration.id, claims.share_password_id);
    },
  };
}

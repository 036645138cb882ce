/** Shared pages behind a password: who gave it is remembered by a token, and who is wrong too often waits. */
import { createRateLimit, type RateLimit } from '../../people/keys/rate-limits.ts';
import { isPassword } from '../../platform/secrets/passwords.ts';
import type { DashboardStores } from '../dashboards/stores.ts';
import type { ShareTokens } from './share-tokens.ts';
import type { Share } from './shares.store.ts';
import { ACTIVITY_SCOPE } from './sharing.ts';

/** Wrong ones of one address at one page: five, then one in twelve seconds. */
const OF_ADDRESS = { atOnce: 5, seconds: 12 };
/** Of all addresses at one page: a password costs a fifth of a second to compare. */
const OF_PAGE = { atOnce: 30, seconds: 2 };
/** Part of the last token: the limit admits a try while any part of a token is left, so that this makes exactly as many tries. */
const LAST = 0.01;
const SUFFIX = 6;

export type Unlocking = {
  /** @returns a share token, or undefined for a wrong password. @throws Throttled after too many of them */
  unlock(share: Share, password: string, address: string): Promise<string | undefined>;
  /** Whether one of these tokens opens the page. */
  isOpen(share: Share, tokens: readonly string[]): Promise<boolean>;
};

type Stores = Pick<DashboardStores, 'auditLog' | 'dashboards' | 'insights' | 'sharePasswords'>;

function limitOf<Sender>({ atOnce, seconds }: { atOnce: number; seconds: number }): RateLimit<Sender> {
  return createRateLimit(1 / seconds, undefined, (atOnce - 1 + LAST) * seconds);
}

export function createUnlocking({ stores, tokens }: { stores: Stores; tokens: ShareTokens }): Unlocking {
  const ofAddress = limitOf<string>(OF_ADDRESS);
  const ofPage = limitOf<number>(OF_PAGE);

  /** Of both, or of neither. */
  function charge(pageId: number, sender: string): void {
    ofAddress.charge(sender, 1);
    try {
      ofPage.charge(pageId, 1);
    } catch (error) {
      ofAddress.giveBack(sender, 1);
      throw error;
    }
  }

  function giveBack(pageId: number, sender: string): void {
    ofAddress.giveBack(sender, 1);
    ofPage.giveBack(pageId, 1);
  }

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
    await stores.auditLog.record({
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
      const { id } = share.configuration;
      const sender = `${id} ${address}`;
      // Each counts until it was right: who tries many at once gets no further than one after the other.
      // tooth: share-tries
      charge(id, sender);
      const used = await matching(share, password);
      if (used) giveBack(id, sender);
      await record(share, address, used);
      const { project, token } = share;
      return used && tokens.issue({ share_password_id: used.id, team_id: project.id, access_token: token });
    },

    async isOpen({ configuration, project, token }, given) {
      const claims = given.map(tokens.read).find((read) => read?.access_token === token && read.team_id === project.id);
      // tooth: share-password-active
      return claims !== undefined && stores.sharePasswords.isActive(configuration.id, claims.share_password_id);
    },
  };
}

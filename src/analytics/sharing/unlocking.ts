/** Opens shared pages that have a password. The right password gives a token; after too many wrong passwords, an address must wait. */
import { createRateLimit, type RateLimit } from '../../people/keys/rate-limits.ts';
import { isPassword } from '../../platform/secrets/passwords.ts';
import type { DashboardStores } from '../dashboards/stores.ts';
import type { ShareTokens } from './share-tokens.ts';
import type { Share } from './shares.store.ts';
import { ACTIVITY_SCOPE } from './sharing.ts';

/** Limit of wrong passwords from one address for one page: five at once, then one every twelve seconds. */
const ADDRESS_LIMIT = { burst: 5, seconds: 12 };
/** Limit of wrong passwords from all addresses for one page, because a password takes a fifth of a second to compare. */
const PAGE_LIMIT = { burst: 30, seconds: 2 };
/** Part of the last token. The limit admits a try while any part of a token is left, so this part admits exactly `burst` tries. */
const LAST_TOKEN_PART = 0.01;
const SUFFIX = 6;

export type Unlocking = {
  /** @returns a share token, or undefined for a wrong password. @throws Throttled after too many of them */
  unlock(share: Share, password: string, address: string): Promise<string | undefined>;
  /** Whether one of these tokens opens the page. */
  isOpen(share: Share, tokens: readonly string[]): Promise<boolean>;
};

type Stores = Pick<DashboardStores, 'auditLog' | 'dashboards' | 'insights' | 'sharePasswords'>;

function createTryLimit<Sender>({ burst, seconds }: { burst: number; seconds: number }): RateLimit<Sender> {
  return createRateLimit(1 / seconds, undefined, (burst - 1 + LAST_TOKEN_PART) * seconds);
}

export function createUnlocking({ stores, tokens }: { stores: Stores; tokens: ShareTokens }): Unlocking {
  const addressLimit = createTryLimit<string>(ADDRESS_LIMIT);
  const pageLimit = createTryLimit<number>(PAGE_LIMIT);

  /** Charges both limits, or neither. */
  function charge(pageId: number, sender: string): void {
    addressLimit.charge(sender, 1);
    try {
      pageLimit.charge(pageId, 1);
    } catch (error) {
      addressLimit.giveBack(sender, 1);
      throw error;
    }
  }

  function giveBack(pageId: number, sender: string): void {
    addressLimit.giveBack(sender, 1);
    pageLimit.giveBack(pageId, 1);
  }

  /** Compares all passwords, one after the other, so the time does not tell which one matches. */
  async function findMatching({ configuration }: Share, password: string) {
    let matching;
    for (const candidate of await stores.sharePasswords.list(configuration.id)) {
      if (await isPassword(password, candidate.passwordHash)) matching = candidate;
    }
    return matching;
  }

  async function record(share: Share, address: string, usedPassword: { id: number; note: string | null } | undefined) {
    const { configuration, project, token } = share;
    const { kind, id: itemId } = configuration.object;
    const { name } = await (kind === 'dashboard' ? stores.dashboards : stores.insights).get(project.id, itemId);
    const after = {
      link_suffix: token.slice(-SUFFIX),
      client_ip: address,
      password_id: usedPassword?.id,
      password_note: usedPassword?.note,
    };
    await stores.auditLog.record({
      project,
      author: { userId: null, keyId: null },
      scope: ACTIVITY_SCOPE[kind],
      type: kind,
      itemId,
      activity: usedPassword ? 'share_login_success' : 'share_login_failed',
      name: name ?? '',
      changes: [{ type: 'SharePassword', action: 'created', field: 'login', before: null, after }],
    });
  }

  return {
    async unlock(share, password, address) {
      const { id } = share.configuration;
      const sender = `${id} ${address}`;
      // Each try counts until it was right, so many tries at once get no further than one after the other.
      // tooth: share-tries
      charge(id, sender);
      const matchingPassword = await findMatching(share, password);
      if (matchingPassword) giveBack(id, sender);
      await record(share, address, matchingPassword);
      const { project, token } = share;
      return (
        matchingPassword &&
        tokens.issue({ share_password_id: matchingPassword.id, team_id: project.id, access_token: token })
      );
    },

    async isOpen({ configuration, project, token }, given) {
      const claims = given.map(tokens.read).find((read) => read?.access_token === token && read.team_id === project.id);
      // tooth: share-password-active
      return claims !== undefined && stores.sharePasswords.isActive(configuration.id, claims.share_password_id);
    },
  };
}

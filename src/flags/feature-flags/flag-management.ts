/** Manages feature flags on behalf of users, and presents flags to them. */
import { PermissionDenied } from '../../platform/errors.ts';
import { reaches, type Caller, type Project, type Rights } from '../../platform/http/access.ts';
import { ensureVersion } from '../../platform/http/parameters/preconditions.ts';
import { allows } from '../../people/access/scopes.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import { localEvaluation } from '../definitions/local-evaluation.ts';
import { sdkDifferences } from '../definitions/sdk-differences.ts';
import { changeFlag, createFlag, type FlagAuthor, type FlagChanges, type NewFlag } from '../feature-flags.ts';
import type { FlagStores } from '../stores.ts';
import type { PayloadEncryption } from './encrypted-payloads.ts';
import type { FeatureFlag } from './feature-flags.store.ts';
import { toEvaluableFlag, presentFlag } from './present.ts';
import type { FlagBody } from './schema.ts';

const RESOURCE = 'feature_flag';

/** The reader, with their rights. */
export type Viewer = { caller: Caller; rights: Rights };

export type FlagManagementOptions = {
  stores: FlagStores;
  definitions: Pick<LiveDefinitions, 'findById'>;
  encryption: PayloadEncryption;
};

export function flagManagement({ stores, definitions, encryption }: FlagManagementOptions) {
  return {
    get: stores.flags.get,
    list: stores.flags.list,
    listAuditLog: stores.auditLog.list,
    /** Lists the keys of flags that a caller with these rights may not see. */
    hiddenKeys: (projectId: number, rights: Rights) => stores.flags.hiddenKeys(projectId, rights.visible(RESOURCE)),
    users: stores.users.findByIds,

    /** @throws InvalidInput naming the field */
    async create(project: Project, author: FlagAuthor, input: NewFlag): Promise<FeatureFlag> {
      return stores.inTransaction(project.id, (tx) => createFlag(tx, project, author, input, encryption.encrypt));
    },

    /**
     * @param ifMatch version that the flag must have
     * @throws Stale if it has another version; and as `changeFlag`
     */
    async change(
      project: Project,
      author: FlagAuthor,
      id: number,
      changes: FlagChanges,
      ifMatch?: string,
    ): Promise<FeatureFlag> {
      return stores.inTransaction(project.id, async (tx) => {
        const { version } = await tx.flags.get(project.id, id);
        ensureVersion(ifMatch, version, 'feature flag');
        return changeFlag(tx, project, author, id, changes, encryption.encrypt);
      });
    },

    /** Presents flags to a caller, in the same order. Makes a few queries, whatever their number. */
    async show({ caller, rights }: Viewer, projectId: number, flags: readonly FeatureFlag[]): Promise<FlagBody[]> {
      const [users, related, project] = await Promise.all([
        stores.users.findByIds(flags.flatMap(({ createdBy, lastModifiedBy }) => [createdBy, lastModifiedBy])),
        stores.related.findByFlags(flags.map(({ id }) => id)),
        definitions.findById(projectId),
      ]);
      const shared = { users, mayWrite: allows(caller.scopes, 'feature_flag:write'), now: Date.now() };
      return flags.map((flag) =>
        presentFlag(flag, {
          ...shared,
          level: rights.levelOf(RESOURCE, flag),
          related: related.get(flag.id)!,
          // The flag's project exists.
          localEvaluation: localEvaluation(toEvaluableFlag(flag), project!.definitions),
          sdkDifferences: sdkDifferences(toEvaluableFlag(flag), project!.definitions),
        }),
      );
    },

    /**
     * Reads the payload of a remote configuration by the flag's key or id.
     * @returns JSON text, or null; undefined if there is no such flag
     * @throws PermissionDenied if the viewer may not see the flag
     */
    async remoteConfig(projectId: number, rights: Rights, key: string): Promise<string | null | undefined> {
      const flag = (await stores.flags.findByKey(projectId, key)) ?? (await findByIdText(projectId, key));
      if (!flag) return undefined;
      if (!reaches(rights.levelOf(RESOURCE, flag), 'viewer')) {
        throw new PermissionDenied('You do not have viewer access to this resource.');
      }
      if (!flag.isRemoteConfiguration) return undefined;
      return flag.hasEncryptedPayloads ? encryption.decrypt(flag) : (flag.filters.payloads?.['true'] ?? null);
    },
  };

  async function findByIdText(projectId: number, text: string): Promise<FeatureFlag | undefined> {
    if (!/^[1-9]\d{0,8}$/.test(text)) return undefined;
    const [flag] = await stores.flags.findByIds(projectId, [Number(text)]);
    return flag;
  }
}

export type FlagManagement = ReturnType<typeof flagManagement>;

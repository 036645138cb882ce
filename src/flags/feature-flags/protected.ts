/** Finds flags for the checks of their access controls; includes deleted flags, which can be read and restored. */
import type { FindProtected } from '../../platform/http/access.ts';
import type { FeatureFlagStore } from './feature-flags.store.ts';

const ID = /^[1-9]\d{0,9}$/;
const MAX_ID = 2 ** 31 - 1;

export function protectedFlags({ find }: Pick<FeatureFlagStore, 'find'>): FindProtected {
  return async (projectId, text) => {
    const id = ID.test(text) ? Number(text) : MAX_ID + 1;
    const flag = id <= MAX_ID ? await find(projectId, id) : undefined;
    return flag && { id, createdBy: flag.createdBy, name: flag.key };
  };
}

/** A store whose errors are faults of this destination. */
import { readBody, type WholeObjectStore } from '../../object-store/store.ts';
import { faultCodeOf, icebergFault } from '../faults.ts';
import { hasTableSentence, OTHER_STORAGE_FAULTS, type OtherStorageFault } from './faults.ts';

export function withFaultsOf(name: 'gcs' | 'azure', store: WholeObjectStore): WholeObjectStore {
  function throwOwn(error: unknown): never {
    const code = faultCodeOf(error) ?? '';
    const own = `${name}_${code}`;
    if (!Object.hasOwn(OTHER_STORAGE_FAULTS, own)) throw error;
    // The store's sentence may say more than the table of faults.
    const sentence = hasTableSentence(code) ? {} : { sentence: (error as Error).message };
    throw icebergFault(own as OtherStorageFault, { cause: error, ...sentence });
  }
  return {
    ...store,
    begin: async (...given) => store.begin(...given).catch(throwOwn),
    listUnfinishedUploads: async (key) => store.listUnfinishedUploads(key).catch(throwOwn),
    putPiece: async (...given) => store.putPiece(...given).catch(throwOwn),
    complete: async (...given) => store.complete(...given).catch(throwOwn),
    abort: async (upload) => store.abort(upload).catch(throwOwn),
    head: async (key) => store.head(key).catch(throwOwn),
    remove: async (key) => store.remove(key).catch(throwOwn),
    put: async (...given) => store.put(...given).catch(throwOwn),
    async get(key) {
      const content = await store.get(key).catch(throwOwn);
      return content && readBody(content, throwOwn);
    },
    async *list(prefix) {
      try {
        yield* store.list(prefix);
      } catch (error) {
        throwOwn(error);
      }
    },
  };
}

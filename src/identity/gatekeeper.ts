/** Who may do what, decided from the key that a request carries. */
import { NotAuthenticated, NotFound, PermissionDenied } from '../errors.ts';
import type { Gatekeeper } from '../http/access.ts';
import { hashOf, isSecretKey } from './keys.ts';
import type { KeyStore } from './keys.store.ts';
import type { ProjectStore } from './projects.store.ts';
import { allows } from './scopes.ts';

const BEARER = /^Bearer +(\S+) *$/i;

export function createGatekeeper({ keys, projects }: { keys: KeyStore; projects: ProjectStore }): Gatekeeper {
  return {
    async authenticate({ headersDistinct: { authorization = [] } }) {
      const [header, second] = authorization;
      if (header === undefined) throw new NotAuthenticated();
      const key = BEARER.exec(header)?.[1];
      if (second !== undefined || key === undefined) {
        throw new NotAuthenticated('Give one header `Authorization: Bearer <key>`.');
      }
      // A wrong checksum is a typing error or a guess: not worth a query.
      const caller = isSecretKey(key) ? await keys.findCaller(hashOf(key)) : undefined;
      if (!caller) throw new NotAuthenticated('The API key is not valid.');
      return caller;
    },

    current: projects.current,

    async enter(caller, projectId, scope) {
      const found = await projects.find(caller, projectId);
      if (!found) throw new NotFound('Project not found.');
      if (!found.open) throw new PermissionDenied('This API key does not open this project.');
      if (!allows(caller.scopes, scope)) throw new PermissionDenied(`API key missing required scope '${scope}'`);
      return found.project;
    },
  };
}

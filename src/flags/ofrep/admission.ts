/** Admits OFREP requests by a project's public key, or by a secret key. */
import type { IncomingMessage } from 'node:http';
import { NotAuthenticated, PermissionDenied } from '../../platform/errors.ts';
import type { Gatekeeper } from '../../platform/http/access.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import type { ProjectFlags } from '../definitions/project-flags.ts';

const BEARER = /^Bearer +(\S+) *$/i;
const SECRET = /^ph[xs]_/;

type Options = {
  definitions: Pick<LiveDefinitions, 'find' | 'findById'>;
  gatekeeper: Gatekeeper;
};

/** The project of an admitted request. `keyId` is the id of the secret key; null for the public key. */
export type AdmittedRequest = { project: ProjectFlags; keyId: string | null };

/**
 * @returns a function that finds the project of a request by its key, in `Authorization: Bearer` or `X-API-Key`; it throws
 *   NotAuthenticated, PermissionDenied, and Unavailable while nothing can be looked up
 */
export function createAdmission({ definitions, gatekeeper }: Options) {
  return async ({ headers }: IncomingMessage): Promise<AdmittedRequest> => {
    const key = BEARER.exec(headers.authorization ?? '')?.[1] ?? [headers['x-api-key'] ?? ''].flat()[0]!;
    if (key === '')
      throw new NotAuthenticated('Send the key of the project as `Authorization: Bearer <key>` or `X-API-Key`.');
    if (SECRET.test(key)) return admitSecretKey(key);
    const project = await definitions.find(key);
    if (!project) throw new NotAuthenticated('The API key is not valid: no project has it.');
    return { project, keyId: null };
  };

  async function admitSecretKey(key: string): Promise<AdmittedRequest> {
    const authorization = `Bearer ${key}`;
    const caller = await gatekeeper.authenticate({
      headers: { authorization },
      headersDistinct: { authorization: [authorization] },
    });
    if (caller.projectId === null)
      throw new PermissionDenied('Personal API keys belong to no project: use a key of the project.');
    await gatekeeper.enter(caller, caller.projectId, { scope: 'feature_flag:read' });
    const project = await definitions.findById(caller.projectId);
    if (!project) throw new NotAuthenticated('The API key is not valid: its project is gone.');
    return { project, keyId: caller.keyId };
  }
}

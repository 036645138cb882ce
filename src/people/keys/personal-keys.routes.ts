/** `/api/personal_api_keys/`: the keys of the logged-in user. A key can only read its own entry. */
import { NotFound, PermissionDenied } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/access.ts';
import { route } from '../../platform/http/route.ts';
import { nullable, Type, type Static } from '../../platform/schema.ts';
import type { ApiKeys } from './api-keys.ts';
import { keyFields, keyLimits, keyOptions, Label, presentKey, RollBody, Scopes } from './api-keys.schema.ts';
import { keyHandlers } from './key-handlers.ts';
import type { ApiKey, IssuedKey, KeyOwner } from './keys.store.ts';

const PersonalKeyBody = Type.Object(
  {
    ...keyFields,
    ...keyLimits,
    user_id: nullable(Type.Integer(), { description: 'The ID of the user; null for a key of a project.' }),
  },
  { title: 'PersonalApiKey' },
);

const settings = { label: Label, ...keyOptions, scopes: Scopes, ...keyLimits };
const NewPersonalKey = Type.Object(settings, { title: 'NewPersonalApiKey' });
const PersonalKeyPatch = Type.Partial(NewPersonalKey, { title: 'PersonalApiKeyPatch' });

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const Params = Type.Object({ id: Type.String({ pattern: `^${UUID}$` }) });
const PATH = '/api/personal_api_keys/';
const KEY_PATH = `${PATH}:id/` as const;

export type PersonalKeysApi = { apiKeys: ApiKeys };

/** Only users with a session may change keys, and only shortly after they entered their password. */
const CHANGE_ACCESS = { authenticated: true, sessionOnly: true, sensitive: true } as const;

const keys = keyHandlers<{ caller: Caller }, PersonalKeysApi>(
  ({ caller }) => ownerOf(caller),
  async (shown) => shown.map(present),
);

function present(key: ApiKey | IssuedKey): Static<typeof PersonalKeyBody> {
  return {
    ...presentKey(key),
    scoped_teams: key.projectId === null ? [...(key.onlyProjects ?? [])] : [key.projectId],
    scoped_organizations: [...(key.onlyOrganizations ?? [])],
    user_id: key.userId,
  };
}

const listKeys = route({
  method: 'get',
  path: PATH,
  access: { authenticated: true, sessionOnly: true },
  answers: { 200: Type.Array(PersonalKeyBody) },
  summary: 'List your API keys, newest first',
  handle: keys.list,
});

const createKey = route({
  method: 'post',
  path: PATH,
  access: CHANGE_ACCESS,
  body: NewPersonalKey,
  strict: true,
  answers: { 201: PersonalKeyBody },
  summary: 'Create an API key, which is shown only once',
  handle: keys.create,
});

const getKey = route({
  method: 'get',
  path: KEY_PATH,
  access: { authenticated: true, limitedKeys: true },
  params: Type.Object({
    id: Type.String({
      pattern: `^(@current|${UUID})$`,
      description: 'The ID of the key, or `@current` for the key of the request.',
    }),
  }),
  answers: { 200: PersonalKeyBody },
  summary: 'Retrieve one of your API keys',
  async handle({ caller, params }, api: PersonalKeysApi) {
    const id = params.id === '@current' ? caller.keyId : params.id;
    if (id === null) throw new NotFound();
    if (caller.keyId !== null && caller.keyId !== id) {
      throw new PermissionDenied('This action does not support personal API key access');
    }
    return keys.get({ caller, params: { id } }, api);
  },
});

const patchKey = route({
  method: 'patch',
  path: KEY_PATH,
  access: CHANGE_ACCESS,
  params: Params,
  body: PersonalKeyPatch,
  strict: true,
  answers: { 200: PersonalKeyBody },
  summary: 'Update the label, scopes or limits of one of your API keys',
  handle: keys.change,
});

const deleteKey = route({
  method: 'delete',
  path: KEY_PATH,
  access: CHANGE_ACCESS,
  params: Params,
  answers: { 204: null },
  summary: 'Delete one of your API keys, effective immediately',
  handle: keys.delete,
});

const rollKey = route({
  method: 'post',
  path: `${KEY_PATH}roll/`,
  access: CHANGE_ACCESS,
  params: Params,
  body: RollBody,
  strict: true,
  answers: { 200: PersonalKeyBody },
  summary: 'Roll one of your API keys and show its new value once',
  handle: keys.roll,
});

export const personalKeyRoutes = [listKeys, createKey, getKey, patchKey, deleteKey, rollKey];

function ownerOf(caller: Caller): KeyOwner {
  return caller.userId === null ? { projectId: caller.projectId } : { userId: caller.userId };
}

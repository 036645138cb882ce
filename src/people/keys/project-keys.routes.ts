/** `/project_secret_api_keys/`: keys that act as the project, and remain valid when their creators leave. */
import type { Caller, Project } from '../../platform/http/access.ts';
import { route } from '../../platform/http/route.ts';
import { nullable, Type, type Static } from '../../platform/schema.ts';
import type { ApiKeys } from './api-keys.ts';
import { keyFields, keyOptions, Label, presentKey, RollBody, Scopes } from './api-keys.schema.ts';
import { keyHandlers } from './key-handlers.ts';
import type { ApiKey, IssuedKey } from './keys.store.ts';
import { UserBody, userOf } from '../accounts/users.ts';
import type { UserStore } from '../accounts/users.store.ts';

const ProjectKeyBody = Type.Object(
  {
    ...keyFields,
    created_by: nullable(UserBody, {
      description: 'The user who created the key; null if it was created on the command line.',
    }),
  },
  { title: 'ProjectSecretApiKey' },
);

const NewProjectKey = Type.Object({ label: Label, ...keyOptions, scopes: Scopes }, { title: 'NewProjectSecretApiKey' });
const ProjectKeyPatch = Type.Partial(NewProjectKey, { title: 'ProjectSecretApiKeyPatch' });
const Params = Type.Object({ id: Type.String({ format: 'uuid' }) });
const PATH = '/project_secret_api_keys/';
const KEY_PATH = `${PATH}:id/` as const;

export type ProjectKeysApi = { apiKeys: ApiKeys; users: UserStore };

/** Only admins with a session may manage these keys, because whoever creates one gets all its rights. */
const READ_ACCESS = { scope: 'project:read', admin: true, sessionOnly: true } as const;
const CHANGE_ACCESS = { scope: 'project:write', admin: true, sessionOnly: true, sensitive: true } as const;

async function present(keys: readonly (ApiKey | IssuedKey)[], { users }: ProjectKeysApi) {
  const creators = await users.findByIds(keys.map(({ createdBy }) => createdBy));
  return keys.map((key): Static<typeof ProjectKeyBody> => ({
    ...presentKey(key),
    created_by: userOf(creators, key.createdBy),
  }));
}

const keys = keyHandlers(({ project }: { project: Project; caller: Caller }) => ({ projectId: project.id }), present);

const listKeys = route({
  method: 'get',
  path: PATH,
  access: READ_ACCESS,
  answers: { 200: Type.Array(ProjectKeyBody) },
  summary: 'List the secret keys of a project, newest first',
  handle: keys.list,
});

const createKey = route({
  method: 'post',
  path: PATH,
  access: CHANGE_ACCESS,
  body: NewProjectKey,
  strict: true,
  answers: { 201: ProjectKeyBody },
  summary: 'Create a secret key of a project, which is shown only once',
  handle: keys.create,
});

const getKey = route({
  method: 'get',
  path: KEY_PATH,
  access: READ_ACCESS,
  params: Params,
  answers: { 200: ProjectKeyBody },
  summary: 'Retrieve a secret key of a project',
  handle: keys.get,
});

const patchKey = route({
  method: 'patch',
  path: KEY_PATH,
  access: CHANGE_ACCESS,
  params: Params,
  body: ProjectKeyPatch,
  strict: true,
  answers: { 200: ProjectKeyBody },
  summary: 'Update the label or scopes of a secret key of a project',
  handle: keys.change,
});

const deleteKey = route({
  method: 'delete',
  path: KEY_PATH,
  access: CHANGE_ACCESS,
  params: Params,
  answers: { 204: null },
  summary: 'Delete a secret key of a project, effective immediately',
  handle: keys.delete,
});

const rollKey = route({
  method: 'post',
  path: `${KEY_PATH}roll/`,
  access: CHANGE_ACCESS,
  params: Params,
  body: RollBody,
  strict: true,
  answers: { 200: ProjectKeyBody },
  summary: 'Roll a secret key of a project and show its new value once',
  handle: keys.roll,
});

export const projectKeyRoutes = [listKeys, createKey, getKey, patchKey, deleteKey, rollKey];

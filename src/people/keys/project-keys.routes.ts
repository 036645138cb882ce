/** `/project_secret_api_keys/`: keys that act as the project, and outlast the people who made them. */
import type { Project } from '../../platform/http/access.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { nullable, Type, type Static } from '../../platform/schema.ts';
import type { ApiKeys } from './api-keys.ts';
import {
  keyFields,
  keyOptions,
  Label,
  newSettingsOf,
  presentKey,
  RollBody,
  Scopes,
  settingsOf,
} from './api-keys.schema.ts';
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
const OF_ONE = `${PATH}:id/` as const;

export type ProjectKeysApi = { apiKeys: ApiKeys; users: UserStore };

/** A key of the project gives its maker all rights that the key has, so only admins who are logged in make one. */
const toRead = { scope: 'project:read', admin: true, sessionOnly: true } as const;
const toChange = { scope: 'project:write', admin: true, sessionOnly: true, sensitive: true } as const;

async function present(keys: readonly (ApiKey | IssuedKey)[], users: UserStore) {
  const known = await users.byIds(keys.map(({ createdBy }) => createdBy));
  return keys.map((key): Static<typeof ProjectKeyBody> => ({
    ...presentKey(key),
    created_by: userOf(known, key.createdBy),
  }));
}

const listKeys = route({
  method: 'get',
  path: PATH,
  access: toRead,
  answers: { 200: Type.Array(ProjectKeyBody) },
  summary: 'List the secret keys of a project, newest first',
  async handle({ project }, { apiKeys, users }: ProjectKeysApi) {
    return json(200, await present(await apiKeys.list(ownerOf(project)), users));
  },
});

const createKey = route({
  method: 'post',
  path: PATH,
  access: toChange,
  body: NewProjectKey,
  strict: true,
  answers: { 201: ProjectKeyBody },
  summary: 'Create a secret key of a project, which is shown only once',
  async handle({ project, caller, body }, { apiKeys, users }: ProjectKeysApi) {
    const settings = { ...newSettingsOf(body), createdBy: caller.userId };
    const [made] = await present([await apiKeys.create(ownerOf(project), settings, caller)], users);
    return json(201, made);
  },
});

const getKey = route({
  method: 'get',
  path: OF_ONE,
  access: toRead,
  params: Params,
  answers: { 200: ProjectKeyBody },
  summary: 'Retrieve a secret key of a project',
  async handle({ project, params }, { apiKeys, users }: ProjectKeysApi) {
    const [key] = await present([await apiKeys.get(ownerOf(project), params.id)], users);
    return json(200, key);
  },
});

const patchKey = route({
  method: 'patch',
  path: OF_ONE,
  access: toChange,
  params: Params,
  body: ProjectKeyPatch,
  strict: true,
  answers: { 200: ProjectKeyBody },
  summary: 'Update the label or scopes of a secret key of a project',
  async handle({ project, caller, params, body }, { apiKeys, users }: ProjectKeysApi) {
    const changed = await apiKeys.change(ownerOf(project), params.id, settingsOf(body), caller);
    const [key] = await present([changed], users);
    return json(200, key);
  },
});

const deleteKey = route({
  method: 'delete',
  path: OF_ONE,
  access: toChange,
  params: Params,
  answers: { 204: null },
  summary: 'Delete a secret key of a project, effective immediately',
  async handle({ project, caller, params }, { apiKeys }: ProjectKeysApi) {
    await apiKeys.delete(ownerOf(project), params.id, caller);
    return noBody(204);
  },
});

const rollKey = route({
  method: 'post',
  path: `${OF_ONE}roll/`,
  access: toChange,
  params: Params,
  body: RollBody,
  strict: true,
  answers: { 200: ProjectKeyBody },
  summary: 'Roll a secret key of a project and show its new value once',
  async handle({ project, caller, params, body }, { apiKeys, users }: ProjectKeysApi) {
    const rolled = await apiKeys.roll(ownerOf(project), params.id, body.grace_seconds, caller);
    const [key] = await present([rolled], users);
    return json(200, key);
  },
});

export const projectKeyRoutes = [listKeys, createKey, getKey, patchKey, deleteKey, rollKey];

function ownerOf({ id }: Project) {
  return { projectId: id };
}

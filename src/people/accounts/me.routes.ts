/** `/api/users/@me/`: the caller's own account. */
import { InvalidInput, NotFound, PermissionDenied } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/access.ts';
import { json, route } from '../../platform/http/route.ts';
import { limitValues } from '../../platform/http/value-limit.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { ensureHardToGuess, hashPassword } from '../../platform/secrets/passwords.ts';
import { THEME_MODES, type Account, type ProfileChanges } from './accounts.store.ts';
import { changesBetween } from '../audit/audit-log.ts';
import type { Login } from './login.ts';
import { MeBody, presentMe } from './me.ts';
import { userOfCaller } from '../organizations/organizations.routes.ts';
import { recordOwnChange } from '../audit/own-audit-log.ts';
import type { IdentityStores } from '../stores.ts';
import { WorkRole } from './users.ts';

export type MeApi = { identity: IdentityStores; login: Login };

const password = Type.String({ maxLength: 200, writeOnly: true });
const MePatchBody = Type.Partial(
  Type.Object({
    first_name: Type.String({ minLength: 1, maxLength: 150 }),
    last_name: Type.String({ maxLength: 150 }),
    role_at_organization: nullable(WorkRole),
    hedgehog_config: nullable(Type.Record(Type.String(), Type.Unknown())),
    theme_mode: nullable(stringEnum(THEME_MODES)),
    set_current_team: Type.Integer({
      minimum: 1,
      maximum: 2 ** 31 - 1,
      description: 'The ID of the project that `@current` refers to.',
    }),
    set_current_organization: Type.String({
      format: 'uuid',
      description: 'The ID of an organization; `@current` then refers to its first project.',
    }),
    password,
    current_password: password,
  }),
  { title: 'MePatch' },
);
type MePatch = Static<typeof MePatchBody>;

const getMe = route({
  method: 'get',
  path: '/api/users/@me/',
  access: { authenticated: true, needs: 'user:read', limitedKeys: true },
  answers: { 200: MeBody },
  summary: 'Retrieve the current user and their organizations and projects',
  async handle({ caller }, { identity }: MeApi) {
    const account = await identity.accounts.get(userOfCaller(caller).userId);
    return json(200, await presentMe(account, caller, identity));
  },
});

const patchMe = route({
  method: 'patch',
  path: '/api/users/@me/',
  access: { authenticated: true, needs: 'user:write' },
  body: MePatchBody,
  answers: { 200: MeBody },
  summary: 'Update the current user',
  description:
    'A new password requires `current_password` and a session; it ends all other sessions of the user. ' +
    '`set_current_team` and `set_current_organization` change what `@current` refers to.',
  async handle({ caller, body }, { identity, login }: MeApi) {
    const author = userOfCaller(caller);
    const before = await identity.accounts.get(author.userId);
    const changes = { ...profileIn(body), ...(await currentProjectIn(body, caller, identity)) };
    const passwordHash = await newPassword(body, { caller, account: before, login });
    const after = await identity.inTransaction(async (stores) => {
      await stores.accounts.change(before.id, changes);
      if (passwordHash !== undefined) {
        await stores.accounts.setPassword(before.id, passwordHash);
        // tooth: password-ends-sessions
        await stores.sessions.endOthers(before.id, caller.session?.id ?? null);
      }
      const changed = await stores.accounts.get(before.id);
      const recordedChanges = differences(before, changed);
      if (recordedChanges.length > 0)
        await recordOwnChange(stores, author, { activity: 'updated', name: changed.email, changes: recordedChanges });
      return changed;
    });
    return json(200, await presentMe(after, caller, identity));
  },
});

export const meRoutes = [getMe, patchMe];

/** JSON values in `hedgehog_config`; limited, because all answers about the user include it, even lists of members. */
const MAX_HEDGEHOG_VALUES = 200;

function profileIn(body: MePatch): ProfileChanges {
  const { hedgehog_config: hedgehog, role_at_organization: role } = body;
  return {
    firstName: body.first_name,
    lastName: body.last_name,
    themeMode: body.theme_mode,
    hedgehogConfig: hedgehog === null ? {} : limitValues(hedgehog, 'hedgehog_config', MAX_HEDGEHOG_VALUES),
    roleAtOrganization: role === null ? '' : role,
  };
}

/** @throws InvalidInput for a project or organization that the caller is not in */
async function currentProjectIn(body: MePatch, caller: Caller, { projects }: IdentityStores): Promise<ProfileChanges> {
  const { set_current_team: team, set_current_organization: organizationId } = body;
  if (team !== undefined) {
    const project = await projects.get(caller, team).catch((error: unknown) => {
      throw error instanceof NotFound ? doesNotExist(team, 'set_current_team') : error;
    });
    return { currentProjectId: project.id };
  }
  if (organizationId === undefined) return {};
  const { results } = await projects.list(caller, { limit: 1, offset: 0 }, { organizationId });
  if (!results[0]) throw doesNotExist(organizationId, 'set_current_organization');
  return { currentProjectId: results[0].id };
}

function doesNotExist(id: string | number, attr: string): InvalidInput {
  return new InvalidInput(`Object with id=${id} does not exist.`, attr, 'does_not_exist');
}

/** @returns the hash of the new password; undefined if the password does not change */
async function newPassword(
  { password: wanted, current_password: current }: MePatch,
  { caller, account, login }: { caller: Caller; account: Account; login: Login },
): Promise<string | undefined> {
  if (wanted === undefined) return undefined;
  if (!caller.session) throw new PermissionDenied('This action does not support personal API key access');
  if (current === undefined) throw new InvalidInput('This field is required.', 'current_password', 'required');
  if (!(await login.isOwnPassword(account, current))) {
    throw new InvalidInput('Your current password is incorrect.', 'current_password', 'incorrect_password');
  }
  await ensureHardToGuess(wanted, 'password', [account.email, account.firstName, account.lastName]);
  return hashPassword(wanted);
}

function differences(before: Account, after: Account) {
  const [was, is] = [before, after].map((account) => ({
    first_name: account.firstName,
    last_name: account.lastName,
    role_at_organization: account.roleAtOrganization,
    hedgehog_config: account.hedgehogConfig,
    theme_mode: account.themeMode,
    current_team: account.currentProjectId,
    // The entry records that the password changed, but not the password.
    ...(account.passwordHash !== before.passwordHash && { password: 'changed' }),
  }));
  return changesBetween('User', was!, is!);
}

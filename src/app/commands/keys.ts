import { Command } from 'commander';
import { readConfig, requireVariable } from '../../platform/config.ts';
import { createKnex } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { CommandFailed, InvalidInput } from '../../platform/errors.ts';
import { apiKeys, type ApiKeys } from '../../people/keys/api-keys.ts';
import { keyStore, type ApiKey, type KeyOwner, type KeyStore } from '../../people/keys/keys.store.ts';
import { ownerStore, type OwnerStore } from '../../people/keys/owners.store.ts';
import { ALL_SCOPES, SCOPES } from '../../people/access/scopes.ts';
import { identityStores } from '../../people/stores.ts';
import { fillFromRunningUp } from '../up/running-up.ts';
import { addOrganizations, addProjects, addScopes, futureInstant, projectId, seconds, UUID } from './key-options.ts';

type Owner = { user?: string; project?: number };
type Create = Owner & {
  label: string;
  scope: string[];
  expires?: string;
  onlyProject?: number[];
  onlyOrganization?: string[];
  json: boolean;
};
type List = Owner & { json: boolean };
type KeyOptions = { id: string; json: boolean };
type Roll = KeyOptions & { grace: number };

/** The author of a command's changes: not a user, but anybody who can use the database. */
const AUTHOR = { userId: null, keyId: null };

export function keysCommand(): Command {
  const command = new Command('keys')
    .summary('create, list, roll and delete API keys')
    .description(
      'API keys are created here, or by users who are logged in; no key can create one with more scopes. A personal key (phx_) acts ' +
        'as its user in all projects of their organizations; a project secret key (phs_) gives access to one project.',
    );
  command.addCommand(
    addOwnerOptions(new Command('create'))
      .summary('create a key, and print it once')
      .requiredOption('--label <label>', 'name that says what the key is for')
      .requiredOption('--scope <scopes...>', `what the key may do: ${SCOPES.join(', ')}, or '${ALL_SCOPES}'`, addScopes)
      .option('--expires <datetime>', 'when the key stops working', futureInstant)
      .option('--only-project <ids...>', 'limit a personal key to these projects', addProjects)
      .option('--only-organization <ids...>', 'limit a personal key to these organizations', addOrganizations)
      .action((options: Create) => withStores(options, create)),
  );
  command.addCommand(
    addOwnerOptions(new Command('list'))
      .summary('list keys; each is shown by its last four characters')
      .action((options: List) => withStores(options, list)),
  );
  command.addCommand(
    addKeyArgument(new Command('roll'))
      .summary('replace the value of a key, and print the new one once')
      .option('--grace <seconds>', 'how long the old value keeps working', seconds, 0)
      .action((id: string, options: Omit<Roll, 'id'>) => withStores({ ...options, id }, roll)),
  );
  command.addCommand(
    addKeyArgument(new Command('delete'))
      .summary('delete a key; it stops working at once')
      .action((id: string, options: Omit<KeyOptions, 'id'>) => withStores({ ...options, id }, remove)),
  );
  return command;
}

function addOwnerOptions(command: Command): Command {
  return command
    .option('--user <email>', 'personal key that acts as this user')
    .option('--project <id>', 'key of this project', projectId)
    .option('--json', 'print the result as JSON', false);
}

function addKeyArgument(command: Command): Command {
  return command
    .argument('<id>', 'id of the key, from `sluice keys list`')
    .option('--json', 'print the result as JSON', false);
}

type Stores = { keys: KeyStore; owners: OwnerStore; issuing: ApiKeys };

async function withStores<O>(options: O, work: (options: O, stores: Stores) => Promise<void>): Promise<void> {
  const url = requireVariable(await fillFromRunningUp(readConfig()), 'DATABASE_URL');
  const db = createKnex({ url, ...POOLS.keys });
  try {
    await work(options, { keys: keyStore(db), owners: ownerStore(db), issuing: apiKeys(identityStores(db)) });
  } finally {
    await db.destroy();
  }
}

async function create(options: Create, { owners, issuing }: Stores): Promise<void> {
  const { label, scope: scopes, expires = null, onlyProject = null, onlyOrganization = null } = options;
  const owner = await findOwner(options, owners);
  if ('projectId' in owner && (onlyProject ?? onlyOrganization)) {
    throw new CommandFailed('A key of a project cannot be limited further: it gives access to that project only.');
  }
  const settings = {
    label,
    scopes,
    expiresAt: expires,
    onlyProjects: onlyProject,
    onlyOrganizations: onlyOrganization,
  };
  const { key, ...created } = await issuing.create(owner, settings, AUTHOR).catch(throwRefusal);
  print(created, key, options);
}

async function roll({ id, grace, json }: Roll, { keys, issuing }: Stores): Promise<void> {
  const { key, ...rolled } = await issuing.roll(await findOwnerOfKey(id, keys), id, grace, AUTHOR);
  print(rolled, key, { json });
}

function print(created: ApiKey, key: string, { json }: { json: boolean }): void {
  if (json) return console.log(JSON.stringify({ ...report(created), value: key }));
  console.log(key);
  console.error('Keep it: it is not shown again.');
}

async function list({ json, ...owner }: List, { keys, owners }: Stores): Promise<void> {
  const all = await keys.list(await findOwner(owner, owners));
  if (json) return console.log(JSON.stringify(all.map(report)));
  for (const key of all) console.log(lineOf(key));
}

function lineOf(key: ApiKey): string {
  const only = [...(key.onlyProjects ?? []), ...(key.onlyOrganizations ?? [])];
  const parts = [
    `${key.id}  …${key.last4}  ${key.label}  (${key.scopes.join(', ')})`,
    `last used: ${key.lastUsedAt ?? 'never'}`,
    ...(key.expiresAt === null ? [] : [`expires: ${key.expiresAt}`]),
    ...(only.length === 0 ? [] : [`only: ${only.join(', ')}`]),
  ];
  return parts.join('  ');
}

async function remove({ id, json }: KeyOptions, { keys, issuing }: Stores): Promise<void> {
  await issuing.delete(await findOwnerOfKey(id, keys), id, AUTHOR);
  console.log(json ? JSON.stringify({ id, deleted: true }) : `deleted ${id}`);
}

async function findOwnerOfKey(id: string, keys: KeyStore): Promise<KeyOwner> {
  const owner = UUID.test(id) ? await keys.findOwner(id) : undefined;
  if (!owner) throw new CommandFailed(`There is no key ${id}.`);
  return owner;
}

/** Rethrows a refusal of the API, in terms of the command's options rather than the API's fields. */
function throwRefusal(error: unknown): never {
  if (!(error instanceof InvalidInput)) throw error;
  throw new CommandFailed(LIMIT_ERRORS[error.attr ?? ''] ?? error.message, { cause: error });
}

const LIMIT_ERRORS: Readonly<Record<string, string>> = {
  scoped_teams: 'The user is not in every project that --only-project names, or there is no such project.',
  scoped_organizations:
    'The user is not in every organization that --only-organization names, or there is no such organization.',
};

/** @throws CommandFailed unless exactly one existing owner is named */
async function findOwner({ user, project }: Owner, owners: OwnerStore): Promise<KeyOwner> {
  if ((user === undefined) === (project === undefined)) throw new CommandFailed('Give either --user or --project.');
  const owner = user === undefined ? await owners.findProject(project!) : await owners.findUser(user);
  if (!owner)
    throw new CommandFailed(user === undefined ? `There is no project ${project}.` : `There is no user ${user}.`);
  return owner;
}

function report(key: ApiKey) {
  return {
    id: key.id,
    label: key.label,
    scopes: key.scopes,
    last4: key.last4,
    user_id: key.userId,
    project_id: key.projectId,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    last_rolled_at: key.lastRolledAt,
    expires_at: key.expiresAt,
    scoped_teams: key.onlyProjects ?? [],
    scoped_organizations: key.onlyOrganizations ?? [],
  };
}

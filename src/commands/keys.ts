import { Command, InvalidArgumentError } from 'commander';
import { readConfig, requireVariable } from '../config.ts';
import { createKnex } from '../db/connection.ts';
import { CommandFailed } from '../errors.ts';
import { keyStore, type ApiKey, type KeyOwner, type KeyStore } from '../identity/keys.store.ts';
import { ownerStore, type OwnerStore } from '../identity/owners.store.ts';
import { ALL_SCOPES, isScope, SCOPES } from '../identity/scopes.ts';
import { besideUp } from '../up/beside.ts';

type Owner = { user?: string; project?: number };
type Create = Owner & { label: string; scope: string[]; json: boolean };
type List = Owner & { json: boolean };

export function keysCommand(): Command {
  const command = new Command('keys')
    .summary('create, list and delete API keys')
    .description(
      'API keys are made here and nowhere else, so that no key can make one that may do more. A personal key (phx_) acts as its ' +
        'user in all projects of their organizations; a project secret key (phs_) opens one project.',
    );
  command.addCommand(
    ofOwner(new Command('create'))
      .summary('make a key and print it, this one time')
      .requiredOption('--label <label>', 'what it is for')
      .requiredOption('--scope <scopes...>', `what it may do: ${SCOPES.join(', ')}, or '${ALL_SCOPES}'`, addScopes)
      .action((options: Create) => withStores(options, create)),
  );
  command.addCommand(
    ofOwner(new Command('list'))
      .summary('list keys by their last four characters')
      .action((options: List) => withStores(options, list)),
  );
  command.addCommand(
    new Command('delete')
      .summary('make a key worthless, at once')
      .argument('<id>', 'from `sluice keys list`')
      .option('--json', 'print the result as JSON', false)
      .action((id: string, options: { json: boolean }) => withStores({ ...options, id }, remove)),
  );
  return command;
}

function ofOwner(command: Command): Command {
  return command
    .option('--user <email>', 'the key is personal: it acts as this user')
    .option('--project <id>', 'the key is the project’s', projectId)
    .option('--json', 'print the result as JSON', false);
}

type Stores = { keys: KeyStore; owners: OwnerStore };

async function withStores<O>(options: O, work: (options: O, stores: Stores) => Promise<void>): Promise<void> {
  const url = requireVariable(await besideUp(readConfig()), 'DATABASE_URL');
  const db = createKnex({ url, applicationName: 'sluice-keys', maxConnections: 1 });
  try {
    await work(options, { keys: keyStore(db), owners: ownerStore(db) });
  } finally {
    await db.destroy();
  }
}

async function create({ label, scope, json, ...owner }: Create, { keys, owners }: Stores): Promise<void> {
  const { key, ...made } = await keys.create(await ownerOf(owner, owners), { label, scopes: scope });
  if (json) return console.log(JSON.stringify({ ...report(made), key }));
  console.log(key);
  console.error('Keep it: it is not shown again.');
}

async function list({ json, ...owner }: List, { keys, owners }: Stores): Promise<void> {
  const all = await keys.list(await ownerOf(owner, owners));
  if (json) return console.log(JSON.stringify(all.map(report)));
  for (const { id, last4, label, scopes, lastUsedAt } of all) {
    console.log(`${id}  …${last4}  ${label}  (${scopes.join(', ')})  last used: ${lastUsedAt ?? 'never'}`);
  }
}

async function remove({ id, json }: { id: string; json: boolean }, { keys }: Stores): Promise<void> {
  if (!UUID.test(id) || !(await keys.delete(id))) throw new CommandFailed(`There is no key ${id}.`);
  console.log(json ? JSON.stringify({ id, deleted: true }) : `deleted ${id}`);
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @throws CommandFailed when it is not exactly one that is there */
async function ownerOf({ user, project }: Owner, owners: OwnerStore): Promise<KeyOwner> {
  if ((user === undefined) === (project === undefined)) throw new CommandFailed('Give either --user or --project.');
  const owner = user === undefined ? await owners.project(project!) : await owners.user(user);
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
  };
}

/** Commander calls it once for each word, with what it returned before. */
function addScopes(text: string, before: readonly string[] = []): string[] {
  const added = text.split(',');
  const unknown = added.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no scope '${unknown}'.`);
  return [...new Set([...before, ...added])];
}

function projectId(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give the number of a project.');
}

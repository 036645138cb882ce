import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import { readConfig, requireVariable } from '../../platform/config.ts';
import { createKnex } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { ORGANIZATION_ROLES, type OrganizationRole } from '../../platform/http/access.ts';
import { addUser, resetPassword } from '../../people/accounts/operator.ts';
import { identityStores, type IdentityStores } from '../../people/stores.ts';
import { fillFromRunningUp } from '../up/running-up.ts';

type Create = { email: string; organization: string; role?: OrganizationRole; json: boolean };
type Reset = { email: string; json: boolean };

const ROLE_HELP = 'role in the organization (default: owner of a new organization, else member)';

export function usersCommand(): Command {
  const command = new Command('users')
    .summary('create users, reset their passwords, and list them')
    .description(
      'For operators. Create the first user here; that user invites the others. Passwords are generated and printed once; users can change them.',
    );
  command.addCommand(
    new Command('create')
      .summary('create a user, and print their password once')
      .requiredOption('--email <address>', 'email address that the user logs in with')
      .requiredOption(
        '--organization <name or id>',
        'organization of the user; created if no organization has this name',
      )
      .addOption(new Option('--role <role>', ROLE_HELP).choices([...ORGANIZATION_ROLES]))
      .option('--json', 'print the result as JSON', false)
      .action((options: Create) => withStores(options, create)),
  );
  command.addCommand(
    new Command('password')
      .summary('give a user a new password, and print it once; ends their sessions, but not their API keys')
      .requiredOption('--email <address>', 'email address of the user')
      .option('--json', 'print the result as JSON', false)
      .action((options: Reset) => withStores(options, reset)),
  );
  command.addCommand(
    new Command('list')
      .summary('list users, sorted by email address')
      .option('--json', 'print the result as JSON', false)
      .action((options: { json: boolean }) => withStores(options, list)),
  );
  return command;
}

async function withStores<O>(options: O, work: (options: O, identity: IdentityStores) => Promise<void>): Promise<void> {
  const url = requireVariable(await fillFromRunningUp(readConfig()), 'DATABASE_URL');
  const db = createKnex({ url, ...POOLS.users });
  try {
    await work(options, identityStores(db));
  } finally {
    await db.destroy();
  }
}

async function create({ email, organization, role, json }: Create, identity: IdentityStores): Promise<void> {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new CommandFailed(`${email} is not an email address.`);
  const password = newPassword();
  const added = await addUser(identity, { email, organization, role, password });
  const { user, organizationId, isNew } = added;
  if (!json)
    console.error(`Made ${user.email}, ${added.role} of the ${isNew ? 'new ' : ''}organization ${organization}.`);
  print({ id: user.id, email: user.email, organization: organizationId, role: added.role, password }, json);
}

async function reset({ email, json }: Reset, identity: IdentityStores): Promise<void> {
  const password = newPassword();
  const user = await resetPassword(identity, email, password);
  print({ id: user.id, email: user.email, password }, json);
}

function print(
  added: { id: number; email: string; password: string; organization?: string; role?: string },
  json: boolean,
): void {
  if (json) return console.log(JSON.stringify(added));
  console.log(added.password);
  console.error(`The password of ${added.email}. Keep it: it is not shown again.`);
}

async function list({ json }: { json: boolean }, { accounts }: IdentityStores): Promise<void> {
  const users = (await accounts.list()).map(({ id, email, isActive, passwordHash }) => {
    return { id, email, is_active: isActive, has_password: passwordHash !== null };
  });
  if (json) return console.log(JSON.stringify(users));
  for (const { id, email, is_active, has_password } of users) {
    console.log(`${id}  ${email}${is_active ? '' : '  (not active)'}${has_password ? '' : '  (no password)'}`);
  }
}

function newPassword(): string {
  return randomBytes(15).toString('base64url');
}

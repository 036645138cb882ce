/** The command line. Each command is loaded when it is named, so asking for help does not load all of the code. */
import { Command } from 'commander';
import { CommandFailed } from './platform/errors.ts';
import { describeError } from './platform/secrets/redact.ts';

type Entry = { summary: string; load(): Promise<Command> };

const COMMANDS: Record<string, Entry> = {
  up: {
    summary: 'run everything on this machine: Postgres, Temporal, API and worker',
    load: async () => (await import('./app/commands/up.ts')).upCommand(),
  },
  api: {
    summary: 'serve HTTP: capture and the API',
    load: async () => (await import('./app/commands/api.ts')).apiCommand(),
  },
  worker: {
    summary: 'run exports: workflows and the activities that move rows',
    load: async () => (await import('./app/commands/worker.ts')).workerCommand(),
  },
  migrate: {
    summary: 'bring the database to this version’s schema',
    load: async () => (await import('./app/commands/migrate.ts')).migrateCommand(),
  },
  keys: {
    summary: 'create, list and delete API keys',
    load: async () => (await import('./app/commands/keys.ts')).keysCommand(),
  },
  users: {
    summary: 'create users, give them passwords, list them',
    load: async () => (await import('./app/commands/users.ts')).usersCommand(),
  },
  login: {
    summary: 'print a link that logs a user in, in a browser on this machine',
    load: async () => (await import('./app/commands/login.ts')).loginCommand(),
  },
  flags: {
    summary: 'import feature flags from PostHog, or from another Sluice',
    load: async () => (await import('./app/commands/flags.ts')).flagsCommand(),
  },
  capture: {
    summary: 'send a file of events to a running server',
    load: async () => (await import('./app/commands/capture.ts')).captureCommand(),
  },
  verify: {
    summary: 'check what an export delivered, at source and destination',
    load: async () => (await import('./app/commands/verify.ts')).verifyCommand(),
  },
  doctor: {
    summary: 'find what is wrong with this installation, and say how to fix it',
    load: async () => (await import('./app/commands/doctor.ts')).doctorCommand(),
  },
  states: {
    summary: 'store each state of a person once, or show whether that is done',
    load: async () => (await import('./app/commands/states.ts')).statesCommand(),
  },
  backup: {
    summary: 'copy the Postgres of a running `sluice up` into a new folder',
    load: async () => (await import('./app/commands/backup.ts')).backupCommand(),
  },
  recover: {
    summary: 'allow deliveries again after the database was restored or copied',
    load: async () => (await import('./app/commands/recover.ts')).recoverCommand(),
  },
  retention: {
    summary: 'delete rows that are older than the settings say, or list them',
    load: async () => (await import('./app/commands/retention.ts')).retentionCommand(),
  },
};

async function main(words: readonly string[]): Promise<void> {
  const program = new Command('sluice')
    .description('A durable export platform for product-analytics data.')
    .addHelpText('after', '\nConfiguration comes from environment variables: see .env.example.');
  const requestedName = words[0] === 'help' ? words[1] : words[0];
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    program.addCommand(name === requestedName ? await load() : new Command(name).summary(summary));
  }
  await program.parseAsync(words, { from: 'user' });
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof CommandFailed ? `sluice: ${error.message}` : describeError(error));
  // Exits at once instead of setting exitCode, because connections that a failed command left open would keep the process alive.
  process.exit(1);
}

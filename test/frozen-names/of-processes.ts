/** Names that operators write down: variables, commands, metrics, files of the state folder. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import ts from 'typescript';
import { Environment } from '../../src/platform/config.ts';
import { createMetrics } from '../../src/platform/telemetry/metrics.ts';
import type { Kind } from './kind.ts';
import { callsOf, literalsOf, membersOf, ROOT, type Product } from './product.ts';

const OPERATORS = 'scripts, units and settings of those who run Sluice';

export const PROCESS_KINDS: readonly Kind[] = [
  {
    name: 'processes/environment',
    writtenTo: OPERATORS,
    least: 30,
    present: () =>
      Object.entries(Environment.properties as Record<string, { enum?: unknown[] }>).flatMap(([name, schema]) => [
        name,
        ...(schema.enum ?? []).map((word) => `${name} = ${String(word)}`),
      ]),
  },
  { name: 'processes/commands', writtenTo: OPERATORS, least: 60, present: commands },
  {
    name: 'processes/command-output',
    writtenTo: `${OPERATORS}: what commands print with \`--json\``,
    least: 30,
    present: ({ product }) => printed(product()),
  },
  {
    name: 'processes/metrics',
    writtenTo: 'dashboards and alerts of those who run Sluice',
    least: 40,
    present: everyMetric,
  },
  {
    name: 'processes/state-folder',
    writtenTo: 'the state folders of installations, and in programs that read dev.json',
    least: 20,
    present: ({ product }) => [...filesOfStateFolder(product()), ...filesOfServers(product()), ...report(product())],
  },
];

/** Of the commands' own modules, and the names under which the program offers them. */
async function commands(): Promise<string[]> {
  const folder = path.join(ROOT, 'src/app/commands');
  const found: Command[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.ts'))) {
    const module = (await import(path.join(folder, file))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(module)) {
      if (name.endsWith('Command') && typeof value === 'function') found.push((value as () => Command)());
    }
  }
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(ROOT, 'bin/sluice'), '--help']);
  const offered = [...(stdout.split(/^Commands:$/m)[1] ?? '').matchAll(/^ {2}(\w+)/gm)].map(
    ([, name]) => `sluice ${name}`,
  );
  return [...offered, ...found.flatMap((command) => wordsOf(command, 'sluice'))];
}

function wordsOf(command: Command, above: string): string[] {
  const name = `${above} ${command.name()}`;
  return [
    name,
    ...command.aliases().map((alias) => `${above} ${alias}`),
    ...command.registeredArguments.map(
      (one, index) => `${name} argument ${index + 1}${one.variadic ? ' and more' : ''}`,
    ),
    ...command.options.flatMap(({ short, long, required, optional, argChoices = [] }) => [
      ...[short, long]
        .filter(Boolean)
        .map((flag) => `${name} ${flag}${required ? ' <value>' : optional ? ' [value]' : ''}`),
      ...argChoices.map((choice) => `${name} ${long} = ${choice}`),
    ]),
    ...command.commands.flatMap((one) => wordsOf(one, name)),
  ];
}

/** Names that commands give to `JSON.stringify`. The output of `migrate` has no type of its own: it is `PreparedDatabase`. */
function printed(product: Product): string[] {
  const ofCalls = [...callsOf(product, ['stringify'], product.files('src/app/commands'))].flatMap((call) => {
    const command = path.basename(call.getSourceFile().fileName, '.ts');
    const type = product.checker.getTypeAtLocation(call.arguments![0]!);
    return membersOf(product, type).map((name) => `${command} prints ${name}`);
  });
  const prepared = membersOf(product, product.exported('src/app/prepare-database.ts', 'PreparedDatabase'));
  return [...ofCalls, ...prepared.map((name) => `migrate prints ${name}`)];
}

/** As Prometheus reads them, with one value of each. @throws Error for a metric that this gives no value */
export async function everyMetric(): Promise<string[]> {
  const all = createMetrics();
  all.runEnded({ status: 'Completed', destination: 'S3', interval: 'hour', rows: 1, bytes: 1, seconds: 1 });
  all.beginSeal()();
  all.capture.events(1, 1);
  all.capture.countAnswer(200);
  all.decide.countAnswer(200, 1);
  all.decide.countFailure();
  all.registerWorker()(true);
  const troubles = { stale: 1 };
  all.registerExports(async () => ({
    exports: [{ id: 'a', projectId: 1, lagSeconds: 1, troubles }],
    round: { ageSeconds: 1, seconds: 1, failures: 1 },
    oldestTransactionSeconds: 1,
    openRuns: { Running: 1 },
    openRequests: { retry: 1 },
    waitingNotifications: { mail: 1 },
    deliveriesBlocked: false,
    foreignDeliveries: 1,
  }));
  all.registerDatabase(async () => ({
    tableBytes: { events: 1 },
    connections: { open: 1, limit: 1 },
    partitionedDaysAhead: 1,
    deletionBacklogSeconds: 1,
  }));
  all.registerPools(() => [{ pool: 'sluice-engine', open: 1, waiting: 1, limit: 1 }]);
  const text = await all.text();
  const typed = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
  const samples = [...text.matchAll(/^(\w+?)(?:\{(.*)\})? \S+$/gm)].map(([, name = '', labels = '']) => ({
    name: name.replace(/_(bucket|sum|count)$/, (end, _, at) =>
      typed.some((one) => one.name === name.slice(0, at)) ? '' : end,
    ),
    labels: [...labels.matchAll(/(\w+)=/g)].map(([, label = '']) => label).filter((label) => label !== 'le'),
  }));
  return typed.flatMap(({ name, type }) => {
    const own = samples.filter((sample) => sample.name === name);
    if (own.length === 0) throw new Error(`${name} has no value: give it one in test/frozen-names/of-processes.ts.`);
    return [`${name} ${type}`, ...own.flatMap(({ labels }) => labels.map((label) => `${name} ${type} by ${label}`))];
  });
}

/** Names that the code of `sluice up` asks its state folder for. */
function filesOfStateFolder(product: Product): string[] {
  const { checker } = product;
  const methods = ['file', 'read', 'has', 'remove', 'writeSecret'];
  const fileNames = [...callsOf(product, methods, product.files('src/app/up'))].flatMap((call) => {
    const [argument] = call.arguments ?? [];
    if (!argument) return [];
    if (ts.isTemplateExpression(argument) && argument.templateSpans.length === 1) {
      const [{ expression, literal }] = argument.templateSpans as unknown as [ts.TemplateSpan];
      const middles = literalsOf(checker.getTypeAtLocation(expression));
      return middles.map((middle) => `${argument.head.text}${middle}${literal.text}`);
    }
    return literalsOf(checker.getTypeAtLocation(argument));
  });
  return fileNames.filter(Boolean).map((name) => `file ${name}`);
}

/** Of the servers in it: `path.join(directory, …)`. */
function filesOfServers(product: Product): string[] {
  const servers = [
    ['embedded-postgres', 'src/platform/db/embedded-postgres.ts'],
    ['embedded-postgres', 'src/platform/db/server-folder.ts'],
    ['dev-server', 'src/platform/temporal/dev-server.ts'],
    ['state-folder', 'src/app/up/state-folder.ts'],
  ] as const;
  return servers.flatMap(([server, file]) =>
    [...callsOf(product, ['join', 'file'], product.files(file))].flatMap((call) => {
      const words = (call.arguments ?? []).map((one) => ({
        of: one.getText(),
        name: literalsOf(product.checker.getTypeAtLocation(one)),
      }));
      if (words.length === 2 && !/(^|\.)directory$/.test(words[0]!.of)) return [];
      return (words.at(-1)?.name ?? [])
        .filter((name) => /^[\w.-]+$/.test(name))
        .map((name) => `file of ${server} ${name}`);
    }),
  );
}

function report(product: Product): string[] {
  return membersOf(product, product.exported('src/app/up/report.ts', 'Report')).map((name) => `dev.json ${name}`);
}

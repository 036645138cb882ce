/** The imports that are allowed. Read the table: it is the map of the house. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * The product's wings, in the order of what may import what: each may import those of the lines above it, never one beside it.
 * `docs/decisions/0009-wings.md` says why these.
 */
const WINGS = [
  ['platform'],
  ['people', 'conditions'],
  ['events'],
  ['exports', 'flags', 'analytics'],
  ['retention'],
  ['activities'],
  ['workflows'],
  ['app'],
  ['main'],
];

/**
 * Each room and the rooms that it may import; `(types)` means by `import type` only. A room may always import itself, and
 * `platform/errors`, `platform/omit-undefined`, `platform/schema` and `platform/telemetry`. What is not written here is forbidden.
 */
const ARROWS = `
  platform/errors         ->
  platform/omit-undefined ->
  platform/schema         ->
  platform/egress-variables ->
  platform/trace-variables ->
  platform/config         -> platform/egress-variables, platform/trace-variables
  platform/fairness       ->
  platform/secrets        -> platform/fairness
  platform/telemetry      -> platform/config (types), platform/secrets
  platform/processes      ->
  platform/hashing        ->
  platform/time           ->
  platform/lane           ->
  platform/net            ->
  platform/sending        ->
  platform/db             -> platform/processes
  platform/wire           -> platform/fairness, platform/lane, platform/net, platform/time
  platform/http           -> platform/lane, platform/secrets, platform/time, platform/wire
  platform/health         -> platform/db, platform/http
  platform/notify         -> platform/db (types), platform/net
  platform/temporal       -> platform/config, platform/processes, platform/secrets (types)
  migrations              -> platform/db (types)

  people                  -> platform/db, platform/http, platform/notify (types), platform/secrets, platform/wire

  conditions/rows         ->
  conditions/regex        ->
  conditions/operators    -> platform/time, conditions/regex
  conditions/custom-queries -> platform/time, conditions/rows (types)
  conditions/sql          -> conditions/custom-queries, conditions/operators, conditions/regex, conditions/rows (types)

  events/table            -> platform/db
  events/cookieless       -> platform/db, platform/secrets
  events/warnings         -> platform/db (types), platform/http
  events/persons          -> platform/db, platform/hashing, platform/time, platform/wire, events/cookieless
  events/ingest           -> platform/db, events/persons, events/warnings (types)
  events/records          -> platform/db, platform/http, people, events/ingest, events/table
  events/reading          -> platform/db, conditions/custom-queries, conditions/rows, conditions/sql, events/table
  events/capture          -> platform/db, platform/fairness, platform/http, platform/lane (types), platform/secrets, platform/time, platform/wire, people, events/cookieless, events/ingest, events/persons, events/warnings (types)
  events/room             -> platform/db (types), platform/http (types), platform/lane (types), events/capture, events/cookieless, events/records, events/warnings

  exports/formats         -> conditions/rows
  exports/domain          -> platform/time, conditions/rows (types), exports/formats (types)
  exports/destinations    -> platform/db, platform/net, platform/time, conditions/rows, exports/formats
  exports/temporal        -> platform/temporal, exports/domain
  exports                 -> platform/db, platform/http, platform/notify, platform/secrets, people, conditions/custom-queries, conditions/rows, conditions/sql, events/reading, events/table, exports/destinations, exports/domain, exports/formats, exports/temporal (types)
  retention               -> platform/db, platform/http, events/table
  activities              -> platform/db (types), platform/net, platform/notify, platform/temporal, conditions/rows (types), events/persons, events/reading, events/table, exports, exports/destinations, exports/domain, exports/formats, exports/temporal (types), retention
  workflows               -> exports/domain, activities (types)

  flags/evaluation        -> platform/hashing, conditions/operators
  flags/matching          -> platform/db (types), conditions/operators, conditions/sql, events/table, flags/evaluation
  flags/metering          -> platform/db (types), platform/http
  flags                   -> platform/db, platform/http, platform/lane (types), platform/secrets, platform/sending, platform/time, platform/wire, people, conditions/operators, conditions/regex, conditions/sql, events/cookieless, events/records, events/table, flags/evaluation, flags/matching, flags/metering

  analytics               -> platform/db, platform/fairness, platform/http, platform/secrets, platform/time, platform/wire (types), people, conditions/sql, events/table

  app                     -> everything
  main                    -> app, platform/secrets
`;

/** Wings that are one room, but for the rooms named here. */
const ROOMS_OF: Record<string, string[]> = {
  people: [],
  exports: ['domain', 'formats', 'destinations', 'temporal'],
  flags: ['evaluation', 'matching', 'metering'],
  analytics: [],
  retention: [],
  app: [],
};
/** Open to everyone. */
const OPEN = ['platform/errors', 'platform/omit-undefined', 'platform/schema', 'platform/telemetry'];
const MAX_FILES_IN_FOLDER = 20;

type Arrow = { to: string; typesOnly: boolean };

const arrows = new Map<string, Arrow[] | 'everything'>(
  ARROWS.split('\n')
    .filter((line) => line.includes('->'))
    .map((line) => {
      const [room = '', targets = ''] = line.split('->').map((side) => side.trim());
      return [room, targets === 'everything' ? targets : targets.split(', ').filter(Boolean).map(arrowOf)];
    }),
);

function arrowOf(text: string): Arrow {
  return { to: text.replace(' (types)', ''), typesOnly: text.endsWith(' (types)') };
}

type Import = { file: string; specifier: string; typesOnly: boolean };

/** Every TypeScript file of the product, as a path from the root. */
const files = ['src', 'workflows', 'activities', 'migrations'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name)),
);
const imports = files.flatMap(importsOf);

function importsOf(file: string): Import[] {
  const text = read(file);
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?([^;'"]*?\s+from\s+)?'([^']+)';/gm);
  const dynamic = text.matchAll(/\bimport\('([^']+)'\)/g);
  return [
    ...[...statements].map(([, type, names = '', specifier]) => {
      return { file, specifier: specifier!, typesOnly: type !== undefined || onlyTypes(names) };
    }),
    ...[...dynamic].map(([, specifier]) => ({ file, specifier: specifier!, typesOnly: false })),
  ];
}

/** `{ type A, type B }` imports no value either. */
function onlyTypes(names: string): boolean {
  const inBraces = /^\{(.*)\}\s+from\s+$/s.exec(names)?.[1];
  const listed = inBraces?.split(',').map((name) => name.trim()) ?? [];
  return listed.length > 0 && listed.every((name) => name === '' || name.startsWith('type '));
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** `src/platform/db/away.ts` is in the room `platform/db`, `src/platform/errors.ts` in `platform/errors`, `src/main.ts` in `main`. */
function roomOf(file: string): string {
  const [top = '', wing = '', room] = file.replace(/\.ts$/, '').split('/');
  if (top !== 'src') return top;
  const own = ROOMS_OF[wing];
  if (room === undefined || (own && !own.includes(room))) return wing;
  return `${wing}/${room}`;
}

const wingOf = (room: string) => room.split('/')[0]!;
/** Place of the room's wing in their order. */
const level = (room: string) => WINGS.findIndex((wings) => wings.includes(wingOf(room)));

function mayImport(from: string, to: string, typesOnly: boolean): boolean {
  const allowed = arrows.get(from);
  if (from === to || OPEN.includes(to) || allowed === 'everything') return true;
  return allowed?.some((arrow) => arrow.to === to && (typesOnly || !arrow.typesOnly)) ?? false;
}

/** Path of the file that is imported, from the root. */
const targetOf = ({ file, specifier }: Pick<Import, 'file' | 'specifier'>) =>
  path.normalize(path.join(path.dirname(file), specifier));

/** Groups of nodes of which each reaches each other along the arrows: Tarjan's strongly connected components. */
function circles(edges: readonly (readonly [string, string])[]): string[][] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to));
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  function visit(node: string): void {
    order.set(node, order.size);
    lowest.set(node, order.get(node)!);
    open.push(node);
    for (const other of next.get(node) ?? []) {
      if (!order.has(other)) visit(other);
      if (open.includes(other)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(other)!));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const group = open.splice(open.indexOf(node));
    if (group.length > 1) found.push(group.sort());
  }
  for (const node of next.keys()) if (!order.has(node)) visit(node);
  return found;
}

/** Files of product, tests and benchmarks, as paths from the root. */
function trackedFiles(): string[] {
  return [
    'src',
    'workflows',
    'activities',
    'migrations',
    'db',
    'test',
    'bench',
    'dev',
    'docs',
    'examples',
    'console',
  ].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
      .filter((file) => !/(^|\/)(node_modules|target|__pycache__|dist)\//.test(file)),
  );
}

const isLocal = ({ specifier }: Import) => specifier.startsWith('.');
const isPackage = (name: string) => (one: Import) => one.specifier === name || one.specifier.startsWith(`${name}/`);
const located = ({ file, specifier }: Import) => `${file} imports ${specifier}`;

/** Fails naming every import of the package outside these rooms. */
function onlyIn(rooms: string[], ...packages: string[]): void {
  const strays = imports.filter(
    (one) => packages.some((name) => isPackage(name)(one)) && !rooms.includes(roomOf(one.file)),
  );
  assert.deepEqual(strays.map(located), []);
}

/** Sources of the console, as paths from the root; the generated types of the API are none. */
const consoleFiles = readdirSync(path.join(ROOT, 'console/src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(tsx?|css)$/.test(name) && !name.endsWith('.d.ts'))
  .map((name) => path.join('console/src', name));

describe('the house', () => {
  it('reads every import', () => {
    assert(files.length > 50);
    assert(imports.some(({ file, specifier }) => file === 'src/main.ts' && specifier === './app/commands/up.ts'));
    assert(imports.some(({ specifier, typesOnly }) => specifier === '../activities/index.ts' && typesOnly));
  });

  it('has a line in the table for every room', () => {
    assert.deepEqual(
      [...new Set(files.map(roomOf))].filter((room) => !arrows.has(room)),
      [],
    );
  });

  it('follows the arrows', () => {
    const strays = imports.filter(isLocal).filter(({ file, specifier, typesOnly }) => {
      const target = targetOf({ file, specifier });
      return !mayImport(roomOf(file), roomOf(target), typesOnly);
    });
    assert.deepEqual(strays.map(located), []);
  });

  it('has no arrow in the table that nothing follows', () => {
    const followed = new Set(
      imports.filter(isLocal).map(({ file, specifier }) => {
        return `${roomOf(file)} -> ${roomOf(targetOf({ file, specifier }))}`;
      }),
    );
    const written = [...arrows].flatMap(([from, to]) =>
      to === 'everything' ? [] : to.map((arrow) => `${from} -> ${arrow.to}`),
    );
    assert.deepEqual(
      written.filter((arrow) => !followed.has(arrow)),
      [],
    );
  });

  it('has no arrow from one wing to another beside or above it', () => {
    const strays = imports.filter(isLocal).filter((one) => {
      const [from, to] = [roomOf(one.file), roomOf(targetOf(one))];
      // Migrations are older than the wings, and import a type of the platform only.
      return from !== 'migrations' && wingOf(from) !== wingOf(to) && level(to) >= level(from);
    });
    assert.deepEqual(strays.map(located), []);
  });

  it('has no circles of rooms, nor of files, not even of types', () => {
    const local = imports.filter(isLocal);
    assert.deepEqual(circles(local.map((one) => [roomOf(one.file), roomOf(targetOf(one))])), []);
    assert.deepEqual(circles(local.map((one) => [one.file, targetOf(one)])), []);
  });

  it('has no folder of more files than one sees at once', () => {
    const counts = new Map<string, number>();
    for (const file of trackedFiles()) counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
    const full = [...counts].filter(([folder, count]) => folder !== 'migrations' && count > MAX_FILES_IN_FOLDER);
    assert.deepEqual(full, []);
  });

  it('opens each door to the world in one room', () => {
    onlyIn(['platform/http'], 'koa', '@koa', 'cookie');
    onlyIn(['platform/temporal', 'exports/temporal', 'workflows', 'activities'], '@temporalio');
    onlyIn(['platform/db', 'migrations'], 'knex');
    onlyIn(['exports/destinations'], '@aws-sdk');
    onlyIn(['exports/destinations'], '@azure/storage-blob');
    onlyIn(['platform/schema'], 'typebox', 'ajv', 'ajv-formats');
    onlyIn(['platform/telemetry'], 'pino', 'prom-client', '@opentelemetry');
    onlyIn(['conditions/custom-queries', 'analytics'], 'chevrotain');
    onlyIn(['platform/notify'], 'nodemailer');
    onlyIn(['platform/time'], 'temporal-polyfill');
    onlyIn(['flags'], 'sanitize-html');
    onlyIn(['app', 'main'], 'commander', 'cli-progress');
  });

  it('queries with knex in stores only', () => {
    // A room takes its connections, and hands them to its stores.
    const strays = files.filter((file) => {
      return /\bKnex\b/.test(read(file)) && !/(^migrations|\/db)\/|(\.store|\/stores|\/room)\.ts$/.test(file);
    });
    assert.deepEqual(strays, []);
  });

  it('creates what a route needs in the `room.ts` of its room', () => {
    const strays = imports.filter(
      ({ file, specifier }) => file === 'src/app/api.ts' && /\.(routes|store)\.ts$/.test(specifier),
    );
    assert.deepEqual(strays.map(located), []);
    const rooms = files.filter((file) => file.endsWith('/room.ts'));
    const queries = rooms.filter((file) => /\bdb\(|\.raw\(|\.query\(/.test(read(file)));
    assert.deepEqual(queries, []);
  });

  it('keeps workflows deterministic: no Node, no clock of the machine', () => {
    const pure = files.filter((file) => ['workflows', 'exports/domain'].includes(roomOf(file)));
    const strays = pure.filter((file) =>
      /'node:|\bprocess\.|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/.test(read(file)),
    );
    assert.deepEqual(strays, []);
  });

  it('lets the console import charts and the example only, and nothing import the console', () => {
    const own = consoleFiles.filter((file) => file.endsWith('.ts') || file.endsWith('.tsx')).flatMap(importsOf);
    assert(own.length > 10);
    const strays = own.filter(isLocal).filter((one) => {
      const target = targetOf(one);
      return !/^(console\/src\/|src\/analytics\/sharing\/charts\/|examples\/events\.ndjson\?raw$)/.test(target);
    });
    assert.deepEqual(strays.map(located), []);
    const inward = imports.filter((one) => isLocal(one) && targetOf(one).startsWith('console/'));
    assert.deepEqual(inward.map(located), []);
  });

  it('reads the environment in src/platform/config.ts only', () => {
    assert.deepEqual(
      files.filter((file) => read(file).includes('process.env')),
      ['src/platform/config.ts'],
    );
  });

  it('has barrels only where they are registries', () => {
    assert.deepEqual(files.filter((file) => file.endsWith('/index.ts')).sort(), [
      'activities/index.ts',
      'src/exports/destinations/index.ts',
      'workflows/index.ts',
    ]);
  });

  it('has no room without a subject', () => {
    const nameless = /(^|\/)(utils?|helpers?|common|shared|lib|core|misc|managers?)(\/|\.ts$)/;
    assert.deepEqual(
      files.filter((file) => nameless.test(file)),
      [],
    );
  });

  it('splits files before they grow too long to read', () => {
    assert.deepEqual(
      [...files, ...consoleFiles].filter((file) => statSync(path.join(ROOT, file)).size > 12 * 1024),
      [],
    );
  });
});

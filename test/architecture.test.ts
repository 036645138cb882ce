/** The imports that are allowed. Read the table: it is the map of the house. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * Each room and the rooms that it may import; `(types)` means by `import type` only. A room may always import itself, and
 * `errors`, `schema` and `telemetry`. What is not written here is forbidden.
 *
 * The order is that of a delivery: what is pure, what holds state, what talks to the world, what puts it together.
 */
const ARROWS = `
  rows            ->
  exports/domain  -> rows (types), destinations (types)
  flags/evaluation ->
  formats         -> rows, destinations (types)
  query           -> flags/evaluation, rows (types)
  net             ->
  secrets         ->
  lane            ->
  wire            -> net, lane
  sending         ->
  processes       ->
  telemetry       -> config (types), secrets
  config          ->
  errors          ->
  schema          ->

  db              -> processes
  migrations      -> db (types)
  events          -> http, wire, db, cookieless, identity, rows, query
  destinations    -> net, rows, formats
  temporal        -> exports/domain, processes, config, secrets (types)

  cookieless      -> db, secrets

  http            -> secrets, lane, wire
  health          -> http, db
  identity        -> http, db, secrets, notify (types)
  flags           -> http, lane (types), db, cookieless, identity, wire, flags/evaluation, events, query, secrets
  flag-import     -> flags, http, sending, wire
  dashboards      -> http, db, identity, secrets, wire (types), events, query
  capture         -> http, lane (types), db, cookieless, identity, wire, events, secrets
  notify          -> net, db (types)
  exports         -> http, db, identity, rows, exports/domain, events, query, formats, destinations, temporal, secrets, notify

  activities      -> rows, exports, exports/domain, events, destinations, formats, temporal, db, notify, net
  workflows       -> exports/domain, activities (types)

  up              -> processes, db, identity, dashboards, secrets, temporal, exports/domain, config, composition
  composition     -> everything
  commands        -> everything
`;

/** Files that put rooms together, each for one role. */
const COMPOSITION = ['main', 'api', 'flag-parts', 'dashboard-parts', 'engine', 'engine-options', 'prepare-database'];
/** Rooms inside rooms. */
const PURE = ['exports/domain', 'flags/evaluation'];
/** Open to everyone. */
const OPEN = ['errors', 'schema', 'telemetry'];

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

/** `src/exports/domain/ids.ts` is in the room `exports/domain`, `src/errors.ts` in `errors`. */
function roomOf(file: string): string {
  const [top = '', second = '', third = ''] = file.replace(/\.ts$/, '').split('/');
  if (top !== 'src') return top;
  if (COMPOSITION.includes(second)) return 'composition';
  return PURE.find((room) => room === `${second}/${third}`) ?? second;
}

function mayImport(from: string, to: string, typesOnly: boolean): boolean {
  const allowed = arrows.get(from);
  if (from === to || OPEN.includes(to) || allowed === 'everything') return true;
  return allowed?.some((arrow) => arrow.to === to && (typesOnly || !arrow.typesOnly)) ?? false;
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

describe('the house', () => {
  it('reads every import', () => {
    assert(files.length > 50);
    assert(imports.some(({ file, specifier }) => file === 'src/main.ts' && specifier === './commands/up.ts'));
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
      const target = path.normalize(path.join(path.dirname(file), specifier));
      return !mayImport(roomOf(file), roomOf(target), typesOnly);
    });
    assert.deepEqual(strays.map(located), []);
  });

  it('has no arrow in the table that nothing follows', () => {
    const followed = new Set(
      imports.filter(isLocal).map(({ file, specifier }) => {
        return `${roomOf(file)} -> ${roomOf(path.normalize(path.join(path.dirname(file), specifier)))}`;
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

  it('opens each door to the world in one room', () => {
    onlyIn(['http'], 'koa', '@koa');
    onlyIn(['temporal', 'workflows', 'activities'], '@temporalio');
    onlyIn(['db', 'migrations'], 'knex');
    onlyIn(['destinations'], '@aws-sdk');
    onlyIn(['schema'], 'typebox', 'ajv', 'ajv-formats');
    onlyIn(['telemetry'], 'pino', 'prom-client');
    onlyIn(['query'], 'chevrotain');
    onlyIn(['notify'], 'nodemailer');
    onlyIn(['commands', 'composition'], 'commander', 'cli-progress');
  });

  it('queries with knex in stores only', () => {
    const strays = files.filter((file) => {
      return /\bKnex\b/.test(read(file)) && !/(^migrations|\/db)\/|(\.store|\/stores)\.ts$/.test(file);
    });
    assert.deepEqual(strays, []);
  });

  it('keeps workflows deterministic: no Node, no clock of the machine', () => {
    const pure = files.filter((file) => ['workflows', 'exports/domain'].includes(roomOf(file)));
    const strays = pure.filter((file) =>
      /'node:|\bprocess\.|\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/.test(read(file)),
    );
    assert.deepEqual(strays, []);
  });

  it('reads the environment in src/config.ts only', () => {
    assert.deepEqual(
      files.filter((file) => read(file).includes('process.env')),
      ['src/config.ts'],
    );
  });

  it('has barrels only where they are registries', () => {
    assert.deepEqual(files.filter((file) => file.endsWith('/index.ts')).sort(), [
      'activities/index.ts',
      'src/destinations/index.ts',
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
      files.filter((file) => statSync(path.join(ROOT, file)).size > 12 * 1024),
      [],
    );
  });
});

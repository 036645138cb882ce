/** The promises of `docker-compose.yml` and the `Dockerfile`. No container is started: there is no Docker on the machines that run tests. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { readConfig } from '../../src/platform/config.ts';
import { createKeyRing } from '../../src/platform/secrets/key-ring.ts';
import { ROOT, unknownVariables } from '../support/deploy.ts';

type Service = {
  image: string;
  build?: string;
  user?: string;
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  restart: string;
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  ports?: string[];
  volumes?: string[];
  profiles?: string[];
  depends_on?: string[] | Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
};
type Compose = {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, null>;
};

const textOf = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
const compose = load(textOf('docker-compose.yml'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as Compose;
const services = Object.entries(compose.services);
const ROLES = ['migrate', 'api', 'worker'];
const POSTGRES_SERVERS = ['postgres', 'temporal-postgres'];
/** The password of the store that exists to try exports out. */
const KNOWN_PASSWORDS = ['ROOT_SECRET_KEY'];

describe('docker-compose.yml', () => {
  it('gives Temporal its own Postgres, so that a restore of Sluice’s does not take the witness back', () => {
    const { 'temporal-postgres': own, temporal, postgres } = compose.services;
    assert.equal(temporal!.environment?.['POSTGRES_SEEDS'], 'temporal-postgres');
    assert.deepEqual(Object.keys(temporal!.depends_on!), ['temporal-postgres']);
    assert.notDeepEqual(own!.volumes, postgres!.volumes);
    assert.notDeepEqual(own!.secrets, postgres!.secrets);
  });

  it('runs every role unprivileged, on a file system that it cannot write', () => {
    for (const role of ROLES) {
      const service = compose.services[role]!;
      assert.deepEqual(service.command, [role]);
      assert.equal(service.user, '1000:1000', role);
      assert.equal(service.read_only, true, role);
      assert.deepEqual(service.tmpfs, ['/tmp'], role);
      assert.deepEqual(service.cap_drop, ['ALL'], role);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], role);
    }
  });

  it('checks the health of every dependency and server', () => {
    const checked = ['postgres', 'temporal-postgres', 'temporal', 'api', 'worker'];
    for (const name of checked) assert.ok(compose.services[name]!.healthcheck, name);
    assert.match(compose.services['api']!.healthcheck!.test.join(' '), /:8000\/_readyz/);
    assert.match(compose.services['worker']!.healthcheck!.test.join(' '), /:9464\/_readyz/);
    for (const [name, { depends_on: needed = {} }] of services)
      for (const [other, { condition }] of Object.entries(Array.isArray(needed) ? {} : needed)) {
        assert.ok(compose.services[other], `${name} depends on ${other}`);
        if (condition === 'service_healthy') assert.ok(compose.services[other].healthcheck, other);
      }
  });

  it('passes secrets by files, and no password in the environment', () => {
    for (const [name, { secrets = [], environment = {} }] of services) {
      for (const secret of secrets) assert.ok(compose.secrets[secret], `${name}: ${secret}`);
      const open = Object.keys(environment).filter((one) => /PASSWORD|PWD|SECRET|KEY|DATABASE_URL/.test(one));
      assert.deepEqual(
        open.filter((one) => !one.endsWith('_FILE') && !one.startsWith('ROOT_')),
        [],
        name,
      );
      for (const [variable, value] of Object.entries(environment))
        if (variable.endsWith('_FILE')) assert.ok(secrets.includes(path.basename(value)), `${name}: ${variable}`);
    }
    for (const name of POSTGRES_SERVERS) assert.equal(compose.services[name]!.secrets!.length, 1);
    const trial = services.filter(([, { environment = {} }]) => KNOWN_PASSWORDS.some((one) => one in environment));
    for (const [, { profiles }] of trial) assert.deepEqual(profiles, ['trial']);
  });

  it('sets variables that exist', () => {
    for (const role of ROLES) assert.deepEqual(unknownVariables(Object.keys(compose.services[role]!.environment!)), []);
  });

  it('listens on this machine only', () => {
    for (const [name, { ports = [] }] of services) for (const port of ports) assert.match(port, /^127\.0\.0\.1:/, name);
  });

  it('grants as many connections as its processes may open', () => {
    const { environment } = compose.services['worker']!;
    const granted = Number(/max_connections=(\d+)/.exec(compose.services['postgres']!.command!.join(' '))![1]);
    const apis = Number(environment!['SLUICE_API_PROCESSES']);
    const workers = Number(environment!['SLUICE_WORKER_PROCESSES']);
    assert.ok(apis * 86 + workers * 20 + 10 <= granted, `${granted}`);
  });
});

describe('deploy/make-secrets', () => {
  let folder: string;
  before(() => (folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-secrets-'))));
  after(() => rmSync(folder, { recursive: true }));

  const secrets = () => path.join(folder, 'secrets');
  const contents = () =>
    Object.fromEntries(readdirSync(secrets()).map((name) => [name, readFileSync(path.join(secrets(), name), 'utf8')]));

  it('makes every secret of docker-compose.yml, and keeps those that are there', () => {
    const make = () => spawnSync(path.join(ROOT, 'deploy/make-secrets'), [secrets()], { encoding: 'utf8' });
    assert.deepEqual([make().status, make().stderr], [0, '']);
    const first = contents();
    assert.deepEqual(Object.keys(first).sort(), Object.keys(compose.secrets).sort());
    for (const [name, { file }] of Object.entries(compose.secrets)) assert.equal(file, `./secrets/${name}`);
    rmSync(path.join(secrets(), 'encryption-keys'));
    assert.equal(make().status, 0);
    const { 'encryption-keys': keys, ...others } = contents();
    assert.notEqual(keys, first['encryption-keys']);
    assert.deepEqual({ ...others, 'encryption-keys': first['encryption-keys'] }, first);
  });

  it('lets only its user into the folder, and containers read the files', () => {
    assert.equal(statSync(secrets()).mode & 0o777, 0o700);
    for (const name of readdirSync(secrets())) assert.equal(statSync(path.join(secrets(), name)).mode & 0o777, 0o444);
  });

  it('makes what the roles read', () => {
    const config = readConfig({
      DATABASE_URL_FILE: path.join(secrets(), 'database-url'),
      SLUICE_ENCRYPTION_KEYS_FILE: path.join(secrets(), 'encryption-keys'),
    });
    assert.equal(new URL(config.DATABASE_URL!).password, contents()['postgres-password']!.trim());
    assert.equal(new URL(config.DATABASE_URL!).hostname, 'postgres');
    createKeyRing(config.SLUICE_ENCRYPTION_KEYS!);
  });
});

/** Paths that a stage copies from the tree. */
const copied = (stage: string) =>
  [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => sources!.split(' '));

describe('the Dockerfile', () => {
  const dockerfile = textOf('Dockerfile');
  const [consoleStage, ...stages] = dockerfile.split(/^FROM /m).slice(1);

  it('has several stages, of which the last has no npm, and runs as a user with a number', () => {
    assert.equal(stages.length, 2);
    assert.match(stages.at(-1)!, /rm -rf \/usr\/local\/lib\/node_modules\/npm/);
    assert.match(stages.at(-1)!, /^USER 1000:1000$/m);
    assert.doesNotMatch(stages.at(-1)!, /npm (ci|install)/);
  });

  it('copies what exists, and .dockerignore lets it through', () => {
    const allowed = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    for (const source of copied(dockerfile)) {
      assert.ok(existsSync(path.join(ROOT, source)), source);
      assert.ok(
        allowed.some((one) => source === one || source.startsWith(`${one}/`)),
        `.dockerignore hides ${source}`,
      );
    }
  });

  it('copies every folder that the program and the pages import', () => {
    const program = copied(stages[0]!);
    for (const folder of program) assert.deepEqual(outsideOf(folder, [...program, 'console']), []);
    const pages = copied(consoleStage!);
    // Types of the API are made from the routes by a generator, which no build runs.
    assert.deepEqual(
      outsideOf('console', pages).filter((one) => !one.startsWith('console/types.ts')),
      [],
    );
  });

  /** Imports in a folder, and what they lead to, that none of the copied paths has. */
  function outsideOf(folder: string, copies: readonly string[]): string[] {
    if (!statSync(path.join(ROOT, folder)).isDirectory()) return [];
    return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/^(dist|node_modules)\//.test(name))
      .map((name) => path.join(folder, name))
      .flatMap((file) =>
        [...textOf(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gms)]
          .map(([, specifier]) => path.join(path.dirname(file), specifier!))
          .filter((target) => !copies.some((one) => target === one || target.startsWith(`${one}/`)))
          .map((target) => `${file} -> ${target}`),
      );
  }
});

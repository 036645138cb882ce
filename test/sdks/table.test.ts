/** Released SDKs, unmodified: what each is told of the flags of table.json, by the server and by its own evaluation. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { needsBrowser, startSite, testBrowser, type Site } from '../support/sdks/browser.ts';
import { postDecide } from '../support/flags/decide.ts';
import { startFaultyProxy } from '../support/servers/faulty-proxy.ts';
import { buildTenant, type Tenant } from '../support/api/identity.ts';
import { OPEN_FEATURE_MODULES } from '../support/sdks/open-feature-modules.ts';
import { needsPython, runPython } from '../support/sdks/python.ts';
import { isLeftOut, needsPrograms, runProgram, type Language } from '../support/sdks/sdk-programs.ts';
import { assertCompany, assertOnePerson, STORY, readEvents } from '../support/sdks/sdk-story.ts';
import {
  buildTableWorld,
  FLAGS,
  PERSONS,
  expectedFromServer,
  TABLE_FILE,
  expectedFromOpenFeature,
  type TableWorld,
  type FlagValue,
} from '../support/sdks/sdk-table.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';
import { locally } from './differences.ts';

/** A program of `test/sdks/<language>/`: what it is started with, and what it prints. */
type Program = {
  language?: Language;
  needs?: (suite: Mocha.Context) => Promise<void>;
  run: (...args: string[]) => Promise<string>;
};

const compiled = (language: Language, name: string): Program => ({
  language,
  needs: (suite) => needsPrograms(suite, language),
  run: (...args) => runProgram(language, name, ...args),
});
const python = (name: string, version: string, script: string): Program => ({
  needs: (suite) => needsPython(suite, { name, version }),
  run: (...args) => runPython({ name, version }, path.join(import.meta.dirname, `python/${script}.py`), ...args),
});
const node = (script: string, ...first: string[]): Program => ({
  async run(...args) {
    const file = path.join(import.meta.dirname, `node/${script}.js`);
    return (await promisify(execFile)(process.execPath, [file, ...first, ...args])).stdout;
  },
});

/** `tells`: the story too, and, with `calls`, that a flag was asked for; of the others test/sdks/node.test.ts, python.test.ts and browser.test.ts have it. */
type Sdk = Program & { name: string; tells?: { version: string; events: number; calls: boolean } };

const SDKS: Sdk[] = [
  { name: 'posthog-node 5.70.0', ...node('posthog-table', 'posthog-node') },
  { name: 'posthog-node 4.2.1', ...node('posthog-table', 'posthog-node-4') },
  { name: 'posthog-python 7.91.1', ...python('posthog', '7.91.1', 'posthog_table') },
  { name: 'posthog-python 3.7.0', ...python('posthog', '3.7.0', 'posthog_table') },
  { name: 'posthog-go 1.5.2', ...compiled('go', 'posthog'), tells: { version: '1.5.2', events: 109, calls: false } },
  {
    name: 'posthog-server 2.3.3',
    ...compiled('java', 'PostHogTable'),
    tells: { version: '2.3.3', events: 108, calls: true },
  },
  {
    name: 'posthog-rs 0.30.0',
    ...compiled('rust', 'posthog-table'),
    tells: { version: '0.30.0', events: 108, calls: true },
  },
];

/** `asleep`: what it says beside the default of the program, where a flag has no value. */
const OPEN_FEATURE: (Program & { name: string; asleep?: string })[] = [
  { name: '@openfeature/ofrep-provider 0.1.3', ...node('ofrep-table'), asleep: 'GENERAL' },
  {
    name: 'openfeature-provider-ofrep 0.3.0 for Python',
    ...python('openfeature-provider-ofrep', '0.3.0', 'ofrep_table'),
  },
  { name: 'providers/ofrep 0.1.7 for Go', ...compiled('go', 'ofrep') },
  { name: 'providers/ofrep 0.0.2 for Java', ...compiled('java', 'OfrepTable'), asleep: 'FLAG_NOT_FOUND' },
];

/** Where no toolchain is new enough for a language its programs are left out. */
function isThere({ name, language }: Program & { name: string }): boolean {
  const leftOut = language !== undefined && isLeftOut(language);
  if (leftOut) console.log(`left out: ${name} (SLUICE_WITHOUT)`);
  return !leftOut;
}

const PATIENCE_MS = 60_000;

type Line = Record<string, unknown> & { from: string };
const linesOf = (printed: string): Line[] =>
  printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
const of = (lines: Line[], source: string) => lines.filter(({ from }) => from === source);

/** By flags and persons, so that what differs is seen. */
const byName = (values: readonly Record<string, unknown>[]) =>
  Object.fromEntries(values.map(({ person, flag, ...value }) => [`${String(flag)} of ${String(person)}`, value]));

describe('the flags of the table', () => {
  let sluice: Sluice;
  let world: TableWorld;
  before(async () => {
    sluice = await startSluice();
    world = await buildTableWorld(sluice);
  });
  after(() => sluice.stop());

  for (const runtime of ['server', 'client'] as const) {
    it(`are the server’s answers to a ${runtime}`, async () => {
      const values: FlagValue[] = [];
      for (const { id, groups } of PERSONS) {
        const body = { token: world.apiToken, distinct_id: id, groups, evaluation_runtime: runtime };
        const answer = await postDecide(`${sluice.url}/flags/?v=2`, body);
        for (const { key, enabled, variant, metadata } of Object.values(answer.body['flags'] as Details)) {
          const payload = metadata.payload === null ? null : (JSON.parse(metadata.payload) as unknown);
          values.push({ person: id, flag: key, value: variant ?? enabled, payload });
        }
      }
      assert.deepEqual(byName(values), byName(expectedFromServer(runtime)));
    });
  }

  it('have a payload that says nothing as JSON too', async () => {
    const body = { token: world.apiToken, distinct_id: 'ada', flag_keys: ['says-nothing'] };
    const { flags } = (await postDecide(`${sluice.url}/flags/?v=2`, body)).body as { flags: Details };
    assert.equal(flags['says-nothing']!.metadata.payload, 'null');
  });

  for (const { name, needs, run, tells } of SDKS.filter(isThere)) {
    describe(`in ${name}`, () => {
      let lines: Line[];
      let storyteller: Tenant;
      before(async function () {
        await needs?.(this);
        storyteller = await buildTenant(sluice.db);
        const feed = await startFaultyProxy(sluice.url, ({ method }) => (method === 'POST' ? '403' : undefined));
        const { apiToken, personalKey } = world;
        lines = linesOf(
          await run(sluice.url, apiToken, personalKey, feed.origin, TABLE_FILE, storyteller.apiToken).finally(
            feed.close,
          ),
        );
      });

      it('are those of the server', () => {
        const remoteValues = of(lines, 'remote').map(({ person, flag, value, payload }) => ({
          person,
          flag,
          value,
          payload,
        }));
        assert.deepEqual(byName(remoteValues), byName(expectedFromServer('server')));
      });

      it('are the same, evaluated by itself, but for what is known to differ', () => {
        const localValues = of(lines, 'local').map(({ person, flag, value }) => ({ person, flag, value }));
        assert.deepEqual(byName(localValues), byName(locally(name)));
      });

      if (!tells) return;
      it('come with a story that is stored as it was captured', async () => {
        const rows = await readEvents(sluice, storyteller);
        const reported = of(lines, 'story').map(
          ({ event, distinct_id }) => `${String(event)} of ${String(distinct_id)}`,
        );
        assert.equal(reported.length, tells.events);
        assert.deepEqual(rows.map(({ event, distinct_id }) => `${event} of ${distinct_id}`).sort(), reported.sort());
        for (const { event, properties } of rows) assert.equal(properties['$lib_version'], tells.version, event);
        await assertOnePerson(sluice, storyteller, rows, [STORY.anonymous, STORY.user]);
        await assertCompany(sluice, storyteller, rows);
      });

      if (!tells.calls) return;
      it('are stored as requested, by whom and with which answer', async () => {
        const rows = (await readEvents(sluice, world)).filter(
          ({ event, properties }) => event === '$feature_flag_called' && properties['$lib_version'] === tells.version,
        );
        const called = rows.map(({ distinct_id, properties }) => ({
          person: distinct_id,
          flag: properties['$feature_flag'],
          value: properties['$feature_flag_response'],
        }));
        const answered = expectedFromServer('server').map(({ person, flag, value }) => ({ person, flag, value }));
        // Of flags that it was not told the one in Java has an empty answer.
        assert.deepEqual(byName(called.filter(({ value }) => value !== '')), byName(answered));
      });
    });
  }

  for (const { name, needs, run, asleep } of OPEN_FEATURE.filter(isThere)) {
    describe(`in ${name}`, () => {
      before(function () {
        return needs?.(this);
      });

      it('are those of the server', async () => {
        const lines = linesOf(await run(sluice.url, world.secretKey, TABLE_FILE));
        const ofrepValues = of(lines, 'ofrep').map(({ person, flag, value, error }) => ({
          person,
          flag,
          value,
          // Some say nothing, some an empty text.
          error: error || null,
        }));
        assert.deepEqual(byName(ofrepValues), byName(expectedFromOpenFeature('server', asleep)));
      });
    });
  }

  const visit = async (site: Site, query: Record<string, string>) => {
    const page = await (await (await testBrowser()).newContext()).newPage();
    const given = new URLSearchParams({ host: sluice.url, token: world.apiToken, ...query });
    await page.goto(`${site.origin}/?${given.toString()}`);
    return page;
  };

  describe('on pages', () => {
    let posthogSite: Site;
    let openFeatureSite: Site;
    before(async function () {
      await needsBrowser(this);
      posthogSite = await startSite([page('posthog-table')]);
      openFeatureSite = await startSite([page('ofrep-table')], OPEN_FEATURE_MODULES);
    });
    after(() => Promise.all([posthogSite?.stop(), openFeatureSite?.stop()]));

    it('are those of the server in posthog-js, from `/static/array.js`', async () => {
      for (const { id, groups } of PERSONS) {
        const page = await visit(posthogSite, { person: id, groups: JSON.stringify(groups) });
        const expected = byName(expectedFromServer('client').filter(({ person }) => person === id));
        const until = Date.now() + PATIENCE_MS;
        for (;;) {
          const pageValues = (await page.evaluate<Omit<FlagValue, 'person'>[]>('window.tell()')).map((one) => ({
            person: id,
            ...one,
          }));
          if (isDeepStrictEqual(byName(pageValues), expected)) break;
          if (Date.now() > until) assert.deepEqual(byName(pageValues), expected);
          await sleep(50);
        }
        await page.context().close();
      }
    });

    it('are those of the server in @openfeature/ofrep-web-provider 0.4.3', async () => {
      const page = await visit(openFeatureSite, {});
      await page.waitForFunction('window.isReady');
      const pageValues: unknown[] = [];
      const kinds = JSON.stringify(Object.fromEntries(FLAGS.map(({ key, filters }) => [key, !!filters.multivariate])));
      for (const { id, groups } of PERSONS) {
        const call = `window.tell(${JSON.stringify(id)}, ${JSON.stringify(groups)}, ${kinds})`;
        const lines = await page.evaluate<{ flag: string; value: unknown; error?: string }[]>(call);
        pageValues.push(...lines.map(({ flag, value, error }) => ({ person: id, flag, value, error: error ?? null })));
      }
      await page.context().close();
      assert.deepEqual(byName(pageValues as FlagValue[]), byName(expectedFromOpenFeature('client')));
    });
  });
});

const page = (name: string) => path.join(import.meta.dirname, `browser/${name}.js`);

type Details = Record<
  string,
  { key: string; enabled: boolean; variant: string | null; metadata: { payload: string | null } }
>;

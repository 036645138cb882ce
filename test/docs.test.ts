/** The examples of README and docs, as far as they can be seen without running them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { projectSettings } from '../src/people/projects/project-body.ts';

const ROOT = new URL('../', import.meta.url);

/** The commands of a page for a shell, from top to bottom. */
function shellOf(page: string): string {
  const text = readFileSync(new URL(page, ROOT), 'utf8');
  return [...text.matchAll(/^ *```sh\n(.*?)^ *```/gms)].map(([, block]) => block).join('\n');
}

type Step = { name: string; sets: boolean };

/** Variables in the order in which they are set and used; what is in single quotes (`"$pageview"`) is none. */
function stepsOf(shell: string): Step[] {
  const bare = shell.replace(/(^|\s)# .*/g, '').replace(/'[^']*'/g, '');
  const steps = bare.matchAll(/\$([a-z]+)|^ *(?:for )?([a-z]+)(?:=| in )/gm);
  return [...steps].map(([, used, set]) => ({ name: (used ?? set)!, sets: used === undefined }));
}

/** Whether a relative link leads to a file, and its fragment to a heading there, named as GitHub names them. */
function leadsSomewhere(link: string, from: URL): boolean {
  const target = new URL(link, from);
  const fragment = target.hash.slice(1);
  if (!existsSync(target)) return false;
  if (fragment === '') return true;
  const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title]) => title!);
  return headings.some(
    (title) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-') === fragment,
  );
}

const README = shellOf('README.md');
const TOUR = new Set(
  stepsOf(README)
    .filter(({ sets }) => sets)
    .map(({ name }) => name),
);

/** Paths below `docs/`. */
const PAGES = readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
);

/** A path of this repository in backticks; patterns with `*`, `…` and `<` are none. */
const NAMED_FILE = /`((?:src|activities|workflows|test|bench|examples|migrations|docs)\/[\w./-]+)`/g;

describe('the examples of the documentation', () => {
  for (const page of PAGES) {
    it(`of docs/${page} use what the README or they themselves have set before, and leave the README's as it is`, () => {
      const known = new Set(TOUR);
      for (const { name, sets } of stepsOf(shellOf(`docs/${page}`))) {
        assert.ok(sets ? !TOUR.has(name) : known.has(name), `$${name} is ${sets ? 'set anew' : 'not set before'}`);
        known.add(name);
      }
    });
  }

  it("have a helper that prints a field of an answer, or an error's sentence and nothing else", () => {
    const helper = /^field\(\) \{\n.*?^\}\n/ms.exec(README)?.[0] ?? '';
    const field = (answer: unknown) => {
      const script = `${helper}field 'runs.map((run) =>\n  run.status).join("\\n")'`;
      const { status, stdout, stderr } = spawnSync('sh', ['-c', script], {
        input: JSON.stringify(answer),
        encoding: 'utf8',
      });
      return { status, stdout, stderr };
    };
    assert.deepEqual(field({ runs: [{ status: 'a' }, { status: 'b' }] }), { status: 0, stdout: 'a\nb\n', stderr: '' });
    const taken = { type: 'server_error', code: 'conflict', detail: 'The place is taken.', attr: null };
    assert.deepEqual(field(taken), { status: 1, stdout: '', stderr: 'The place is taken.\n' });
  });

  for (const page of ['README.md', ...PAGES.map((name) => `docs/${name}`)]) {
    it(`of ${page} link to files and headings that exist`, () => {
      const links = [...readFileSync(new URL(page, ROOT), 'utf8').matchAll(/\]\(([^)\s:]+)\)/g)].map(
        ([, link]) => link!,
      );
      assert.deepEqual(
        links.filter((link) => !leadsSomewhere(link, new URL(page, ROOT))),
        [],
      );
    });
  }

  for (const page of PAGES) {
    it(`of docs/${page} name only files that exist`, () => {
      const named = [...readFileSync(new URL(`docs/${page}`, ROOT), 'utf8').matchAll(NAMED_FILE)].map(
        ([, file]) => file!,
      );
      assert.deepEqual(
        named.filter((file) => !existsSync(new URL(file, ROOT))),
        [],
      );
    });
  }

  it('of docs/first-change.md apply to the files as they are, or were applied', () => {
    const page = readFileSync(new URL('docs/first-change.md', ROOT), 'utf8');
    const blocks = [...page.matchAll(/^```diff\n(.*?)^```/gms)].map(([, block]) => block!);
    assert.equal(blocks.length, 4);
    const applies = (block: string, ...options: string[]) =>
      spawnSync('git', ['apply', '--check', ...options], { cwd: fileURLToPath(ROOT), input: block, encoding: 'utf8' });
    for (const block of blocks) {
      const { status, stderr } = applies(block);
      assert.ok(status === 0 || applies(block, '--reverse').status === 0, stderr);
    }
  });

  it('list every decision', () => {
    const list = readFileSync(new URL('docs/decisions/README.md', ROOT), 'utf8');
    const decisions = readdirSync(new URL('docs/decisions/', ROOT)).filter((name) => /^\d/.test(name));
    assert.ok(decisions.length > 0);
    assert.deepEqual(
      decisions.filter((name) => !list.includes(`](${name})`)),
      [],
    );
  });

  it('name every setting of a project', () => {
    const text = readFileSync(new URL('docs/access.md', ROOT), 'utf8');
    const missing = ['name', ...Object.keys(projectSettings)].filter((setting) => !text.includes(`\`${setting}\``));
    assert.deepEqual(missing, []);
  });

  it('install what tests need in the versions of `.ci/run`', () => {
    const [guide, ci] = ['CONTRIBUTING.md', '.ci/run'].map((name) => readFileSync(new URL(name, ROOT), 'utf8'));
    const programs = [...ci!.matchAll(/ ['\s]?go_program ([\w-]+) ([^\s']+@v[^\s']+)/g)].map(
      ([, name, from]) => [name, from] as const,
    );
    const packages = [...ci!.matchAll(/ python_package (\w\S*) (\d\S*)/g)].map(([, name, of]) => `${name!}==${of!}`);
    const debian = [...ci!.matchAll(/ debian_program \S+ (\S+) \|\| (?:exit|debian_program)/g)].map(
      ([, name]) => name!,
    );
    assert.ok(programs.length > 1 && packages.length > 2 && debian.length > 2);
    // `npm start` and the tests build Temporal's server by themselves.
    const built = programs.filter(([name]) => name !== 'temporal').map(([, from]) => from!);
    for (const one of [...built, ...packages, ...debian]) assert.ok(guide!.includes(one), one);
  });
});

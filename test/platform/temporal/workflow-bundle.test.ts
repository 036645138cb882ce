import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { installRuntime } from '../../../src/exports/temporal/worker.ts';
import { workflowBundle } from '../../../src/platform/temporal/workflow-bundle.ts';

const textOf = ({ codePath }: { codePath: string }) => readFile(codePath, 'utf8');

describe('the bundle of workflows', () => {
  let folder: string;
  const logger = installRuntime(pino({ level: 'silent' }));

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-bundle-'));
    await mkdir(path.join(folder, 'workflows'));
    await symlink(fileURLToPath(new URL('../../../node_modules', import.meta.url)), path.join(folder, 'node_modules'));
    await mkdir(path.join(folder, 'far/away'), { recursive: true });
    await write('workflows/index.ts', `export { run } from './run.ts';`);
    await write(
      'workflows/run.ts',
      `import { word } from '../far/away/word.ts';\nexport const run = async () => word;`,
    );
    await write('far/away/word.ts', `export const word: string = 'first-word';`);
    await write('converter.ts', `export const failureConverter = { name: 'first-converter' };`);
    await write('interceptor.ts', `export const interceptors = () => ({ name: 'first-interceptor' });`);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const write = (name: string, text: string) => writeFile(path.join(folder, name), text);

  async function build(given: { interceptors?: boolean; cache?: string } = {}): Promise<{ codePath: string }> {
    const bundle = await workflowBundle(
      logger,
      {
        workflowsPath: path.join(folder, 'workflows/index.ts'),
        failureConverterPath: path.join(folder, 'converter.ts'),
        workflowInterceptorModules: given.interceptors ? [path.join(folder, 'interceptor.ts')] : [],
      },
      given.cache ?? path.join(folder, 'cache'),
    );
    assert('codePath' in bundle);
    return bundle;
  }

  it('is the one of an earlier start while nothing changed', async () => {
    const first = await build();
    // Content that the bundler would not write: the second bundle is this file.
    await writeFile(first.codePath, 'kept');
    await write('far/away/other.ts', 'export const other = 1;');
    const second = await build();
    assert.equal(second.codePath, first.codePath);
    assert.equal(await textOf(second), 'kept');
  });

  it('is another one when a module changed that only another module imports', async () => {
    await build();
    await write('far/away/word.ts', `export const word: string = 'second-word';`);
    assert.match(await textOf(await build()), /second-word/);
  });

  it('is another one when a module moved', async () => {
    await build();
    await cp(path.join(folder, 'far/away/word.ts'), path.join(folder, 'far/moved.ts'));
    await rm(path.join(folder, 'far/away'), { recursive: true });
    await write('workflows/run.ts', `import { word } from '../far/moved.ts';\nexport const run = async () => word;`);
    await build();
    await write('far/moved.ts', `export const word: string = 'moved-word';`);
    assert.match(await textOf(await build()), /moved-word/);
  });

  it('is another one when the failure converter or an interceptor changed', async () => {
    await build({ interceptors: true });
    await write('converter.ts', `export const failureConverter = { name: 'second-converter' };`);
    assert.match(await textOf(await build({ interceptors: true })), /second-converter/);
    await write('interceptor.ts', `export const interceptors = () => ({ name: 'second-interceptor' });`);
    assert.match(await textOf(await build({ interceptors: true })), /second-interceptor/);
  });

  it('is another one for other options', async () => {
    const without = await build();
    const withInterceptor = await build({ interceptors: true });
    assert.notEqual(withInterceptor.codePath, without.codePath);
    assert.match(await textOf(withInterceptor), /first-interceptor/);
    assert.equal((await build()).codePath, without.codePath);
  });

  it('is made again when its file is gone or its list is damaged', async () => {
    const first = await build();
    await rm(first.codePath);
    assert.match(await textOf(await build()), /first-word/);
    for (const text of ['', '{}', '{"code":"x"}']) {
      const manifest = path.join(folder, 'cache', (await manifests())[0]!);
      await writeFile(manifest, text);
      assert.match(await textOf(await build()), /first-word/);
    }
  });

  it('is given as code where nothing can be written', async () => {
    await write('taken', '');
    const bundle = await workflowBundle(
      logger,
      { workflowsPath: path.join(folder, 'workflows/index.ts') },
      path.join(folder, 'taken'),
    );
    assert('code' in bundle);
    assert.match(bundle.code, /first-word/);
  });

  async function manifests(): Promise<string[]> {
    return (await readdir(path.join(folder, 'cache'))).filter((name) => name.endsWith('.json'));
  }
});

/**
 * A destination to copy from: one NDJSON file for each delivery, appended to a folder and never changed. Not registered, so the API does not
 * offer it. Readers take the file with the highest number in the folder of an interval; its first line is the receipt, the others are rows.
 *
 * One `link` makes a delivery visible: it fails when the number is taken (another delivery came first) and when the staged file is gone (a
 * later run has removed it). Left out: a sync of the folder itself, quotas, test steps, and deleting deliveries that were replaced.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Receipt, Session, SessionContext } from '../../src/exports/destinations/contract.ts';
import { defineDestination, addGroup } from '../../src/exports/destinations/define.ts';
import type { Delivery, StagedPart } from '../../src/exports/destinations/delivery.ts';
import { hasCode, translate } from '../../src/exports/destinations/local-file/errors.ts';
import { checkPrefix } from '../../src/exports/destinations/object-store/keys.ts';
import { REPLACED_AT_ONCE } from '../../src/exports/destinations/promises.ts';
import { listArtifactsAt } from '../../src/exports/destinations/recorded.ts';
import { totalsOf } from '../../src/exports/destinations/totals.ts';
import { DeliveredElsewhere, DestinationRejected, Superseded } from '../../src/platform/errors.ts';
import { Type, type Static } from '../../src/platform/schema.ts';

const Config = Type.Object(
  addGroup('place', {
    folder: Type.String({ minLength: 1, title: 'Folder', description: 'Folder below the project’s.' }),
  }),
);
type Config = Static<typeof Config>;
type Header = { receipt: Receipt & { run_id: string }; exportId: string; sha256: string };

export const appendFolder = defineDestination<Config>({
  type: 'AppendFolder',
  title: 'NDJSON files, appended to a folder',
  promises: [{ when: {}, ...REPLACED_AT_ONCE }],
  takes: 'files',
  config: Config,
  secretsGoTo: [],
  validate: async ({ folder }) => void checkPrefix(folder, 'folder'),
  place: placeOf,
  keySpace: placeOf,
  label: ({ folder }) => folder,
  steps: [],
  names: ({ folder }, { projectId, start, end }) => [`${projectId}/${folder}/${start}_${end}`],
  async *listDeliveries(config, of, { localRoot }) {
    const root = rootOf(localRoot, config, of.projectId);
    for (const name of (await namesIn(root)).filter((one) => one.includes('_'))) {
      const [start = '', end = ''] = name.split('_');
      if ((await latestIn(path.join(root, name))).header) yield { start, end };
    }
  },
  async open(config, delivery, context, { localRoot }) {
    const place = placeOf(config, delivery);
    return sessionIn(rootOf(localRoot, config, delivery.projectId), place, delivery, context);
  },
});

/** As of LocalFile: an export of that type cannot have the same folder. */
function placeOf({ folder }: Config, { projectId }: { projectId: number }): string {
  return `local:${projectId}/${folder}`;
}

function rootOf(localRoot: string | undefined, { folder }: Config, projectId: number): string {
  // Without it the folder would lie below wherever the worker was started.
  if (localRoot === undefined)
    throw new DestinationRejected('This installation has no folder for local exports (EXPORT_LOCAL_ROOT).');
  return path.resolve(localRoot, String(projectId), folder);
}

function sessionIn(root: string, place: string, delivery: Delivery, context: SessionContext): Session {
  const { artifacts, ownership, signal } = context;
  const interval = path.join(root, `${delivery.start}_${delivery.end}`);
  const staged = (file: string) => path.join(root, '.staged', file);

  /** Recorded before it exists: a crash leaves no file that the next run does not find. */
  async function stage(label: string, content: AsyncIterable<Uint8Array>): Promise<string> {
    const file = `${delivery.runId}-${label}-${randomUUID()}`;
    const id = await artifacts.record({ place, file });
    await context.step('upload-intent');
    try {
      await mkdir(staged(''), { recursive: true });
      // Opened before the content is asked for: a stream that breaks while it opens its file makes it after the removal below.
      const handle = await open(staged(file), 'wx');
      try {
        await pipeline(content, handle.createWriteStream({ flush: true }), { signal });
      } finally {
        await handle.close();
      }
      // The process may have been frozen since the record: then a later run has removed what was not there yet.
      if ((await artifacts.list()).some((record) => record.id === id)) return file;
      throw new Superseded('Another run has taken over this data interval.');
    } catch (error) {
      await rm(staged(file), { force: true }).then(
        () => artifacts.discard([id]),
        () => {},
      );
      throw error;
    }
  }

  async function removeStaged(except: readonly string[] = []): Promise<void> {
    const isGone = (file: string) => !except.includes(file);
    const gone = await listArtifactsAt((one) => one['place'] === place && isGone(String(one['file'])), context);
    for (const { artifact } of gone) await rm(staged(String(artifact['file'])), { force: true });
    await artifacts.discard(gone.map(({ id }) => id));
  }

  async function commit(parts: readonly StagedPart[]): Promise<Receipt> {
    await context.step('before-commit');
    const files = parts.map((part) => String(part.staged['file']));
    // 1. Other attempts: without its staged file none of them can make anything visible any more.
    await removeStaged(files);
    // 2. What is there: only our own database's deliveries are replaced, and none of a later run.
    const { number, file, header } = await latestIn(interval);
    const shown = header?.receipt;
    if (shown?.run_id === delivery.runId) return removeStaged().then(() => shown);
    if (shown && !(await ownership.knowsRun(shown.run_id))) throw new DeliveredElsewhere();
    if (shown && shown.epoch > delivery.epoch) throw new Superseded('A later run has delivered this data interval.');
    // 3. Equal content is left alone, if it is still as it was.
    const rows = () => bytesOf(files.map(staged));
    const sha256 = await sha256Of(rows());
    if (header?.sha256 === sha256 && (await sha256Of(rowsOf(file, header))) === sha256)
      return removeStaged().then(() => header.receipt);
    // 4. The whole delivery as one file, which becomes visible in one moment.
    const receipt = {
      ...totalsOf(parts),
      bytes: parts.reduce((sum, part) => sum + part.contentBytes, 0),
      location: path.relative(path.dirname(root), interval),
      epoch: delivery.epoch,
      cutoff: delivery.cutoff,
      run_id: delivery.runId,
      timeline: await ownership.getTimeline(),
    };
    const whole = await stage('whole', withHeader({ receipt, exportId: delivery.exportId, sha256 }, rows()));
    await mkdir(interval, { recursive: true });
    await context.step('rows');
    const isFirst = await link(staged(whole), path.join(interval, `${number + 1}.ndjson`)).then(
      () => true,
      (error: unknown) => (hasCode(error, 'EEXIST') ? false : Promise.reject(error)),
    );
    if (!isFirst) return commit(parts);
    await context.step('after-commit');
    await removeStaged().catch(() => context.log('warning', 'Staged files stay until the next delivery.'));
    return receipt;
  }

  return {
    location: path.relative(path.dirname(root), interval),
    async write(part, source) {
      await context.step(`part-${part.index}-begin`);
      const file = await stage(String(part.index), source.file()).catch(translate);
      await context.step(`part-${part.index}-end`);
      return { ...source.summary(), index: part.index, staged: { file } };
    },
    commit: (parts) =>
      commit(parts).catch((error: unknown) => {
        if (!hasCode(error, 'ENOENT')) return translate(error);
        throw new Superseded('What was staged is no longer there.', { cause: error });
      }),
    async findReceipt() {
      const shown = (await latestIn(interval)).header?.receipt;
      return shown?.run_id === delivery.runId ? shown : undefined;
    },
    async findPresentDelivery() {
      const { header } = await latestIn(interval);
      if (header?.exportId !== delivery.exportId) return undefined;
      return { receipt: header.receipt, isKnown: await ownership.knowsRun(header.receipt.run_id) };
    },
    async verify(receipt, { deep }) {
      const { file, header } = await latestIn(interval);
      if (!header || !isDeepStrictEqual(header.receipt, receipt)) {
        const found = header ? `run ${header.receipt.run_id}` : 'none';
        return [{ what: 'The folder shows another delivery.', expected: `run ${receipt.run_id}`, found }];
      }
      const found = deep ? await sha256Of(rowsOf(file, header)) : header.sha256;
      return found === header.sha256 ? [] : [{ what: 'The rows were changed.', expected: header.sha256, found }];
    },
    discard: () => removeStaged().then(() => []),
    close: async () => {},
  };
}

/** The delivery that readers take. No header: there is none, or somebody changed it. */
async function latestIn(interval: string): Promise<{ number: number; file: string; header?: Header }> {
  const number = Math.max(0, ...(await namesIn(interval)).map((name) => Number.parseInt(name, 10)));
  const file = path.join(interval, `${number}.ndjson`);
  if (number === 0) return { number, file };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    try {
      return { number, file, header: JSON.parse(line) as Header };
    } catch {
      break;
    }
  }
  return { number, file };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => (hasCode(error, 'ENOENT') ? [] : translate(error)));
}

async function* bytesOf(files: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const file of files) yield* createReadStream(file) as AsyncIterable<Uint8Array>;
}

async function* withHeader(header: Header, rows: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(header)}\n`);
  yield* rows;
}

const rowsOf = (file: string, header: Header): AsyncIterable<Uint8Array> =>
  createReadStream(file, { start: Buffer.byteLength(`${JSON.stringify(header)}\n`) });

async function sha256Of(rows: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of rows) hash.update(block);
  return hash.digest('hex');
}

/** Other programs that export rows from Postgres to Parquet, as far as they are installed. */
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { cacheFolder } from '../../src/platform/config.ts';
import { findProgram } from '../../src/platform/processes/program.ts';
import { checkParquet, commandCase, ROWS, selectOf, type Setting } from './export-setting.ts';
import type { Case } from '../measure.ts';

export const PG2PARQUET = 'pg2parquet, zstd';
export const CONNECTORX = 'connectorx stream, pyarrow, zstd';
const DLT = 'dlt with connectorx';

const CONNECTORX_SCRIPT = `
import os
import connectorx, pyarrow.parquet
batches = connectorx.read_sql(os.environ["URL"], os.environ["SELECT"], return_type="arrow_stream", batch_size=10000)
writer = None
for batch in batches:
    writer = writer or pyarrow.parquet.ParquetWriter(os.environ["FILE"], batch.schema, compression="zstd")
    writer.write_batch(batch)
writer.close()
`;
/** Reads rows as Arrow, which is dlt's fastest way, and writes them into a folder of their own. */
const DLT_SCRIPT = `
import os, shutil
import connectorx, dlt
folder = os.environ["FOLDER"]
shutil.rmtree(folder, ignore_errors=True)
@dlt.resource(name="events")
def events():
    yield connectorx.read_sql(os.environ["URL"], os.environ["SELECT"], return_type="arrow")
place = dlt.destinations.filesystem(bucket_url="file://" + folder)
pipeline = dlt.pipeline("bench", destination=place, dataset_name="bench", pipelines_dir=folder + "-state")
pipeline.run(events(), loader_file_format="parquet")
`;

/** Leaves out each peer that is not installed, and logs that. */
export async function parquetPeers(setting: Setting, log: (line: string) => void): Promise<Case[]> {
  const file = path.join(setting.directory, 'peer.parquet');
  const folder = path.join(setting.directory, 'dlt');
  const env = { SELECT: selectOf(setting), FILE: file, FOLDER: folder, RUNTIME__DLTHUB_TELEMETRY: 'false' };
  const checkFile = () => checkParquet(file, ROWS);
  const cases: Case[] = [];
  const measure = (
    name: string,
    program: string | undefined,
    args: string,
    script: string,
    check: () => Promise<void>,
  ) => {
    if (program === undefined) log(`${name}: not installed, not measured`);
    else cases.push(commandCase(name, `"${program}" ${args}`, { ...env, SCRIPT: script }, setting, check));
  };

  const exporting = 'export --quiet --compression zstd -c "$URL" -q "$SELECT" -o "$FILE"';
  measure(PG2PARQUET, await findPg2parquet(), exporting, '', checkFile);
  measure(CONNECTORX, await findPython('connectorx'), '-c "$SCRIPT"', CONNECTORX_SCRIPT, checkFile);
  measure(DLT, await findPython('dlt'), '-c "$SCRIPT" > /dev/null', DLT_SCRIPT, async () => {
    const [table] = await readdir(path.join(folder, 'bench', 'events'));
    await checkParquet(path.join(folder, 'bench', 'events', table ?? 'none'), ROWS);
  });
  return cases;
}

/** `cargo install pg2parquet` */
function findPg2parquet(): Promise<string | undefined> {
  return findProgram('pg2parquet', [path.join(cacheFolder(), 'bin'), path.join(homedir(), '.cargo', 'bin')]);
}

/** Finds Python in the package's virtual environment, beside those of the tests: `connectorx-0.4.6` with pyarrow, `dlt-1.31.0` with both. */
async function findPython(name: string): Promise<string | undefined> {
  const environments = path.join(cacheFolder(), 'python');
  const [found] = (await readdir(environments).catch(() => [])).filter((folder) => folder.startsWith(`${name}-`));
  return found && findProgram('python', [path.join(environments, found, 'bin')]);
}

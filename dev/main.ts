/** `npm run dev`: runs all of `npm start`, and restarts API and worker when a source changes. */
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runUp } from '../src/app/commands/up.ts';
import { CommandFailed } from '../src/platform/errors.ts';

const SOURCES = ['src', 'activities', 'workflows'];
/** Editors and git write many files at once, and some files twice. */
const QUIET_MS = 300;

const folderOf = (name: string) => fileURLToPath(new URL(`../${name}/`, import.meta.url));

/** Watchers end with the process, and do not keep it alive. */
function watchSources(onChange: (file: string) => void): void {
  let timer: NodeJS.Timeout | undefined;
  for (const folder of SOURCES) {
    watch(folderOf(folder), { recursive: true, persistent: false }, (_event, name) => {
      if (!name?.endsWith('.ts')) return;
      clearTimeout(timer);
      timer = setTimeout(onChange, QUIET_MS, `${folder}/${name}`).unref();
    });
  }
}

try {
  await runUp({
    json: false,
    onRoles: (roles) =>
      watchSources((file) => {
        console.error(`· ${file} changed: API and worker start again`);
        roles.restart();
      }),
  });
} catch (error) {
  if (!(error instanceof CommandFailed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

// After `npm ci`: lets `npm run` and `npx` find the Node that package-lock.json pins. npm 10, which comes with Node 20 and 22, does not
// link the programs of a package for one platform only; newer versions do. Plain JavaScript for Node 20.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';

const program = `node-${process.platform}-${process.arch}/bin/node`;
const link = 'node_modules/.bin/node';

if (existsSync(`node_modules/${program}`) && !existsSync(link)) {
  // Without the link the installation still works with a Node of its own that is new enough.
  try {
    mkdirSync('node_modules/.bin', { recursive: true });
    // Removes a link to another platform's program, which is gone.
    rmSync(link, { force: true });
    symlinkSync(`../${program}`, link);
  } catch (error) {
    console.error(`${link} could not be made: ${error.message}`);
  }
}

// Builds the console now, for the pages of `sluice api`; `npm start` and `npm run console:build` build it as well. Without Vite,
// `sluice api` has no pages.
if (existsSync(link) && existsSync('console/build.ts') && existsSync('node_modules/vite')) {
  spawnSync(link, ['console/build.ts'], { stdio: 'ignore', timeout: 120_000 });
}

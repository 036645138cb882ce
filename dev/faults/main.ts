/** `npm run docs:faults`: writes docs/faults.md from the tables of faults. */
import { writeFileSync } from 'node:fs';
import { faultsPage } from './page.ts';

writeFileSync(new URL('../../docs/faults.md', import.meta.url), faultsPage());

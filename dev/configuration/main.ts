/** `npm run docs:configuration`: writes docs/configuration.md from the schema of the environment. */
import { writeFileSync } from 'node:fs';
import { configurationPage } from './page.ts';

writeFileSync(new URL('../../docs/configuration.md', import.meta.url), configurationPage());

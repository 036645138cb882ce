/** Builds the programs of this folder that need it: `npm run sdks`, or with the languages. What is built already costs nothing. */
import { buildPrograms, LANGUAGES, type Language } from '../support/sdks/sdk-programs.ts';

const given = process.argv.slice(2);
const unknown = given.filter((one) => !LANGUAGES.includes(one as Language));
if (unknown.length > 0) throw new Error(`no such language: ${unknown.join(', ')}; there are ${LANGUAGES.join(', ')}`);
for (const language of given.length > 0 ? (given as Language[]) : LANGUAGES) {
  console.log(`${language}: ${(await buildPrograms(language)) ? 'built' : 'there already'}`);
}

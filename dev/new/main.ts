/** `npm run new -- destination NAME`: makes the skeleton of a destination, with a contract test that fails until it is written. */
import { makeDestination, Refused } from './destination.ts';

const USAGE = `Usage: npm run new -- destination NAME

NAME is in small letters with hyphens, such as append-folder.`;

const [kind, name, ...rest] = process.argv.slice(2);
if (kind !== 'destination' || name === undefined || rest.length > 0) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  try {
    console.log(await makeDestination(name));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

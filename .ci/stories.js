// How long the console's stories took in the log of its tests: a story is a test below a `describe` that begins with `story:`. Plain Node 20.
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** Four minutes alone. Here two other files of tests run beside each story on the same cores, which takes up to half as long again. */
const MOST_SECONDS = 360;
/** With fewer, the log was misread, or stories are gone. */
const LEAST_STORIES = 25;

const durations = [];
let isStory = false;
for (const line of stripVTControlCharacters(readFileSync(process.argv[2], 'utf8')).split('\n')) {
  // Only the describes at the top are indented by two spaces.
  if (/^ {2}\S/.test(line)) isStory = line.startsWith('  story: ');
  const [, mark, milliseconds = 0] = (isStory && /^ +(✔|\d+\)) .*?(?:\((\d+)ms\))?$/.exec(line)) || [];
  if (mark) durations.push(Number(milliseconds));
}
const seconds = durations.reduce((sum, milliseconds) => sum + milliseconds, 0) / 1000;
console.log(`${durations.length} stories took ${seconds.toFixed(0)} s; at most ${MOST_SECONDS} s.`);
if (durations.length < LEAST_STORIES || seconds > MOST_SECONDS) process.exit(1);

/** The example reads the log by itself; it must leave out the lines that `sluice capture` leaves out, and no others. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { readLog, requestTime } from '../../examples/access-log/log.ts';
import { readAccessLogLine } from '../../src/platform/sending/access-log.ts';

const at = (time: string) => `1.2.3.4 - - [${time}] "GET / HTTP/1.1" 200 12 "-" "curl/8"`;
const LINE = at('17/May/2015:10:05:03 +0000');

/** As Sluice reads it. */
function sentTime(line: string): number | undefined {
  try {
    return readAccessLogLine(line).timeMs;
  } catch {
    return undefined;
  }
}

describe('the log of the access-log example', () => {
  let folder: string;
  before(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'sluice-test-log-'))));
  after(() => rm(folder, { recursive: true }));

  const requests = [
    LINE,
    at('17/May/2015:23:30:00 -0130'),
    at('29/Feb/2016:23:59:60 +0200'),
    LINE.replace('12 "-"', '- "https://example.org/"'),
    LINE.replace('GET / HTTP/1.1', String.raw`\x16\x03\"`),
    LINE.slice(0, -3),
    `${LINE} 0.004 "10.1.1.1"`,
    LINE.replace('curl', 'a\u2028b\rc'),
  ];
  for (const line of requests) {
    it(`counts ${JSON.stringify(line)} in the hour in which it is sent`, () => {
      assert.ok(sentTime(line) !== undefined);
      assert.equal(requestTime(line), sentTime(line));
    });
  }

  const bad = [
    'not a log line',
    LINE.replace(' "-" "curl/8"', ''),
    LINE.replace('"-"', '-'),
    LINE.replace('200', '20'),
    LINE.replace('12', 'twelve'),
    LINE.slice(1).replace(/^\S+/, ''),
    at('31/Feb/2015:10:05:03 +0000'),
    at('17/Mai/2015:10:05:03 +0000'),
    at('17/May/2015:24:05:03 +0000'),
    at('17/May/2015:10:60:03 +0000'),
    at('17/May/2015:10:05:61 +0000'),
    at('17/May/2015:10:05:03'),
  ];
  for (const line of bad) {
    it(`leaves out ${JSON.stringify(line)}`, () => {
      assert.equal(sentTime(line), undefined, 'sluice capture takes it');
      assert.equal(requestTime(line), undefined);
    });
  }

  it('is read to its end, packed or not, and says how many lines are bad; blank ones are none', async () => {
    const text = `${LINE}\r\n\n  \nnot a log line\n${LINE.replace('curl', 'a\u2028b\rc')}\n${at('17/May/2015:11:00:00 +0000')}`;
    const expected = {
      requests: new Map([
        ['2015-05-17T10:00:00.000000Z', 2],
        ['2015-05-17T11:00:00.000000Z', 1],
      ]),
      badLines: 1,
    };
    const files = { 'access.log': text, 'access.log.gz': gzipSync(text) };
    for (const [name, content] of Object.entries(files)) {
      await writeFile(path.join(folder, name), content);
      assert.deepEqual(await readLog(path.join(folder, name)), expected, name);
    }
  });

  it('that cannot be read is named', async () => {
    await writeFile(path.join(folder, 'broken.gz'), 'not gzip');
    await assert.rejects(readLog(path.join(folder, 'none.log')), { message: /none\.log cannot be read \(ENOENT\)/ });
    await assert.rejects(readLog(path.join(folder, 'none.log.gz')), {
      message: /none\.log\.gz cannot be read \(ENOENT\)/,
    });
    await assert.rejects(readLog(path.join(folder, 'broken.gz')), { message: /broken\.gz cannot be read/ });
  });
});

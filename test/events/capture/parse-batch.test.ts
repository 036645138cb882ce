import assert from 'node:assert/strict';
import { parseBatch } from '../../../src/events/capture/parse-batch.ts';
import { LIMITS } from '../../../src/events/capture/limits.ts';
import { MalformedRequest, TooLarge } from '../../../src/platform/errors.ts';
import { parseJson } from '../../../src/platform/wire/json.ts';
import { seeded } from '../../support/random.ts';

const MOST = 10 * LIMITS.values;
/** Fills a piece. */
const FULL = JSON.stringify(Array.from({ length: 10_001 }, () => 0));

describe('parsing a large body a few events at a time', () => {
  const bodies: Record<string, string> = {
    'a list': `[{"event":"a"},${FULL},{"event":"b"},${FULL}]`,
    'a batch': `{"api_key":"k","batch":[${FULL},{"event":"a"},${FULL},3],"sent_at":"now"}`,
    'one event': `{"api_key":"k","event":"e","properties":{"batch":[${FULL},1]}}`,
    'an empty list': '[ ]',
    'an empty batch': '{"batch":[]}',
    'a batch of another batch': `{"batch":[{"batch":[${FULL}]},${FULL},{"batch":[1]}]}`,
    'two batches': `{"batch":[1,${FULL},2],"batch":[3,${FULL},4]}`,
    'a batch that something else replaces': `{"batch":[1,${FULL},2],"batch":{"a":1}}`,
    'a batch behind something of its name': `{"batch":{"a":[1]},"batch" : [${FULL},1]}`,
    'a text that says batch': `{"a":"batch","b":[${FULL},1],"c":["batch",[2]]}`,
    'brackets and quotes in texts': String.raw`{"batch":["],[{\"",${FULL},"\\",{"a":"}],\""}],"a":"]"}`,
    'a name with an escape': String.raw`{"b\u0061tch":[1,${FULL}]}`,
    'a batch that an empty one with an escape replaces': String.raw`{"batch":[1,${FULL}],"b\u0061tch":[]}`,
    'a batch with escapes behind another': String.raw`{"batch":[1],"\u0062\u0061\u0074\u0063\u0068":[2,${FULL}]}`,
    'a batch with an escape before another': String.raw`{"b\u0061tch":[1,${FULL}],"batch":[]}`,
    'a name with escapes that is another': String.raw`{"batch":[1,${FULL}],"b\u0062tch":[]}`,
    'a name that objects have': `{"__proto__":{"a":1},"batch":[{"__proto__":1},${FULL}]}`,
    'a mark before it': `\ufeff{"batch":[1,${FULL}]}`,
    'numbers that JSON lacks': `{"batch":[NaN,${FULL},{"a":-Infinity,"b":"NaN"}],"sent_at":NaN}`,
  };
  for (const [what, body] of Object.entries(bodies)) {
    it(`makes what parsing it at once makes of ${what}`, async () => {
      assert.deepEqual(await parsed(body), parseJson(Buffer.from(body), MOST).value);
    });
  }

  const broken = [
    '',
    `[${FULL},]`,
    `[,${FULL}]`,
    `[${FULL},,1]`,
    `[${FULL}`,
    `[${FULL}}`,
    `[${FULL}]]`,
    `[${FULL}][1]`,
    `[${FULL},{]`,
    `[${FULL},[}]`,
    `{"batch":[${FULL}`,
    `{"batch":[${FULL}}`,
    `{"batch":[1}`,
    `{"batch":[${FULL} 1]}`,
    `{"batch" [${FULL}]}`,
    `{"batch":[${FULL}],}`,
    `{"batch":["${FULL}]}`,
  ];
  for (const body of broken) {
    it(`refuses ${body.replace(FULL, '…')}`, () => assert.rejects(parsed(body), MalformedRequest));
  }

  it('agrees with parsing at once on whatever is made of pieces of JSON', async () => {
    const random = seeded(7);
    const pieces = ['[', ']', '{', '}', ',', ':', '"batch"', '"batch":[', '"a":', '1', 'NaN', '" ]"', FULL];
    const members = ['"batch":[', String.raw`"b\u0061tch":[`, String.raw`"batc\u0068":[`, '"a":['];
    const list = () => `${random.pick(members)}${random.pick(['', '1', '1,2', FULL, '{}'])}]`;
    let good = 0;
    for (let run = 0; run < 20_000; run += 1) {
      const length = 1 + random.below(7);
      const middle = Array.from({ length }, () => random.pick(pieces)).join('');
      const lists = () => Array.from({ length: random.below(3) }, () => `,${list()}`).join('');
      const body = random.below(2) === 0 ? `[${middle}]` : `{${random.pick(members)}${middle}]${lists()}}`;
      const expected = await outcome(() => parseJson(Buffer.from(body), MOST).value);
      assert.deepEqual(await outcome(() => parsed(body)), expected, body.replaceAll(FULL, '…'));
      if (expected !== 'refused') good += 1;
    }
    assert.ok(good > 500, `${good} of them were JSON`);
  });

  it('lets others have their turns between the pieces', async () => {
    let turns = 0;
    const body = Buffer.from(`[${Array.from({ length: 10 }, () => FULL).join()}]`);
    await parseBatch(body, MOST, () => ((turns += 1), undefined));
    assert.ok(turns >= 10, `${turns} turns`);
  });

  it('limits the values of all of it, of an event, and of what is around them', async () => {
    const least = LIMITS.values + 1;
    const detailsByBody: Record<string, string> = {
      [`[${`${FULL},`.repeat(50)}1]`]: `The body holds more than ${MOST} values.`,
      [`[${values(least)},1]`]: `An event holds more than ${LIMITS.values} values.`,
      [`[1,${values(least)}]`]: `An event holds more than ${LIMITS.values} values.`,
      [`{"batch":[1],"a":${values(least)}}`]: `What is around the events holds more than ${LIMITS.values} values.`,
      [`{"batch":[${`${FULL},`.repeat(5)}1],"batch":[1]}`]: `What is around the events holds more than ${LIMITS.values} values.`,
      [`{"event":"e","properties":${values(least)}}`]: `What is around the events holds more than ${LIMITS.values} values.`,
    };
    for (const [body, detail] of Object.entries(detailsByBody)) {
      await assert.rejects(parsed(body), (error) => error instanceof TooLarge && error.message === detail, detail);
    }
  });
});

/** @returns a list of so many */
function values(count: number): string {
  return JSON.stringify(Array.from({ length: count }, () => 0));
}

async function parsed(body: string): Promise<unknown> {
  return (await parseBatch(Buffer.from(body), MOST, () => undefined)).value;
}

async function outcome(parse: () => unknown): Promise<unknown> {
  try {
    return await parse();
  } catch {
    return 'refused';
  }
}

import assert from 'node:assert/strict';
import { readNdjsonLine } from '../../../src/platform/sending/ndjson.ts';
import { BadLine } from '../../../src/platform/sending/reading.ts';

const UUID = '00000000-0000-5000-8000-000000000000';

describe('a line of NDJSON', () => {
  it('travels as it is written when it names its uuid', () => {
    const line =
      '{"uuid":"6f1c9a52-0000-4000-8000-000000000001","event":"a","properties":{"big":12345678901234567890}}';
    const reading = readNdjsonLine(line);
    assert.equal(reading.hasUuid, true);
    assert.equal(reading.json(UUID), line);
  });

  it('is given a uuid and otherwise left alone, digit by digit', () => {
    const reading = readNdjsonLine(' {"event":"a","properties":{"big":12345678901234567890}}');
    assert.equal(reading.hasUuid, false);
    assert.equal(reading.json(UUID), `{"uuid":"${UUID}","event":"a","properties":{"big":12345678901234567890}}`);
  });

  it('has a null uuid replaced and an empty object completed', () => {
    assert.deepEqual(JSON.parse(readNdjsonLine('{"event":"a","uuid":null}').json(UUID)), { event: 'a', uuid: UUID });
    assert.deepEqual(JSON.parse(readNdjsonLine('{}').json(UUID)), { uuid: UUID });
  });

  it('says when it happened, if it can be read', () => {
    assert.equal(readNdjsonLine('{"timestamp":"2015-05-17T10:05:03Z"}').timeMs, Date.UTC(2015, 4, 17, 10, 5, 3));
    assert.equal(readNdjsonLine('{"timestamp":"yesterday"}').timeMs, undefined);
    assert.equal(readNdjsonLine('{}').timeMs, undefined);
  });

  for (const line of ['[]', 'null', '"text"', '{"event":', 'event=a']) {
    it(`is bad when it is ${line}`, () => {
      assert.throws(() => readNdjsonLine(line), BadLine);
    });
  }
});

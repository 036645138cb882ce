import assert from 'node:assert/strict';
import { createSharedReads } from '../../../src/flags/decide/shared-reads.ts';
import { watchStalls } from '../../support/durations.ts';
import { until } from '../../support/until.ts';

type Statement = { questions: readonly string[]; answer(): void; fail(error: Error): void };

/** A database whose statements end when the test says so. */
function slowDatabase() {
  const statements: Statement[] = [];
  const read = (questions: readonly string[]) =>
    new Promise<string[]>((resolve, reject) => {
      statements.push({ questions, answer: () => resolve(questions.map((one) => `${one}!`)), fail: reject });
    });
  return { statements, ask: createSharedReads({ read, fallback: 'nobody knows' }) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const sizes = (statements: readonly Statement[]) => statements.map(({ questions }) => questions.length);
const postgresError = (code: string) => Object.assign(new Error('refused'), { code, severity: 'ERROR' });

/** Statements that are not answered, until no other one may begin. */
async function busy({ statements, ask }: ReturnType<typeof slowDatabase>): Promise<number> {
  for (let begun = -1; begun < statements.length;) {
    begun = statements.length;
    void ask(0, 'busy');
    await turn();
  }
  return statements.length;
}

describe('questions that share a statement', () => {
  it('are those of one turn of the event loop, each with its own answer', async () => {
    const { statements, ask } = slowDatabase();
    const answers = Promise.all(Array.from({ length: 50 }, (_, n) => ask(n % 3, `${n}`)));
    await turn();
    assert.deepEqual(sizes(statements), [50]);
    statements[0]!.answer();
    assert.deepEqual(
      await answers,
      Array.from({ length: 50 }, (_, n) => `${n}!`),
    );
  });

  it('do not wait while a statement may begin', async () => {
    const { statements, ask } = slowDatabase();
    void ask(1, 'first');
    await turn();
    void ask(1, 'second');
    await turn();
    assert.deepEqual(sizes(statements), [1, 1]);
  });

  it('are all that came while none might begin, but not too many', async () => {
    const database = slowDatabase();
    const { statements, ask } = database;
    const atOnce = await busy(database);
    for (let n = 0; n < 99; n++) void ask(1, `${n}`);
    await turn();
    assert.equal(statements.length, atOnce);
    for (const n of [0, 1]) {
      statements[n]!.answer();
      await until('the next statement', () => statements.length > atOnce + n);
    }
    assert.deepEqual(sizes(statements.slice(atOnce)), [64, 36]);
  });

  it('do not wait for the queue of another project', async () => {
    const database = slowDatabase();
    const { statements, ask } = database;
    const atOnce = await busy(database);
    for (let n = 0; n < 1_000; n++) void ask(1, 'of many');
    void ask(2, 'of one');
    statements[0]!.answer();
    await until('the next statement', () => statements.length > atOnce);
    assert.ok(statements[atOnce]!.questions.includes('of one'));
  });

  for (const code of ['22P02', '57014']) {
    it(`are sent alone when one of them may be why they failed (${code})`, async () => {
      const { statements, ask } = slowDatabase();
      const answers = Promise.all(['a', 'poison', 'c'].map((one) => ask(1, one)));
      await turn();
      statements[0]!.fail(postgresError(code));
      await turn();
      const alone = statements.slice(1);
      assert.deepEqual(sizes(alone), [1, 1, 1]);
      for (const statement of alone) {
        if (statement.questions[0] === 'poison') statement.fail(postgresError(code));
        else statement.answer();
      }
      assert.deepEqual(await answers, ['a!', 'nobody knows', 'c!']);
    });
  }

  it('are not asked again of a database that is away', async () => {
    const { statements, ask } = slowDatabase();
    const answers = Promise.all(['a', 'b'].map((one) => ask(1, one)));
    await turn();
    statements[0]!.fail(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    assert.deepEqual(await answers, ['nobody knows', 'nobody knows']);
    assert.equal(statements.length, 1);
  });

  it('have no answer before SDKs give up, neither those asked nor those that wait', async () => {
    const database = slowDatabase();
    const longestStall = watchStalls();
    const startedMs = performance.now();
    const firstAnswer = database.ask(1, 'asked');
    await busy(database);
    const waiting = database.ask(2, 'waiting');
    assert.equal(await waiting, 'nobody knows');
    const waited = performance.now() - startedMs;
    assert.equal(await firstAnswer, 'nobody knows');
    const answered = performance.now() - startedMs;
    const late = 2 * longestStall();
    assert.ok(waited < 1_200 + late && answered < 2_200 + late, `${waited} and ${answered} ms`);
    assert.ok(!database.statements.some(({ questions }) => questions.includes('waiting')));
  });
});

import assert from 'node:assert/strict';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';

type Line = Record<string, unknown>;

function linesWritten(level: 'info' | 'warn', write: (log: ReturnType<typeof createLogger>) => void): Line[] {
  const lines: string[] = [];
  write(createLogger({ LOG_LEVEL: level }, 'test', { write: (line) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Line);
}

describe('the logger', () => {
  it('writes one JSON object a line: level, time, name, message and what was given', () => {
    const [line] = linesWritten('info', (log) => log.child({ run_id: 'r1' }).info({ rows: 3 }, 'delivered'));
    const { time, pid, ...rest } = line ?? {};
    assert.deepEqual(rest, { level: 'info', name: 'test', run_id: 'r1', rows: 3, msg: 'delivered' });
    assert.match(String(time), /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.equal(pid, process.pid);
  });

  it('writes nothing below its level', () => {
    assert.deepEqual(
      linesWritten('warn', (log) => log.info('quiet')),
      [],
    );
  });

  it('never writes a secret, at the top or one below', () => {
    const secret = 'do-not-tell';
    const config = { password: secret, secret_access_key: secret, host: 'db' };
    const lines = linesWritten('info', (log) =>
      log.info({ api_key: secret, config, headers: { authorization: secret } }, 'x'),
    );
    assert.equal(JSON.stringify(lines).includes(secret), false);
    assert(JSON.stringify(lines).includes('"host":"db"'));
  });
});

import assert from 'node:assert/strict';
import { readConfig } from '../../../src/platform/config.ts';
import { CommandFailed } from '../../../src/platform/errors.ts';
import { apiPort, checkPortsDiffer } from '../../../src/app/up/ports.ts';

const check = (environment: Record<string, string>) => checkPortsDiffer(readConfig(environment));
const says = (message: RegExp) => (error: Error) => error instanceof CommandFailed && message.test(error.message);

describe('the ports of sluice up', () => {
  it('must differ, because each looks free until the first server has it', () => {
    assert.throws(() => check({ SLUICE_PORT: '5455' }), says(/^SLUICE_PORT and SLUICE_POSTGRES_PORT are both 5455\./));
    assert.throws(() => check({ SLUICE_HOST: '0.0.0.0', SLUICE_PORT: '8233' }), says(/SLUICE_TEMPORAL_UI_PORT/));
    assert.throws(
      () => check({ SLUICE_METRICS_PORT: '9100', SLUICE_WORKER_METRICS_PORT: '9100' }),
      says(/SLUICE_WORKER_METRICS_PORT/),
    );
  });

  it('may be the same on different addresses, of servers that are not ours, and where any port will do', () => {
    check({});
    check({ SLUICE_PORT: '5455', SLUICE_HOST: '192.0.2.1' });
    check({ SLUICE_PORT: '5455', DATABASE_URL: 'postgres://127.0.0.1:5455/sluice' });
    check({ SLUICE_PORT: '0', SLUICE_POSTGRES_PORT: '0', SLUICE_TEMPORAL_PORT: '0', SLUICE_TEMPORAL_UI_PORT: '0' });
  });

  it('is not called taken when the address is not of this machine', () =>
    assert.rejects(
      apiPort(readConfig({ SLUICE_HOST: '192.0.2.1' })),
      says(/cannot listen on port 8000 of 192\.0\.2\.1 \(EADDRNOTAVAIL\)\. Set SLUICE_HOST/),
    ));
});

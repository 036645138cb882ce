import assert from 'node:assert/strict';
import { connectTemporal } from '../../../src/platform/temporal/connection.ts';
import { ensureNamespace } from '../../../src/platform/temporal/namespace.ts';
import { hasPollers } from '../../../src/platform/temporal/pollers.ts';
import { testTemporal } from '../../support/servers/temporal.ts';

const THIRTY_DAYS_SECONDS = 30 * 24 * 60 * 60;

describe('a namespace on another operator’s Temporal server', () => {
  it('is made with histories of 30 days, and left alone when it is there', async () => {
    const { address } = await testTemporal();
    const { client, close } = connectTemporal({ address, namespace: 'made-by-the-test' });
    try {
      await ensureNamespace(client);
      await ensureNamespace(client);
      const { config } = await client.workflowService.describeNamespace({ namespace: 'made-by-the-test' });
      assert.equal(Number(config?.workflowExecutionRetentionTtl?.seconds), THIRTY_DAYS_SECONDS);
    } finally {
      await close();
    }
  });

  it('has no worker until one polls', async () => {
    const temporal = await testTemporal();
    const { client, close } = connectTemporal(temporal);
    try {
      assert.equal(await hasPollers(client, 'nobody-asks-this-queue', 'workflow'), false);
    } finally {
      await close();
    }
  });
});

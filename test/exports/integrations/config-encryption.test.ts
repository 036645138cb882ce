import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Type } from '../../../src/platform/schema.ts';
import type { Integration } from '../../../src/exports/integrations/integrations.store.ts';
import { configEncryption } from '../../../src/exports/integrations/config-encryption.ts';
import { createKeyRing, generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';

const schema = Type.Object({ bucket: Type.String(), secret: Type.String({ writeOnly: true }) });
const CONFIG = { bucket: 'b', secret: 'canary' };

describe('an encrypted configuration', () => {
  const configs = configEncryption(createKeyRing(generateKeyRing()));
  const own = { id: randomUUID(), projectId: 1, integration: null };
  const others = [
    { ...own, id: randomUUID() },
    { ...own, projectId: 2 },
  ];

  it('opens in the row that it was encrypted for, and in no other', () => {
    const columns = configs.encrypt(own, { config: schema }, CONFIG);
    assert.doesNotMatch(JSON.stringify(columns), /canary/);
    assert.deepEqual(configs.decrypt({ ...own, ...columns }), CONFIG);
    for (const other of others) assert.throws(() => configs.decrypt({ ...other, ...columns }));
  });

  it('of an integration opens in its own row only', () => {
    const row = { id: 1, projectId: 1 };
    const columns = configs.encryptIntegration(row, schema, CONFIG);
    const integration = (of: { id: number; projectId: number }) => ({ ...of, ...columns }) as unknown as Integration;
    assert.deepEqual(configs.decryptIntegration(integration(row)), CONFIG);
    for (const other of [
      { ...row, id: 2 },
      { ...row, projectId: 2 },
    ]) {
      assert.throws(() => configs.decryptIntegration(integration(other)));
    }
  });

  it('is of one kind of row, and a single secret of one purpose', () => {
    const { destinationSecrets: secrets } = configs.encrypt(own, { config: schema }, CONFIG);
    const integration = { ...own, config: {}, secrets } as unknown as Integration;
    assert.throws(() => configs.decryptIntegration(integration));
    const secret = configs.encryptSecret(own, 'notifications', 'canary');
    assert.equal(configs.decryptSecret(own, 'notifications', secret), 'canary');
    assert.throws(() => configs.decryptSecret(own, 'other', secret));
    for (const other of others) assert.throws(() => configs.decryptSecret(other, 'notifications', secret));
  });
});

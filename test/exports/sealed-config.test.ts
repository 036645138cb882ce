import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Type } from '../../src/schema.ts';
import type { Integration } from '../../src/exports/integrations.store.ts';
import { sealedConfigs } from '../../src/exports/sealed-config.ts';
import { createKeyRing, generateKeyRing } from '../../src/secrets/key-ring.ts';

const schema = Type.Object({ bucket: Type.String(), secret: Type.String({ writeOnly: true }) });
const CONFIG = { bucket: 'b', secret: 'canary' };

describe('a sealed configuration', () => {
  const sealed = sealedConfigs(createKeyRing(generateKeyRing()));
  const own = { id: randomUUID(), projectId: 1, integration: null };
  const others = [
    { ...own, id: randomUUID() },
    { ...own, projectId: 2 },
  ];

  it('opens in the row that it was sealed for, and in no other', () => {
    const columns = sealed.seal(own, { config: schema }, CONFIG);
    assert.doesNotMatch(JSON.stringify(columns), /canary/);
    assert.deepEqual(sealed.open({ ...own, ...columns }), CONFIG);
    for (const other of others) assert.throws(() => sealed.open({ ...other, ...columns }));
  });

  it('of an integration opens in its own row only', () => {
    const row = { id: 1, projectId: 1 };
    const columns = sealed.sealIntegration(row, schema, CONFIG);
    const integration = (of: { id: number; projectId: number }) => ({ ...of, ...columns }) as unknown as Integration;
    assert.deepEqual(sealed.openIntegration(integration(row)), CONFIG);
    for (const other of [
      { ...row, id: 2 },
      { ...row, projectId: 2 },
    ]) {
      assert.throws(() => sealed.openIntegration(integration(other)));
    }
  });

  it('is of one kind of row, and a single secret of one purpose', () => {
    const { destinationSecrets: secrets } = sealed.seal(own, { config: schema }, CONFIG);
    const integration = { ...own, config: {}, secrets } as unknown as Integration;
    assert.throws(() => sealed.openIntegration(integration));
    const secret = sealed.sealSecret(own, 'notifications', 'canary');
    assert.equal(sealed.openSecret(own, 'notifications', secret), 'canary');
    assert.throws(() => sealed.openSecret(own, 'other', secret));
    for (const other of others) assert.throws(() => sealed.openSecret(other, 'notifications', secret));
  });
});

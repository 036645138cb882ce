import assert from 'node:assert/strict';
import { Type } from '../../../src/platform/schema.ts';
import { redact } from '../../../src/platform/secrets/redact.ts';
import { mergeConfig, withCredentials, withoutCredentials, withoutSecrets } from '../../../src/platform/secrets/write-only.ts';

const Config = Type.Object({
  bucket: Type.String(),
  key: Type.String({ writeOnly: true }),
  nested: Type.Object({ host: Type.String(), password: Type.String({ writeOnly: true }) }),
});

describe('secrets', () => {
  it('never leave: neither marked ones, nested ones, nor what the schema does not know', () => {
    const stored = { bucket: 'b', key: 'x', nested: { host: 'h', password: 'x' }, unknown: 'x' };
    assert.deepEqual(withoutSecrets(Config, stored), { bucket: 'b', nested: { host: 'h' } });
  });

  it('stay when a patch does not name them, at every level', () => {
    const stored = { bucket: 'b', key: 'x', nested: { host: 'h', password: 'p' } };
    assert.deepEqual(mergeConfig(stored, { bucket: 'c', nested: { host: 'i' } }), {
      bucket: 'c',
      key: 'x',
      nested: { host: 'i', password: 'p' },
    });
    assert.deepEqual(mergeConfig({ a: 1 }, { a: { b: 2 } }), { a: { b: 2 } });
    assert.deepEqual(mergeConfig({ a: { b: 2 } }, { a: null }), { a: null });
  });

  it('are replaced together with the credentials that are shown', () => {
    const Access = Type.Object({
      ...Config.properties,
      role: { ...Type.String(), 'x-credential': true },
    });
    const byRole = { bucket: 'b', role: 'r', nested: { host: 'h' } };
    const pinned = withoutCredentials(Access, byRole);
    assert.deepEqual(pinned, { bucket: 'b', nested: { host: 'h' } });
    assert.deepEqual(withCredentials(Access, pinned, { bucket: 'c', key: 'k' }), { ...pinned, key: 'k' });
    assert.deepEqual(withCredentials(Access, pinned, { bucket: 'c', role: 's' }), { ...pinned, role: 's' });
    assert.deepEqual(withoutSecrets(Access, byRole), byRole);
  });

  it('do not reach a log, by name or by look', () => {
    const logged = redact({
      headers: { authorization: 'Bearer x', accept: '*/*' },
      destination: { config: { aws_secret_access_key: 'x', password: 'x', bucket_name: 'b' } },
      list: ['key phx_Abc123 used', 'postgres://me:pw@db.example/x'],
    });
    assert.deepEqual(logged, {
      headers: { authorization: '[redacted]', accept: '*/*' },
      destination: { config: { aws_secret_access_key: '[redacted]', password: '[redacted]', bucket_name: 'b' } },
      list: ['key [redacted] used', 'postgres://[redacted]@db.example/x'],
    });
  });
});

/** Kinds of changes of an export, without a browser. */
import assert from 'node:assert/strict';
import { isPlanned, isSecret } from '../../../console/src/exports/run/changes.ts';

type Change = Parameters<typeof isPlanned>[0];

const changeOf = (field: string, before: unknown, after: unknown): Change => ({
  at: '2025-06-02T09:00:00Z',
  user: null,
  about: 'batch_export',
  fields: [{ field, before, after }],
});
const kindsOf = (change: Change) => ({ planned: isPlanned(change), secret: isSecret(change) });

describe('a change since a run was planned', () => {
  it('is of the plan if its values differ, and if they are too long to be listed', () => {
    const planned = { planned: true, secret: false };
    assert.deepEqual(kindsOf(changeOf('destination__config__url', 'https://a', 'https://b')), planned);
    assert.deepEqual(kindsOf(changeOf('destination__config__template', null, null)), planned);
    assert.deepEqual(kindsOf(changeOf('hogql_query', null, null)), planned);
  });

  it('is of a secret if its values are masked, or if it lists no field', () => {
    const secret = { planned: false, secret: true };
    assert.deepEqual(kindsOf(changeOf('destination__config__token', '********', '********')), secret);
    assert.deepEqual(kindsOf({ ...changeOf('', null, null), about: 'integration', fields: [] }), secret);
  });

  it('is neither if runs do not depend on its field', () => {
    assert.deepEqual(kindsOf(changeOf('interval', 'hour', 'day')), { planned: false, secret: false });
  });
});

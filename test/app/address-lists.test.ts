import assert from 'node:assert/strict';
import { checkAddressLists } from '../../src/app/address-lists.ts';
import { readConfig } from '../../src/platform/config.ts';
import { CommandFailed } from '../../src/platform/errors.ts';

const refuses = (environment: Record<string, string>, message: RegExp) =>
  assert.throws(
    () => checkAddressLists(readConfig(environment)),
    (error: Error) => error instanceof CommandFailed && message.test(error.message),
  );

describe('the lists of hosts and addresses in the environment', () => {
  for (const entry of ['10.0.0.0/99', '*', '*.internal', 'db:5432', 'http://db', '..'])
    it(`must not contain ${entry}, which no host is`, () =>
      refuses({ EXPORT_ALLOWED_HOSTS: `db,${entry}` }, /EXPORT_ALLOWED_HOSTS: \S+ is/));

  it('may contain proxies by their addresses only', () =>
    refuses({ TRUSTED_PROXIES: '10.0.0.0/8,proxy' }, /TRUSTED_PROXIES: proxy is neither an address nor a CIDR range/));

  it('may contain names, addresses and ranges', () =>
    checkAddressLists(
      readConfig({
        EXPORT_ALLOWED_HOSTS: 'DB-1.internal, 10.0.0.7,10.0.0.0/8,fd00::/8,[::1]',
        TRUSTED_PROXIES: '10.0.0.0/8',
      }),
    ));
});

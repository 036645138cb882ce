/** Teeth that keep users from reaching servers inside. */
import type { Tooth } from '../tooth.ts';

const CONNECT = ['test/platform/net/connect.test.ts'];
const RULES = ['test/platform/net/host-rules.test.ts'];

export const NETWORK_TEETH: readonly Tooth[] = [
  {
    name: 'host-every-address',
    guards: 'a name that resolves to an address inside opens no socket',
    tests: CONNECT,
  },
  {
    name: 'host-literal-agent',
    guards: 'an address inside opens no socket of an HTTP client',
    tests: CONNECT,
    replace: ['isIP(literal) === 0 || rules.permits(literal, literal)', 'true'],
  },
  {
    name: 'host-literal-socket',
    guards: 'an address inside opens no socket',
    tests: CONNECT,
  },
  {
    name: 'endpoint-plain-http',
    guards: 'credentials and rows travel in the open only where the operator lists the host',
    tests: CONNECT,
  },
  {
    name: 'endpoint-ports',
    guards: 'an endpoint is no request to the database or the mail server beside it',
    tests: CONNECT,
    replace: [' && !OTHER_SERVICES.has(port)', ''],
  },
  {
    name: 'host-public',
    guards: 'private, loopback and link-local addresses are no public hosts',
    tests: RULES,
  },
  {
    name: 'host-ipv6',
    guards: 'of IPv6 only global addresses are public hosts',
    tests: RULES,
    replace: ["parsed.kind() === 'ipv4' || (parsed.toByteArray()[0]! & 0xe0) === 0x20", 'true'],
  },
  {
    name: 'source-key-in-the-open',
    guards: 'the key of the server that flags are imported from does not travel in the open',
    tests: ['test/flags/import/source.test.ts'],
    grep: 'in the open',
  },
  {
    name: 'import-throttled-for-ever',
    guards: 'an import ends at a server that answers nothing but 429',
    tests: ['test/flags/import/throttled.test.ts'],
    grep: 'gives up',
  },
  {
    name: 'import-echoed-key',
    guards: 'a key that a server repeats in an error is not printed',
    tests: ['test/flags/import/source.test.ts'],
    grep: 'its text',
    replace: [".replaceAll(key, '[key]')", ''],
  },
];

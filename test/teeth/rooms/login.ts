/** Teeth that keep people out who did not log in, or not as themselves. */
import type { Tooth } from '../tooth.ts';

export const LOGIN_TEETH: readonly Tooth[] = [
  {
    name: 'own-page',
    guards: 'a page of another site neither logs its visitor in nor uses their session',
    tests: ['test/people/accounts/login.test.ts'],
    grep: 'leaves no cookie',
  },
  {
    name: 'session-bound',
    guards: 'one user does not fill the table of sessions',
    tests: ['test/people/accounts/sessions.test.ts'],
    grep: 'thirty of a user',
  },
  {
    name: 'address-coarse',
    guards: 'no whole address of a person is kept with their session',
    tests: ['test/platform/wire/client-address.test.ts'],
    grep: 'kept of it',
    replace: ['parsed instanceof ipaddr.IPv6 ? 48 : 24', '32'],
  },
];

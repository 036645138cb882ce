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
    name: 'local-only',
    guards: 'a sign-in link that somebody read elsewhere opens nothing from there',
    tests: ['test/people/accounts/sign-in-links.test.ts'],
    grep: 'are refused from',
  },
  {
    name: 'link-tries',
    guards: 'sign-in links are not guessed without end',
    tests: ['test/people/accounts/sign-in-links.test.ts'],
    grep: 'not guessed',
  },
  {
    name: 'link-purpose',
    guards: 'a link that was mailed for a new password does not log in by itself, from other machines',
    tests: ['test/people/accounts/sign-in-links.test.ts'],
    grep: 'not made of links',
    replace: ['.where({ purpose })', ''],
  },
  {
    name: 'link-expiry',
    guards: 'a link that was left somewhere opens nothing later',
    tests: ['test/people/accounts/sign-in-links.test.ts'],
    grep: 'after ten minutes',
    replace: [".where('expires_at', '>', db.raw('now()'))", ''],
  },
  {
    name: 'link-of-active-user',
    guards: 'a link lets nobody in whose account was closed',
    tests: ['test/people/accounts/sign-in-links.test.ts'],
    grep: 'after ten minutes',
    replace: [".whereIn('user_id', db('users').where({ is_active: true }).select('id'))", ''],
  },
  {
    name: 'password-ends-links',
    guards: 'a link from before a new password lets nobody in after it',
    tests: ['test/people/accounts/sign-in-links.test.ts'],
    grep: 'after ten minutes',
  },
  {
    name: 'reset-tries',
    guards: 'nobody has letters mailed without end from one address',
    tests: ['test/people/accounts/reset.test.ts'],
    grep: 'twenty times',
  },
  {
    name: 'reset-tries-of-account',
    guards: 'nobody fills the mailbox of somebody else',
    tests: ['test/people/accounts/reset.test.ts'],
    grep: 'three times',
  },
  {
    name: 'reset-ends-keys',
    guards: 'who made an account under the address of somebody else keeps no key to it',
    tests: ['test/people/accounts/reset.test.ts'],
    grep: 'leaves no key',
  },
  {
    name: 'reset-ends-sessions',
    guards: 'somebody who came in with the old password does not stay after a reset',
    tests: ['test/people/accounts/reset.test.ts'],
    grep: 'is set once',
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
    grep: 'stored only as its network',
    replace: ['parsed instanceof ipaddr.IPv6 ? 48 : 24', '32'],
  },
];

/** Teeth that keep secrets secret. */
import type { Tooth } from '../tooth.ts';

export const SECRET_TEETH: readonly Tooth[] = [
  {
    name: 'instance-without-credentials',
    guards: 'the address of Temporal’s UI is shown without the credentials in it',
    tests: ['test/platform/health/instance.test.ts'],
    grep: 'without a secret of either',
  },
  {
    name: 'password-guessing',
    guards: 'a password that is easily guessed is not taken',
    tests: ['test/platform/secrets/guessing.test.ts'],
    replace: ['await isHardToGuess(password, guessable)', 'true'],
  },
  {
    name: 'line-full',
    guards: 'tries to log in do not use up memory and all cores',
    tests: ['test/platform/secrets/passwords.test.ts'],
    grep: 'a few at a time',
  },
  {
    name: 'redact-texts',
    guards: 'keys and the users of URLs are in no log',
    tests: ['test/platform/secrets/secrets.test.ts'],
    replace: ['value.replace(SECRET_TEXT, REDACTED)', 'value'],
  },
  {
    name: 'redact-names',
    guards: 'values of secret names are in no log',
    tests: ['test/platform/secrets/secrets.test.ts'],
    replace: ['isSecretName(name) ? REDACTED : redact(fieldValue, depth + 1)', 'redact(fieldValue, depth + 1)'],
  },
  {
    name: 'redact-foreign-messages',
    guards: 'what drivers say, which quotes values, is in no log',
    tests: ['test/platform/secrets/log-canaries.test.ts'],
    grep: 'runtime quotes|lets a user not in',
    replace: ['isOurs(error, lines) && ', ''],
  },
  {
    name: 'key-ring-signature',
    guards: 'a signature is one of ours',
    tests: ['test/platform/secrets/key-ring.test.ts'],
    replace: ['timingSafeEqual(presented, mac(key, text, purpose))', 'true'],
  },
  {
    name: 'encrypted-row',
    guards: 'an encrypted secret opens in its own row only',
    tests: ['test/exports/integrations/config-encryption.test.ts'],
    replace: ['`batch_exports/${projectId}/${id}`', '`batch_exports/${typeof projectId}/${typeof id}`'],
  },
  {
    name: 'encrypted-integration',
    guards: 'an encrypted secret of an integration opens in its own row only',
    tests: ['test/exports/integrations/config-encryption.test.ts'],
    replace: ['`integrations/${projectId}/${id}`', '`integrations/${typeof projectId}/${typeof id}`'],
  },
  {
    name: 'share-signature',
    guards: 'nobody makes the token of a page’s password by themselves',
    tests: ['test/analytics/sharing/share-tokens.test.ts'],
    replace: [' || !ring.hasSigned(text, PURPOSE, signature)', ''],
  },
  {
    name: 'share-expiry',
    guards: 'the token of a page’s password is good for a day',
    tests: ['test/analytics/sharing/share-tokens.test.ts'],
    replace: ['exp * 1000 > now() ? others : undefined', 'exp ? others : undefined'],
  },
  {
    name: 'share-password-active',
    guards: 'a password that was taken back opens its page no more',
    tests: ['test/analytics/sharing/shared-page.test.ts'],
    grep: 'as long as the password is',
    replace: [' && stores.sharePasswords.isActive(configuration.id, claims.share_password_id)', ''],
  },
  {
    name: 'share-until',
    guards: 'a link shows nothing after its time',
    tests: ['test/analytics/sharing/expiry.test.ts'],
    replace: ['and (current.shared_until is null or current.shared_until > clock_timestamp())', ''],
  },
  {
    name: 'share-tries',
    guards: 'passwords of pages are not guessed',
    tests: ['test/analytics/sharing/shared-page.test.ts'],
    grep: 'makes who guesses wait',
  },
  {
    name: 'webhook-signature',
    guards: 'the signature of a notice is of its body',
    tests: ['test/activities/rounds/deliver-notifications.test.ts'],
    grep: 'are signed',
    replace: ['.update(body)', ''],
  },
];

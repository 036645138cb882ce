/**
 * Skips a suite for lack of a program; with SLUICE_REQUIRE=all it fails instead.
 * @param suite `this` of a `before` hook
 */
export function skipFor(suite: Mocha.Context, message: string): void {
  if (process.env['SLUICE_REQUIRE'] === 'all') throw new Error(message);
  console.log(`    skipped: ${message}`);
  suite.skip();
}

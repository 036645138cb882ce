/**
 * Skips a suite whose program is not installed; with SLUICE_REQUIRE=all the suite fails instead.
 * @param suite `this` of a `before` hook
 */
export function skipSuite(suite: Mocha.Context, message: string): void {
  if (process.env['SLUICE_REQUIRE'] === 'all') throw new Error(message);
  console.log(`    skipped: ${message}`);
  suite.skip();
}

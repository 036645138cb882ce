/** A safety line of the product, and the tests that must fail without it. */
export type Tooth = {
  /** As in the marker, `// tooth: name`, on the line before the statement. */
  name: string;
  /** The loss, doubling or leak that the line prevents, in one sentence. */
  guards: string;
  /** Test files, as paths from the root. */
  tests: readonly string[];
  /** As mocha's: only tests whose full titles match. */
  grep?: string;
  /** Text inside the statement and what replaces its first occurrence; without it the whole statement is taken away. */
  replace?: readonly [from: string, to: string];
  /** Why the tests wait without end, instead of failing, when the line is gone. */
  hangs?: string;
};

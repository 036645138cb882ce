/** A name server of the tests, in place of the system's. */
import dns, { type LookupAddress } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

type Lookup = (name: string, options: object, done: (error: null, found: LookupAddress[]) => void) => void;

const install = (value: unknown) => {
  Object.assign(dns, { lookup: value });
  syncBuiltinESMExports();
};

/**
 * @param addressesOf is called for each lookup; undefined: the system answers
 * @returns a function that ends it
 */
export function answerNames(addressesOf: (name: string) => readonly string[] | undefined): () => void {
  const lookup = dns.lookup as unknown as Lookup;
  const answer: Lookup = (name, options, done) => {
    const addresses = addressesOf(name);
    if (!addresses) return lookup(name, options, done);
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    setImmediate(() => done(null, found));
  };
  install(answer);
  return () => install(lookup);
}

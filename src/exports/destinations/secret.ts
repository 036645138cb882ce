/** A credential in a destination's configuration. */
import { Type } from '../../platform/schema.ts';

/** Schema of a secret: encrypted at rest, absent from responses. The pattern refuses blanks, and the asterisks of a mask that a client sent back. */
export function secret(title: string) {
  return Type.String({
    title,
    writeOnly: true,
    pattern: '[^*\\s]',
    maxLength: 4096,
    description: 'The credential; it may not be blank or consist of asterisks.',
  });
}

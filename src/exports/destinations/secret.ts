/** A credential in a destination's configuration. */
import { Type } from '../../platform/schema.ts';

/** `writeOnly`: encrypted at rest, absent from every response. Neither blank nor the asterisks of a mask that a client sent back. */
export function secret(title: string) {
  return Type.String({
    title,
    writeOnly: true,
    pattern: '[^*\\s]',
    maxLength: 4096,
    description: 'The credential; it may not be blank or consist of asterisks.',
  });
}

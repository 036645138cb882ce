/** A credential in a destination's configuration. */
import { Type } from '../../platform/schema.ts';

/**
 * Schema of a secret: encrypted at rest, absent from responses. The pattern refuses blanks, and the asterisks of a mask that a client sent back.
 * @param options `isReadable`: forms show it while it is typed, such as the name of a user
 */
export function secret(title: string, { isReadable = false } = {}) {
  return Type.String({
    title,
    writeOnly: true,
    ...(!isReadable && { format: 'password' }),
    pattern: '[^*\\s]',
    maxLength: 4096,
    description: 'The credential; it may not be blank or consist of asterisks.',
  });
}
